"""Probabilities of units that no model had seen: calibration, Brier score, net benefit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.checks import RandomState, require_count, require_level, seed_sequence
from tlpo.errors import InputError, explain
from tlpo.results.intervals import Interval
from tlpo.results.summary import Summary
from tlpo.roc import calibration
from tlpo.roc.calibration import CalibrationCurve, Forecasts, Measured

if TYPE_CHECKING:
    import pandas as pd

    from tlpo.results.tournament import Tournament

# Thresholds of a decision curve.
THRESHOLDS = tuple(round(0.01 * k, 2) for k in range(1, 100))


@dataclass(frozen=True, eq=False, repr=False)
class Probabilities(Summary):
    """Probabilities of being positive, and how well they agree with the labels.

    Attributes
    ----------
    p : ndarray of shape (m,) or (m, k)
        The probability of every unit, or several from different models, which share the weight of
        the unit. NaN where there is none; a unit without any takes no part.
    is_positive : ndarray of shape (m,)
        Class of every unit.
    groups : ndarray of shape (m,), optional
        Units that are not independent, for all limits but those of the calibration curve.
    phi : float, optional
        For probabilities of models that were trained on these units: φ of the AUC's interval, the
        factor by which models that change with the sample increase its variance. None for
        probabilities that were fixed beforehand.

    Notes
    -----
    p_i is the probability of unit i, y_i its label, 1 or 0; several of one unit share its weight.
    Means are over units::

        brier              mean (p_i − y_i)²
        scaled_brier       1 − brier / (ȳ(1 − ȳ))
        slope              b of the logistic regression  logit P(y) = a + b · logit p
        intercept          a of  logit P(y) = a + logit p
        observed_expected  Σ y_i / Σ p_i
        net_benefit at t   (true positives − t/(1 − t) · false positives) / m,
                           positive being p_i ≥ t

    Examples
    --------
    Held-out probabilities of a tournament:

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240, [1, 4]], y[200:240] == 0
    >>> model = make_pipeline(StandardScaler(), LogisticRegression())
    >>> tlpo.tournament(model, X, malignant).probabilities
    Probabilities of 40 units (19 positive, 21 negative)
      Brier score            0.194 (0.141 to 0.267)
      scaled Brier score     0.223 (-0.070 to 0.435)
      calibration slope      0.984 (-0.097 to 2.065)
      calibration intercept  -0.025 (-0.797 to 0.748)
      observed / expected    0.990 (0.725 to 1.352)

    Those of a model from elsewhere:

    >>> import numpy as np
    >>> p = np.array([0.1, 0.2, 0.4, 0.3, 0.6, 0.9])
    >>> found = tlpo.Probabilities(p, np.array([False, False, False, True, True, True]))
    >>> round(found.brier().estimate, 3), round(found.observed_expected().estimate, 3)
    (0.145, 1.2)
    """

    p: FloatArray
    is_positive: BoolArray
    groups: IntArray | None = None
    phi: float | None = None

    def __post_init__(self) -> None:
        p = np.asarray(self.p, dtype=np.float64)
        is_positive = np.asarray(self.is_positive, dtype=bool)
        known = p[~np.isnan(p)]
        if p.ndim not in (1, 2) or len(p) != is_positive.size:
            raise InputError(
                explain(
                    "There must be one probability, or one row of them, per unit.",
                    f"You passed an array of shape {p.shape} for {is_positive.size} units.",
                    "Check that probabilities and labels belong to the same units.",
                )
            )
        if known.size and not (known.min() >= 0 and known.max() <= 1):
            raise InputError(
                explain(
                    "Probabilities lie between 0 and 1.",
                    f"You passed values from {known.min():g} to {known.max():g}.",
                    "Pass probabilities of the positive class, not scores or percentages.",
                )
            )
        object.__setattr__(self, "p", p)
        object.__setattr__(self, "is_positive", is_positive)
        present = self._present
        if min(np.count_nonzero(present & is_positive), np.count_nonzero(present & ~is_positive)):
            return
        raise InputError(
            explain(
                "Both classes need units with a probability.",
                f"You passed {np.count_nonzero(present & is_positive)} positive and "
                f"{np.count_nonzero(present & ~is_positive)} negative units with one.",
                "Check the labels, and missing values.",
            )
        )

    def brier(self, confidence_level: float = 0.95) -> Interval:
        """Mean squared distance from the labels: 0 is perfect, lower is better.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> rng = np.random.default_rng(0)
        >>> p = rng.uniform(size=200)
        >>> ill = rng.random(200) < p
        >>> tlpo.Probabilities(p, ill).brier()
        Brier score: 0.1536, 95 % interval 0.1283 to 0.1840
        """
        measured = calibration.brier(self._forecasts)
        found = self._measure("Brier score", measured, confidence_level)
        return replace(found, high=min(found.high, 1.0))

    def scaled_brier(self, confidence_level: float = 0.95) -> Interval:
        """Brier score on a scale from 0, always predicting the prevalence, to 1, perfect.

        Examples
        --------
        Always predicting the prevalence is worth nothing:

        >>> import numpy as np
        >>> import tlpo
        >>> ill = np.arange(50) < 10
        >>> tlpo.Probabilities(np.full(50, 0.2), ill).scaled_brier().estimate
        0.0
        """
        ratio = calibration.relative_brier(self._forecasts)
        found = self._measure("scaled Brier score", ratio, confidence_level)
        return replace(
            found, estimate=1.0 - found.estimate, low=1.0 - found.high, high=1.0 - found.low
        )

    def slope(self, confidence_level: float = 0.95) -> Interval:
        """Calibration slope: 1 is perfect, less if probabilities are too extreme.

        Not defined if a probability is 0 or 1, or if the probabilities separate the classes.

        Examples
        --------
        Log odds that are twice as large as they should be:

        >>> import numpy as np
        >>> import tlpo
        >>> rng = np.random.default_rng(0)
        >>> p = rng.uniform(size=400)
        >>> ill = rng.random(400) < p
        >>> too_extreme = p**2 / (p**2 + (1 - p) ** 2)
        >>> tlpo.Probabilities(too_extreme, ill).slope()
        Calibration slope: 0.5228, 95 % interval 0.4072 to 0.6384
        """
        if not calibration.has_log_odds(self._forecasts):
            return self._undefined("calibration slope", confidence_level)
        found = calibration.calibration_slope(self._forecasts)
        if found is None:
            why = "All probabilities are equal, or they separate the classes."
            return self._undefined("calibration slope", confidence_level, why)
        return self._measure("calibration slope", found, confidence_level)

    def intercept(self, confidence_level: float = 0.95) -> Interval:
        """Calibration in the large: by how much log odds are too small on average; 0 is perfect.

        Not defined if a probability is 0 or 1.

        Examples
        --------
        A model from a clinic with more ill patients, used where the odds are half as large:

        >>> import numpy as np
        >>> import tlpo
        >>> rng = np.random.default_rng(1)
        >>> p = rng.uniform(size=1000)
        >>> ill = rng.random(1000) < p / (p + 2 * (1 - p))
        >>> tlpo.Probabilities(p, ill).intercept()
        Calibration intercept: -0.7429, 95 % interval -0.8971 to -0.5887
        >>> round(float(np.log(0.5)), 3)
        -0.693
        """
        if not calibration.has_log_odds(self._forecasts):
            return self._undefined("calibration intercept", confidence_level)
        found = calibration.calibration_intercept(self._forecasts)
        return self._measure("calibration intercept", found, confidence_level)

    def observed_expected(self, confidence_level: float = 0.95) -> Interval:
        """Observed positives per expected one: more than 1 if too few are predicted.

        Examples
        --------
        Ten fell ill where the model expected eight:

        >>> import numpy as np
        >>> import tlpo
        >>> ill = np.arange(40) < 10
        >>> tlpo.Probabilities(np.where(ill, 0.5, 0.1), ill).observed_expected()
        Observed / expected: 1.2500, 95 % interval 0.9134 to 1.7106
        """
        found = calibration.observed_expected(self._forecasts)
        return self._measure("observed / expected", found, confidence_level)

    def calibration_curve(
        self,
        confidence_level: float = 0.95,
        *,
        n_resamples: int = 1000,
        random_state: RandomState = 0,
    ) -> CalibrationCurve:
        """Observed frequencies over probabilities, by isotonic regression, without bins.

        Parameters
        ----------
        confidence_level : float
            Of the consistency band: if the probabilities were right, each point of the curve
            would lie within its limits this often. Labels are drawn for it unit by unit, so it
            is too narrow where units of a group are alike.
        n_resamples, random_state
            Of the band.

        Returns
        -------
        CalibrationCurve
            ``predicted``, ``observed``, ``low`` and ``high``.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> p = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
        >>> ill = np.array([0, 0, 1, 0, 0, 1, 1, 1], dtype=bool)
        >>> curve = tlpo.Probabilities(p, ill).calibration_curve()
        >>> for at, share in zip(curve.predicted, curve.observed, strict=True):
        ...     print(f"predicted {at:.1f}: observed {share:.2f}")
        predicted 0.1: observed 0.00
        predicted 0.2: observed 0.00
        predicted 0.3: observed 0.33
        predicted 0.5: observed 0.33
        predicted 0.6: observed 1.00
        predicted 0.8: observed 1.00
        """
        require_level("confidence_level", confidence_level)
        require_count("n_resamples", n_resamples, 100)
        rng = np.random.default_rng(seed_sequence(random_state))
        return calibration.calibration_curve(self._forecasts, confidence_level, n_resamples, rng)

    def net_benefit(
        self, thresholds: Any = THRESHOLDS, confidence_level: float = 0.95
    ) -> pd.DataFrame:
        """Tabulate the net benefit of treating units at or above a threshold probability.

        Parameters
        ----------
        thresholds : array-like
            Probabilities, strictly between 0 and 1, at which one would treat.
        confidence_level : float
            Of the limits, which hold at each threshold by itself.

        Returns
        -------
        pandas.DataFrame
            ``threshold``, ``model``, ``low``, ``high``, and ``all`` and ``none``: the net benefit
            of treating everybody and nobody.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> rng = np.random.default_rng(0)
        >>> p = rng.uniform(size=100)
        >>> ill = rng.random(100) < p
        >>> print(tlpo.Probabilities(p, ill).net_benefit([0.2, 0.5, 0.8]).round(2))
           threshold  model   low  high   all  none
        0        0.2   0.44  0.32  0.55  0.41   0.0
        1        0.5   0.28  0.14  0.42  0.06   0.0
        2        0.8  -0.03 -0.26  0.20 -1.35   0.0
        """
        import pandas as pd

        require_level("confidence_level", confidence_level)
        at = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
        if at.ndim != 1 or not np.all((at > 0) & (at < 1)):
            raise InputError(
                explain(
                    "thresholds must be strictly between 0 and 1.",
                    f"You passed thresholds={thresholds!r}.",
                    "For example thresholds=[0.1, 0.2, 0.5].",
                )
            )
        found = calibration.net_benefit(self._forecasts, at)
        bounds = [self._limits(one, confidence_level, self.phi or 1.0) for one in found]
        return pd.DataFrame(
            {
                "threshold": at,
                "model": [one.value for one in found],
                "low": [low for low, _ in bounds],
                "high": [high for _, high in bounds],
                "all": calibration.benefit_of_all(float(self._forecasts.y.mean()), at),
                "none": 0.0,
            }
        )

    def frame(self) -> pd.DataFrame:
        """Tabulate the units: class, mean probability, and from how many models it is.

        Examples
        --------
        >>> import numpy as np
        >>> import tlpo
        >>> p = np.array([[0.2, 0.3], [0.6, np.nan], [0.7, 0.9]])
        >>> print(tlpo.Probabilities(p, np.array([False, True, True])).frame())
           positive  probability  models
        0     False         0.25       2
        1      True         0.60       1
        2      True         0.80       2
        """
        import pandas as pd

        counts = self._counts
        table = self.p.reshape(len(self.p), -1)
        total = np.nansum(table, axis=1)
        mean = np.divide(total, counts, out=np.full(counts.size, np.nan), where=counts > 0)
        return pd.DataFrame({"positive": self.is_positive, "probability": mean, "models": counts})

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What the numbers cannot tell."""
        if calibration.has_log_odds(self._forecasts):
            return ()
        return (_NO_LOG_ODDS + " The calibration slope and intercept are not defined.",)

    # --- what measures are computed from

    @property
    def _counts(self) -> IntArray:
        return np.asarray(np.sum(~np.isnan(self.p.reshape(len(self.p), -1)), axis=1))

    @property
    def _present(self) -> BoolArray:
        return np.asarray(self._counts > 0)

    @property
    def _class_sizes(self) -> tuple[int, int]:
        is_positive = self._forecasts.is_positive
        p = int(np.count_nonzero(is_positive))
        return p, is_positive.size - p

    @cached_property
    def _forecasts(self) -> Forecasts:
        present = self._present
        table = self.p.reshape(len(self.p), -1)[present]
        unit, column = np.nonzero(~np.isnan(table))
        return Forecasts(table[unit, column], unit, self.is_positive[present])

    def _undefined(self, what: str, level: float, why: str = "") -> Interval:
        require_level("confidence_level", level)
        nan = float("nan")
        return Interval(what, nan, nan, nan, float(level), notes=(why or _NO_LOG_ODDS,))

    def _measure(self, what: str, measured: Measured, level: float) -> Interval:
        factor = 1.0
        if self.phi is not None and "slope" in what:
            factor = max(self.phi, calibration.SLOPE_INFLATION)
        elif self.phi is not None and "Brier" in what:
            factor = self.phi
        low, high = self._limits(measured, level, factor)
        if high - low <= _NO_WIDTH * max(1.0, abs(measured.value)):
            nan = float("nan")
            return Interval(what, measured.value, nan, nan, float(level), notes=(_NO_SPREAD,))
        return Interval(what, measured.value, low, high, float(level))

    def _limits(
        self, measured: Measured, confidence_level: float, factor: float = 1.0
    ) -> tuple[float, float]:
        require_level("confidence_level", confidence_level)
        groups = None if self.groups is None else np.asarray(self.groups)[self._present]
        sizes = self._class_sizes
        if groups is not None:
            is_positive = self._forecasts.is_positive
            sizes = (np.unique(groups[is_positive]).size, np.unique(groups[~is_positive]).size)
        df = float(max(1, min(sizes) - 1))
        return calibration.limits(measured, confidence_level, df, groups, factor)

    def _title(self) -> str:
        p, n = self._class_sizes
        return f"Probabilities of {p + n} units ({p} positive, {n} negative)"

    def _rows(self) -> list[tuple[str, str]]:
        measures = (
            self.brier(),
            self.scaled_brier(),
            self.slope(),
            self.intercept(),
            self.observed_expected(),
        )
        return [
            (m.what, f"{m.estimate:.3f} ({m.low:.3f} to {m.high:.3f})")
            if not m.notes
            else (m.what, "—" if np.isnan(m.estimate) else f"{m.estimate:.3f} (no interval)")
            for m in measures
        ]

    def _notes(self) -> tuple[str, ...]:
        return self.remarks


