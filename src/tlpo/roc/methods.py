"""Every method for an interval about an AUC: a name, a function on plain arrays, what it covers.

The default is the *placement-jackknife* interval. Two variances can be computed from the games
alone: the spread of the placement values, which treats the models as fixed and is too small, and
the jackknife over units, which is too large. Their geometric mean is close to the truth. Divided
by the variance that Newcombe's model gives independent scores, it is φ, and the interval is
Newcombe's score interval with the variance inflated by φ. Coverage: ``docs/inference.md``.

Scores that were fixed beforehand have a table of their own, `FIXED`: the spread of their placement
values is the right variance (DeLong's), but a Wald interval is still too narrow in small samples
and collapses at an AUC of 1. The default is DeLong's, which readers expect; ``"score"``, Newcombe's
interval with a variance that is no smaller than DeLong's, holds there too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tlpo.arrays import FloatArray
from tlpo.roc.evidence import GameEvidence
from tlpo.roc.intervals import (
    INFLATION,
    bootstrap_interval,
    hanley_mcneil_variance,
    logit_interval,
    score_interval,
    score_variance,
    two_sided_quantile,
    wald_interval,
)

DEFAULT, FALLBACK = "placement-jackknife", "inflated"
FIXED_DEFAULT = "delong"


@dataclass(frozen=True, eq=False)
class Request:
    """What an interval is computed from.

    Attributes
    ----------
    evidence : GameEvidence
        What the games say about the AUC.
    confidence_level : float
        How often the interval is to hold the true AUC.
    added_variance : float
        What a draw of games adds.
    games : callable
        Returns U, for the bootstrap.
    degrees_of_freedom : float or None
        Of Student's quantile for fixed scores in few groups; None for the normal one.
    n_resamples, rng
        Of the bootstrap.
    """

    evidence: GameEvidence
    confidence_level: float
    games: Callable[[], FloatArray]
    added_variance: float = 0.0
    degrees_of_freedom: float | None = None
    n_resamples: int = 2000
    rng: np.random.Generator | None = None


class Found(NamedTuple):
    """Two limits, and what they rest on."""

    low: float
    high: float
    phi: float | None = None
    variance: float | None = None
    degrees_of_freedom: float | None = None


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes
    ----------
    compute : callable
        From a request to limits.
    measured : (float, float) or None
        Smallest and largest coverage of 95 % intervals that was measured (docs/coverage.csv), for
        methods that cover less than they say.
    """

    compute: Callable[[Request], Found]
    measured: tuple[float, float] | None = None


def placement_jackknife(request: Request) -> Found:
    """Score interval with the variance that the games show."""
    evidence = request.evidence
    return _score(request, evidence.phi(), evidence.degrees_of_freedom)


def inflated(request: Request) -> Found:
    """Score interval with twice the variance of independent scores, plus that of a draw."""
    evidence = request.evidence
    phi = INFLATION * evidence.design_effect
    if request.added_variance and 0 < evidence.auc < 1:
        phi += request.added_variance / score_variance(evidence.auc, *evidence.counts)
    return _score(request, phi, evidence.degrees_of_freedom)


def newcombe(request: Request) -> Found:
    """Score interval of independent scores."""
    return _score(request, 1.0, None)


def delong(request: Request) -> Found:
    """Wald interval with the variance of the placements."""
    return _wald(request, request.evidence.placement_variance)


def hanley_mcneil(request: Request) -> Found:
    """Wald interval with the variance of the exponential model."""
    return _wald(request, hanley_mcneil_variance(request.evidence.auc, *request.evidence.counts))


def delong_logit(request: Request) -> Found:
    """DeLong's interval on the scale of the log odds."""
    variance, df = request.evidence.placement_variance, request.degrees_of_freedom
    quantile = two_sided_quantile(request.confidence_level, df)
    low, high = logit_interval(request.evidence.auc, variance, quantile)
    return Found(low, high, variance=variance, degrees_of_freedom=df)


def bootstrap(request: Request) -> Found:
    """Percentiles over resamples of the games, not of the models."""
    rng = np.random.default_rng() if request.rng is None else request.rng
    level, n_resamples = request.confidence_level, request.n_resamples
    return Found(*bootstrap_interval(request.games(), level, n_resamples, rng))


METHODS: dict[str, Method] = {
    DEFAULT: Method(placement_jackknife),
    FALLBACK: Method(inflated),
    "newcombe": Method(newcombe, (0.74, 0.99)),
    "delong": Method(delong, (0.21, 0.92)),
    "delong-logit": Method(delong_logit, (0.18, 0.94)),
    "hanley-mcneil": Method(hanley_mcneil, (0.21, 0.94)),
    "bootstrap": Method(bootstrap, (0.21, 0.92)),
}


def fixed_score(request: Request) -> Found:
    """Score interval with DeLong's variance, if that exceeds the one of Newcombe's model."""
    evidence = request.evidence
    model = score_variance(evidence.auc, *evidence.counts)
    phi = max(1.0, evidence.placement_variance / model) if model > 0 else 1.0
    return _score(request, max(phi, evidence.design_effect), request.degrees_of_freedom)


def fixed_newcombe(request: Request) -> Found:
    """Score interval of independent scores, or groups of them."""
    return _score(request, request.evidence.design_effect, request.degrees_of_freedom)


# Those that need to see how placements spread; where they cannot, "score" takes their place.
BY_SPREAD = frozenset({FIXED_DEFAULT, "delong-logit", "bootstrap"})
# For scores fixed beforehand. The bootstrap needs the scores: results/fixed.py computes it.
FIXED: dict[str, Method] = {
    FIXED_DEFAULT: Method(delong, (0.78, 0.96)),
    "score": Method(fixed_score),
    "newcombe": Method(fixed_newcombe),
    "delong-logit": Method(delong_logit, (0.88, 0.97)),
    "bootstrap": Method(bootstrap, (0.82, 0.96)),
}


def _score(request: Request, phi: float, df: float | None) -> Found:
    p, n = request.evidence.counts
    quantile = two_sided_quantile(request.confidence_level, df)
    auc = request.evidence.auc
    low, high = score_interval(auc, p, n, phi, quantile)
    return Found(low, high, phi, phi * score_variance(auc, p, n), df)


def _wald(request: Request, variance: float) -> Found:
    df = request.degrees_of_freedom
    quantile = two_sided_quantile(request.confidence_level, df)
    low, high = wald_interval(request.evidence.auc, variance, quantile)
    return Found(low, high, variance=variance, degrees_of_freedom=df)
