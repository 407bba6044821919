"""The paper's first figure on data everybody has: 30 units, and the truth on all the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tlpo.arrays import BoolArray, IntArray
from tlpo.displays import RocDisplay
from tlpo.errors import InputError, explain
from tlpo.learners import RLS
from tlpo.response import fit_and_respond
from tlpo.results.pooled import PooledScores
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve, roc_curve, wmw_auc
from tlpo.schemes.leave_one_out import leave_one_out
from tlpo.schemes.tournament import tournament


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
    print(f"Report:  {save_report(n_units, seed, out)}")
    return result


def evaluate_sample(n_units: int, seed: int) -> Demo:
    """Draw a balanced sample, evaluate RLS on it, and test the model on everybody else."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    malignant = y == 0
    drawn = draw_units(malignant, n_units, seed)
    rest = np.setdiff1d(np.arange(y.size), drawn)
    labels = np.where(malignant, "malignant", "benign")
    t = tournament(RLS(), X[drawn], labels[drawn], positive="malignant")
    loo = leave_one_out(RLS(), X[drawn], labels[drawn], positive="malignant")
    scores = fit_and_respond(RLS(), X[drawn], malignant[drawn], X[rest])
    return Demo(
        tournament=t,
        leave_one_out=loo,
        test_auc=wmw_auc(scores, malignant[rest]),
        test_curve=roc_curve(scores, malignant[rest]),
        n_test=rest.size,
    )


def draw_units(malignant: BoolArray, n_units: int, seed: int) -> IntArray:
    """Draw as many malignant as benign units."""
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
    return np.concatenate(
        [
            rng.choice(np.flatnonzero(malignant == kind), half, replace=False)
            for kind in (True, False)
        ]
    )


def save_report(n_units: int, seed: int, out: Path) -> Path:
    """Write the table of the units drawn, and the report that ``tlpo run`` makes of it."""
    from sklearn.datasets import load_breast_cancer

    from tlpo.report.command import Wanted, write
    from tlpo.report.models import make_model
    from tlpo.report.sample import understand
    from tlpo.report.summarize import Options, analyse

    data = load_breast_cancer(as_frame=True)
    drawn = draw_units((data.target == 0).to_numpy(), n_units, seed)
    table = data.data.iloc[drawn].reset_index(drop=True)
    table["diagnosis"] = np.where(data.target.iloc[drawn] == 0, "malignant", "benign")
    table.to_csv(out / "demo.csv", index=False)
    sample = understand(table, "diagnosis", positive="malignant")
    models = [make_model(name, sample) for name in ("rls", "idknn")]
    path = out / "report.html"
    analysis = analyse(sample, models, Options())
    write(analysis, sample, Wanted(html=path), "How well is diagnosis told? (demo.csv)")
    return path


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
