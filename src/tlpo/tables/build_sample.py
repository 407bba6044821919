"""Understand a table: which column is the outcome, which are features, which rows are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.problem.labels import SORTED, choose_positive, label_array, name_classes
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses, TimeToEvent
from tlpo.tables.cells import as_number
from tlpo.tables.column_kinds import read_columns
from tlpo.tables.columns import (
    ALL_DIFFERENT,
    COUNTER,
    as_text,
    batches,
    counters_of,
    is_filled,
    require_column,
    say_infinite,
    text_of,
)
from tlpo.tables.doubtful_values import say_spelling, suspect_values
from tlpo.tables.duplicates import count_duplicates
from tlpo.tables.exact_numbers import exact_numbers
from tlpo.tables.groups import groups_of, name_groups, require_groups, suspect_groups
from tlpo.tables.leakage import find_suspects, sounds_like_identifier, suspect
from tlpo.tables.levels import Levels, find_levels
from tlpo.tables.missing_values import (
    clear_values,
    find_codes_among,
    is_word_for_missing,
    say_cleared,
)
from tlpo.tables.options import DROP, IMPUTE, MOST_CLASSES, REST, Specification
from tlpo.tables.outcomes import (
    Target,
    cut_in_two,
    find_target,
    read_order,
    require_cut,
    require_different,
    say_order,
)
from tlpo.tables.select import say_rows, select_rows
from tlpo.tables.several import keep_classes, name_labels, say_classes, spell
from tlpo.tables.spelling import join_categories, say_joined
from tlpo.tables.subgroups import divide
from tlpo.tables.survival import (
    Event,
    codes_of,
    find_event,
    read_survival,
    require_patients,
    say_times,
)

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Sample:
    """A table, understood.

    Attributes
    ----------
    spec : Specification
        What was asked.
    X : pandas.DataFrame
        Features as they are in the file; models prepare them inside every fit.
    y : ndarray
        The outcome: classes as text, numbers as they are, grades as their places, times and
        events as one array.
    outcome : Outcome
        Who should win: which label is positive, of which of several classes a patient is, which
        numbers or grades are larger, who had the event earlier.
    target : str
        The column of the outcome.
    groups : ndarray or None
        Which rows belong together.
    ids : pandas.DataFrame
        Row number in the file, identifiers and group of every patient.
    places : ndarray
        The rows of the table that are used, counted from 0.
    numeric, categorical : list of str
        Features by kind.
    n_read : int
        Rows read.
    n_unselected : int
        Rows that no condition selected.
    n_without_target : int
        Rows left out because they have no outcome.
    n_other_classes : int
        Rows left out because they have none of the labels asked for.
    n_incomplete : int
        Rows with missing values among their features.
    n_dropped : int
        Rows left out because of missing values.
    n_missing_cells : int
        Missing values among the features that remain.
    n_duplicates : int
        Rows with the same features as an earlier row.
    n_expected : float
        About how many chance alone would give.
    chosen_by : str
        Why the positive label is positive.
    left_out : dict of str to str
        Columns that cannot be features, and why.
    suspects : list of dict
        Columns that may deceive, as `find_suspects` returns them.
    notes : list of str
        How the columns were understood, for the reader of the report.
    by : dict
        Subgroup of every row, None where it is unknown, by column.
    rows : list of str
        How rows were selected, as a report may say it.
    levels : dict of str to Levels
        Which levels of the categories models tell apart, and what is shown of them, by column.
    exact : dict
        Of features that were asked for, those whose whole numbers X rounds, as they are in the
        file.
    event : Event or None
        The column that says who had the event, of times to one.
    codes : dict of str to bool
        Its values, and whether each means the event, unless one was named.
    classes : dict of str to list of str
        The labels that each class is made of, of classes that were asked for; none is the rest.
    decimal : str or None
        The decimal mark, if it was named.
    """

    spec: Specification
    X: pd.DataFrame
    y: Any
    outcome: Outcome
    target: str
    groups: Any
    ids: pd.DataFrame
    places: IntArray
    numeric: list[str]
    categorical: list[str]
    n_read: int
    n_unselected: int
    n_without_target: int
    n_other_classes: int
    n_incomplete: int
    n_dropped: int
    n_missing_cells: int
    n_duplicates: int
    n_expected: float
    chosen_by: str
    left_out: dict[str, str]
    suspects: list[dict[str, Any]]
    notes: list[str]
    by: dict[str, list[str | None]] = field(default_factory=dict)
    rows: list[str] = field(default_factory=list)
    levels: dict[str, Levels] = field(default_factory=dict)
    exact: dict[str, pd.Series] = field(default_factory=dict)
    event: Event | None = None
    codes: dict[str, bool] = field(default_factory=dict)
    classes: dict[str, list[str]] = field(default_factory=dict)
    decimal: str | None = None

    @property
    def labels(self) -> Classes:
        """The outcome, if it is two classes."""
        assert isinstance(self.outcome, Classes)
        return self.outcome

    @property
    def is_ordered(self) -> bool:
        """Whether the outcome is no classes: numbers, grades or times to an event."""
        return isinstance(self.outcome, Ordered | TimeToEvent)

    @property
    def is_several(self) -> bool:
        """Whether the outcome is more than two classes."""
        return isinstance(self.outcome, SeveralClasses)

    @property
    def is_survival(self) -> bool:
        """Whether the outcome is times to an event."""
        return isinstance(self.outcome, TimeToEvent)

    @property
    def n_coefficients(self) -> int:
        """How many coefficients a linear model has: of categories, one less than levels."""
        levels = self.levels.values()
        return len(self.numeric) + sum(max(1, len(one.kept) + bool(one.rare) - 1) for one in levels)

    @property
    def unit(self) -> str:
        """What a row is called: a patient, unless rows are grouped, and then just a row."""
        return "row" if self.spec.groups else "patient"

    @property
    def group(self) -> str | None:
        """The columns that say which rows belong together, in words."""
        return name_groups(self.spec.groups)

    @property
    def unlisted(self) -> list[str]:
        """Categories whose levels must not be written out."""
        return [name for name in self.categorical if not self.levels[name].is_listed]


def build_sample(table: pd.DataFrame, spec: Specification, *, with_features: bool = True) -> Sample:
    """Tell outcome, groups and features of a table apart; or only outcome and groups."""
    event = None if spec.time is None else find_event(table, spec.target)
    meant = find_target(table, spec.target) if event is None else Target(event.column)
    require_cut(meant, spec)
    target, features = meant.column, spec.features
    groups_by = spec.groups
    time = [] if spec.time is None else [spec.time]
    named = (*features, *spec.drop, *spec.by, *spec.categorical, *spec.numeric, *time)
    for name in named:
        require_column(table, name)
    require_groups(table, groups_by)
    n_read = len(table)
    notes = list(table.attrs.get("notes", ()))
    table, cleared = clear_values(table, spec.missing_values, groups_by)
    notes += say_cleared(cleared)
    selected = select_rows(table, spec.rows)
    rows = say_rows(table, spec)
    has_target = selected & is_filled(table[target])
    for name in time:
        has_target &= is_filled(table[name])
    if not has_target.any():
        raise InputError(
            explain(
                "The target column is empty.",
                f"You passed {arg('target', target)}, which is empty in all "
                f"{int(selected.sum())} rows."
                if event is None
                else f"You passed {arg('time', spec.time)} and {arg('event', target)}; no row has "
                "both.",
                "Choose another column.",
            )
        )
    is_cut = bool(meant.mark)
    in_order: Ordered | TimeToEvent | None = None
    codes: dict[str, bool] = {}
    if event is not None:
        in_order = read_survival(table, event, has_target, spec)
        if event.value is None:  # of one that was named, others may be anything
            codes = codes_of(table.loc[has_target, target], in_order.event)
    elif not is_cut:
        in_order = read_order(table[target], has_target, spec)
    positive, chosen_by, used, is_several = None, "", has_target, False
    asked: list[dict[str, Any]] = []  # about the outcome
    classes: dict[str, list[str]] = {}
    y: Any
    if in_order is not None:
        y = np.full(len(table), -1)  # the place of every row among those with an outcome
        y[has_target] = np.arange(in_order.n_units)
    else:
        if is_cut:
            y = cut_in_two(table[target], meant, has_target)
        else:
            y, asked = _spell(as_text(table[target]), has_target, target, spec)
            notes += [say_spelling(one) for one in asked]
        used, y, classes = keep_classes(y, has_target, spec)
        if not is_cut:
            asked += _suspect_labels(y[used], target)
        is_several = spec.positive is None and 2 < len(set(y[used].tolist())) <= MOST_CLASSES
        if not is_several:
            positive, chosen_by = _positive(table.loc[used, target], y[used], spec)
        if is_cut and spec.positive is None:
            positive, chosen_by = meant.labels[0], "as requested"
        # Before any feature: this is the graver mistake.
        _labels(y[used], positive, spec, is_cut, is_several)
    ignored = {target, *groups_by, *time, *spec.drop}
    chosen = [c for c in (features or table.columns) if c not in ignored and with_features]
    # Judged on the whole file: what remains after leaving rows out has gaps in its numbering.
    counters = set() if features else counters_of(table, chosen) - {*spec.numeric}
    if not used.all():
        table, y = table.loc[used].reset_index(drop=True), y[used]
    rest = [name for name in chosen if name not in counters]
    exact = {name: exact_numbers(table[name]) for name in features if name in rest}
    table, kinds, how, doubts = read_columns(table, rest, spec)
    notes += [f"Column {name!r}: {said}." for name, said in how.items()]
    numeric = [name for name, (kind, _) in kinds.items() if kind == "numeric"]
    categorical = [name for name, (kind, _) in kinds.items() if kind == "categorical"]
    table, respelled = join_categories(table, [n for n in categorical if n not in spec.categorical])
    notes += say_joined(respelled)
    reasons = dict.fromkeys(counters, COUNTER) | {name: why for name, (_, why) in kinds.items()}
    left_out = {name: reasons[name] for name in chosen if reasons[name]}
    unused = _say_unused(left_out)
    if not numeric and not categorical and with_features:
        raise InputError(
            explain(
                "No features are left.",
                " ".join(unused) or f"You passed the columns {enumerate_briefly(table.columns)}.",
                "Add columns, or name those to use, for example "
                f"{arg('features', ['age', 'marker'])}.",
            )
        )
    by_row, by_column = _count_gaps(table, numeric + categorical)
    kept = by_row == 0 if spec.gaps == DROP else np.ones(len(table), dtype=bool)
    if not kept.any():
        worst = (numeric + categorical)[int(by_column.argmax())]
        raise InputError(
            explain(
                "Every row has a missing value.",
                f"You passed {arg('missing', DROP)} for {len(table)} rows.",
                f"Use {arg('missing', IMPUTE)}, or leave out columns that have gaps, for example "
                f"{arg('drop', [worst])}.",
            )
        )
    outcome: Outcome
    if in_order is None:
        outcome = labels = _labels(y[kept], positive, spec, is_cut, is_several)
        if isinstance(labels, Classes):
            notes.append(
                f"The outcome is {target!r}. {labels.positive!r} counts as positive ({chosen_by}), "
                f"{labels.negative!r} as negative."
            )
        else:
            # First of all: many expect two classes.
            notes.insert(0, say_classes(labels, target))
        code = labels.level
    else:
        outcome = in_order.reordered(y[kept])
        if isinstance(outcome, TimeToEvent):
            assert event is not None
            require_patients(outcome, event, table[event.column][kept])
            notes.append(say_times(outcome, event, str(spec.time)))
            y = outcome.structured
        else:
            require_different(outcome.y, spec)
            notes.append(say_order(outcome, target, spec.ordered or bool(spec.order)))
            y = outcome.y
        code = is_upper_half(outcome).astype(np.intp)
    groups = groups_of(table, groups_by)
    X = _feature_table(table, numeric, categorical, kept)
    notes += unused
    if groups is not None:
        groups = groups[kept]
        notes.append(
            f"Rows with the same {' and '.join(map(repr, groups_by))} are left out of training "
            "together "
            f"({len(set(groups))} groups)."
        )
    levels = {
        name: find_levels(name, X[name].tolist(), groups, name in spec.categorical)
        for name in categorical
    }
    by, unnamed = _subgroups(table.loc[kept], spec, groups)
    suspects = suspect_groups(
        find_suspects(
            table,
            kept,
            X,
            code,
            target=target,
            groups=groups_by,
            time=outcome.time if isinstance(outcome, TimeToEvent) else None,
        ),
        table.loc[kept],
        groups_by,
        list(X.columns),
    )
    n_duplicates, n_expected = count_duplicates(X) if with_features else (0, 0.0)
    return Sample(
        spec=spec,
        X=X,
        y=y[kept] if in_order is None else y,
        outcome=outcome,
        target=target,
        groups=groups,
        ids=_identifiers(table, target, groups_by, left_out, np.flatnonzero(used) + 1)
        .loc[kept]
        .reset_index(drop=True),
        places=np.flatnonzero(used)[kept],
        numeric=numeric,
        categorical=categorical,
        n_read=n_read,
        n_unselected=int((~selected).sum()),
        n_without_target=int((selected & ~has_target).sum()),
        n_other_classes=int((has_target & ~used).sum()),
        n_incomplete=int((by_row > 0).sum()),
        n_dropped=int((~kept).sum()),
        n_missing_cells=int(by_row[kept].sum()),
        n_duplicates=n_duplicates,
        n_expected=n_expected,
        chosen_by=chosen_by,
        left_out=left_out,
        suspects=[
            *asked,
            *suspects,
            *_suspect_names(levels | unnamed),
            *suspect_values(table, X, numeric, doubts, spec, suspects),
        ],
        notes=notes,
        by=by,
        rows=rows,
        levels=levels,
        exact={name: found[kept] for name, found in exact.items() if found is not None},
        event=event,
        codes=codes,
        classes=classes,
        decimal=table.attrs.get("decimal"),
    )


def is_upper_half(outcome: Ordered | TimeToEvent) -> BoolArray:
    """Return a class for questions about two: the larger numbers, or those that had the event."""
    if isinstance(outcome, TimeToEvent) and not outcome.event.all():
        return outcome.event
    values = outcome.y if isinstance(outcome, Ordered) else -outcome.time
    above = values > np.median(values)
    return np.asarray(above if above.any() else values >= np.median(values))


def listed(names: Sequence[str], most: int = 20) -> str:
    """List names for a reader; nobody reads 20 000 of them.

    Examples
    --------
    >>> listed(["age", "marker"]), listed([]), listed("abcdef", 3)
    ('age, marker', 'none', 'a, b, c … (6 in all)')
    """
    if not names:
        return "none"
    rest = f" … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _subgroups(
    table: pd.DataFrame, spec: Specification, groups: Any
) -> tuple[dict[str, list[str | None]], dict[str, Levels]]:
    """Return the subgroup of every row by column, and what is known of each column's levels."""
    by, found = {}, {}
    for name in spec.by:
        texts = divide(table[name], name)
        # Codes are not names, whatever their column is called.
        is_said = name in spec.categorical or all(
            as_number(text) is not None for text in texts if text is not None
        )
        levels = found[name] = find_levels(name, texts, groups, is_said)
        by[name] = [None if v is None else levels.shown(v) for v in levels.pool(texts)]
    return by, found


