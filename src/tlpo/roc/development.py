"""How many units it takes to develop a model of so many features (Riley et al. 2019, 2020).

The criteria are for models that are fitted without a penalty: coefficients are to be shrunk little,
the explained variation is to be hardly optimistic, the overall risk known.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import log_expit, ndtri

from tlpo.checks import require_count
from tlpo.errors import InputError, arg, explain
from tlpo.roc.intervals import two_sided_quantile
from tlpo.roc.planning import require_between

# What is tolerated: optimism of R² and error of the overall risk.
OPTIMISM, RISK_ERROR = 0.05, 0.05
# Units that give the residual standard deviation of a number within 10 %, besides one per feature.
FOR_DEVIATION = 234
# Nagelkerke's R² if nothing is known beforehand.
USUAL = 0.15


@dataclass(frozen=True)
class DevelopmentSize:
    """The sample size needed to develop a model of so many features.

    Attributes
    ----------
    features : int
        Coefficients that are to be estimated: of a category, one less than it has levels.
    n_units, n_events : int
        The smallest sample, and how many of its units are expected to have the event; None for
        numbers.
    for_shrinkage : int
        Units for which coefficients need to be shrunk to no less than ``shrinkage``.
    for_optimism : int
        Units for which R² is at most 0.05 of its largest value too high.
    for_precision : int
        Units that give the overall risk within ±0.05; of a number, its residual standard deviation
        within 10 %.
    r_squared, largest_r_squared : float
        Cox and Snell's R² that is expected, and the largest that it can have with this share of
        events. Their ratio is Nagelkerke's R².
    shrinkage : float
        The factor that was passed.

    Examples
    --------
    >>> import tlpo
    >>> size = tlpo.development_size(24, r_squared=0.288, fraction=0.174)
    >>> size.n_units, size.n_events
    (662, 116)
    >>> size.for_shrinkage, size.for_optimism, size.for_precision
    (623, 662, 221)
    >>> size.features_supported(300)
    10
    """

    features: int
    n_units: int
    n_events: int | None
    for_shrinkage: int
    for_optimism: int
    for_precision: int
    r_squared: float
    largest_r_squared: float
    shrinkage: float
    _expected: _Expected = field(repr=False, compare=False)

    def features_supported(self, n_units: int) -> int:
        """Return how many features a sample supports: shrinkage and optimism are as wanted.

        Examples
        --------
        >>> import tlpo
        >>> tlpo.development_size(10, auc=0.8, fraction=0.3).features_supported(100)
        2
        """
        require_count("n_units", n_units, 1)

        def needed(features: int) -> int:
            return max(self._expected.for_fit(features, self.shrinkage))

        return bisect_right(range(1, int(n_units) + 1), int(n_units), key=needed)

    def risk_error(self, n_units: int) -> float | None:
        """Return how far the overall risk may be off in a sample (95 %); None for numbers.

        Examples
        --------
        >>> import tlpo
        >>> round(tlpo.development_size(10, auc=0.8, fraction=0.3).risk_error(100), 3)
        0.09
        """
        require_count("n_units", n_units, 1)
        return self._expected.risk_error(int(n_units))


class _Expected:
    """What is expected of model and sample; of numbers as it is."""

    events: float | None = None

    def __init__(self, r_squared: float, largest: float) -> None:
        self.r_squared, self.largest = r_squared, largest

    def for_fit(self, features: int, shrinkage: float) -> tuple[int, int]:
        """Return the units for shrinkage and for optimism."""
        R2, low = self.r_squared, features + 2
        high = low
        while _copas_shrinkage(features, high, R2) < shrinkage:
            high *= 2
        while high - low > 1:
            middle = (low + high) // 2
            is_enough = _copas_shrinkage(features, middle, R2) >= shrinkage
            low, high = (low, middle) if is_enough else (middle, high)
        return high, _ceil(1 + features * (1 - R2) / OPTIMISM)

    def for_precision(self, features: int) -> int:
        """Return the units for a known deviation."""
        return FOR_DEVIATION + features

    def risk_error(self, n_units: int) -> float | None:  # noqa: ARG002
        """Return None: numbers have no risk."""
        return None


class _ExpectedEvents(_Expected):
    """What is expected of two classes; ``events`` is the share of units that have the event."""

    def __init__(self, r_squared: float, largest: float, events: float) -> None:
        super().__init__(r_squared, largest)
        self.events: float = events

    def for_fit(self, features: int, shrinkage: float) -> tuple[int, int]:
        R2 = self.r_squared
        tolerated = R2 / (R2 + OPTIMISM * self.largest)
        return tuple(  # type: ignore[return-value]
            _ceil(features / ((factor - 1) * np.log1p(-R2 / factor)))
            for factor in (shrinkage, tolerated)
        )

    def for_precision(self, features: int) -> int:  # noqa: ARG002
        z = two_sided_quantile(0.95)
        return _ceil((z / RISK_ERROR) ** 2 * self.events * (1 - self.events))

    def risk_error(self, n_units: int) -> float | None:
        z = two_sided_quantile(0.95)
        return float(z * np.sqrt(self.events * (1 - self.events) / n_units))


class _ExpectedTimes(_ExpectedEvents):
    """What is expected of times to an event."""

    def __init__(
        self, r_squared: float, largest: float, rate: float, follow_up: float, time: float
    ) -> None:
        super().__init__(r_squared, largest, rate * follow_up)
        self.rate, self.follow_up, self.time = rate, follow_up, time

    def for_precision(self, features: int) -> int:  # noqa: ARG002
        # The limit that is farther off, below: exp(−λt) (exp(z t √(λ/(n T))) − 1) = 0.05
        z = two_sided_quantile(0.95)
        allowed = np.log1p(RISK_ERROR * np.exp(self.rate * self.time))
        return _ceil((z * self.time / allowed) ** 2 * self.rate / self.follow_up)

    def risk_error(self, n_units: int) -> float | None:
        z = two_sided_quantile(0.95)
        spread = z * self.time * np.sqrt(self.rate / (n_units * self.follow_up))
        return float(min(1.0, np.exp(-self.rate * self.time) * np.expm1(spread)))


def development_size(
    features: int,
    *,
    auc: float | None = None,
    r_squared: float | None = None,
    fraction: float | None = None,
    rate: float | None = None,
    follow_up: float | None = None,
    time: float | None = None,
    order: bool = False,
    shrinkage: float = 0.9,
) -> DevelopmentSize:
    """Return how many units it takes to develop a model of so many features.

    For the precision of the AUC, use `sample_size`.

    Parameters
    ----------
    features : int
        Coefficients that are to be estimated, also of features that may be dropped on the way: of
        a category, one less than it has levels.
    auc : float, optional
        The AUC, or concordance, expected.
    r_squared : float, optional
        Cox and Snell's R² expected, instead of an AUC: adjusted, or from another sample. If
        neither is known, Nagelkerke's R² is taken to be 0.15.
    fraction : float, optional
        Two classes: the proportion of positive units, ½ by default.
    rate, follow_up, time : float, optional
        Times to an event: events per unit of time, mean follow-up, and the time at which the
        overall risk is to be known.
    order : bool
        The outcome is a number, and ``r_squared`` its adjusted R².
    shrinkage : float
        The factor by which coefficients may need to be shrunk.

    Notes
    -----
    With p features and R² that of Cox and Snell, at most ``R²max``, S the shrinkage::

        for_shrinkage = p / ((S − 1) log(1 − R²/S))
        for_optimism  = the same with S = R²/(R² + 0.05 R²max)
        for_precision = (z/0.05)² φ (1 − φ)        of a share φ of events

    rounded up, and ``n_units`` is the largest. ``R²max = 1 − (φ^φ (1 − φ)^(1−φ))²`` for classes;
    for times, with e events per unit, ``1 − exp(2 (e log e − e))``. R² of an AUC is that of two
    normal classes with one variance, which is what Riley et al. (2021) simulate, here integrated.
    R² of a concordance of times goes through Royston's D (Jinks et al. 2015) and O'Quigley's R².

    The formulas assume fitting without a penalty. A penalty reduces overfitting, but how large it
    should be is itself uncertain in a small sample (Riley et al. 2021, J Clin Epidemiol).

    References
    ----------
    R. D. Riley, J. Ensor, K. I. E. Snell, et al. (2020). Calculating the sample size required for
    developing a clinical prediction model. BMJ 368, m441.

    R. D. Riley, K. I. E. Snell, J. Ensor, et al. (2019). Minimum sample size for developing a
    multivariable prediction model: parts I and II. Statistics in Medicine 38, 1262-1296.

    R. D. Riley, B. Van Calster, G. S. Collins (2021). A note on estimating the Cox-Snell R² from a
    reported C statistic. Statistics in Medicine 40, 859-864.

    R. C. Jinks, P. Royston, M. K. B. Parmar (2015). Discrimination-based sample size calculations
    for multivariable prognostic models. BMC Medical Research Methodology 15, 82.

    Examples
    --------
    >>> import tlpo
    >>> tlpo.development_size(10, auc=0.8, fraction=0.3).n_units
    343
    >>> tlpo.development_size(30, r_squared=0.051, rate=0.065, follow_up=2.07, time=2).n_units
    5143
    """
    require_count("features", features, 1)
    require_between("shrinkage", shrinkage, 0, 1)
    expected = _expect(auc, r_squared, fraction, rate, follow_up, time, order)
    if expected.r_squared >= shrinkage:
        raise InputError(
            explain(
                "With so large an R², coefficients never need to be shrunk this much.",
                f"You passed {arg('shrinkage', shrinkage)} and expect R² = "
                f"{expected.r_squared:.3g}.",
                f"Pass a larger factor, for example {arg('shrinkage', 0.9)}, or a smaller R².",
            )
        )
    p = int(features)
    fit = expected.for_fit(p, float(shrinkage))
    precision = expected.for_precision(p)
    n_units = max(*fit, precision)
    return DevelopmentSize(
        features=p,
        n_units=n_units,
        n_events=None if expected.events is None else _ceil(expected.events * n_units),
        for_shrinkage=fit[0],
        for_optimism=fit[1],
        for_precision=precision,
        r_squared=expected.r_squared,
        largest_r_squared=expected.largest,
        shrinkage=float(shrinkage),
        _expected=expected,
    )


def r_squared_of_auc(auc: float, fraction: float) -> float:
    """Return Cox and Snell's R² of two normal classes with one variance.

    Examples
    --------
    >>> round(r_squared_of_auc(0.81, 0.77), 3)
    0.212
    """
    distance = np.sqrt(2.0) * ndtri(auc)
    x = np.linspace(-12.0, 12.0 + distance, 4001)
    step = x[1] - x[0]
    log_odds = np.log(fraction / (1 - fraction)) + distance * x - distance**2 / 2
    density = [step * np.exp(-0.5 * (x - mean) ** 2) / np.sqrt(2 * np.pi) for mean in (0, distance)]
    gained = (1 - fraction) * (density[0] @ (log_expit(-log_odds) - np.log1p(-fraction)))
    gained += fraction * (density[1] @ (log_expit(log_odds) - np.log(fraction)))
    return float(-np.expm1(-2 * gained))


def r_squared_of_concordance(concordance: float, events: float) -> float:
    """Return Cox and Snell's R² of a concordance with times, ``events`` of them per unit.

    Examples
    --------
    >>> round(r_squared_of_concordance(0.7, 0.5), 3)
    0.196
    """
    beyond = concordance - 0.5
    D = 5.50 * beyond + 10.26 * beyond**3
    explained = np.pi / 8 * D**2
    # Royston's R² is explained / (π²/6 + explained), and O'Quigley's replaces π²/6 by 1.
    return float(-np.expm1(-events * np.log1p(explained)))


def _expect(
    auc: float | None,
    r_squared: float | None,
    fraction: float | None,
    rate: float | None,
    follow_up: float | None,
    time: float | None,
    order: bool,
) -> _Expected:
    if auc is not None and r_squared is not None:
        raise InputError(
            explain(
                "The AUC and R² say the same in two ways.",
                f"You passed {arg('auc', auc)} and {arg('r_squared', r_squared)}.",
                "Pass one of them.",
            )
        )
    timed = {"rate": rate, "follow_up": follow_up, "time": time}
    given = [name for name, value in timed.items() if value is not None]
    if order:
        return _expect_number(auc, r_squared, [*given, *(["fraction"] * (fraction is not None))])
    if given and (len(given) < len(timed) or fraction is not None):
        passed = given + ["fraction"] * (fraction is not None)
        raise InputError(
            explain(
                f"Times to an event need {arg('rate')}, {arg('follow_up')} and {arg('time')}, two "
                f"classes {arg('fraction')} alone.",
                f"You passed {' and '.join(map(arg, passed))}.",
                "For example 0.065 events a year, a mean follow-up of 2.07 years, and the risk at "
                "2 years.",
            )
        )
    if auc is not None:
        require_between("auc", auc, 0.5, 1)
    if rate is not None and follow_up is not None and time is not None:
        for (name, value), example in zip(timed.items(), (0.065, 2.07, 2.0), strict=True):
            _require_positive(name, value, example)
        e = float(rate) * float(follow_up)
        if e > 1:
            raise InputError(
                explain(
                    "Each unit has at most one event.",
                    f"You passed {arg('rate', rate)} and {arg('follow_up', follow_up)}: {e:.3g} "
                    "events per unit.",
                    "Count events and follow-up in the same unit of time.",
                )
            )
        largest = float(-np.expm1(2 * (e * np.log(e) - e)))
        found = None if auc is None else r_squared_of_concordance(float(auc), e)
        R2 = _require_possible(r_squared, found, largest)
        return _ExpectedTimes(R2, largest, float(rate), float(follow_up), float(time))
    share = 0.5 if fraction is None else fraction
    require_between("fraction", share, 0, 1)
    null = share * np.log(share) + (1 - share) * np.log1p(-share)
    largest = float(-np.expm1(2 * null))
    found = None if auc is None else r_squared_of_auc(float(auc), float(share))
    return _ExpectedEvents(_require_possible(r_squared, found, largest), largest, float(share))


def _expect_number(auc: float | None, r_squared: float | None, others: list[str]) -> _Expected:
    if r_squared is None or auc is not None or others:
        passed = [name for name, value in (("auc", auc), ("r_squared", r_squared)) if value]
        passed += others
        raise InputError(
            explain(
                f"Of a number, only its adjusted R² is needed: {arg('r_squared')}.",
                f"You passed {' and '.join(map(arg, passed)) or 'none'}.",
                f"For example {arg('r_squared', 0.2)}.",
            )
        )
    return _Expected(_require_possible(r_squared, None, 1.0), 1.0)


def _require_possible(r_squared: Any, found: float | None, largest: float) -> float:
    """Return R²: as passed, as found from an AUC, or as usual."""
    if found is not None:
        return found
    if r_squared is None:
        return USUAL * largest
    require_between("r_squared", r_squared, 0, round(largest, 4))
    return float(r_squared)


def _copas_shrinkage(features: int, n_units: int, r_squared: float) -> float:
    """Return the expected shrinkage of a linear model whose adjusted R² is given."""
    apparent = (r_squared * (n_units - features - 1) + features) / (n_units - 1)
    return float(1 + (features - 2) / (n_units * np.log1p(-apparent))) if apparent < 1 else 0.0


def _ceil(n: float) -> int:
    """Round up, but for what rounding left."""
    return int(np.ceil(n * (1 - 1e-12)))


def _require_positive(name: str, value: Any, example: float) -> None:
    if not (isinstance(value, int | float | np.number) and 0 < value < np.inf):
        raise InputError(
            explain(
                f"{arg(name)} must be a positive number.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, example)}.",
            )
        )
