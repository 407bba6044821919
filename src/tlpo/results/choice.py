"""The best of several models, with an AUC and an interval that allow for the choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.checks import RandomState, require_level, seed_sequence
from tlpo.results.comparison import name_models, require_ordered, require_tournaments
from tlpo.results.intervals import Interval
from tlpo.results.multiclass import Multiclass
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.summary import Summary
from tlpo.results.tournament import Tournament
from tlpo.roc.choice import correlations_of, simulate_selection
from tlpo.roc.intervals import score_interval, two_sided_quantile
from tlpo.roc.order import correlation_of_moves, order_interval
from tlpo.roc.rates import Limits
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd

N_DRAWS = 20_000

# Results of games over the same units.
Ranked: TypeAlias = Tournament | OrderedGames | Multiclass


@dataclass(frozen=True)
class Candidate:
    """One of the models of a `Choice`.

    Attributes
    ----------
    name : str
        What it is called.
    auc : float
        Its AUC (leave-pair-out) or concordance, not corrected for the choice.
    low, high : float
        Its limits, as if it had been the only model.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(0).normal(size=(30, 2)) + 0.7 * y[:, None]
    >>> first, second = (tlpo.tournament(tlpo.RLS(), X[:, [k]], y) for k in (0, 1))
    >>> for one in tlpo.choose(first, second, names=["S100B", "NDKA"]).candidates:
    ...     print(f"{one.name}: {one.auc:.3f} ({one.low:.3f} to {one.high:.3f})")
    S100B: 0.733 (0.516 to 0.870)
    NDKA: 0.707 (0.490 to 0.852)
    """

    name: str
    auc: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Choice(Summary):
    """The best of several models; unpacks into the limits of its AUC.

    Attributes
    ----------
    winner : str
        The model with the largest AUC.
    auc : float
        Its AUC, corrected for having been chosen.
    low, high : float
        Limits that account for the choice.
    uncorrected : float
        Its AUC as if it had been the only model.
    optimism : float
        The difference.
    confidence_level : float
        Of all limits.
    candidates : tuple of Candidate
        All models, in the order given.
    measure : {"AUC", "concordance"}
        What ``auc`` and ``uncorrected`` are.

    Notes
    -----
    Errors ``e ~ N(0, D^½ R D^½)``, D the variances of the AUCs A_k and R their correlations, decide
    the race anew: ``optimism`` is the mean of e at ``argmax(A + e)``, and ``auc = A − optimism`` of
    the winner. The interval is the score interval about it, its lower limit not above the one with
    the quantile of ``max_k e_k/√V_k`` about ``uncorrected``.

    Examples
    --------
    The best of four useless markers looks useful until one knows that it was chosen:

    >>> import numpy as np
    >>> import tlpo
    >>> X, y = np.random.default_rng(5).normal(size=(40, 4)), np.arange(40) % 2
    >>> tried = [tlpo.tournament(tlpo.RLS(), X[:, [k]], y) for k in range(4)]
    >>> tlpo.choose(*tried, names=["a", "b", "c", "d"])
    Best of 4 models: a
      AUC          0.5824 (95 % interval 0.3930 to 0.7473)
      uncorrected  0.6875; being the best of several adds about 0.1051
      a            0.6875 (0.4927 to 0.8276)
      b            0.5750 (0.3712 to 0.7531)
      c            0.6425 (0.4529 to 0.7916)
      d            0.3525 (0.0870 to 0.7697)
    """

    winner: str
    auc: float
    low: float
    high: float
    uncorrected: float
    optimism: float
    confidence_level: float
    candidates: tuple[Candidate, ...]
    measure: str = "AUC"

    def __iter__(self) -> Iterator[float]:
        yield self.low
        yield self.high

    def to_frame(self) -> pd.DataFrame:
        """Tabulate the candidates, the largest AUC first.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> X, y = np.random.default_rng(5).normal(size=(40, 3)), np.arange(40) % 2
        >>> tried = [tlpo.tournament(tlpo.RLS(), X[:, [k]], y) for k in range(3)]
        >>> print(tlpo.choose(*tried, names=["CRP", "PCT", "WBC"]).to_frame().round(3))
          model    auc    low   high  chosen
        0   WBC  0.618  0.431  0.771    True
        1   CRP  0.538  0.232  0.815   False
        2   PCT  0.538  0.216  0.828   False
        """
        import pandas as pd

        rows: list[dict[str, Any]] = [
            {
                "model": candidate.name,
                self.measure.lower(): candidate.auc,
                "low": candidate.low,
                "high": candidate.high,
                "chosen": candidate.name == self.winner,
            }
            for candidate in self.candidates
        ]
        return pd.DataFrame(rows).sort_values(
            self.measure.lower(), ascending=False, ignore_index=True
        )

    def _title(self) -> str:
        return f"Best of {len(self.candidates)} models: {self.winner}"

    def _rows(self) -> list[tuple[str, str]]:
        level = f"{100 * self.confidence_level:.4g} %"
        return [
            (self.measure, f"{self.auc:.4f} ({level} interval {self.low:.4f} to {self.high:.4f})"),
            (
                "uncorrected",
                f"{self.uncorrected:.4f}; being the best of several adds about {self.optimism:.4f}",
            ),
            *(
                (
                    candidate.name,
                    f"{candidate.auc:.4f} ({candidate.low:.4f} to {candidate.high:.4f})",
                )
                for candidate in self.candidates
            ),
        ]


@refuse_foreign_arguments
def choose(
    a: Ranked,
    b: Ranked,
    /,
    *others: Ranked,
    names: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> Choice:
    """Choose the best of several models, and correct its AUC or concordance for the choice.

    The best of several looks better than it is. From the games alone, without further fits, its
    AUC is corrected by the optimism that errors like those of the estimates would cause, and its
    interval widened accordingly (docs/inference.md shows what remains). Choosing inside every pair,
    with ``GridSearchCV`` as the estimator of a tournament, is always valid (docs/tuning.md).

    Parameters
    ----------
    a, b, *others : Tournament, Concordance, Survival or Multiclass
        Two or more models over the same units: **all** that were tried, not only the good ones.
    names : sequence of str, optional
        What to call them; by default the names of their estimators.
    confidence_level : float
        Of the interval.
    random_state : int, RandomState or Generator, optional
        Seed of the 20 000 draws that the correction rests on.

    Returns
    -------
    Choice

    Notes
    -----
    Formulas: `Choice`.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(40) % 2
    >>> X = rng.normal(size=(40, 6)) + 0.5 * y[:, None]
    >>> models = [tlpo.tournament(tlpo.RLS(), X[:, [k]], y) for k in range(6)]
    >>> choice = tlpo.choose(*models, names=[f"marker {k}" for k in range(6)])
    >>> choice.winner, choice.auc < choice.uncorrected
    ('marker 1', True)
    """
    require_level("confidence_level", confidence_level)
    models = (a, b, *others)
    is_ordered = isinstance(a, OrderedGames)
    if isinstance(a, OrderedGames | Multiclass):
        require_ordered(models, type(a))
    else:
        require_tournaments(models, "choose")
    called = name_models(models, names)
    intervals = [_interval(t, confidence_level) for t in models]
    estimates = np.array([interval.estimate for interval in intervals])
    race = simulate_selection(
        estimates,
        np.array([_variance(t) for t in models]),
        _correlations(models),
        confidence_level,
        N_DRAWS,
        np.random.default_rng(seed_sequence(random_state)),
    )
    own = intervals[race.winner]
    corrected, phi = max(0.0, own.estimate - race.optimism), own.phi
    assert phi is not None
    quantile = two_sided_quantile(confidence_level, own.degrees_of_freedom)
    low, high = _limits(models[race.winner], corrected, phi, quantile)
    # Small classes widen the simultaneous limit as they widen the single one.
    wider = race.quantile * quantile / two_sided_quantile(confidence_level)
    simultaneous, _ = _limits(models[race.winner], own.estimate, phi, wider)
    return Choice(
        winner=called[race.winner],
        auc=corrected,
        low=min(low, simultaneous),
        high=high,
        uncorrected=own.estimate,
        optimism=race.optimism,
        confidence_level=float(confidence_level),
        candidates=tuple(
            Candidate(name, interval.estimate, interval.low, interval.high)
            for name, interval in zip(called, intervals, strict=True)
        ),
        measure="concordance" if is_ordered else "AUC",
    )


def _interval(t: Ranked, level: float) -> Interval:
    return t.concordance_interval(level) if isinstance(t, OrderedGames) else t.auc_interval(level)


def _limits(t: Ranked, estimate: float, phi: float, quantile: float) -> Limits:
    if isinstance(t, OrderedGames | Multiclass):
        return order_interval(estimate, t._evidence.counts, phi, quantile)
    return score_interval(estimate, *t._evidence.counts, phi, quantile)


def _correlations(models: Sequence[Ranked]) -> FloatArray:
    """Return the correlations of estimates on the same units."""
    ordered = [t._evidence for t in models if isinstance(t, OrderedGames | Multiclass)]
    if not ordered:
        return correlations_of([t._evidence.placements for t in models])  # type: ignore[union-attr]
    R = np.eye(len(ordered))
    for k, first in enumerate(ordered):
        for other, second in enumerate(ordered[:k]):
            R[k, other] = R[other, k] = correlation_of_moves(first, second)
    return R


def _variance(t: Ranked) -> float:
    """Return the variance of an estimate: what its games show, or what its interval rests on."""
    if isinstance(t, OrderedGames | Multiclass):
        return t._evidence.variance
    jackknife = t._evidence.jackknife_variance
    if jackknife is not None and t.rounds is None:
        return float(np.sqrt(t._evidence.placement_variance * jackknife))
    variance = t.auc_interval().variance
    assert variance is not None
    return variance
