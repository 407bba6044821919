"""Every estimate for one estimator, in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tlpo.checks import RandomState, require_count, seed_sequence
from tlpo.errors import InputError, enumerate_briefly, explain
from tlpo.execution.journal import JournalLike
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.problem.outcome import Classes, SeveralClasses
from tlpo.problem.problem import Problem, means_several
from tlpo.problem.times import has_times
from tlpo.results.bootstrap import HarrellBootstrap, OutOfBagBootstrap
from tlpo.results.concordance_estimate import ConcordanceEstimate
from tlpo.results.games import LeavePairOutResult
from tlpo.results.kfold import AveragedKFold, PooledKFold
from tlpo.results.pooled import POOLED, PooledScores
from tlpo.results.quicksort import Quicksort
from tlpo.results.summary import spread_note
from tlpo.results.tournament import Tournament
from tlpo.roc.several import auc_of_scores
from tlpo.schemes.bootstrap import Resamples, fit_resamples
from tlpo.schemes.kfold import Folds, play_folds
from tlpo.schemes.leave_one_out import hold_out_each, rank_each_unit, score_each_unit
from tlpo.schemes.leave_pair_out import play_opposite_pairs
from tlpo.schemes.multiclass import auc_of_games
from tlpo.schemes.ordered_games import play_ordered
from tlpo.schemes.quicksort import play_sorts, rank_by_sorts
from tlpo.schemes.tournament import play_tournament
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd

SCHEMES = (
    "tlpo",
    "lpo",
    "loo",
    "kfold-pooled",
    "kfold-averaged",
    "harrell",
    "632",
    "632+",
    "quicksort",
)

# Every class has its own ranking, so what needs a single one does not apply.
OF_SEVERAL = tuple(scheme for scheme in SCHEMES if scheme not in ("tlpo", "quicksort"))

# An estimate, the fits it rests on, and a remark.
Row = tuple[float, int, str]


@refuse_foreign_arguments
def evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    schemes: Sequence[str] | None = None,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    n_splits: int | None = None,
    n_repeats: int = 1,
    n_resamples: int = 200,
    n_sorts: int = 10,
    random_state: RandomState = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    journal: JournalLike = None,
) -> pd.DataFrame:
    """Estimate the AUC of one estimator in every way, in one table.

    Estimates that need the same fits share them: LPO is read off the tournament, both K-folds
    use the same folds, all bootstraps the same resamples.

    Parameters
    ----------
    estimator, X, y, positive, groups, engine, n_jobs, progress, params, journal
        As in `tournament`. If y has more than two labels and neither ``positive`` nor ``order`` is
        passed, they are several classes, and the AUC is Hand and Till's M, as in `multiclass`.
    order : True or sequence, optional
        The larger y should win, and the concordance is estimated instead of the AUC: True for
        numbers and ordered categories, or the grades from lowest to highest.
    schemes : sequence of str
        Any of ``"tlpo", "lpo", "loo", "kfold-pooled", "kfold-averaged", "harrell", "632",
        "632+", "quicksort"``; all by default. Numbers and grades have no ``"tlpo"``, several
        classes neither that nor ``"quicksort"``: no single ranking serves them.
    n_splits : int, optional
        As in `kfold`; by default 10, or the number of units or groups if that is less. Of several
        classes, no more than the smallest has units or groups.
    n_repeats : int
        As in `kfold`.
    n_resamples : int
        As in `bootstrap`.
    n_sorts : int
        As in `quicksort`.
    random_state : int, RandomState or Generator, optional
        Seed of folds, resamples and pivots.

    Returns
    -------
    pandas.DataFrame
        Indexed by scheme, with columns ``auc`` (or ``concordance``), ``fits`` (how many the
        estimate rests on) and ``note``.

    Notes
    -----
    Formulas: `Tournament` (TLPO), `LeavePairOutResult`, `PooledScores` (LOO), `PooledKFold`,
    `AveragedKFold`, `HarrellBootstrap`, `OutOfBagBootstrap`, `Quicksort`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> import tlpo
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, malignant = X[200:240, [1, 4]], y[200:240] == 0
    >>> schemes = ("tlpo", "lpo", "loo", "kfold-averaged", "harrell")
    >>> table = tlpo.evaluate(tlpo.RLS(), X, malignant, schemes=schemes, random_state=0)
    >>> print(table[["auc", "note"]].round(3).to_string())
                      auc                                         note
    scheme
    tlpo            0.742               ξ = 1.000, 0 of 780 games tied
    lpo             0.742       opposite-class games of the tournament
    loo             0.684  pooled: compares scores of different models
    kfold-averaged  0.775                     0 of 10 folds had no AUC
    harrell         0.741              apparent 0.742 − optimism 0.001
    """
    several = means_several(y, positive, order)
    allowed: tuple[str, ...] = SCHEMES
    if several:
        allowed = OF_SEVERAL
    elif order is not None or has_times(y):
        allowed = SCHEMES[1:]
    if schemes is None:
        schemes = allowed
    schemes = (schemes,) if isinstance(schemes, str) else tuple(schemes)
    unknown = [scheme for scheme in schemes if scheme not in allowed]
    if unknown or not schemes:
        raise InputError(
            explain(
                "schemes must name estimates.",
                f"You passed {enumerate_briefly(unknown) if unknown else 'none'}.",
                f"Choose from {', '.join(allowed)}.",
            )
        )
    options = ContestOptions(
        positive=positive,
        order=order,
        several=several,
        groups=groups,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        journal=journal,
    )
    contest = Contest(estimator, X, y, options)
    return evaluate_contest(
        contest,
        schemes,
        n_splits=n_splits,
        n_repeats=n_repeats,
        n_resamples=n_resamples,
        n_sorts=n_sorts,
        random_state=random_state,
    )


def evaluate_contest(
    contest: Contest,
    schemes: Sequence[str],
    *,
    n_splits: int | None = None,
    n_repeats: int = 1,
    n_resamples: int = 200,
    n_sorts: int = 10,
    random_state: RandomState = None,
) -> pd.DataFrame:
    """Estimate the AUC or concordance of a contest in every way; see `evaluate`."""
    import pandas as pd

    names = contest.problem.group_names
    limit = contest.problem.n_units if names is None else names.size
    n_folds = min(10, limit, _most_folds(contest.problem)) if n_splits is None else n_splits
    # Report errors before hours of fitting, not after.
    require_count("n_splits", n_folds, 2, limit)
    require_count("n_repeats", n_repeats, 1)
    require_count("n_resamples", n_resamples, 1)
    require_count("n_sorts", n_sorts, 1)
    seed_sequence(random_state)
    if not {"tlpo", "lpo", "loo"}.issuperset(schemes):
        contest.seed(random_state)

    @cache
    def folds() -> Folds:
        return play_folds(contest, n_folds, n_repeats, random_state)

    @cache
    def resamples() -> Resamples:
        return fit_resamples(contest, n_resamples, random_state)

    outcome = contest.outcome
    if isinstance(outcome, SeveralClasses):
        return pd.DataFrame(
            [_several(contest, outcome, scheme, folds, resamples) for scheme in schemes],
            columns=["auc", "fits", "note"],
            index=pd.Index(schemes, name="scheme"),
        )
    if not isinstance(outcome, Classes):
        return pd.DataFrame(
            [
                _ordered(contest, scheme, folds, resamples, n_sorts, random_state)
                for scheme in schemes
            ],
            columns=["concordance", "fits", "note"],
            index=pd.Index(schemes, name="scheme"),
        )

    @cache
    def played() -> Tournament:
        return play_tournament(contest)

    estimates: dict[str, Callable[[], Row]] = {
        "tlpo": lambda: _tlpo(played()),
        "lpo": lambda: (
            _lpo_of(played()) if "tlpo" in schemes else _lpo(play_opposite_pairs(contest))
        ),
        "loo": lambda: _loo(score_each_unit(contest)),
        "kfold-pooled": lambda: _pooled(folds().pooled()),
        "kfold-averaged": lambda: _averaged(folds().averaged()),
        "harrell": lambda: _harrell(resamples().harrell()),
        "632": lambda: _out_of_bag(resamples().out_of_bag("632")),
        "632+": lambda: _out_of_bag(resamples().out_of_bag("632+")),
        "quicksort": lambda: _sorted(play_sorts(contest, n_sorts, random_state)),
    }
    return pd.DataFrame(
        [estimates[scheme]() for scheme in schemes],
        columns=["auc", "fits", "note"],
        index=pd.Index(schemes, name="scheme"),
    )


def _most_folds(problem: Problem) -> int:
    """Return how many folds can have every class, at least two; of other outcomes as many as m.

    Among several classes one is soon so small that most of ten folds lack it and have no M.
    """
    if not isinstance(problem.outcome, SeveralClasses):
        return problem.n_units
    units = np.arange(problem.n_units) if problem.groups is None else problem.groups
    code = problem.outcome.code
    return max(2, min(np.unique(units[code == k]).size for k in np.unique(code)))


def _several(
    contest: Contest,
    outcome: SeveralClasses,
    scheme: str,
    folds: Callable[[], Folds],
    resamples: Callable[[], Resamples],
) -> Row:
    """Return one estimate of Hand and Till's M."""
    if scheme == "lpo":
        played = contest.play_classes(Schedule("ordered"))
        note = f"{played.diagnostics.pairs_played} games between classes"
        return auc_of_games(played, outcome), played.diagnostics.fits, note
    if scheme == "loo":
        answered = hold_out_each(contest)
        scores = np.concatenate(answered.responses)
        return auc_of_scores(scores, outcome.code), answered.diagnostics.fits, POOLED
    if scheme.startswith("kfold"):
        shares = folds().shares(scheme.removeprefix("kfold-"))
        known = shares[~np.isnan(shares)]
        note = f"{shares.size - known.size} of {shares.size} folds lacked a class"
        if scheme == "kfold-pooled":
            note = POOLED + spread_note(shares, "repeats")
        auc = float(known.mean()) if known.size else float("nan")
        return auc, folds().diagnostics.fits, note
    fits = resamples().diagnostics.fits
    if scheme == "harrell":
        apparent, optimism = resamples().corrected()
        note = f"apparent {apparent:.3f} − optimism {optimism:.3f}"
        return apparent - optimism, fits, note
    found = resamples().weighted(scheme)
    note = f"apparent {found.apparent:.3f}, out-of-bag {found.out_of_bag:.3f}"
    return found.estimate, fits, note