def _suspect_names(levels: dict[str, Levels]) -> list[dict[str, Any]]:
    """Return the columns that look like names; of identifiers, `find_suspects` has asked."""
    return [
        suspect(name, "names", n_values=found.n_levels)
        for name, found in levels.items()
        if not found.is_listed and not sounds_like_identifier(name)
    ]


def _say_unused(left_out: dict[str, str], most: int = 10) -> list[str]:
    """Say of every column that is no feature why not; of many alike, together."""
    reasons: dict[str, list[str]] = {}
    for name, why in left_out.items():
        reasons.setdefault(why, []).append(name)
    said = []
    for why, names in reasons.items():
        if len(names) > most:
            said.append(
                f"Each of {len(names)} columns, such as {enumerate_briefly(names[:3])}, was not "
                f"used: {why}."
            )
        elif len(names) > 1 and why in ("it is constant", "it is empty"):
            state = why.removeprefix("it is ")
            said.append(
                f"Columns {enumerate_briefly(names, most)} were not used: they are {state}."
            )
        else:
            said += [f"Column {name!r} was not used: {why}." for name in names]
    return said


def _identifiers(
    table: pd.DataFrame,
    target: str,
    groups: Sequence[str],
    left_out: dict[str, str],
    rows: IntArray,
) -> pd.DataFrame:
    """Return what tells the rows of a file apart: their numbers, identifiers and groups."""
    tells = {name for name, why in left_out.items() if why in (COUNTER, ALL_DIFFERENT)}
    tells |= set(filter(sounds_like_identifier, table.columns)) - {target}
    ids = table[[name for name in table.columns if name in tells]].copy()
    ids = ids.assign(**{name: table[name] for name in groups})
    if "row" not in ids:
        ids.insert(0, "row", rows)
    return ids


