"""Compare models that played over the same units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, overload

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.checks import require_level
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.problem.labels import names_that_differ
from tlpo.results.difference import Comparison, Comparisons
from tlpo.results.fixed import FixedScores
from tlpo.results.fixed_order import FixedOrder
from tlpo.results.intervals import NOT_COMPARABLE
from tlpo.results.marker_comparison import compare_fixed
from tlpo.results.multiclass import Multiclass
from tlpo.results.order_comparison import (
    compare_fixed_ordered,
    compare_ordered,
    compare_several,
)
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.tournament import Tournament
from tlpo.roc.difference import (
    correlation,
    difference_variance,
    holm,
    own_noise,
    paired_delong,
    separate_interval,
    t_interval,
)
from tlpo.roc.evidence import GameEvidence, measure_games
from tlpo.roc.intervals import INFLATION
from tlpo.roc.placements import placements_of_games
from tlpo.synonyms import refuse_foreign_arguments

# Where the games of a model show less than this share of the variance of independent scores with
# its AUC, intervals for single AUCs decide as well. With it, coverage of 95 % intervals near
# perfect separation rose from 0.68-0.91 to 0.94-1.0 (400 repetitions each); elsewhere it is rare.
LEAST_SEEN = 0.5

Result = Tournament | OrderedGames | Multiclass | FixedScores | FixedOrder


@overload
def compare(
    a: Result,
    b: Result,
    /,
    *,
    names: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    paired: bool | None = None,
) -> Comparison: ...


@overload
def compare(
    a: Result,
    b: Result,
    c: Result,
    /,
    *others: Result,
    names: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    paired: bool | None = None,
) -> Comparisons: ...


@refuse_foreign_arguments
def compare(
    a: Result,
    b: Result,
    /,
    *others: Result,
    names: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    paired: bool | None = None,
) -> Comparison | Comparisons:
    """Compare the AUCs or concordances of models over the same units, or of fixed scores.

    To report the best of several, use `choose`: the AUC and p-values here do not allow for the
    choice.

    Parameters
    ----------
    a, b, *others : Tournament, Concordance, Survival, Multiclass, or what `assess` returns
        Two or more, all of one kind; not scores of several classes.
    names : sequence of str, optional
        What to call them; by default the names of their estimators, or of the scores.
    confidence_level : float
        Of the interval for each difference.
    paired : bool, optional
        Of fixed scores: whether they were measured on the same units. By default they were if
        they have the same labels, in the same order.

    Returns
    -------
    Comparison or Comparisons
        For two models their comparison; for more, all pairs with p-values adjusted by Holm.

    Notes
    -----
    Formulas: `Comparison`; `Comparisons` for the adjustment of p-values.

    Examples
    --------
    Two learners on the same forty units:

    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(40) % 2
    >>> X = rng.normal(size=(40, 5)) + y[:, None]
    >>> ridge = tlpo.tournament(tlpo.RLS(), X, y)
    >>> neighbours = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y)
    >>> result = tlpo.compare(ridge, neighbours)
    >>> f"{result.difference:.3f} ({result.low:.3f} to {result.high:.3f}), p = {result.p_value:.2f}"
    '0.085 (-0.091 to 0.261), p = 0.33'
    """
    require_level("confidence_level", confidence_level)
    models = (a, b, *others)
    pairs: tuple[Comparison, ...]
    act: Callable[[Any, Any, tuple[str, str], float], Comparison] = compare_fixed_ordered
    if isinstance(a, OrderedGames | Multiclass):
        act = compare_several if isinstance(a, Multiclass) else compare_ordered
    if isinstance(a, OrderedGames | FixedOrder | Multiclass):
        require_ordered(models, type(a))
        named = zip(models, name_models(models, names), strict=True)
        pairs = tuple(
            act(one, other, (first, second), confidence_level)
            for (one, first), (other, second) in combinations(named, 2)
        )
    elif any(isinstance(model, FixedScores) for model in models):
        _require_fixed(models)
        named = zip(models, name_models(models, names), strict=True)
        pairs = tuple(
            compare_fixed(one, other, (first, second), confidence_level, paired)  # type: ignore[arg-type]
            for (one, first), (other, second) in combinations(named, 2)
        )
    else:
        require_tournaments(models, "compare", paired)
        named = zip(models, name_models(models, names), strict=True)
        pairs = tuple(
            _compare(one, other, (first, second), confidence_level)  # type: ignore[arg-type]
            for (one, first), (other, second) in combinations(named, 2)
        )
    return adjust(pairs)


def adjust(pairs: tuple[Comparison, ...]) -> Comparison | Comparisons:
    """Return a single comparison as it is, and several with p-values adjusted by Holm."""
    if len(pairs) == 1:
        return pairs[0]
    adjusted = holm(np.array([pair.p_value for pair in pairs]))
    return Comparisons(pairs, tuple(adjusted.tolist()))


def _compare(a: Tournament, b: Tournament, names: tuple[str, str], level: float) -> Comparison:
    first, second, notes = _common_games(a, b)
    evidence = first.minus(second)
    difference, placements = evidence.auc, evidence.placements
    placement, jackknife = evidence.placement_variance, evidence.jackknife_variance
    if evidence.drawn is not None and jackknife is not None:
        # Of models that hardly differ, a draw may show less than there is.
        jackknife = max(jackknife, placement)
    if jackknife is None:
        variance = INFLATION * placement
        why = "The table of held-out predictions was not kept"
        remedy = "; predictions=True keeps it"
        if a.rounds is not None or b.rounds is not None:
            why, remedy = "Not every pair has met", ""
        elif not (a._are_comparable and b._are_comparable):
            why, remedy = NOT_COMPARABLE, ""
        notes.append(
            f"{why}, so the variance of the placements was doubled instead of estimated{remedy}."
        )
    else:
        variance = float(np.sqrt(placement * jackknife))
        if placements.groups is None and evidence.drawn is None:
            noise = own_noise(_differences(a, b))
            factors = first.factor, second.factor
            variance = difference_variance(placement, jackknife, noise, factors)
    limits, p_value, df, statistic = t_interval(difference, variance, placements, level)
    if min(first.seen, second.seen) < LEAST_SEEN and not _are_same(a, b):
        # Near perfect separation games show no spread, although those of another sample would.
        apart, p_apart = separate_interval(
            (first.auc, second.auc),
            (first.limits(level), second.limits(level)),
            correlation(first.placements, second.placements),
            level,
        )
        limits = min(limits[0], apart[0]), max(limits[1], apart[1])
        p_value = max(p_value, p_apart)
    return Comparison(
        names=names,
        aucs=(first.auc, second.auc),
        difference=difference,
        low=limits[0],
        high=limits[1],
        p_value=p_value,
        confidence_level=float(level),
        variance=variance,
        degrees_of_freedom=df,
        statistic=statistic,
        placement_variance=placement,
        jackknife_variance=jackknife,
        delong=paired_delong(a._score_placements, b._score_placements),
        notes=tuple(notes),
    )


def _common_games(a: Tournament, b: Tournament) -> tuple[GameEvidence, GameEvidence, list[str]]:
    """Return the evidence of the games that both have finished."""
    if a.standings.is_complete and b.standings.is_complete:
        return a._evidence, b._evidence, []
    is_positive = a.labels.is_positive
    U, V = (t._games_between(is_positive, ~is_positive) for t in (a, b))
    if U is None or V is None:
        raise InputError(
            explain(
                "Games are missing, and without held-out predictions it is not known which.",
                "You passed tournaments of which one is incomplete and one kept no predictions.",
                "Play both with predictions=True.",
            )
        )
    missing = np.isnan(U) | np.isnan(V)
    if missing.all():
        raise InputError(
            explain(
                "There is no game between the classes that both have finished.",
                f"You passed {a.diagnostics.pairs_played} and {b.diagnostics.pairs_played} games.",
                "Fix the cause of the failures; diagnostics.failures counts them.",
            )
        )
    U[missing] = V[missing] = np.nan
    note = f"The {missing.size - missing.sum()} of {missing.size} games that both finished count."
    parts = a.rounds is not None or b.rounds is not None
    if parts or a.predictions is None or b.predictions is None:
        # With few games, how models change without a unit cannot be seen.
        return _share(U, a), _share(V, b), [note]
    return (
        measure_games(U, a.predictions, is_positive, a.groups),
        measure_games(V, b.predictions, is_positive, b.groups),
        [note],
    )


def _differences(a: Tournament, b: Tournament) -> FloatArray:
    """Return the games between the classes of one minus those of the other; NaN if one lacks it."""
    is_positive = a.labels.is_positive
    U, V = (t._games_between(is_positive, ~is_positive) for t in (a, b))
    assert U is not None
    assert V is not None
    return U - V


def _share(U: FloatArray, t: Tournament) -> GameEvidence:
    """Return the evidence of games from their placements alone."""
    return GameEvidence(float(np.nanmean(U)), placements_of_games(U, t._by_class), None, [])


def _are_same(a: Tournament, b: Tournament) -> bool:
    """Return whether two models predict the same, or at least won the same games."""
    if a.predictions is None or b.predictions is None:
        return np.array_equal(a.standings.wins, b.standings.wins)
    return np.array_equal(a.predictions, b.predictions, equal_nan=True)


def _require_fixed(models: tuple[Any, ...]) -> None:
    """Reject a mixture of fixed scores and anything else."""
    if not all(isinstance(model, FixedScores) for model in models):
        raise InputError(
            explain(
                "A model that was trained on these units cannot be compared with a fixed score.",
                f"You passed {', '.join(type(model).__name__ for model in models)}.",
                "Play a tournament over the score alone, as a model with one feature, and compare "
                "the tournaments.",
            )
        )


def require_ordered(models: tuple[Any, ...], kind: type) -> None:
    """Reject anything but results of one kind over the same units."""
    if not all(type(model) is kind for model in models):
        raise InputError(
            explain(
                "Only results of one kind can be compared.",
                f"You passed {', '.join(type(model).__name__ for model in models)}.",
                "Pass what one function, tlpo.survival for example, returned for each.",
            )
        )
    for position, other in enumerate(models[1:], start=2):
        a, b = models[0].outcome, other.outcome
        what = None
        if a.n_units != b.n_units:
            what = f"{a.n_units} units in result 1 and {b.n_units} in result {position}"
        elif (differ := a.differing(b)).size:
            what = (
                f"different outcomes in results 1 and {position} for {differ.size} units: "
                f"{enumerate_briefly(differ)}"
            )
        elif (differ := names_that_differ(a.unit_names, b.unit_names)).size:
            what = f"different unit names in results 1 and {position} for {differ.size} units"
        if what is not None:
            raise InputError(
                explain(
                    "Only results over the same units can be compared.",
                    f"You passed {what}.",
                    "Pass the same rows of X and y to both, in the same order.",
                )
            )


def require_tournaments(
    tournaments: tuple[Any, ...], function: str, paired: bool | None = None
) -> None:
    """Reject anything but tournaments over the same units."""
    if paired is False:
        raise InputError(
            explain(
                "Only fixed scores can be compared on different units.",
                "You passed paired=False.",
                "Leave it out: tournaments over the same units are compared game by game.",
            )
        )
    if not all(isinstance(t, Tournament) for t in tournaments):
        raise InputError(
            explain(
                f"{function} needs two or more tournaments.",
                f"You passed {', '.join(type(t).__name__ for t in tournaments)}.",
                f"Pass what tlpo.tournament returned, for example {function}(a, b).",
            )
        )
    for position, other in enumerate(tournaments[1:], start=2):
        _require_same_units(tournaments[0], other, position)


def name_models(tournaments: tuple[Any, ...], names: Sequence[str] | None) -> list[str]:
    """Return the names given, or those of the estimators, numbered where they repeat."""
    if names is not None:
        if not isinstance(names, list | tuple) or len(names) != len(tournaments):
            raise InputError(
                explain(
                    "names must have one name per tournament.",
                    f"You passed {names!r} for {len(tournaments)} tournaments.",
                    "For example names=['ridge', 'knn'].",
                )
            )
        return [str(name) for name in names]
    called: list[str] = []
    seen: Counter[str] = Counter()
    for t in tournaments:
        is_fixed = isinstance(t, FixedScores | FixedOrder)
        name = t.name if is_fixed else t.estimator_name
        seen[name] += 1
        called.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return called


def _require_same_units(first: Tournament, other: Tournament, position: int) -> None:
    a, b = first.labels, other.labels
    if a.n_units != b.n_units:
        what = f"{a.n_units} units in tournament 1 and {b.n_units} in tournament {position}"
    elif (a.positive, a.negative) != (b.positive, b.negative):
        what = (
            f"the positive label {a.positive!r} (the other is {a.negative!r}) in tournament 1 and "
            f"{b.positive!r} (the other is {b.negative!r}) in tournament {position}"
        )
    elif (a.is_positive != b.is_positive).any():
        differ = np.flatnonzero(a.is_positive != b.is_positive)
        what = (
            f"different labels in tournaments 1 and {position} for {differ.size} units: "
            f"{enumerate_briefly(differ)}"
        )
    elif (differ := names_that_differ(a.unit_names, b.unit_names)).size:
        k = int(differ[0])
        what = (
            f"different unit names in tournaments 1 and {position} for {differ.size} units: "
            f"unit {k} is {a.unit_names[k]!r} and {b.unit_names[k]!r}"
        )
    else:
        return
    raise InputError(
        explain(
            "Only tournaments over the same units can be compared.",
            f"You passed {what}.",
            "Play both over the same rows of X and y, in the same order.",
        )
    )
