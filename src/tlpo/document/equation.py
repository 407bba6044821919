"""A linear model on paper: its equation, and a chart of points."""

from __future__ import annotations

import math

from msgspec.structs import replace

from tlpo.analysis.shapes import Equation, EquationTerm, Model, ModelAnalysis
from tlpo.document.blocks import Block, Folded, Paragraph, Table
from tlpo.document.numbers import minus, percent
from tlpo.plurals import counted

# Terms that fit on a chart, the points of the widest, and rows of the table of totals.
MOST_TERMS, WIDEST, N_TOTALS = 15, 100, 11


def equation_blocks(a: ModelAnalysis, model: Model) -> list[Block]:
    """Write the model down, so that it can be computed by hand."""
    equation = model.final.equation
    if equation is None:
        return []
    used = [term for term in equation.terms if term.value != 0]
    n_left_out = len(equation.terms) - len(used)
    equation = replace(equation, terms=used)
    has_odds = equation.scale == "log odds"
    has_limits = any(term.low is not None for term in equation.terms)
    head = ["Term", "Coefficient"]
    if has_odds:
        head.append(
            f"Odds ratio ({percent(a.confidence_level)} interval)" if has_limits else "Odds ratio"
        )
    rows = [["Intercept", exact(equation.intercept), *([""] if has_odds else [])]]
    for term in equation.terms:
        row = [term_name(term, equation), exact(term.value)]
        rows.append([*row, _odds_ratio(term)] if has_odds else row)
    what = "log odds" if has_odds else "score"
    text = (
        f"The {what} of {a.target} '{a.positive}' is the intercept plus each coefficient times its "
        "feature, in the units of the table; a level counts 1 if it applies."
    )
    if has_odds:
        text += " The probability is 1 / (1 + exp(−log odds))."
        if not has_limits:
            text += (
                " Odds ratios have intervals only if the model has no penalty, no value was "
                "missing and all coefficients are determined."
            )
    if n_left_out:
        text += (
            f" {counted(n_left_out, 'other coefficient')} {'is' if n_left_out == 1 else 'are'} 0."
        )
    caption = f"Equation of {model.name}, fitted to all {a.units}"
    blocks: list[Block] = [Table(caption, head, rows), Paragraph(text, "soft")]
    if len(equation.terms) <= MOST_TERMS:
        blocks += points_chart(equation, model.name)
    return [Folded(f"The whole model {model.name}: equation and points", blocks)]


def points_chart(equation: Equation, name: str) -> list[Block]:
    """Return tables that turn features into points and points into what the model predicts.

    A feature has 0 points where it speaks least for the positive label; the one with the widest
    effect has 100 at its other end.
    """
    effects: dict[str, list[tuple[str, float]]] = {}
    for term in equation.terms:
        if term.level is None:
            assert term.least is not None
            assert term.most is not None
            at = [term.least + k * (term.most - term.least) / 4 for k in range(5)]
            effects[term.feature] = [(_short(x), term.value * x) for x in at]
        else:
            own = effects.setdefault(
                term.feature, [(equation.references.get(term.feature, "reference"), 0.0)]
            )
            own.append((term.level, term.value))
    lowest = {feature: min(y for _, y in own) for feature, own in effects.items()}
    widths = {feature: max(y for _, y in own) - lowest[feature] for feature, own in effects.items()}
    per_point = max(widths.values(), default=0.0) / WIDEST
    if not per_point > 0 or not math.isfinite(sum(widths.values())):
        return []
    rows = [
        [feature, ", ".join(f"{at}: {(y - lowest[feature]) / per_point:.0f}" for at, y in own)]
        for feature, own in effects.items()
    ]
    start = equation.intercept + sum(lowest.values())
    most = sum(widths.values()) / per_point
    step = _round_step(most / (N_TOTALS - 1))
    totals = [k * step for k in range(math.floor(most / step) + 1)]
    values = [start + total * per_point for total in totals]
    if equation.scale == "log odds":
        shown, what = [f"{_expit(value):.2f}" for value in values], "Probability"
    else:
        shown, what = [minus(f"{value:.3g}") for value in values], "Score"
    table = [[f"{total:g}", text] for total, text in zip(totals, shown, strict=True)]
    return [
        Table(f"Points of {name}: add those of every feature", ["Feature", "Value: points"], rows),
        Table(f"What the total means for {name}", ["Total points", what], table),
        Paragraph(
            "Numeric features at the 5th to 95th percentile and three values between; in between, "
            "interpolate. Rounded points are for reading, the equation is the model.",
            "soft",
        ),
    ]


def exact(value: float) -> str:
    """Show a coefficient with enough figures to compute with."""
    return minus(f"{value:.6g}")


def term_name(term: EquationTerm, equation: Equation) -> str:
    """Name a term: its feature, or a level and what it is compared with."""
    if term.level is None:
        return term.feature
    return f"{term.feature}: {term.level} (not {equation.references.get(term.feature, '')})"


def _odds_ratio(term: EquationTerm) -> str:
    unit = _unit(term)
    ratio, per = _exp(unit * term.value), "" if unit == 1 else f" per {unit:g}"
    if term.low is None or term.high is None:
        return f"{ratio}{per}"
    return f"{ratio} ({_exp(unit * term.low)} to {_exp(unit * term.high)}){per}"


def _unit(term: EquationTerm) -> float:
    """Return a change of a feature that patients show: a power of ten if 1 is far from that."""
    if term.least is None or term.most is None or not term.most > term.least:
        return 1.0
    spread = term.most - term.least
    return 1.0 if 1 <= spread < 1000 else float(10.0 ** math.floor(math.log10(spread)))


def _exp(value: float) -> str:
    return f"{math.exp(value):.3g}" if abs(value) < 50 else ("∞" if value > 0 else "0")


def _expit(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value)) if value > -700 else 0.0


def _short(value: float) -> str:
    return minus(f"{value:.3g}")


def _round_step(step: float) -> float:
    """Return 1, 2, 2.5 or 5 times a power of ten, at least as large."""
    size = 10.0 ** math.floor(math.log10(step))
    return next(k * size for k in (1, 2, 2.5, 5, 10) if k * size >= step - 1e-12)
