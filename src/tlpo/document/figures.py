"""Draw the figures of a report from its summary."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from tlpo.analysis.json_values import Summary, number, numbers
from tlpo.analysis.packed_games import unpack_games
from tlpo.displays import (
    CalibrationDisplay,
    NetBenefitDisplay,
    RocDisplay,
    SchemesDisplay,
    ScoreDisplay,
    TournamentDisplay,
)
from tlpo.execution.replace import replacing
from tlpo.results.intervals import RocBand
from tlpo.roc.calibration import CalibrationCurve
from tlpo.roc.curve import RocCurve

# The files of a figure, and the metadata that leaves out the date.
KINDS: dict[str, dict[str, None]] = {
    "png": {},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
# More bands than this would hide each other.
MOST_BANDS = 2


def draw(summary: Summary) -> dict[str, Any]:
    """Draw every figure of the report, by name."""
    is_positive = np.array(summary["is_positive"], dtype=bool)
    classes = (summary["negative"], summary["positive"])
    figures = {"roc": drawn(roc_display(summary).plot, (4.6, 4.6))}
    for k, model in enumerate(summary["models"], start=1):
        scores = numbers(model["scores"])
        dots = ScoreDisplay(scores, is_positive, classes)
        figures[f"scores-{k}"] = drawn(dots.plot, (4.6, 2.5))
        if summary["sorts"] is not None:
            dots.ax_.set_xlabel("mean place")
        estimates = {row["scheme"]: number(row["auc"]) for row in model["schemes"]}
        ends = (model["headline"]["low"], model["headline"]["high"])
        interval = None if ends[0] is None else (number(ends[0]), number(ends[1]))
        figures[f"schemes-{k}"] = drawn(SchemesDisplay(estimates, interval).plot, (4.6, 2.5))
        if model["games"] is not None:
            matrix = TournamentDisplay.from_games(
                unpack_games(model["games"]), scores, is_positive, number(model["consistency"])
            )
            figures[f"games-{k}"] = drawn(matrix.plot, (4.6, 4.8))
        if model["probabilities"] is not None:
            given, level = model["probabilities"], summary["confidence_level"]
            figures[f"calibration-{k}"] = drawn(calibration_display(given, level).plot, (4, 4))
            figures[f"benefit-{k}"] = drawn(net_benefit_display(given, level).plot, (4, 4))
    return figures


def write_figures(summary: Summary, folder: Path) -> list[Path]:
    """Write every figure as PNG, SVG and PDF."""
    return save_figures(draw(summary), folder)


def save_figures(figures: dict[str, Any], folder: Path) -> list[Path]:
    """Write figures, by name, as PNG, SVG and PDF."""
    paths = []
    with reproducibly():
        for name, figure in figures.items():
            for kind, undated in KINDS.items():
                path = folder / f"{name}.{kind}"
                # In memory first: on a full disk matplotlib's own writer fails twice, in its words.
                content = io.BytesIO()
                figure.savefig(content, format=kind, dpi=200, metadata=undated)
                with replacing(path) as beside:
                    beside.write_bytes(content.getvalue())
                paths.append(path)
    return paths


def reproducibly() -> AbstractContextManager[None]:
    """Let matplotlib name the parts of an SVG by their content, not at random."""
    import matplotlib as mpl

    return mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "tlpo"})


def roc_display(summary: Summary) -> RocDisplay:
    """Return the display of all curves, with bands unless these would hide each other."""
    models = summary["models"]
    curves, bands = {}, {}
    for model in models:
        curve, band = model["curve"], model["band"]
        curves[model["name"]] = RocCurve(*(numbers(curve[k]) for k in RocCurve._fields))
        if len(models) <= MOST_BANDS and band is not None:
            bands[model["name"]] = RocBand(
                fpr=numbers(band["fpr"]),
                low=numbers(band["low"]),
                high=numbers(band["high"]),
                confidence_level=band["level"],
            )
    return RocDisplay(
        curves=curves,
        aucs={model["name"]: number(model["headline"]["auc"]) for model in models},
        bands=bands,
        specificity=summary["specificity"],
    )


def calibration_display(probabilities: dict[str, Any], level: float) -> CalibrationDisplay:
    """Return the display of observed frequencies over predicted probabilities."""
    curve = probabilities["curve"]
    points = CalibrationCurve(*(numbers(curve[name]) for name in CalibrationCurve._fields))
    return CalibrationDisplay(points, level)


def net_benefit_display(probabilities: dict[str, Any], level: float) -> NetBenefitDisplay:
    """Return the display of the net benefit over thresholds."""
    import pandas as pd

    columns = {name: numbers(values) for name, values in probabilities["net_benefit"].items()}
    return NetBenefitDisplay(pd.DataFrame(columns), level)


def drawn(plot: Callable[..., Any], size: tuple[float, float]) -> Any:
    """Return a figure with what a display plots."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=size)  # pyplot would keep it open
    plot(ax=figure.subplots())
    # Arranged once: a figure with a layout of its own is drawn twice for every file.
    ConstrainedLayoutEngine().execute(figure)
    return figure