# By how much a sum of shares may exceed 1; beyond, it is no probability but per cent, say.
ROUNDING = 1e-9
# Limits that rounding alone keeps apart.
_NO_WIDTH = 1e-9
_NO_SPREAD = "All units are equally far off, which does not show how far others would be."
_NO_LOG_ODDS = "Some probabilities are exactly 0 or 1, whose log odds are infinite."


def held_out_probabilities(t: Tournament) -> Probabilities:
    """Return the probabilities of a tournament's opposite-class games; see `Tournament`."""
    why = why_no_probabilities(t)
    if why is not None:
        raise InputError(why)
    is_positive = t.labels.is_positive
    F = t.predictions
    assert F is not None
    assert not isinstance(t._link, str)
    m, p = is_positive.size, int(np.count_nonzero(is_positive))
    table = np.full((m, max(p, m - p)), np.nan)
    for own in (is_positive, ~is_positive):
        responses = F[np.ix_(own, ~own)]
        # Odds, not log odds: probabilities of 0 and 1 stay what they are.
        shift = np.exp(_prevalence_shift(t)[np.ix_(own, ~own)] if t._link.follows_prevalence else 0)
        if t._link.is_logistic:
            from scipy.special import expit

            responses = expit(responses)
        table[own, : m - np.count_nonzero(own)] = (
            responses * shift / (1.0 - responses + responses * shift)
        )
    return Probabilities(np.clip(table, 0.0, 1.0), is_positive, t.groups, t.auc_interval().phi)