def _ordered(
    contest: Contest,
    scheme: str,
    folds: Callable[[], Folds],
    resamples: Callable[[], Resamples],
    n_sorts: int,
    random_state: RandomState,
) -> Row:
    """Return one estimate of the concordance of an ordered outcome."""
    if scheme == "lpo":
        played = play_ordered(contest)
        note = f"{played.n_ordered} games between ordered units, {played.n_ties} games tied"
        return played.concordance, played.diagnostics.fits, note
    estimates: dict[str, Callable[[], ConcordanceEstimate]] = {
        "loo": lambda: rank_each_unit(contest),
        "kfold-pooled": lambda: folds().concordance("pooled"),
        "kfold-averaged": lambda: folds().concordance("averaged"),
        "harrell": lambda: resamples().concordance("harrell"),
        "632": lambda: resamples().concordance("632"),
        "632+": lambda: resamples().concordance("632+"),
        "quicksort": lambda: rank_by_sorts(contest, n_sorts, random_state),
    }
    found = estimates[scheme]()
    note = ", ".join(f"{name} {value:.3f}" for name, value in found.parts.items()) or found.note
    return found.concordance, found.diagnostics.fits, note


def _tlpo(t: Tournament) -> Row:
    note = f"ξ = {t.consistency:.3f}, {t.n_ties} of {t.standings.n_games} games tied"
    return t.tlpo_auc, t.diagnostics.fits, note