def _count_gaps(table: pd.DataFrame, names: list[str]) -> tuple[IntArray, IntArray]:
    """Count missing values by row and by column."""
    by_row = np.zeros(len(table), dtype=int)
    by_column = []
    for part in batches(names, len(table)):
        gaps = table[part].isna().to_numpy()
        by_row += gaps.sum(axis=1)
        by_column.append(gaps.sum(axis=0))
    return by_row, np.concatenate([*by_column, np.empty(0, dtype=int)])


def _feature_table(
    table: pd.DataFrame, numeric: list[str], categorical: list[str], rows: BoolArray
) -> pd.DataFrame:
    """Copy the features of some rows: numbers into one array, categories as text."""
    import pandas as pd

    numbers = np.empty((int(rows.sum()), len(numeric)))
    stop = 0
    for part in batches(numeric, len(table)):
        start, stop = stop, stop + len(part)
        numbers[:, start:stop] = table[part].to_numpy(float, na_value=np.nan)[rows]
        infinite = np.isinf(numbers[:, start:stop]).any(axis=0)
        if infinite.any():
            where = [part[k] for k in np.flatnonzero(infinite)]
            remedy = f"Replace them, or leave these columns out with {arg('drop', where[:3])}."
            raise InputError(say_infinite(where, remedy))
    X = pd.DataFrame(numbers, columns=numeric, copy=False)
    if not categorical:
        return X
    once: dict[str, str] = {}  # each category is kept once, not once per row
    texts = np.empty((len(numbers), len(categorical)), dtype=object)
    stop = 0
    for part in batches(categorical, len(table)):
        start, stop = stop, stop + len(part)
        values = table[part].to_numpy(object)[rows]
        gaps = table[part].isna().to_numpy()[rows]
        cells = zip(values.ravel().tolist(), gaps.ravel().tolist(), strict=True)
        flat = [np.nan if gap else once.setdefault(t := text_of(v), t) for v, gap in cells]
        texts[:, start:stop] = np.array(flat, dtype=object).reshape(values.shape)
    # Columns of objects, not of whatever type of text this pandas has.
    return pd.concat([X, pd.DataFrame(texts, columns=categorical, dtype=object)], axis=1)


