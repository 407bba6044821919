"""What a search asks: which candidates, on which folds, judged by which score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier
from sklearn.linear_model import Ridge, RidgeClassifier, RidgeClassifierCV, RidgeCV
from sklearn.metrics import check_scoring
from sklearn.model_selection import (
    GridSearchCV,
    ParameterGrid,
    ParameterSampler,
    RandomizedSearchCV,
)

from tlpo.engines.base import describe_setting
from tlpo.engines.choice.folds import Splits, Unreadable
from tlpo.games.response import fits_numbers
from tlpo.problem.outcome import Classes
from tlpo.problem.problem import Problem

# Searches that try all candidates on all folds, and ridge regressions that do the same inside.
SEARCHES = frozenset({GridSearchCV, RandomizedSearchCV})
RIDGES = frozenset({RidgeClassifierCV, RidgeCV})


@dataclass(eq=False)
class Asked:
    """What a search asks of every training set.

    Attributes
    ----------
    candidates : list of estimator
        The estimators to choose from; of equal ones the first is taken.
    settings : list of str
        What each of them sets, in words.
    labels : ndarray of shape (m,)
        What they are fitted to.
    cv : Any
        How the user wants training sets split.
    scorer : callable
        What judges a fitted candidate.
    catches : bool
        Whether a candidate that fails counts as the worst.
    """

    candidates: list[Any]
    settings: list[str]
    labels: npt.NDArray[Any]
    cv: Any
    scorer: Callable[..., float]
    catches: bool

    @cached_property
    def is_classifier(self) -> bool:
        """Whether the candidates are classifiers."""
        return bool(is_classifier(self.candidates[0]))

    @cached_property
    def splits(self) -> Splits:
        """Cuts training sets into folds."""
        return Splits(self.cv, self.labels, self.is_classifier)


def asked_by(model: Any, problem: Problem) -> Asked:
    """Return what a search asks; raises `Unreadable`."""
    if problem.params:
        raise Unreadable("A search with arguments of fit is refitted.")
    return _of_ridge(model, problem) if type(model) in RIDGES else _of_search(model, problem)


def _of_search(model: Any, problem: Problem) -> Asked:
    name = type(model).__name__
    if not model.refit or callable(model.refit):
        raise Unreadable(f"{name} is played without refitting only if it takes the best score.")
    if type(model) is GridSearchCV:
        settings = list(ParameterGrid(model.param_grid))
    else:
        seed = model.random_state
        if not isinstance(seed, int | np.integer):
            raise Unreadable(f"{name} draws other candidates each time: give it a random_state.")
        sampler = ParameterSampler(model.param_distributions, model.n_iter, random_state=seed)
        settings = list(sampler)
    candidates = [
        clone(model.estimator).set_params(**clone(setting, safe=False)) for setting in settings
    ]
    scoring = model.scoring
    if isinstance(scoring, list | tuple | set):
        scoring = model.refit
    elif isinstance(scoring, dict):
        scoring = scoring[model.refit]
    scorer = check_scoring(model.estimator, scoring)
    on_numbers = fits_numbers(model.estimator)
    labels = problem.target if on_numbers else problem.y
    catches = not isinstance(model.error_score, str) and bool(np.isnan(model.error_score))
    said = [describe_setting(setting) for setting in settings]
    return Asked(candidates, said, np.asarray(labels), model.cv, scorer, catches)


def _of_ridge(model: Any, problem: Problem) -> Asked:
    name = type(model).__name__
    if model.cv is None:
        raise Unreadable(f"{name} chooses by its own leave-one-out.")
    if getattr(model, "class_weight", None) is not None:
        raise Unreadable(f"{name} with class weights is refitted.")
    if model.store_cv_results or model.alpha_per_target:
        raise Unreadable(f"{name} with these options is refitted.")
    is_clf = type(model) is RidgeClassifierCV
    kind = RidgeClassifier if is_clf else Ridge
    candidates = [
        kind(alpha=alpha, fit_intercept=model.fit_intercept)
        for alpha in np.asarray(model.alphas, dtype=float).reshape(-1)
    ]
    labels = problem.target
    if is_clf:
        if not isinstance(problem.outcome, Classes):
            raise Unreadable(f"{name} learns two classes.")
        is_second = np.asarray(problem.y == problem.labels.in_order[1])
        labels = np.where(is_second, 1, -1)
    scorer = check_scoring(candidates[0], model.scoring)
    said = [describe_setting({"alpha": candidate.alpha}) for candidate in candidates]
    return Asked(candidates, said, labels, model.cv, scorer, catches=True)
