"""Every usual estimate of an AUC side by side: bias, error, spread over seeds, fits.

The truth is the AUC of the model trained on all units of the sample, known in closed form.

    python -m studies.compared --write
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from sklearn.linear_model import Ridge, RidgeCV

import tlpo
from studies.marked import markdown_table, write_blocks
from studies.simulations import Simulation
from tlpo.roc.curve import wmw_auc
from tlpo.roc.placements import placements_of_scores

PAGE = Path(__file__).parents[1] / "docs" / "compared.md"
# Units, share of positives, features with signal of ten.
SAMPLES = [(30, 0.5, 0), (30, 0.5, 2), (30, 0.2, 0), (30, 0.2, 2), (100, 0.5, 0), (100, 0.5, 2)]
ALPHAS = np.logspace(-2, 3, 10).tolist()
SEEDS = 10  # of each estimate that has one, for its spread

Estimate = Callable[[Any, np.ndarray, np.ndarray, int], float]


def kfold(pooling: str, n_splits: int, n_repeats: int = 1) -> Estimate:
    """Return stratified K-fold."""
    options: dict[str, Any] = {"n_splits": n_splits, "n_repeats": n_repeats, "pooling": pooling}
    return lambda model, X, y, seed: tlpo.kfold(model, X, y, random_state=seed, **options).auc


def rebalanced(model: Any, X: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Leave one out, and one at random of the other class, so that all training sets are alike."""
    from rebalancedcv import RebalancedLeaveOneOut

    scores = np.empty(y.size)
    for train, test in RebalancedLeaveOneOut().split(X, y, seed=seed):
        fitted = tlpo.RLS(model.regparam).fit(X[train], np.where(y[train], 1.0, -1.0))
        scores[test] = fitted.predict(X[test])
    return wmw_auc(scores, y)


