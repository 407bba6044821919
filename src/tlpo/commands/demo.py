"""The paper's first figure on data everybody has: 30 patients, and the truth on all the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tlpo.control_characters import escape_control_characters
from tlpo.displays import RocDisplay
from tlpo.games.response import fit_and_respond
from tlpo.learners import RLS
from tlpo.results.pooled import PooledScores
from tlpo.results.tournament import Tournament
from tlpo.roc.curve import RocCurve, roc_curve, wmw_auc
from tlpo.schemes.leave_one_out import leave_one_out
from tlpo.schemes.tournament import tournament
from tlpo.tables.examples import draw_units


@dataclass(frozen=True, eq=False)
class Demo:
    """What the demonstration found.

    Attributes
    ----------
    tournament, leave_one_out
        Estimates from the patients drawn.
    test_auc, test_curve
        The truth: the model trained on them, tested on all the others.
    n_test : int
        How many others there are.
    """

    tournament: Tournament
    leave_one_out: PooledScores
    test_auc: float
    test_curve: RocCurve
    n_test: int


def run_demo(out: Path, n_units: int = 30, seed: int = 0) -> Demo:
    """Compute, draw and print; picture and report go to the folder ``out``."""
    result = evaluate_sample(n_units, seed)
    picture, report = save_picture(result, out), save_report(n_units, seed, out)
    t = result.tournament
    labels = t.labels
    print(
        f"Breast-cancer data from scikit-learn, RLS, seed {seed}: {labels.n_units} patients, "
        f"{labels.n_positive} malignant and {labels.n_negative} benign."
    )
    low, high = t.auc_interval()
    interval = f"95% interval {low:.3f} to {high:.3f}"
    rows = [
        (f"truth: AUC on the other {result.n_test} patients", f"{result.test_auc:.3f}"),
        (
            "leave-pair-out: the AUC to report",
            f"{t.auc:.3f} ({interval})",
        ),
        ("area of the tournament's curve (TLPO)", f"{t.tlpo_auc:.3f}"),
        ("leave-one-out (LOO, pooled)", f"{result.leave_one_out.auc:.3f}"),
        ("consistency ξ", f"{t.consistency:.3f} (1: no comparisons contradict each other)"),
    ]
    for name, value in rows:
        print(f"  {name:<38}  {value}")
    print(escape_control_characters(f"Picture: {picture}"))
    print(escape_control_characters(f"Report:  {report}"))
    return result


def evaluate_sample(n_units: int, seed: int) -> Demo:
    """Draw a balanced sample, evaluate RLS on it, and test the model on all other patients."""
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


def save_report(n_units: int, seed: int, out: Path) -> Path:
    """Write the table of the patients drawn, and the report that ``tlpo run`` makes of it."""
    from sklearn.datasets import load_breast_cancer

    from tlpo.analysis.models import make_model
    from tlpo.analysis.options import Options, OutputFiles
    from tlpo.analysis.pipeline import analyse
    from tlpo.document.write import write
    from tlpo.execution.replace import write_text
    from tlpo.tables.build_sample import build_sample
    from tlpo.tables.options import Specification

    data = load_breast_cancer(as_frame=True)
    drawn = draw_units((data.target == 0).to_numpy(), n_units, seed)
    table = data.data.iloc[drawn].reset_index(drop=True)
    table["diagnosis"] = np.where(data.target.iloc[drawn] == 0, "malignant", "benign")
    write_text(out / "demo.csv", table.to_csv(index=False))
    sample = build_sample(table, Specification("diagnosis", positive="malignant"))
    models = [make_model(name, sample) for name in ("rls", "idknn")]
    analysis, _ = analyse(sample, models, Options(), source="demo.csv")
    path = out / "report.html"
    write(analysis, OutputFiles(html=path))
    return path


def save_picture(result: Demo, out: Path) -> Path:
    """Draw the curve of the tournament beside that of the test."""
    from matplotlib.figure import Figure

    from tlpo.execution.replace import replacing

    drawn = f"TLPO, {result.tournament.labels.n_units} patients"
    others = f"Test, {result.n_test} patients"
    display = RocDisplay(
        curves={drawn: result.tournament.roc_curve(), others: result.test_curve},
        aucs={drawn: result.tournament.auc, others: result.test_auc},
        bands={drawn: result.tournament.roc_band()},
    )
    figure = Figure(figsize=(4.2, 4.2), layout="constrained")
    display.plot(ax=figure.subplots())
    path = out / "roc-example.png"
    with replacing(path) as beside:
        figure.savefig(beside, dpi=200)
    return path
