"""Pictures that only the report has: calibration and net benefit."""

from __future__ import annotations

from typing import Any

from tlpo.displays import COLOURS


def new_figure(size: tuple[float, float]) -> tuple[Any, Any]:
    """Return a figure that no window knows of, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def calibration_figure(probabilities: dict[str, Any]) -> Any:
    """Draw observed against predicted shares."""
    figure, ax = new_figure((3.6, 3.4))
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
    bins = probabilities["bins"]
    ax.plot(
        [b["predicted"] for b in bins],
        [b["observed"] for b in bins],
        "o-",
        color=COLOURS[0],
        linewidth=1.2,
    )
    for b in bins:
        ax.annotate(
            str(b["units"]),
            (b["predicted"], b["observed"]),
            (4, -10),
            textcoords="offset points",
            fontsize="x-small",
        )
    ax.set(
        xlabel="predicted probability",
        ylabel="observed share",
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def net_benefit_figure(probabilities: dict[str, Any]) -> Any:
    """Draw net benefit against the threshold, beside treating everybody and nobody."""
    figure, ax = new_figure((3.6, 3.4))
    rows = probabilities["net_benefit"]
    at = [row["threshold"] for row in rows]
    ax.axhline(0, color="0.5", linewidth=1.0, label="nobody")
    ax.plot(at, [row["everybody"] for row in rows], "--", color="0.5", label="everybody")
    ax.plot(at, [row["model"] for row in rows], "o-", color=COLOURS[0], label="model")
    top = max(row["model"] for row in rows)
    low = min(-0.05, min(row["model"] for row in rows))
    ax.set(xlabel="threshold probability", ylabel="net benefit", ylim=(low - 0.02, top + 0.08))
    ax.legend(frameon=False, fontsize="small")
    ax.spines[["top", "right"]].set_visible(False)
    return figure
