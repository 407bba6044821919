"""What reports say of every model that was played, whatever the outcome."""

from __future__ import annotations

from collections.abc import Sequence

from tlpo.analysis.final_model import MOST_ROWS
from tlpo.analysis.json_values import number
from tlpo.analysis.models import STANDARDISED
from tlpo.analysis.shapes import (
    Model,
    OrderedModel,
    OrderedScheme,
    Scheme,
    SeveralModel,
    Term,
)
from tlpo.displays import SCHEME_NAMES, SchemesDisplay
from tlpo.document.blocks import Block, Figure, Folded, Paragraph, Section, Table
from tlpo.document.numbers import capital, digits, equals, figures, p_value
from tlpo.document.parts import drawn
from tlpo.engines.base import ELSEWHERE
from tlpo.plurals import counted


def say_played(model: Model | OrderedModel | SeveralModel) -> Paragraph:
    """Say what a model is, how it was played, and whether it finds any signal."""
    said = f"{model.described}. Engine {model.engine}, {counted(model.fits, 'fit')}."
    if model.engine == ELSEWHERE:
        said = "Its comparisons were made elsewhere."
    test = model.permutation
    if test is not None:
        said += (
            f" Permutation test whether it finds any signal: p {equals(test.p_value)} "
            f"({counted(test.n, 'permutation')} of {test.exchanged}; Monte-Carlo interval "
            f"{p_value(test.low)} to {p_value(test.high)})."
        )
        said += "".join(f" {note}" for note in test.notes)
    return Paragraph(said, "soft")


def schemes_figure(
    name: str,
    schemes: Sequence[Scheme] | Sequence[OrderedScheme],
    interval: tuple[float, float] | None,
    k: int,
) -> Figure:
    """Draw the estimates of a model by different methods."""
    estimates = {row.scheme: number(_estimate(row)) for row in schemes}
    measure = _measure(schemes)
    shaded = "" if interval is None else "; the shaded range is the interval"
    caption = f"Different estimates of the same {measure}{shaded}."
    if k == 1:
        caption += (
            " Pooled estimates compare scores of different models, and the bootstrap is "
            "optimistic for flexible learners: where they disagree with the first, that is bias, "
            "not information."
        )
    return Figure(
        f"schemes-{k}",
        f"Estimates of the {measure} of {name} by different methods",
        caption,
        lambda: drawn(SchemesDisplay(estimates, interval, measure).plot, (4.6, 2.5)),
    )


def schemes_table(name: str, schemes: Sequence[Scheme] | Sequence[OrderedScheme]) -> Folded:
    """Tabulate the same."""
    rows = [
        [SCHEME_NAMES.get(row.scheme, row.scheme), digits(_estimate(row)), row.note]
        for row in schemes
    ]
    measure = _measure(schemes)
    caption = f"Estimates of the {measure} of {name}"
    table = Table(caption, ["Method", capital(measure), "Remark"], rows)
    return Folded(f"{caption} in numbers", [table])


def final_blocks(
    model: Model | OrderedModel | SeveralModel,
    units: str,
    speak: str,
    measure: str = "an AUC",
    classes: Sequence[str] = (),
) -> list[Block]:
    """Tabulate coefficients or importances of the model that is fitted to all patients.

    ``speak`` says what positive coefficients do; ``classes`` are named if each has its own.
    """
    final = model.final
    apparent = say_apparent(final.apparent_auc, units, measure)
    if final.kind is None:
        text = f"{model.name} has neither coefficients nor importances to show. {apparent}"
        return [Paragraph(text.strip(), "soft")]
    values = [
        (row.feature, [row.value] if isinstance(row, Term) else row.values) for row in final.rows
    ]
    used = [[feature, *map(figures, row)] for feature, row in values if any(row)]
    head, said = ["Feature", "Importance"], ""
    if final.kind == "coefficients":
        head = (
            ["Feature", *(f"for {name}" for name in classes)]
            if classes
            else ["Feature", "Coefficient"]
        )
        said = f"Positive coefficients {speak}"
        if STANDARDISED in model.described:
            said += "; those of numeric features are per standard deviation"
        said += ". "
    said += f"Other {units} would give other values, more so the more features there are. "
    caption = _final_caption(final.kind, units, final.n, len(used))
    return [
        Table(caption, head, used, "wide" if classes else "dense"),
        Paragraph(f"{said}{apparent}".strip(), "soft"),
    ]


def say_apparent(value: float | None, units: str, measure: str = "an AUC") -> str:
    """Say how well a model ranks those that it was fitted to."""
    if value is None:
        return ""
    return (
        f"On the {units} that it was fitted to, this model has {measure} of {digits(value)} "
        "(apparent, not to be reported)."
    )


def _final_caption(kind: str, units: str, n: int, n_shown: int) -> str:
    """Say whose coefficients or importances a table has."""
    caption = f"{capital(kind)} of the final model, fitted to all {units}: not validated one by one"
    if n_shown == MOST_ROWS < n:
        return f"{caption}; the {n_shown} largest of {n}"
    return f"{caption}; the {n_shown} of {n} that are not 0" if n > n_shown else caption


def choice_section(sentence: str | None) -> Section:
    """Say what the best model is worth, given that it was chosen; empty if there is but one."""
    title = "If you report only the best"
    if sentence is None:
        return Section("choice", title, [])
    return Section(
        "choice",
        title,
        [
            Paragraph(sentence),
            Paragraph(
                "The best of several models looks better than it is: the estimate of the selected "
                "model is optimistic. The correction estimates that optimism by simulation, with "
                "errors like those of these estimates; the interval is widened accordingly. It "
                "holds for the models on this page: name every model that was tried.",
                "soft",
            ),
        ],
        name="Best model",
    )


def _estimate(row: Scheme | OrderedScheme) -> float | None:
    return row.auc if isinstance(row, Scheme) else row.concordance


def _measure(schemes: Sequence[Scheme] | Sequence[OrderedScheme]) -> str:
    return "AUC" if isinstance(schemes[0], Scheme) else "concordance"
