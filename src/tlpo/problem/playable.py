"""May this be played? Every game and held-out set must leave ordered units to train on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, Outcome, SeveralClasses, TimeToEvent
from tlpo.problem.problem import Problem


class Admitted(NamedTuple):
    """The games of a schedule that can be played.

    Attributes
    ----------
    schedule : Schedule
        What is left to play.
    is_playable : ndarray of shape (g,) or None
        Which of the games asked for these are; None for all.
    """

    schedule: Schedule
    is_playable: BoolArray | None = None


def require_units(problem: Problem, least: int) -> None:
    """Refuse an outcome that leaves nothing to train on once ``least - 1`` units are left out."""
    outcome = problem.outcome
    if outcome.n_off_mode >= least:
        return
    out = {1: "one", 2: "two"}[least - 1]
    if isinstance(outcome, TimeToEvent):
        raise InputError(
            explain(
                f"Too few units had the event: leaving out {out} units must leave one to train on "
                "that another outlived.",
                f"You passed {outcome.count}.",
                f"Collect at least {least} units that had the event and were outlived by others.",
            )
        )
    if isinstance(outcome, SeveralClasses):
        smallest = int(np.argmin(outcome.sizes))
        raise _too_few(outcome.names[smallest], outcome.sizes[smallest], outcome, least)
    if not isinstance(outcome, Classes):
        raise InputError(
            explain(
                "Too few units differ from the most common value of y: leaving out "
                f"{out} of them must leave one to train on.",
                f"You passed {outcome.count}; {outcome.n_off_mode} "
                f"{'differs' if outcome.n_off_mode == 1 else 'differ'} from it.",
                f"Collect at least {least} units with other values.",
            )
        )
    name, count = outcome.positive, outcome.n_positive
    if count >= least:
        name, count = outcome.negative, outcome.n_negative
    raise _too_few(name, count, outcome, least)


def _too_few(name: Any, count: int, outcome: Outcome, least: int) -> InputError:
    out = {1: "one", 2: "two"}[least - 1]
    return InputError(
        explain(
            f"Class {name!r} has too few units: leaving out {out} of them must leave one "
            "to train on.",
            f"You passed {count} of class {name!r} among {outcome.n_units} units.",
            f"Collect at least {least} units of each class.",
        )
    )


def admit(
    problem: Problem, schedule: Schedule, *, skip: bool = False, may_skip: bool = True
) -> Admitted:
    """Refuse games that leave nobody ordered with somebody, or take them off the list.

    Parameters
    ----------
    problem, schedule
        What is to be played.
    skip : bool
        Take such games off the list instead.
    may_skip : bool
        Whether the caller could have asked for that.
    """
    outcome = problem.outcome
    require_units(problem, schedule.least_off_mode(outcome))
    if not problem.leaves_out_more:
        return Admitted(schedule)
    if problem.exclude is None and schedule.listed is None and isinstance(outcome, Classes):
        _require_groups(problem, outcome, schedule.is_ordered)
        return Admitted(schedule)
    games = schedule.games(outcome)
    emptied = _are_untrainable(problem, games)
    if not emptied.any():
        return Admitted(schedule)
    is_ordered = outcome.are_ordered(*games.T)
    if not skip or emptied[is_ordered].all():
        raise _untrainable(problem, games[np.argmax(emptied)], may_skip)
    return Admitted(replace(schedule, listed=games[~emptied]), ~emptied)


def admit_sets(problem: Problem, tests: list[IntArray]) -> None:
    """Refuse held-out sets that leave, with their groups, nothing to train on."""
    if problem.exclude is not None and not problem.exclude.is_union:
        raise InputError(
            explain(
                "exclude must be a tlpo.Buffer when single units are held out.",
                "You passed a function of a pair.",
                "For example exclude=tlpo.Buffer(coordinates, radius=10).",
            )
        )
    require_units(problem, 2)
    for test in tests:
        if problem.leaves_out_more or test.size >= problem.outcome.n_off_mode:
            _require_trainable(problem, test)


def _are_untrainable(problem: Problem, games: IntArray) -> BoolArray:
    """Tell for each game whether it leaves only peers to train on."""
    suspect = np.ones(len(games), dtype=bool)
    if problem.exclude is None or problem.exclude.is_union:
        # Two units take along at most what each takes by itself: mostly far from enough.
        n_gone = np.array(
            [problem.left_out(np.array([unit])).size for unit in range(problem.n_units)]
        )
        suspect = n_gone[games].sum(axis=1) >= problem.outcome.n_off_mode
    for k in np.flatnonzero(suspect):
        suspect[k] = not problem.outcome.is_trainable(problem.training_set(games[k]))
    return suspect


def _untrainable(problem: Problem, game: IntArray, may_skip: bool) -> InputError:
    train = problem.training_set(game)
    i, j = game.tolist()
    left = f"{train.size} unit{'s' if train.size != 1 else ''}"
    remedy = "Exclude fewer units, for example with a smaller radius"
    if problem.exclude is None:
        remedy = "Use smaller groups"
    return InputError(
        explain(
            f"Leaving out the pair ({i}, {j}) and the units that go with it leaves "
            f"{_what_is_left(problem, train)} to train on.",
            f"You passed {problem.outcome.count}; {left} would be left.",
            f"{remedy}, or pass on_error='skip' to leave such games out and count them."
            if may_skip
            else f"{remedy}.",
        )
    )


def _require_trainable(problem: Problem, test: IntArray) -> None:
    outcome = problem.outcome
    train = problem.training_set(test)
    if outcome.is_trainable(train):
        return
    held_out = f"unit {test[0]}" if test.size == 1 else f"a fold of {test.size} units"
    if problem.exclude is not None:
        held_out += " and the units that go with it"
    elif problem.groups is not None and problem.group_names is not None:
        level = outcome.level
        gone = outcome.may_win
        if isinstance(outcome, SeveralClasses):
            gone = level == _class_gone(outcome, train)
        elif gone is None and train.size:
            gone = level != level[train[0]]
        holders = np.unique([] if gone is None else problem.groups[gone])
        names = enumerate_briefly(problem.group_names[holders.astype(np.intp)])
        held_out = f"{'group' if holders.size == 1 else 'groups'} {names}"
    of_class = "units of that class"
    more = {
        Classes: of_class,
        SeveralClasses: of_class,
        TimeToEvent: "units that had the event",
    }.get(type(outcome), "units with other values")
    raise InputError(
        explain(
            f"Leaving out {held_out} leaves {_what_is_left(problem, train)} to train on.",
            f"You passed {outcome.count}.",
            f"Use smaller held-out sets, or collect more {more}.",
        )
    )


def _what_is_left(problem: Problem, train: IntArray) -> str:
    labels = problem.outcome
    if isinstance(labels, Classes):
        gone = labels.negative if labels.is_positive[train].any() else labels.positive
        return f"no unit of class {gone!r}"
    if isinstance(labels, SeveralClasses):
        return f"no unit of class {labels.names[_class_gone(labels, train)]!r}"
    if isinstance(labels, TimeToEvent):
        return "no unit that outlived one with the event"
    return "only units with equal values of y"


def _class_gone(outcome: SeveralClasses, train: IntArray) -> int:
    """Return the class of which a training set has the fewest units: none."""
    return int(np.argmin(np.bincount(outcome.code[train], minlength=outcome.n_columns)))


def _require_groups(problem: Problem, labels: Classes, ordered_only: bool) -> None:
    """Refuse groups whose removal, one or two at a time, empties a class.

    Two groups that hold a whole class between them meet in some game; if only units of
    opposite class play, they meet when one of them also holds a unit of the other class.
    """
    groups, group_names = problem.groups, problem.group_names
    assert groups is not None
    assert group_names is not None
    for name, member in (
        (labels.positive, labels.is_positive),
        (labels.negative, ~labels.is_positive),
    ):
        holders = np.unique(groups[member])
        if holders.size > 2:
            continue
        one = holders.size == 1
        if ordered_only and not one and not np.isin(groups[~member], holders).any():
            continue
        names = enumerate_briefly(group_names[holders])
        raise InputError(
            explain(
                f"Leaving out {'group' if one else 'groups'} {names} leaves no unit of class "
                f"{name!r} to train on.",
                f"You passed {group_names.size} groups, and "
                f"{'that one holds' if one else 'these two hold'} all "
                f"{np.count_nonzero(member)} units of the class.",
                "Every class needs units in at least three groups: collect more groups, "
                "split these, or analyse the units without groups.",
            )
        )
