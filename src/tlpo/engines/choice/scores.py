"""Scores of candidates from responses that may be off a little: bounds, and the search's own value.

A score that depends on predicted classes or on the order of responses is known to the last digit
once errors leave these open no more: the scorer itself is asked about responses that stand in for
those of a fitted model. A score of numbers, as the log loss, has bounds only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.engines.choice.folds import Unreadable

# Their probabilities are the logistic function of their decision function.
ARE_LOG_ODDS = (LogisticRegression, LinearDiscriminantAnalysis)
# Own sums of scores differ from those of scikit-learn by less, relative to their size.
ROUNDING = 1e-11
EPSILON = float(np.finfo(np.float64).eps)
# Folds whose AUC is asked of the scorer, to see that it is computed alike.
COMPARED = 20

_BY_ORDER = {metrics.roc_auc_score, metrics.average_precision_score}
_BY_COUNTS = {
    metrics.accuracy_score,
    metrics.balanced_accuracy_score,
    metrics.f1_score,
    metrics.fbeta_score,
    metrics.jaccard_score,
    metrics.matthews_corrcoef,
    metrics.precision_score,
    metrics.recall_score,
}
_OF_PROBABILITIES = {metrics.log_loss, metrics.brier_score_loss}
_OF_NUMBERS = {
    metrics.r2_score,
    metrics.mean_squared_error,
    metrics.root_mean_squared_error,
    metrics.mean_absolute_error,
}


class Judged(NamedTuple):
    """Responses of some models for the folds they are judged on, one fold per row.

    Attributes
    ----------
    response, error : ndarray of shape (g, f)
        Responses, larger for the second class, and by how much they may be off.
    units : ndarray of shape (g, f)
        The units.
    """

    response: FloatArray
    error: FloatArray
    units: IntArray


class Bounds(NamedTuple):
    """What is known about the scores of some folds.

    Attributes
    ----------
    low, high : ndarray of shape (g,)
        The lowest and the highest score.
    sure : ndarray of shape (g,)
        Whether errors leave nothing open: `Score.exact` gives the score.
    """

    low: FloatArray
    high: FloatArray
    sure: BoolArray


def may_be_best(low: FloatArray, high: FloatArray) -> BoolArray:
    """Return which candidates may have the best mean score over folds, the last axis."""
    low, high = low.mean(axis=-1), high.mean(axis=-1)
    best = low.max(axis=-1, keepdims=True)
    slack = 1e-9 * np.abs(np.where(np.isfinite(best), best, 0.0))
    return np.asarray(high >= best - slack)


class _Answering(BaseEstimator):  # type: ignore[misc]
    """Stands in for a fitted model: gives the responses it was made with."""

    def __init__(self, classes: Any, response: FloatArray, cut: float) -> None:
        self.classes_, self.response, self.cut = classes, response, cut

    def predict(self, X: Any) -> Any:  # noqa: ARG002
        """Predict the class."""
        return np.where(self.response > self.cut, self.classes_[1], self.classes_[0])


class _Scoring(ClassifierMixin, _Answering):  # type: ignore[misc]
    def decision_function(self, X: Any) -> FloatArray:  # noqa: ARG002
        return self.response


class _Probable(ClassifierMixin, _Answering):  # type: ignore[misc]
    def predict_proba(self, X: Any) -> FloatArray:  # noqa: ARG002
        return np.column_stack([1.0 - self.response, self.response])


class _Numeric(RegressorMixin, _Answering):  # type: ignore[misc]
    def predict(self, X: Any) -> FloatArray:  # noqa: ARG002
        return self.response


class Score:
    """The score by which a search judges its candidates.

    Parameters
    ----------
    scorer : callable
        The search's own.
    model : estimator
        The last step of a candidate.
    labels : ndarray of shape (m,)
        Labels or numbers of all units.
    target : ndarray of shape (m,)
        Numbers in the unit of the responses; not used by classifiers.
    is_classifier : bool
        Whether candidates are classifiers.
    is_probability : bool
        Whether responses are probabilities.
    knows_classes : bool
        Whether losses are told the classes, so that a fold may lack one.
    """

    def __init__(
        self,
        scorer: Callable[..., float],
        model: Any,
        labels: npt.NDArray[Any],
        target: FloatArray,
        is_classifier: bool,
        is_probability: bool,
        knows_classes: bool = False,
    ) -> None:
        self.knows_classes = knows_classes
        self.scorer, self.labels, self.target = scorer, labels, target
        self.is_classifier, self.is_probability = is_classifier, is_probability
        self.classes = np.unique(labels) if is_classifier else np.array([-1.0, 1.0])
        self.is_second: BoolArray = np.atleast_1d(labels == self.classes[-1])
        self.cut = 0.5 if is_probability else 0.0
        self.is_odds = isinstance(model, ARE_LOG_ODDS)
        self.ties_are_exact = isinstance(model, KNeighborsClassifier) and model.weights == "uniform"
        self.function, self.sign, self.options = _read(scorer, model, is_classifier)
        self.kind = self._kind(getattr(scorer, "_response_method", "predict"))
        self._known: dict[bytes, float] = {}
        self._has_own_auc = self.function is metrics.roc_auc_score and not self.options
        self._left_to_compare = COMPARED

    def _kind(self, method: Any) -> str:
        name = getattr(self.function, "__name__", str(self.function))
        if not self.is_classifier:
            if self.function in _OF_NUMBERS and not self.options:
                return "numbers"
        elif self.function in _BY_ORDER:
            return "order"
        elif self.function in _OF_PROBABILITIES:
            if not self.options and (self.is_odds or self.is_probability):
                return "probabilities"
        elif method == "predict":
            return "counts" if self.function in _BY_COUNTS else "classes"
        raise Unreadable(f"Searches that are judged by {name} are refitted.")

    def bounds(self, judged: Judged) -> Bounds:
        """Return between what the score of each fold lies."""
        unknown = np.asarray(~np.isfinite(judged.error).all(axis=1))
        error = np.where(unknown[:, None], 0.0, judged.error)
        low, high, sure = getattr(self, f"_by_{self.kind}")(judged._replace(error=error))
        sure = sure & ~unknown
        unknown |= np.isnan(low) | np.isnan(high)
        return Bounds(np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high), sure)

    def _by_order(self, judged: Judged) -> Bounds:
        from tlpo.engines.choice.kernels import auc_bounds

        is_second = self.is_second[judged.units]
        low, high = np.empty((2, len(judged.units)))
        auc_bounds(judged.response, judged.error, is_second, self.ties_are_exact, low, high)
        sure = (low == high) | np.isnan(low)
        if self.function is metrics.roc_auc_score and not self.options:
            return Bounds(low, high, sure)
        return self._where_sure(judged, sure)

    def _where_sure(self, judged: Judged, sure: BoolArray) -> Bounds:
        """Return the scores where nothing is open, and no bounds elsewhere."""
        low, high = np.full(sure.size, -np.inf), np.full(sure.size, np.inf)
        for row in np.flatnonzero(sure).tolist():
            low[row] = high[row] = self.exact(judged, row)
        return Bounds(low, high, sure)

    def _by_counts(self, judged: Judged) -> Bounds:
        is_second = self.is_second[judged.units]
        says_second, sure = self._classes(judged)
        counts = np.column_stack(
            [
                np.sum(sure & is_second & says_second, axis=1),
                np.sum(sure & is_second & ~says_second, axis=1),
                np.sum(sure & ~is_second & says_second, axis=1),
                np.sum(sure & ~is_second & ~says_second, axis=1),
                np.sum(~sure & is_second, axis=1),
                np.sum(~sure & ~is_second, axis=1),
            ]
        )
        kinds, which = np.unique(counts, axis=0, return_inverse=True)
        found = np.array([self._of_counts(*kind.tolist()) for kind in kinds])
        low, high = found[which.reshape(-1)].T
        return Bounds(low, high, np.asarray(sure.all(axis=1)))

    def _of_counts(
        self, tp: int, fn: int, fp: int, tn: int, open_second: int, open_first: int
    ) -> tuple[float, float]:
        """Return the lowest and highest score if some units may be predicted either way."""
        if (1 + open_second) * (1 + open_first) > 36:
            return -np.inf, np.inf
        values = [
            self._of_table(tp + a, fn + open_second - a, fp + b, tn + open_first - b)
            for a in range(open_second + 1)
            for b in range(open_first + 1)
        ]
        return min(values), max(values)

    def _of_table(self, *counts: int) -> float:
        key = np.array(counts).tobytes()
        if key not in self._known:
            first, second = self.classes
            actual = np.repeat([second, second, first, first], counts)
            says = np.repeat([1.0, -1.0, 1.0, -1.0], counts)
            self._known[key] = self._ask(actual, self.cut + says)
        return self._known[key]

    def _by_classes(self, judged: Judged) -> Bounds:
        _, sure = self._classes(judged)
        return self._where_sure(judged, np.asarray(sure.all(axis=1)))

    def _classes(self, judged: Judged) -> tuple[BoolArray, BoolArray]:
        """Return who is predicted to be of the second class, and where that is sure."""
        above = judged.response - self.cut
        sure = np.abs(above) > judged.error + ROUNDING * np.abs(judged.response)
        if self.ties_are_exact:
            sure |= judged.error == 0.0
        return above > 0.0, sure

    def _by_probabilities(self, judged: Judged) -> Bounds:
        is_second = self.is_second[judged.units]
        side = np.where(is_second, 1.0, -1.0)
        ends = []
        for way in (-1.0, 1.0):
            moved = judged.response + way * side * judged.error
            if self.function is metrics.log_loss:
                loss, blur = self._log_loss(moved, side)
            else:
                p = np.clip(moved, 0.0, 1.0) if self.is_probability else expit(moved)
                loss, blur = (p - is_second) ** 2, np.zeros_like(p)
            ends.append(self.sign * (loss - way * blur).mean(axis=1))
        has_both = np.asarray(is_second.any(axis=1) & ~is_second.all(axis=1))
        return self._spread(ends[0], ends[1], has_both | self.knows_classes)

    def _log_loss(self, response: FloatArray, side: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the loss of every unit, and how far rounding of probabilities moves it."""
        if self.is_probability:
            p = np.clip(np.where(side > 0, response, 1.0 - response), EPSILON, 1.0)
            loss = -np.log(p)
        else:
            loss = np.logaddexp(0.0, -side * response)
        loss = np.minimum(loss, -np.log(EPSILON))
        return loss, np.minimum(1.0, 4.0 * EPSILON * np.exp(loss))

    def _by_numbers(self, judged: Judged) -> Bounds:
        y = self.target[judged.units]
        residual = np.abs(y - judged.response)
        ends = []
        for way in (1.0, -1.0):
            off = np.maximum(residual + way * (judged.error + ROUNDING * np.abs(y)), 0.0)
            if self.function is metrics.mean_absolute_error:
                loss = off.mean(axis=1)
            else:
                loss = np.mean(off**2, axis=1)
            if self.function is metrics.root_mean_squared_error:
                loss = np.sqrt(loss)
            if self.function is metrics.r2_score:
                spread = np.mean((y - y.mean(axis=1, keepdims=True)) ** 2, axis=1)
                with np.errstate(divide="ignore", invalid="ignore"):
                    ends.append(1.0 - loss / spread)
            else:
                ends.append(self.sign * loss)
        return self._spread(ends[0], ends[1], np.ptp(y, axis=1) > 0.0)

    def _spread(self, one: FloatArray, other: FloatArray, is_usual: BoolArray) -> Bounds:
        """Order two ends and widen them by the rounding of a sum; unusual folds have none."""
        one, other = (np.where(is_usual, end, np.nan) for end in (one, other))
        low, high = np.minimum(one, other), np.maximum(one, other)
        blur = ROUNDING * np.maximum(np.abs(low), np.abs(high))
        return Bounds(low - blur, high + blur, np.zeros(low.size, dtype=bool))

    def is_settled(self, judged: Judged, row: int) -> bool:
        """Return whether no two responses of a fold tie but for rounding."""
        if self.kind != "order" or self.ties_are_exact:
            return True
        response = np.sort(judged.response[row])
        return bool(np.all(np.diff(response) > 1e-11 * np.abs(response[1:])))

    def exact(self, judged: Judged, row: int) -> float:
        """Return the search's own score of a fold, whose classes or order are known."""
        response, units = judged.response[row], judged.units[row]
        if self.kind == "counts":
            is_second, says = self.is_second[units], response > self.cut
            table = [
                np.count_nonzero(is_second & says),
                np.count_nonzero(is_second & ~says),
                np.count_nonzero(~is_second & says),
                np.count_nonzero(~is_second & ~says),
            ]
            return self._of_table(*map(int, table))
        if self.kind == "order":
            order = np.argsort(response, kind="stable")
            is_tied = np.diff(response[order]) == 0.0
            is_second = self.is_second[units[order]]
            if not is_tied.any():
                key = is_second.tobytes()
            else:
                key = np.concatenate([is_second, is_tied]).tobytes() + b"tied"
        else:
            key = np.concatenate([self.is_second[units], response > self.cut]).tobytes()
        if key not in self._known:
            self._known[key] = self._find(self.labels[units], response)
        return self._known[key]

    def _find(self, labels: npt.NDArray[Any], response: FloatArray) -> float:
        """Ask the scorer or, once it has agreed often enough, compute an AUC as it does."""
        if not self._has_own_auc:
            return self._ask(labels, response)
        own = roc_auc(labels == self.classes[-1], response)
        if not self._left_to_compare:
            return own
        self._left_to_compare -= 1
        asked = self._ask(labels, response)
        self._has_own_auc = own == asked or (np.isnan(own) and np.isnan(asked))
        return asked

    def _ask(self, labels: npt.NDArray[Any], response: FloatArray) -> float:
        kind = _Probable if self.is_probability else _Scoring
        stand_in = (kind if self.is_classifier else _Numeric)(self.classes, response, self.cut)
        return ask(self.scorer, stand_in, np.zeros((labels.size, 1)), labels)


