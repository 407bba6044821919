"""A linear model on paper: its equation, and a chart of points."""

from __future__ import annotations

import math
from collections.abc import Container

from msgspec.structs import replace

from tlpo.analysis.shapes import (
    Equation,
    EquationTerm,
    Model,
    ModelAnalysis,
    OrderedAnalysis,
    OrderedModel,
    SeveralAnalysis,
    SeveralModel,
)
from tlpo.document.blocks import Block, Folded, Paragraph, Table
from tlpo.document.numbers import capital, minus, percent
from tlpo.plurals import counted

# Terms that fit on a chart, the points of the widest, and rows of the table of totals.
MOST_TERMS, WIDEST, N_TOTALS = 15, 100, 11


def equation_blocks(a: ModelAnalysis, model: Model) -> list[Block]:
    """Write the model down, so that it can be computed by hand."""
    equation = model.final.equation
    if equation is None:
        return []
    used, said = _without_zeros(equation)
    has_odds = equation.scale == "log odds"
    has_limits = any(term.low is not None for term in used.terms)
    head = ["Term", "Coefficient"]
    if has_odds:
        head.append(
            f"Odds ratio ({percent(a.confidence_level)} interval)" if has_limits else "Odds ratio"
        )
    rows = [["Intercept", exact(used.intercept), *([""] if has_odds else [])]]
    for term in used.terms:
        row = [term_name(term, used), exact(term.value)]
        rows.append([*row, _odds_ratio(term)] if has_odds else row)
    text = _compute(f"{'log odds' if has_odds else 'score'} of {a.target} '{a.positive}'")
    if has_odds:
        text += " The probability is 1 / (1 + exp(−log odds))."
        if not has_limits:
            text += (
                " Odds ratios have intervals only if the model has no penalty, no value was "
                "missing and all coefficients are determined."
            )
    caption = f"Equation of {model.name}, fitted to all {a.units}"
    blocks: list[Block] = [Table(caption, head, rows), Paragraph(text + said, "soft")]
    meaning = "Probability" if has_odds else "Score"
    return _whole(model.name, [*blocks, *points_chart(used, model.name, meaning, _binary(a))])


def ordered_equation_blocks(a: OrderedAnalysis, model: OrderedModel) -> list[Block]:
    """Write a model of numbers or grades down."""
    equation = model.final.equation
    if equation is None:
        return []
    used, said = _without_zeros(equation)
    what = "score" if equation.scale == "score" else f"predicted {a.target}"
    if a.grades is not None and equation.scale != "score":
        places = ", ".join(f"{k} for {grade}" for k, grade in enumerate(a.grades))
        said = f" Grades count {places}.{said}"
    rows = [["Intercept", exact(used.intercept)]]
    rows += [[term_name(term, used), exact(term.value)] for term in used.terms]
    caption = f"Equation of {model.name}, fitted to all {a.units}"
    blocks: list[Block] = [
        Table(caption, ["Term", "Coefficient"], rows),
        Paragraph(_compute(what) + said, "soft"),
    ]
    return _whole(model.name, [*blocks, *points_chart(used, model.name, capital(what), _binary(a))])


def class_equation_blocks(a: SeveralAnalysis, model: SeveralModel) -> list[Block]:
    """Write a model of several classes down: a column for each."""
    equations = model.final.equations
    if not equations:
        return []
    first = equations[0]
    rows = [["Intercept", *(exact(own.intercept) for own in equations)]]
    n_left_out = 0
    for k, term in enumerate(first.terms):
        values = [own.terms[k].value for own in equations]
        if any(values):
            rows.append([term_name(term, first), *map(exact, values)])
        n_left_out += not any(values)
    text = _compute(f"score of a class of {a.target}")
    if first.scale == "log probability":
        text += (
            " The probability of a class is exp(its score), divided by the sum of exp(score) over "
            "all classes."
        )
    head = ["Term", *(f"for {part.name}" for part in a.parts)]
    caption = f"Equations of {model.name}, fitted to all {a.units}"
    soft = Paragraph(text + _say_zeros(n_left_out), "soft")
    return [Folded(f"The whole model {model.name}", [Table(caption, head, rows, "wide"), soft])]


def _binary(a: ModelAnalysis | OrderedAnalysis) -> set[str]:
    """Return the features that are 0 or 1, as far as the baseline table has them."""
    return {row.feature for row in a.baseline if row.kind == "share"}


def _compute(what: str) -> str:
    return (
        f"The {what} is the intercept plus each coefficient times its feature, in the units of the "
        "table; a level counts 1 if it applies."
    )


def _without_zeros(equation: Equation) -> tuple[Equation, str]:
    """Return an equation without what has no effect, and say how much that is."""
    used = [term for term in equation.terms if term.value != 0]
    return replace(equation, terms=used), _say_zeros(len(equation.terms) - len(used))


def _say_zeros(n: int) -> str:
    return f" {counted(n, 'other coefficient')} {'is' if n == 1 else 'are'} 0." if n else ""


def _whole(name: str, blocks: list[Block]) -> list[Block]:
    has_points = len(blocks) > 2
    return [Folded(f"The whole model {name}: equation{' and points' * has_points}", blocks)]


def points_chart(
    equation: Equation, name: str, meaning: str, binary: Container[str] = ()
) -> list[Block]:
    """Return tables that turn features into points and points into what the model predicts.

    A feature has 0 points where it speaks least for the positive label, or for a large outcome; the
    one with the widest effect has 100 at its other end. ``meaning`` heads what is predicted, and
    ``binary`` features are 0 or 1. There is no chart of many terms.
    """
    if len(equation.terms) > MOST_TERMS:
        return []
    effects: dict[str, list[tuple[str, float]]] = {}
    for term in equation.terms:
        if term.level is None:
            assert term.least is not None
            assert term.most is not None
            at = [term.least + k * (term.most - term.least) / 4 for k in range(5)]
            if term.feature in binary:
                at = [0.0, 1.0]
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
        shown = [f"{_expit(value):.2f}" for value in values]
    else:
        shown = [minus(f"{value:.3g}") for value in values]
    table = [[f"{total:g}", text] for total, text in zip(totals, shown, strict=True)]
    return [
        Table(f"Points of {name}: add those of every feature", ["Feature", "Value: points"], rows),
        Table(f"What the total means for {name}", ["Total points", meaning], table),
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