def _positive(column: pd.Series, y: Any, spec: Specification) -> tuple[str | None, str]:
    """Choose the positive label unless it was given, and say why."""
    import pandas as pd

    names, positive = sorted(set(y.tolist())), spec.positive
    if positive is not None:
        # Whoever sees TRUE in the file writes TRUE, but it is read as True.
        alike = [name for name in names if name.lower() == positive.strip().lower()]
        return alike[0] if len(alike) == 1 else positive, "as requested"
    if len(names) != 2:
        return None, ""
    if REST in spec.classes and REST in names:
        return next(name for name in names if name != REST), "against the rest"
    chosen, chosen_by = choose_positive(names[0], names[1])
    if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered and chosen_by == SORTED:
        present = [str(c).strip() for c in column.cat.categories if str(c).strip() in names]
        return present[-1], "the label with the higher code"
    return chosen, chosen_by


def _spell(
    y: Any, filled: BoolArray, target: str, spec: Specification
) -> tuple[Any, list[dict[str, Any]]]:
    """Join labels that differ only in case and spaces, and say which these are."""
    spelled, joined = spell(y, filled, spec)
    return spelled, [
        suspect(
            target,
            "spelling",
            n_values=int(np.isin(y[filled], others).sum()),
            values=[kept, *others],
        )
        for kept, others in joined.items()
    ]