def why_no_probabilities(t: Tournament) -> str | None:
    """Return why a tournament has no probabilities, in three parts, or None if it has."""
    why = why_not_of_model(t)
    if why is not None:
        return explain(
            "The model gives no probabilities that a tournament could keep.",
            f"You passed a tournament of {t.estimator_name}: {why}.",
            "Play a model whose score is a probability, for example LogisticRegression, or wrap "
            "this one in CalibratedClassifierCV.",
        )
    if t._table is None:
        return explain(
            "Probabilities need the table of held-out predictions.",
            f"You passed a tournament of {t.labels.n_units} units that kept none.",
            "Play with predictions=True.",
        )
    return None


def why_not_of_model(t: Tournament) -> str | None:
    """Return why the responses of a model are no probabilities, as a clause, or None."""
    if isinstance(t._link, str):
        return t._link
    F = t.predictions
    if F is None or t._link.is_logistic:
        return None
    low, high = np.nanmin(F), np.nanmax(F)
    if low >= -ROUNDING and high <= 1.0 + ROUNDING:
        return None
    return f"its predict_proba ranges from {low:.3g} to {high:.3g}, not within 0 and 1"


def _prevalence_shift(t: Tournament) -> FloatArray:
    """Return by how much log odds of models without two units, or their groups, are too small.

    These were trained on other shares of positives than the model trained on all units is:
    ``log(m+/m-) − log((m+ − r+)/(m- − r-))`` for r units left out.
    """
    is_positive = t.labels.is_positive
    total = np.array([np.count_nonzero(~is_positive), np.count_nonzero(is_positive)])
    groups = np.arange(is_positive.size) if t.groups is None else t.groups
    _, member = np.unique(groups, return_inverse=True)
    kept = []
    for kind in (0, 1):
        sizes = np.bincount(member, weights=is_positive == kind)[member]
        same = member[:, None] == member[None, :]
        left_out = sizes[:, None] + np.where(same, 0.0, sizes[None, :])
        kept.append(total[kind] - left_out)
    with np.errstate(divide="ignore", invalid="ignore"):  # pairs that were not played
        return np.asarray(np.log(total[1] / total[0]) - np.log(kept[1] / kept[0]))