def roc_auc(is_second: BoolArray, response: FloatArray) -> float:
    """Return the AUC, with the rounding of scikit-learn: by trapezoids between its corners."""
    if is_second.all() or not is_second.any():
        return np.nan
    order = np.argsort(-response, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(response[order]), 1.0))
    hits = np.cumsum(is_second[order].astype(np.float64))[ends]
    misses = 1.0 + ends - hits
    if ends.size > 2:
        bends = (np.diff(misses, 2) != 0) | (np.diff(hits, 2) != 0)
        corners = np.concatenate([[True], bends, [True]])
        hits, misses = hits[corners], misses[corners]
    y, x = np.append(0.0, hits) / hits[-1], np.append(0.0, misses) / misses[-1]
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2.0))


def ask(scorer: Callable[..., float], model: Any, X: Any, labels: npt.NDArray[Any]) -> float:
    """Ask a scorer about a fitted model; NaN if it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(scorer(model, X, labels))
        except Exception:
            return np.nan


def _read(scorer: Any, model: Any, is_classifier: bool) -> tuple[Any, float, dict[str, Any]]:
    """Return the function behind a scorer, its sign and its options."""
    if hasattr(scorer, "_score_func"):
        return scorer._score_func, float(scorer._sign), dict(scorer._kwargs)
    own = getattr(type(model), "score", None)
    known = (ClassifierMixin.score, KNeighborsClassifier.score, RegressorMixin.score)
    if type(scorer).__name__ == "_PassthroughScorer" and own in known:
        return (metrics.accuracy_score if is_classifier else metrics.r2_score), 1.0, {}
    raise Unreadable("A search that is judged by a function of its own is refitted.")