def _suspect_labels(y: Any, target: str) -> list[dict[str, Any]]:
    """Return labels that seem to say that there is no outcome."""
    labels = sorted(set(y.tolist()))
    if len(labels) < 3 or len(labels) > MOST_CLASSES:
        return []
    values = [label for label in labels if is_word_for_missing(label)]
    if all(as_number(label) is not None for label in labels):
        values = find_codes_among(y)
    return [suspect(target, "missing code", n_values=len(values), values=values)] if values else []


def _labels(
    y: Any, positive: str | None, spec: Specification, is_cut: bool, is_several: bool
) -> Classes | SeveralClasses:
    return name_labels(y, spec) if is_several else _classes(y, positive, spec, is_cut)


def _classes(y: Any, positive: str | None, spec: Specification, is_cut: bool) -> Classes:
    names = sorted(set(y.tolist()))
    if len(names) != 2:
        raise InputError(
            explain(
                "The target must have exactly two labels.",
                f"You passed {arg('target', spec.target)} with {len(names)}: "
                f"{enumerate_briefly(names)}.",
                _say_choices(names, is_cut),
            )
        )
    if positive is not None and positive not in names:
        near = get_close_matches(positive, names, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            explain(
                "The positive label does not occur in the target column.",
                f"You passed {arg('positive', positive)}; the labels are "
                f"{enumerate_briefly(names)}.",
                f"Pass one of these.{hint}",
            )
        )
    return name_classes(label_array(y), positive, None)


def _say_choices(names: list[str], is_cut: bool) -> str:
    """Say what can be done about labels that are not two."""
    if len(names) < 2:
        return "Choose another limit." if is_cut else "Choose another column."
    are_numbers = all(as_number(name) is not None for name in names)
    in_order = (
        f"If they are numbers, of which the larger should rank higher, pass {arg('ordered')}."
        if are_numbers
        else f"If the labels have an order, name all of them from lowest to highest as "
        f"{arg('order')}."
    )
    return (
        f"Choose another column, or two of the labels, for example {arg('classes', names[:2])}, or "
        f"one against the others, for example {arg('classes', [names[0], REST])}. {in_order}"
    )