ESTIMATES: dict[str, tuple[Estimate, bool, Callable[[int], int]]] = {
    "TLPO": (
        lambda e, X, y, _: tlpo.tournament(e, X, y).tlpo_auc,
        False,
        lambda m: m * (m - 1) // 2,
    ),
    "**LPO**": (lambda e, X, y, _: tlpo.leave_pair_out(e, X, y).auc, False, lambda m: m * m // 4),
    "leave-one-out, pooled": (
        lambda e, X, y, _: tlpo.leave_one_out(e, X, y).auc,
        False,
        lambda m: m,
    ),
    "leave-one-out, rebalanced": (rebalanced, True, lambda m: m),
    "10-fold, pooled": (kfold("pooled", 10), True, lambda _: 10),
    "5-fold, averaged": (kfold("averaged", 5), True, lambda _: 5),
    "5-fold, averaged, 20 times": (kfold("averaged", 5, 20), True, lambda _: 100),
    "bootstrap .632+": (
        lambda e, X, y, seed: tlpo.bootstrap(e, X, y, kind="632+", random_state=seed).auc,
        True,
        lambda _: 201,
    ),
}


def measure(m: int, fraction: float, n_signal: int, repetitions: int) -> dict[str, np.ndarray]:
    """Return the errors of every estimate, and the spread over seeds of the first samples."""
    setting = Simulation("ridge", m, fraction, 10, n_signal)
    found: dict[str, list[float]] = {name: [] for name in ESTIMATES}
    spread: dict[str, list[float]] = {name: [] for name in ESTIMATES}
    for repetition in range(repetitions):
        rng = setting.rng(repetition)
        X, y = setting.draw(rng)
        truth = setting.truth(X, y).auc
        for name, (estimate, is_random, _) in ESTIMATES.items():
            found[name].append(estimate(setting.estimator, X, y, repetition) - truth)
            if is_random and repetition < max(20, repetitions // 20):
                aucs = [estimate(setting.estimator, X, y, seed) for seed in range(SEEDS)]
                spread[name].append(float(np.var(aucs, ddof=1)))
    return _summarised(found) | {
        f"{name} over seeds": np.array([np.sqrt(np.mean(v)) if v else 0.0])
        for name, v in spread.items()
    }


def _summarised(errors: dict[str, list[float]]) -> dict[str, np.ndarray]:
    """Return mean error, its standard error, and root mean square error."""
    return {
        name: np.array([np.mean(e), np.std(e) / np.sqrt(len(e)), np.sqrt(np.mean(np.square(e)))])
        for name, e in errors.items()
    }


def influence_interval(X: np.ndarray, y: np.ndarray, model: Any, seed: int) -> tuple[float, float]:
    """Return the interval of R's cvAUC: the influence curve within each of ten folds.

    LeDell, Petersen and van der Laan (2015): the AUC averages the folds, and its variance is that
    of the placements within folds.
    """
    fold = np.empty(y.size, dtype=int)
    rng = np.random.default_rng(seed)
    for own in (y, ~y):
        units = rng.permutation(np.flatnonzero(own))
        fold[units] = np.arange(units.size) % 10
    aucs, squares = [], []
    for k in range(10):
        test = fold == k
        if not 0 < y[test].sum() < test.sum():
            continue
        fitted = tlpo.RLS(model.regparam).fit(X[~test], np.where(y[~test], 1.0, -1.0))
        scores = fitted.predict(X[test])
        auc = wmw_auc(scores, y[test])
        placed = placements_of_scores(scores, y[test])
        share = y[test].mean()
        positive = (placed.positive - auc) / share
        negative = (placed.negative - auc) / (1.0 - share)
        aucs.append(auc)
        squares.append((np.sum(positive**2) + np.sum(negative**2)) / test.sum())
    half = ndtri(0.975) * np.sqrt(np.mean(squares) / y.size)
    return float(np.mean(aucs) - half), float(np.mean(aucs) + half)


def cover(m: int, fraction: float, n_signal: int, repetitions: int) -> dict[str, np.ndarray]:
    """Return coverage and width of three kinds of intervals."""
    setting = Simulation("ridge", m, fraction, 10, n_signal)
    held: dict[str, list[tuple[bool, float]]] = {}
    for repetition in range(repetitions):
        rng = setting.rng(repetition)
        X, y = setting.draw(rng)
        truth = setting.truth(X, y).auc
        t = tlpo.tournament(setting.estimator, X, y)
        limits = {
            "tlpo's default": tuple(t.auc_interval()),
            "DeLong on the games": tuple(t.auc_interval(method="delong")),
            "cvAUC, 10 folds": influence_interval(X, y, setting.estimator, repetition),
        }
        for name, (low, high) in limits.items():
            held.setdefault(name, []).append((low <= truth <= high, high - low))
    return {name: np.mean(values, axis=0) for name, values in held.items()}


def search(m: int, fraction: float, n_signal: int, repetitions: int) -> dict[str, np.ndarray]:
    """Return the errors of estimates of a ridge regression whose penalty is chosen."""
    setting = Simulation("ridge", m, fraction, 10, n_signal)
    averaged = kfold("averaged", 5)
    found: dict[str, list[float]] = {}
    for repetition in range(repetitions):
        X, y = setting.draw(setting.rng(repetition))
        model = RidgeCV(ALPHAS)
        truth = _true_auc(model, X, y, n_signal)
        by_folds = [averaged(Ridge(alpha), X, y, repetition) for alpha in ALPHAS]
        best = Ridge(ALPHAS[int(np.argmax(by_folds))])
        chosen = tlpo.choose(*(tlpo.tournament(Ridge(alpha), X, y) for alpha in ALPHAS))
        winner = Ridge(ALPHAS[int(np.argmax([candidate.auc for candidate in chosen.candidates]))])
        for name, error in (
            ("**LPO** around the search", tlpo.leave_pair_out(model, X, y).auc - truth),
            ("5-fold around the search (nested)", averaged(model, X, y, repetition) - truth),
            ("the best 5-fold of ten", max(by_folds) - _true_auc(best, X, y, n_signal)),
            ("the best LPO of ten, `choose`", chosen.auc - _true_auc(winner, X, y, n_signal)),
        ):
            found.setdefault(name, []).append(error)
    return _summarised(found)


def _true_auc(model: Any, X: np.ndarray, y: np.ndarray, n_signal: int) -> float:
    w = model.fit(X, np.where(y, 1.0, -1.0)).coef_
    return float(ndtr(w[:n_signal].sum() / np.linalg.norm(w) / np.sqrt(2.0)))


def main() -> None:
    """Measure, print the tables, and write them into the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.name}")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--only", choices=["search"], help="measure this table alone")
    wanted = parser.parse_args()
    columns = [
        f"{m} units, {fraction:.0%}, {'signal' if signal else 'none'}"
        for m, fraction, signal in SAMPLES
    ]
    searched = [search(*sample, wanted.repetitions) for sample in SAMPLES]
    table = [
        [name, *(f"{s[name][0]:+.3f} ± {s[name][1]:.3f} ({s[name][2]:.3f})" for s in searched)]
        for name in searched[0]
    ]
    blocks = {
        "search compared": f"{wanted.repetitions} samples per column.\n\n"
        + markdown_table(["estimate", *columns], table)
    }
    if wanted.only is None:
        blocks |= _without_search(columns, wanted.repetitions)
    print("\n\n".join(blocks.values()))
    if wanted.write:
        write_blocks(PAGE, blocks)


def _without_search(columns: list[str], repetitions: int) -> dict[str, str]:
    results = []
    for sample in SAMPLES:
        results.append(measure(*sample, repetitions))
        print(sample, {k: v.round(3).tolist() for k, v in results[-1].items()}, flush=True)
    bias = [
        [name, *(f"{r[name][0]:+.3f} ± {r[name][1]:.3f}" for r in results)] for name in ESTIMATES
    ]
    error = [[name, *(f"{r[name][2]:.3f}" for r in results)] for name in ESTIMATES]
    spread = [
        [name, f"{fits(30)} · {fits(100)}", *(f"{r[f'{name} over seeds'][0]:.3f}" for r in results)]
        for name, (_, _, fits) in ESTIMATES.items()
    ]
    covered = [cover(*sample, repetitions) for sample in SAMPLES]
    intervals = [
        [name, *(f"{c[name][0]:.3f} ({c[name][1]:.2f})" for c in covered)] for name in covered[0]
    ]
    return {
        "biases compared": f"{repetitions} samples per column.\n\n"
        + markdown_table(["estimate", *columns], bias),
        "errors compared": markdown_table(["estimate", *columns], error),
        "spreads compared": markdown_table(["estimate", "fits at 30 · 100", *columns], spread),
        "intervals compared": markdown_table(["interval", *columns], intervals),
    }


if __name__ == "__main__":
    main()
