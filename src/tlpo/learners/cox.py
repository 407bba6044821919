"""Cox regression with a ridge penalty, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from tlpo.arrays import FloatArray
from tlpo.errors import InputError, explain
from tlpo.games.response import outcomes
from tlpo.problem.outcome import TimeToEvent
from tlpo.problem.times import has_times, read_structured

TIES = ("efron", "breslow")


class Baseline(NamedTuple):
    """The cumulative hazard of a unit whose features are the means of the training units.

    Attributes
    ----------
    time : ndarray of shape (t,)
        Times of events.
    cumulative_hazard : ndarray of shape (t,)
        Breslow's estimate from each of these times on.
    """

    time: FloatArray
    cumulative_hazard: FloatArray


class Cox(BaseEstimator):
    """Cox regression with a ridge penalty.

    Every game of a tournament is played without refitting, also behind scalers and imputers.

    Parameters
    ----------
    alpha : float
        The penalty α ≥ 0. Its size depends on the units of the features: put a StandardScaler
        before the model. Without a penalty, there must be clearly fewer features than events.
    ties : {"efron", "breslow"}
        How events at the same time are treated.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Log hazard ratios per unit of each feature.
    hazard_ratios_ : ndarray of shape (n_features,)
        Their exponentials.
    mean_ : ndarray of shape (n_features,)
        Means of the features in training.
    baseline_ : Baseline
        Times of events, and the cumulative hazard of a unit whose features are ``mean_``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if they have any.

    Notes
    -----
    The coefficients minimise ``−ℓ(w) + ½ α‖w‖²``, ℓ the logarithm of the partial likelihood. That
    is what scikit-survival's ``CoxPHSurvivalAnalysis`` minimises for the same ``alpha``; its solver
    stops earlier.

    References
    ----------
    D. R. Cox (1972). Regression models and life-tables. Journal of the Royal Statistical Society B
    34, 187-220.

    B. Efron (1977). The efficiency of Cox's likelihood function for censored data. Journal of the
    American Statistical Association 72, 557-565.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> X = np.array([[3.0], [1.0], [2.0], [0.0]])
    >>> y = np.array(
    ...     [(True, 2.0), (True, 5.0), (False, 3.0), (False, 8.0)],
    ...     dtype=[("event", bool), ("time", float)],
    ... )
    >>> model = tlpo.Cox(alpha=1.0).fit(X, y)
    >>> model.coef_.round(4), model.hazard_ratios_.round(4)
    (array([0.88]), array([2.4108]))
    >>> model.predict_survival([[0.0], [3.0]], times=[1.0, 4.0, 6.0]).round(3)
    array([[1.   , 0.958, 0.714],
           [1.   , 0.547, 0.009]])
    >>> model.score(X, y)
    1.0
    """

    def __init__(self, alpha: float = 1.0, ties: str = "efron") -> None:
        self.alpha = alpha
        self.ties = ties

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the coefficients.

        Parameters
        ----------
        X : array-like of shape (n_units, n_features)
            Features.
        y : structured array of shape (n_units,)
            A field of type bool says whether a unit had the event, the other when it had it or was
            last known to be without it.

        Raises
        ------
        InputError
            If there is no event that a unit outlived, or without a penalty no largest likelihood.
        """
        _require_penalty(self.alpha)
        if not (isinstance(self.ties, str) and self.ties in TIES):
            raise InputError(
                explain(
                    "ties must be 'efron' or 'breslow'.",
                    f"You passed ties={self.ties!r}.",
                    "Use 'efron', which is closer to the exact likelihood.",
                )
            )
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        outcome = _read(y, len(X))
        alpha = float(self.alpha)
        self.mean_ = X.mean(axis=0)
        centred = X - self.mean_
        basis: FloatArray | None = None
        if alpha > 0 and X.shape[1] > X.shape[0]:
            # A penalised solution is a combination of the rows: their coordinates are enough.
            basis, corner = linalg.qr(centred.T, mode="economic")
            centred = corner.T
        from tlpo.learners import cox_solver

        penalty = np.full(centred.shape[1], alpha)
        is_efron = self.ties == "efron"
        coef, end = cox_solver.fit(centred, outcome.time, outcome.event, penalty, is_efron)
        if end != cox_solver.FOUND:
            raise _no_solution(alpha, X.shape, outcome, end == cox_solver.DEPENDENT)
        self.baseline_ = _baseline(centred @ coef, outcome)
        self.coef_ = coef if basis is None else np.asarray(basis @ coef)
        with np.errstate(over="ignore"):
            self.hazard_ratios_ = np.exp(self.coef_)
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the linear predictor ``Xw``: the larger, the earlier the event is expected."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(X @ self.coef_)

    def predict_survival(self, X: Any, times: Any) -> FloatArray:
        """Return the probabilities of being without the event at some times.

        Parameters
        ----------
        X : array-like of shape (n_units, n_features)
            Features.
        times : array-like of shape (n_times,)
            When; after the last event in training, what is returned is the probability at that
            event.

        Returns
        -------
        ndarray of shape (n_units, n_times)
            A row per unit.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        baseline = self.baseline_
        times = np.asarray(times, dtype=np.float64).reshape(-1)
        if np.isnan(times).any():
            raise InputError(
                explain(
                    "times must be numbers.",
                    f"You passed {np.count_nonzero(np.isnan(times))} missing of {times.size}.",
                    "Ask for the times at which survival is of interest, for example [12, 36].",
                )
            )
        passed = np.searchsorted(baseline.time, times, side="right")
        with np.errstate(divide="ignore", over="ignore"):
            log_hazard = np.log(np.append(0.0, baseline.cumulative_hazard)[passed])
            hazard = np.exp(((X - self.mean_) @ self.coef_)[:, None] + log_hazard)
        return np.asarray(np.exp(-hazard))

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's C: how often of two units the one with the earlier event ranks higher.

        Parameters
        ----------
        X : array-like of shape (n_units, n_features)
            Features.
        y : structured array of shape (n_units,)
            Events and times, as in `fit`.
        """
        risk = self.predict(X)
        winner, loser = _read(y, risk.size).should_win()
        return float(outcomes(risk[winner], risk[loser]).mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _read(y: Any, n_units: int) -> TimeToEvent:
    """Read times and events of as many units as there are rows."""
    if not has_times(y):
        raise InputError(
            explain(
                "y must say for every unit whether it had the event, and when.",
                f"You passed an object of type {type(y).__name__}.",
                "Pass a structured array with a field of type bool and one of times.",
            )
        )
    outcome = read_structured(y, None)
    if outcome.n_units != n_units:
        raise InputError(
            explain(
                "X and y must describe the same units.",
                f"You passed {n_units} rows of X and {outcome.n_units} times.",
                "Check that neither was filtered without the other.",
            )
        )
    return outcome


def _baseline(z: FloatArray, outcome: TimeToEvent) -> Baseline:
    """Return Breslow's estimate for linear predictors of mean 0."""
    order = np.argsort(-outcome.time, kind="stable")
    time, event = outcome.time[order], outcome.event[order]
    log_at_risk = np.logaddexp.accumulate(z[order])
    times, deaths = np.unique(time[event], return_counts=True)
    # All units of a time are at risk at that time: the last of them in descending order.
    last = time.size - 1 - np.searchsorted(time[::-1], times, side="left")
    with np.errstate(over="ignore"):
        return Baseline(times, np.cumsum(deaths * np.exp(-log_at_risk[last])))


def _require_penalty(alpha: Any) -> None:
    is_number = isinstance(alpha, int | float | np.number) and not isinstance(alpha, bool)
    if not (is_number and 0 <= alpha < np.inf):
        raise InputError(
            explain(
                "alpha must be a non-negative number.",
                f"You passed alpha={alpha!r}.",
                "For example alpha=1.0.",
            )
        )


def _no_solution(
    alpha: float, shape: tuple[int, ...], outcome: TimeToEvent, is_dependent: bool
) -> InputError:
    problem = (
        "Some features are constant or depend on others, so the coefficients are not determined."
        if is_dependent
        else "Some combination of features tells the order of the events, so the likelihood has no "
        "maximum."
    )
    return InputError(
        explain(
            problem,
            f"You passed alpha={alpha:g} and {shape[1]} features of {outcome.count}.",
            "Pass a larger penalty, for example alpha=1.0, or fewer features."
            if alpha
            else "Pass a penalty, for example alpha=1.0, or fewer features.",
        )
    )
