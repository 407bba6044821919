"""What the documents have in common: operating points, probabilities, comparisons, the footer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tlpo.analysis.json_values import drawn_curve, drawn_smooth, number, numbers
from tlpo.analysis.sample_caveats import count_features, events_each
from tlpo.analysis.shapes import (
    Analysis,
    Band,
    Baseline,
    Characteristic,
    Comparison,
    Curve,
    Flow,
    Limits,
    ModelAnalysis,
    OrderedComparison,
    Point,
    Probabilities,
    Real,
    Subgroup,
    SurvivalAnalysis,
)
from tlpo.displays import CalibrationDisplay, NetBenefitDisplay, RocDisplay
from tlpo.document.blocks import Beside, Block, Figure, Paragraph, Remarks, SideBySide, Table
from tlpo.document.numbers import (
    capital,
    change,
    digits,
    figures,
    limits,
    measured,
    p_value,
    percent,
    ratio,
    rounded_percent,
    signed,
)
from tlpo.plurals import counted
from tlpo.results.intervals import RocBand
from tlpo.roc.calibration import CalibrationCurve

# More bands than this would hide each other.
MOST_BANDS = 2
# Operating points that fit beside each other.
WIDEST = 4
# Both are limits of a sensitivity; readers compare them.
OF_BANDS = (
    "A band is about the sensitivity at exactly that specificity, whatever the cut-off; limits in "
    "tables are about the one cut-off chosen here, and differ."
)
BEFORE = "Before you report this"
# The term for how far models contradict themselves.
XI = (
    "ξ",
    "consistency of the comparisons, 1 if none contradict each other (A beats B, B beats C, C "
    "beats A), 0 if as many as possible do.",
)
# A longer baseline table is folded.
FEW_ROWS = 20
# Key, name and meaning of every measure of probabilities.
MEASURES = (
    ("brier", "Brier score", "mean squared distance from the outcomes; lower is better"),
    ("scaled_brier", "Scaled Brier score", "0 for always predicting the prevalence, 1 if perfect"),
    ("slope", "Calibration slope", "1 if perfect, less if probabilities are too extreme"),
    ("intercept", "Calibration in the large", "0 if perfect, above if risks are underestimated"),
    ("observed_expected", "Observed / expected", "1 if perfect, above if too few are predicted"),
)


def footer(analysis: Analysis, more: str = "") -> str:
    """Say how a document was made."""
    return (
        f"Made by tlpo {analysis.version} on {analysis.date} (scikit-learn {analysis.sklearn}, "
        f"Python {analysis.python}){more}."
    )


def flow_rows(s: Flow, analysed: str, each: str = "") -> list[list[str]]:
    """Return the rows of the table that says what was read, and what became of it.

    ``each`` says how many patients there are for each feature.
    """
    rows = [["Analysed", analysed]]
    n_left_out = s.unselected + s.other_classes + s.without_target
    if not s.is_known and not n_left_out:
        return rows
    gaps = str(s.incomplete)
    if s.dropped:
        gaps += ", left out"
    elif s.incomplete:
        cells = counted(s.missing_cells, "value")
        gaps += f" ({cells}, {_share_of_cells(s)} of all, imputed within every training set)"
    before = [["Rows read", str(s.read)]]
    if s.unselected:
        before.append(["Not selected, left out", str(s.unselected)])
    if s.other_classes:
        before.append(["With another outcome, left out", str(s.other_classes)])
    before.append(["Without an outcome, left out", str(s.without_target)])
    if not s.is_known:
        return [*before, *rows]
    return [
        *before,
        ["With missing values", gaps],
        ["With the same features as an earlier row", str(s.duplicates)],
        *rows,
        ["Features", f"{len(s.numeric)} numeric, {len(s.categorical)} categorical{each}"],
    ]


def say_each(a: ModelAnalysis | SurvivalAnalysis) -> str:
    """Say how many patients with the rarer outcome there are for each feature."""
    each = events_each(a)
    if each is None:
        return ""
    whom = "events" if isinstance(a, SurvivalAnalysis) else f"{a.units} of the smaller class"
    return f"; {figures(each)} {whom} for each"


def _share_of_cells(s: Flow) -> str:
    """Return which share of the cells of the features was missing."""
    rows = s.read - s.unselected - s.other_classes - s.without_target - s.dropped
    return rounded_percent(s.missing_cells / (rows * count_features(s)))


def cutoff(scale: str | None, value: Real) -> str:
    """Say from where on a new patient is positive.

    Examples
    --------
    >>> cutoff("probability", 0.7134), cutoff("score", "-Infinity"), cutoff(None, None)
    ('probability > 0.713', 'always', '—')
    """
    if scale is None or value is None:
        return "—"
    if isinstance(value, str):
        return "always" if value.startswith("-") else "never"
    return f"{scale} > {figures(value)}"


def points_table(
    name: str, points: Sequence[Point], scale: str | None = None, unit: str = "patient"
) -> Table:
    """Tabulate operating points, one per column."""
    rows: list[list[str | Beside]] = [["Positive if", *(point.criterion for point in points)]]
    if scale is not None:
        cut = [cutoff(scale, point.cutoff) for point in points]
        rows.append([f"A new {unit} is positive if", *cut])
    if points[0].tp is not None:
        counts = [
            " / ".join(f"{number(count):.0f}" for count in (p.tp, p.fp, p.fn, p.tn)) for p in points
        ]
        rows.append(["TP / FP / FN / TN", *counts])
    for title, key in (
        ("Sensitivity", "sensitivity"),
        ("Specificity", "specificity"),
        ("PPV", "ppv"),
        ("NPV", "npv"),
    ):
        rows.append(
            [title, *(_cell(point, key, lambda value: digits(value, 2)) for point in points)]
        )
    for title, key in (("LR+", "lr_positive"), ("LR−", "lr_negative")):
        rows.append([title, *(_cell(point, key, ratio) for point in points)])
    head = ["", *(capital(point.point) for point in points)]
    return Table(
        f"Operating points of {name}", head, rows, "dense" if len(points) <= WIDEST else "wide"
    )


def _cell(point: Point, key: str, show: Callable[[Any], str]) -> str | Beside:
    low, high = getattr(point, f"{key}_low"), getattr(point, f"{key}_high")
    value = show(getattr(point, key))
    return value if low is None else Beside(value, f"{show(low)}–{show(high)}")


def subgroup_cells(row: Subgroup) -> list[str]:
    """Write a row of a table of subgroups: which, its classes, AUC, interval, remark."""
    return [
        f"{row.by}: {'missing' if row.subgroup is None else row.subgroup}",
        f"{row.n_positive} / {row.n_negative}",
        digits(row.auc),
        limits(row.low, row.high),
        row.note,
    ]


def comparisons_table(
    rows: Sequence[Comparison | OrderedComparison], caption: str, units: str
) -> Table:
    """Tabulate differences of AUCs or concordances; adjusted p-values if there are several."""
    several = len(rows) > 1
    delong = [row.p_value_delong if isinstance(row, Comparison) else None for row in rows]
    has_delong = any(p is not None for p in delong)
    what = "AUCs" if isinstance(rows[0], Comparison) else "Concordances"
    head = [units, what, "Difference", "Interval", "p"]
    head += ["Adjusted p"] if several else []
    head += ["DeLong's p (too small)"] if has_delong else []
    body = []
    for row, p_delong in zip(rows, delong, strict=True):
        if isinstance(row, Comparison):
            estimates = row.auc_first, row.auc_second
        else:
            estimates = row.concordance_first, row.concordance_second
        cells = [
            f"{row.first} − {row.second}",
            ", ".join(map(digits, estimates)),
            change(row.difference),
            f"{change(row.low)} to {change(row.high)}",
            p_value(row.p_value),
        ]
        cells += [p_value(row.p_value_holm)] if several else []
        cells += [p_value(p_delong)] if has_delong else []
        body.append(cells)
    return Table(caption, head, body, "wide")


def probability_blocks(
    q: Probabilities, name: str, units: str, level: float, suffix: str = ""
) -> list[Block]:
    """Show measures, calibration and net benefit of probabilities."""
    rows = []
    for key, title, meaning in MEASURES:
        found = getattr(q, key)
        interval = "—" if found.low is None else f"{signed(found.low)} to {signed(found.high)}"
        rows.append([title, signed(found.estimate), interval, meaning])
    head = ["Measure", "Estimate", "Interval", "Meaning"]
    blocks: list[Block] = []
    if q.remarks:
        blocks.append(Remarks("", q.remarks))
    if slope := say_slope(q.slope, units, level):
        blocks.append(Paragraph(slope))
    blocks += [
        Table(f"Probabilities of {name}", head, rows, "wide"),
        SideBySide(
            [
                Figure(
                    f"calibration{suffix}",
                    f"Calibration of {name}",
                    "Calibration: the rising curve nearest to the outcomes (isotonic regression). "
                    "Where it leaves the grey band, chance is an unlikely explanation.",
                    lambda: drawn(calibration_display(q, level).plot, (4, 4)),
                ),
                Figure(
                    f"benefit{suffix}",
                    f"Net benefit of {name}",
                    f"Net benefit of treating {units} above a threshold probability, beside "
                    "treating all and none (decision curve).",
                    lambda: drawn(net_benefit_display(q, level).plot, (4, 4)),
                ),
            ]
        ),
    ]
    return blocks


def say_slope(slope: Limits, units: str, level: float) -> str:
    """Say in a sentence what the calibration slope tells; nothing if there is no interval.

    Examples
    --------
    >>> from tlpo.analysis.shapes import Limits
    >>> print(say_slope(Limits(0.84, 0.61, 1.07), "patients", 0.95))
    The calibration slope is 0.840 (95% interval 0.610 to 1.070), which agrees with 1.
    """
    if slope.low is None or slope.high is None:
        return ""
    low, high = number(slope.low), number(slope.high)
    said = (
        f"The calibration slope is {signed(slope.estimate)} ({percent(level)} interval "
        f"{signed(slope.low)} to {signed(slope.high)})"
    )
    if high < 1:
        return f"{said}: probabilities are too extreme."
    if low > 1:
        return f"{said}: probabilities are not extreme enough."
    if low <= 0:
        return (
            f"{said}. That leaves open whether probabilities are right (1) or tell nothing (0): "
            f"more {units} are needed to know."
        )
    return f"{said}, which agrees with 1."


def baseline_cells(row: Baseline) -> list[str]:
    """Write a row of the baseline table: characteristic, all, by outcome.

    Examples
    --------
    >>> from tlpo.analysis.shapes import Characteristic
    >>> part = Characteristic(9, 1, [61.25, 8.5])
    >>> baseline_cells(Baseline("age", None, "mean", part, part, part))[:2]
    ['age, mean ± SD', '61.2 ± 8.5 (1 missing)']
    """
    parts = [row.all, row.positive, row.negative]
    return characteristic_cells(row.feature, row.level, row.kind, parts)


def characteristic_cells(
    feature: str, level: str | None, kind: str, parts: Sequence[Characteristic]
) -> list[str]:
    """Write a characteristic of all patients, who come first, and of parts of them."""
    shown = {"mean": "mean ± SD", "median": "median [quartiles]", "share": "n (%)"}[kind]
    name = feature if level is None else f"{feature}: {level}"
    # All cells of a row have the decimals that suit the spread of all values.
    _, *spread = (number(value) for value in parts[0].values)
    size = spread[0] if kind == "mean" else spread[-1] - spread[0] if spread[1:] else None
    cells = []
    for part in parts:
        first, *rest = part.values
        if kind == "share":
            share = "—" if rest[0] is None else f"{100 * rest[0]:.0f}%"
            text = f"{number(first):.0f} ({share})"
        elif first is None:
            text = "—"
        elif kind == "median":
            text = f"{measured(first, size)} [{measured(rest[0], size)}, {measured(rest[1], size)}]"
        else:
            text = f"{measured(first, size)} ± {measured(rest[0], size)}"
        cells.append(text + (f" ({part.missing} missing)" if part.missing else ""))
    return [f"{name}, {shown}", *cells]


# ----- pictures


def roc_display(
    curves: dict[str, Curve], aucs: dict[str, float], bands: dict[str, Band | None], share: float
) -> RocDisplay:
    """Return the display of all curves, with bands unless these would hide each other."""
    shown = {name: band for name, band in bands.items() if band is not None}
    return RocDisplay(
        curves={name: drawn_curve(curve) for name, curve in curves.items()},
        aucs=aucs,
        bands={
            name: RocBand(numbers(band.fpr), numbers(band.low), numbers(band.high), band.level)
            for name, band in shown.items()
            if len(curves) <= MOST_BANDS
        },
        specificity=share,
        smooth={
            name: drawn_smooth(curve.smooth)
            for name, curve in curves.items()
            if curve.smooth is not None
        },
    )


def calibration_display(q: Probabilities, level: float) -> CalibrationDisplay:
    """Return the display of observed frequencies over predicted probabilities."""
    points = (numbers(getattr(q.curve, name)) for name in CalibrationCurve._fields)
    return CalibrationDisplay(CalibrationCurve(*points), level)


def net_benefit_display(q: Probabilities, level: float) -> NetBenefitDisplay:
    """Return the display of the net benefit over thresholds."""
    import pandas as pd
    from msgspec.structs import asdict

    columns = {name: numbers(values) for name, values in asdict(q.net_benefit).items()}
    return NetBenefitDisplay(pd.DataFrame(columns), level)


def drawn(plot: Callable[..., Any], size: tuple[float, float]) -> Any:
    """Return a figure with what a display plots."""
    from matplotlib.figure import Figure as Canvas
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Canvas(figsize=size)  # pyplot would keep it open
    plot(ax=figure.subplots())
    # Arranged once: a figure with a layout of its own is drawn twice for every file.
    ConstrainedLayoutEngine().execute(figure)
    return figure
