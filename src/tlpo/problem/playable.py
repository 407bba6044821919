"""May this be played? Every game and held-out set must leave both classes to train on."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.games.schedule import Schedule
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
    """Refuse classes with fewer units than a scheme needs to leave one to train on."""
    labels = problem.labels
    for name, count in (
        (labels.positive, labels.n_positive),
        (labels.negative, labels.n_negative),
    ):
        if count < least:
            out = {1: "one", 2: "two"}[least - 1]
            raise InputError(
                explain(
                    f"Class {name!r} has too few units: leaving out {out} of them must leave one "
                    "to train on.",
                    f"You passed {count} of class {name!r} among {labels.n_units} units.",
                    f"Collect at least {least} units of each class.",
                )
            )


def admit(
    problem: Problem, schedule: Schedule, *, skip: bool = False, may_skip: bool = True
) -> Admitted:
    """Refuse games that leave only one class to train on, or take them off the list.

    Parameters
    ----------
    problem, schedule
        What is to be played.
    skip : bool
        Take such games off the list instead.
    may_skip : bool
        Whether the caller could have asked for that.
    """
    require_units(problem, schedule.least_per_class)
    if not problem.leaves_out_more:
        return Admitted(schedule)
    if problem.exclude is None and schedule.listed is None:
        _require_groups(problem, schedule.is_opposite)
        return Admitted(schedule)
    is_positive = problem.labels.is_positive
    games = schedule.games(is_positive)
    emptied = _empties_a_class(problem, games)
    if not emptied.any():
        return Admitted(schedule)
    is_opposite = is_positive[games[:, 0]] != is_positive[games[:, 1]]
    if not skip or emptied[is_opposite].all():
        raise _emptied(problem, games[np.argmax(emptied)], may_skip)
    return Admitted(replace(schedule, listed=games[~emptied]), ~emptied)


def admit_sets(problem: Problem, tests: list[IntArray]) -> None:
    """Refuse held-out sets that leave, with their groups, only one class to train on."""
    if problem.exclude is not None and not problem.exclude.is_union:
        raise InputError(
            explain(
                "exclude must be a tlpo.Buffer when single units are held out.",
                "You passed a function of a pair.",
                "For example exclude=tlpo.Buffer(coordinates, radius=10).",
            )
        )
    require_units(problem, 2)
    smaller = min(problem.labels.n_positive, problem.labels.n_negative)
    for test in tests:
        if problem.leaves_out_more or test.size >= smaller:
            _require_both_classes(problem, test)


def _empties_a_class(problem: Problem, games: IntArray) -> BoolArray:
    """Tell for each game whether it leaves only one class to train on."""
    sizes = np.array([problem.labels.n_negative, problem.labels.n_positive])
    emptied = np.ones(len(games), dtype=bool)
    if problem.exclude is None or problem.exclude.is_union:
        # Two units take along at most what each takes by itself: mostly far from a class.
        gone = np.array([_gone(problem, np.array([unit])) for unit in range(problem.n_units)])
        emptied = (gone[games[:, 0]] + gone[games[:, 1]] >= sizes).any(axis=1)
    for k in np.flatnonzero(emptied):
        emptied[k] = (_gone(problem, games[k]) == sizes).any()
    return emptied


def _gone(problem: Problem, held_out: IntArray) -> IntArray:
    """Count the negative and the positive units that leave with held-out ones."""
    return np.bincount(problem.labels.is_positive[problem.left_out(held_out)], minlength=2)


def _emptied(problem: Problem, game: IntArray, may_skip: bool) -> InputError:
    train = problem.training_set(game)
    i, j = game.tolist()
    left = f"{train.size} unit{'s' if train.size != 1 else ''}"
    return InputError(
        explain(
            f"Leaving out the pair ({i}, {j}) and the units that go with it leaves no unit of "
            f"class {_missing_class(problem, train)!r} to train on.",
            f"You passed {problem.labels.count}; {left} would be left.",
            "Exclude fewer units, for example with a smaller radius, or pass on_error='skip' to "
            "leave such games out and count them."
            if may_skip
            else "Exclude fewer units, for example with a smaller radius.",
        )
    )


def _require_both_classes(problem: Problem, test: IntArray) -> None:
    train = problem.training_set(test)
    n_positive = int(np.count_nonzero(problem.labels.is_positive[train]))
    if 0 < n_positive < train.size:
        return
    held_out = f"unit {test[0]}" if test.size == 1 else f"a fold of {test.size} units"
    if problem.exclude is not None:
        held_out += " and the units that go with it"
    elif problem.groups is not None and problem.group_names is not None:
        holders = np.unique(problem.groups[problem.labels.is_positive == (n_positive == 0)])
        names = enumerate_briefly(problem.group_names[holders])
        held_out = f"{'group' if holders.size == 1 else 'groups'} {names}"
    raise InputError(
        explain(
            f"Leaving out {held_out} leaves no unit of class "
            f"{_missing_class(problem, train)!r} to train on.",
            f"You passed {problem.labels.count}.",
            "Use smaller held-out sets, or collect more units of that class.",
        )
    )


def _missing_class(problem: Problem, train: IntArray) -> object:
    labels = problem.labels
    return labels.negative if labels.is_positive[train].any() else labels.positive


def _require_groups(problem: Problem, opposite_only: bool) -> None:
    """Refuse groups whose removal, one or two at a time, empties a class.

    Two groups that hold a whole class between them meet in some game; if only units of
    opposite class play, they meet when one of them also holds a unit of the other class.
    """
    groups, group_names = problem.groups, problem.group_names
    assert groups is not None
    assert group_names is not None
    labels = problem.labels
    for name, member in (
        (labels.positive, labels.is_positive),
        (labels.negative, ~labels.is_positive),
    ):
        holders = np.unique(groups[member])
        if holders.size > 2:
            continue
        one = holders.size == 1
        if opposite_only and not one and not np.isin(groups[~member], holders).any():
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