def _lpo_of(t: Tournament) -> Row:
    n_opposite = t.labels.n_positive * t.labels.n_negative
    fits = min(n_opposite, t.diagnostics.fits)
    return t.auc, fits, "opposite-class games of the tournament"


def _lpo(lpo: LeavePairOutResult) -> Row:
    return lpo.auc, lpo.diagnostics.fits, f"{lpo.n_ties} games tied"


def _loo(loo: PooledScores) -> Row:
    return loo.auc, loo.diagnostics.fits, POOLED


def _pooled(pooled: PooledKFold) -> Row:
    return pooled.auc, pooled.diagnostics.fits, POOLED + spread_note(pooled.aucs, "repeats")


def _averaged(averaged: AveragedKFold) -> Row:
    note = f"{averaged.n_without_auc} of {averaged.fold_aucs.size} folds had no AUC"
    return averaged.auc, averaged.diagnostics.fits, note


def _harrell(harrell: HarrellBootstrap) -> Row:
    note = f"apparent {harrell.apparent:.3f} − optimism {harrell.optimism:.3f}"
    return harrell.auc, harrell.diagnostics.fits, note


def _out_of_bag(result: OutOfBagBootstrap) -> Row:
    note = f"apparent {result.apparent:.3f}, out-of-bag {result.out_of_bag:.3f}"
    return result.auc, result.diagnostics.fits, note


def _sorted(result: Quicksort) -> Row:
    note = f"SD {result.spread:.3f} over {len(result.ranks)} sorts"
    return result.auc, result.diagnostics.fits, note
