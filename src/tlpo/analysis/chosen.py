"""What models that tune or select chose, each without another pair of patients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tlpo.analysis.equation import model_of
from tlpo.analysis.models import describe_penalty
from tlpo.analysis.shapes import Chosen, Counted
from tlpo.engines.base import Chosen as Known
from tlpo.engines.base import describe_setting
from tlpo.execution.fits import Fitter
from tlpo.games.contest import Contest

# Models that are fitted to see what they choose, where no engine knows.
FITTED = 50
# Settings and features that are listed.
MOST_LISTED = 15
# Linear models that leave features out, besides those whose penalty says so.
SPARSE = frozenset({"ElasticNet", "ElasticNetCV", "Lasso", "LassoCV"})
# Where models keep the penalty that they chose.
PENALTIES = {"C_": "C", "alpha_": "alpha"}


def find_chosen(
    fitted: Any, fitter: Fitter, contest: Contest, name: Callable[[Sequence[int]], list[str]]
) -> Chosen | None:
    """Count what the models of the pairs chose; None if such a model chooses nothing.

    Parameters
    ----------
    fitted : estimator
        The model, fitted to all patients.
    fitter : Fitter
        Fits it to others.
    contest : Contest
        What was played.
    name : callable
        Returns the names of prepared columns.
    """
    if setting_of(fitted) is None and not selects(fitted):
        return None
    known = contest.chosen()
    if known is None or (known.used is None and selects(fitted)):
        known = _by_fitting(fitter, contest, selects(fitted))
    if not known.n_models:
        return None
    used: list[Counted] = []
    n_used = 0
    if known.used is not None:
        order = np.argsort(-known.used, kind="stable")
        n_used = int(np.count_nonzero(known.used))
        order = order[: min(n_used, MOST_LISTED)]
        counts = known.used[order].tolist()
        used = [Counted(*row) for row in zip(name(order.tolist()), counts, strict=True)]
    settings = [Counted(what, n) for what, n in known.settings.items()]
    if len(settings) > MOST_LISTED:
        often = sorted(range(len(settings)), key=lambda k: -settings[k].n)[:MOST_LISTED]
        settings = [settings[k] for k in sorted(often)]
    return Chosen(known.n_models, len(known.settings), settings, n_used, used)


def setting_of(fitted: Any) -> str | None:
    """Return what a fitted model chose, in a few words.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge, RidgeCV
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 4.0]
    >>> setting_of(RidgeCV([0.1, 1000.0]).fit(X, y)), setting_of(Ridge().fit(X, y))
    ('alpha = 0.1', None)
    """
    last = model_of(fitted)
    if hasattr(last, "best_params_"):
        return describe_setting(last.best_params_) or None
    for key, name in PENALTIES.items():
        values = np.ravel(getattr(last, key, []))
        if values.size == 1:
            return describe_setting({name: float(values[0])})
    return None


def selects(fitted: Any) -> bool:
    """Return whether a model leaves features out."""
    model = _model(fitted)
    if np.size(getattr(model, "coef_", [])) == 0:
        return False
    said = describe_penalty(model) or ""
    return type(model).__name__ in SPARSE or said.startswith(("L1", "elastic net"))


def _by_fitting(fitter: Fitter, contest: Contest, selects: bool) -> Known:
    """Fit models without pairs that are drawn at random."""
    problem = contest.problem
    m = problem.n_units
    rng = np.random.default_rng(0)
    settings: Counter[str] = Counter()
    used: Any = 0
    n_models = 0
    for _ in range(min(FITTED, m * (m - 1) // 2)):
        train = problem.training_set(rng.permutation(m)[:2])
        fitted = fitter.fit(train)
        n_models += 1
        setting = setting_of(fitted)
        if setting is not None:
            settings[setting] += 1
        if selects:
            used = used + (np.ravel(_model(fitted).coef_) != 0)
    ordered = sorted(settings, key=_by_number)
    return Known(n_models, {what: settings[what] for what in ordered}, used if selects else None)


def _by_number(setting: str) -> tuple[float, str]:
    try:
        return float(setting.rpartition(" = ")[2]), setting
    except ValueError:
        return np.inf, setting


def _model(fitted: Any) -> Any:
    """Return the model itself: of a search, the one it chose."""
    last = model_of(fitted)
    return model_of(last.best_estimator_) if hasattr(last, "best_estimator_") else last
