"""New patients with times to an event, as a saved model takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tlpo.analysis.new_rows import clear_known, require_columns, say_moved, take_features
from tlpo.analysis.shapes import SurvivalCard
from tlpo.plurals import counted
from tlpo.problem.outcome import TimeToEvent
from tlpo.tables.columns import is_filled
from tlpo.tables.groups import groups_of, require_groups
from tlpo.tables.survival import Event, find_event, read_again, read_durations, require_patients

if TYPE_CHECKING:
    import pandas as pd


class NewTimes(NamedTuple):
    """Patients to validate a model of times to an event on.

    Attributes
    ----------
    X : DataFrame
        Features, in the columns of development.
    outcome : TimeToEvent
        Times and events.
    event : str
        The column of events.
    groups : ndarray or None
        Group of every row, as text.
    remarks : list of str
        What differs from development, and which rows were left out.
    """

    X: pd.DataFrame
    outcome: TimeToEvent
    event: str
    groups: Any
    remarks: list[str]


def take_times(
    table: pd.DataFrame, card: SurvivalCard, time: str, event: str | None, groups: Sequence[str]
) -> NewTimes:
    """Take from a table what the model of a card needs, and say what is odd about it.

    Parameters
    ----------
    table : DataFrame
        As it was read.
    card : SurvivalCard
        Of the model.
    time : str
        The column of times.
    event : str or None
        The column of events, or a condition such as ``"status == 2"``; that of development by
        default.
    groups : sequence of str
        The columns that say which rows belong together.
    """
    meant = Event(card.target) if event is None else find_event(table, event)
    table, remarks = clear_known(table, card, groups)
    require_columns(table, card, [time, meant.column, *groups])
    require_groups(table, groups)
    rows = is_filled(table[time]) & is_filled(table[meant.column])
    if not rows.all():
        remarks.append(f"Left out: {counted(int((~rows).sum()), 'row')} without an outcome.")
    table = table.loc[rows].reset_index(drop=True)
    X, kept = take_features(table, card, remarks, len(rows))
    table = table.loc[kept]
    durations = read_durations(table[time], np.ones(len(table), dtype=bool), time)
    value = card.event_value if meant.value is None else meant.value
    happened, coding = read_again(table[meant.column], value, card.codes)
    outcome = TimeToEvent(durations, happened, None, coding or card.coding)
    require_patients(outcome, meant, table[meant.column])
    remarks += say_moved(card.time, durations)
    return NewTimes(X, outcome, meant.column, groups_of(table, groups), remarks)
