"""What is shown of a saved model on new patients: text for the terminal, and a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tlpo.analysis.json_values import Summary
from tlpo.analysis.narrative import percent
from tlpo.analysis.probabilities import MEASURES
from tlpo.document.figures import calibration_display, drawn, net_benefit_display
from tlpo.document.render import data_url, signed


def to_text(summary: Summary) -> str:
    """Return what is printed: what is odd first, then the answer."""
    return "\n".join(_lines(summary))


def _lines(summary: Summary) -> list[str]:
    card, auc, level = summary["card"], summary["auc"], f"{100 * summary['confidence_level']:.4g}%"
    then = auc["development"]
    lines = [f"! {remark}" for remark in summary["remarks"]]
    lines += [
        f"{card['name']} on {summary['n_units']} new rows ({summary['n_positive']} positive), "
        f"developed on {card['data']['n_units']}.",
        f"AUC {auc['estimate']:.3f} ({level} interval {auc['low']:.3f} to {auc['high']:.3f}, "
        f"{auc['method']}); in development {then['estimate']:.3f} ({then['low']:.3f} to "
        f"{then['high']:.3f}); difference {_signed(auc['difference'])}.",
        *auc["notes"],
    ]
    for point in summary["cutoffs"]:
        lines.append(f"At the cut-off for {point['point']} (score > {point['threshold']:.4g}):")
        for rate in ("sensitivity", "specificity"):
            one = point[rate]
            lines.append(
                f"  {rate} {one['estimate']:.3f} ({one['low']:.3f} to {one['high']:.3f}; "
                f"{one['count']} of {one['of']}); difference {_signed(one['difference'])}"
            )
    p = summary["probabilities"]
    if p is None:
        return [*lines, f"No calibration: {summary['why_no_probabilities']}."]
    shown = [
        f"{name} {p[key]['estimate']:.3f} "
        + ("(no interval)" if p[key]["low"] is None else f"({_limits(p[key])})")
        for key, name in (
            ("observed_expected", "observed / expected"),
            ("slope", "slope"),
            ("brier", "Brier score"),
        )
        if p[key]["estimate"] is not None
    ]
    lines.append(f"Calibration: {'; '.join(shown)}.")
    return [*lines, *(f"! {remark}" for remark in p["remarks"])]


def _limits(found: dict[str, float]) -> str:
    return f"{found['low']:.3f} to {found['high']:.3f}"


def _signed(found: dict[str, float]) -> str:
    return f"{found['estimate']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f})"


def to_page(summary: Summary) -> str:
    """Return one self-contained page; everything from files is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tlpo.document"), autoescape=True, undefined=StrictUndefined
    )
    environment.filters |= {"signed": signed, "percent": percent}
    pictures = {}
    p, level = summary["probabilities"], summary["confidence_level"]
    if p is not None:
        plots: dict[str, Callable[..., Any]] = {
            "calibration": calibration_display(p, level).plot,
            "benefit": net_benefit_display(p, level).plot,
        }
        pictures = {name: data_url(drawn(plot, (4, 4))) for name, plot in plots.items()}
    return environment.get_template("validate.html.j2").render(
        s=summary, card=summary["card"], pictures=pictures, measures=MEASURES
    )
