"""The paper's first figure on data everybody has: 30 units, and the truth on all the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tlpo.displays import RocDisplay
from tlpo.errors import InputError, explain
from tlpo.learners import RLS
from tlpo.roc.curve import RocCurve, roc_curve, wmw_auc
from tlpo.schemes.holdout import PooledScores, leave_one_out
from tlpo.schemes.tournament import Tournament, tournament


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration found."""

    tournament: Tournament
    leave_one_out: PooledScores
    test_auc: float
    test_curve: RocCurve
    n_test: int


def run_demo(out: Path, n_units: int = 30, seed: int = 0) -> Demo:
    """Compute, print and draw; the picture goes to ``out``."""
    result = evaluate_sample(n_units, seed)
    t = result.tournament
    print(f"Breast-cancer data of scikit-learn, RLS, seed {seed}: {t.labels.count}.")
    print(f"  truth: AUC on the other {result.n_test} units   {result.test_auc:.3f}")
    print(f"  tournament leave-pair-out (TLPO)    {t.auc:.3f}")
    low, high = t.auc_interval()
    print(f"  leave-pair-out (LPO)                {t.lpo_auc:.3f}, 95 % {low:.3f} to {high:.3f}")
    print(f"  leave-one-out (LOO, pooled)         {result.leave_one_out.auc:.3f}")
    print(f"  coefficient of consistency ξ        {t.consistency:.3f}")
    print(f"Picture: {save_picture(result, out)}")
    return result


def evaluate_sample(n_units: int, seed: int) -> Demo:
    """Draw a balanced sample, evaluate RLS on it, and test the model on everybody else."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    malignant = y == 0
    half = n_units // 2
    if n_units % 2 or not 3 <= half <= 100:
        raise InputError(
            explain(
                "The demonstration draws as many malignant as benign units.",
                f"You passed {n_units} units.",
                "Pass an even number from 6 to 200, for example --units 30.",
            )
        )
    rng = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            rng.choice(np.flatnonzero(malignant == kind), half, replace=False)
            for kind in (True, False)
        ]
    )
    rest = np.setdiff1d(np.arange(y.size), drawn)
    labels = np.where(malignant, "malignant", "benign")
    t = tournament(RLS(), X[drawn], labels[drawn], positive="malignant")
    loo = leave_one_out(RLS(), X[drawn], labels[drawn], positive="malignant")
    scores = RLS().fit(X[drawn], np.where(malignant[drawn], 1.0, -1.0)).predict(X[rest])
    return Demo(
        tournament=t,
        leave_one_out=loo,
        test_auc=wmw_auc(scores, malignant[rest]),
        test_curve=roc_curve(scores, malignant[rest]),
        n_test=rest.size,
    )


def save_picture(result: Demo, out: Path) -> Path:
    """Draw both curves."""
    from matplotlib.figure import Figure

    drawn = f"TLPO, {result.tournament.labels.n_units} units"
    others = f"Test, {result.n_test} units"
    display = RocDisplay(
        curves={drawn: result.tournament.roc_curve(), others: result.test_curve},
        aucs={drawn: result.tournament.auc, others: result.test_auc},
        bands={drawn: result.tournament.roc_band()},
    )
    figure = Figure(figsize=(4.2, 4.2), layout="constrained")
    display.plot(ax=figure.subplots())
    out.mkdir(parents=True, exist_ok=True)
    path = out / "roc-example.png"
    figure.savefig(path, dpi=200)
    return path
