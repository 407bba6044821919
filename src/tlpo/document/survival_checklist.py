"""TRIPOD+AI for a time to an event: what this report says where it differs from that of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tlpo.analysis.shapes import SurvivalAnalysis
from tlpo.document.blocks import Folded, Paragraph, Section, Table
from tlpo.document.checklists import TO_DO, TRIPOD_AI
from tlpo.document.numbers import digits, figures, limits
from tlpo.document.survival_narrative import follow_up, title
from tlpo.plurals import counted


def checklist_section(a: SurvivalAnalysis) -> Section:
    """Return the checklist, filled in as far as the analysis goes."""
    rows = []
    for item in TRIPOD_AI:
        found = OWN[item.number](a) if item.number in OWN else _shared(item.answer, a)
        rows.append([item.number, item.asks, found or f"{TO_DO}{item.to_do}"])
    done = sum(not row[2].startswith(TO_DO) for row in rows)
    table = Table("TRIPOD+AI", ["Item", "Asks for", "This report"], rows)
    said = (
        "Every item of the guideline, with what this report says about it. The rest only you know."
    )
    summary = f"TRIPOD+AI: {done} of {len(rows)} entries filled in"
    return Section("checklist", "Checklist", [Paragraph(said, "soft"), Folded(summary, [table])])


def _shared(answer: Callable[[Any], str | None], a: SurvivalAnalysis) -> str | None:
    """Answer from what analyses of every outcome have."""
    return answer(a)


def _counts(a: SurvivalAnalysis) -> str:
    return f"{a.n_units} {a.units}, {counted(sum(a.event), 'event')}."


def _size(a: SurvivalAnalysis) -> str:
    return (
        f"{_counts(a)} What so many can show stands under Sample size; why so many were studied "
        "is yours to say."
    )


def _divided(a: SurvivalAnalysis) -> str:
    every = f"every pair of {a.units} was left out in turn"
    if a.rounds and a.rounds < a.n_units - 1:
        every = f"pairs of {a.units} were left out in turn, but not every pair"
    return f"No part was set aside: {every}."


def _measures(a: SurvivalAnalysis) -> str:
    times = ", ".join(figures(found.time) for found in a.models[0].at)
    at = f", AUC and ROC curve at {times}" if times else ""
    return f"Harrell's and Uno's concordance{at}, survival of risk groups; see Methods."


def _performance(a: SurvivalAnalysis) -> str:
    parts = [
        f"{model.name}: C {digits(model.concordance)} "
        f"({limits(model.interval.low, model.interval.high)})"
        for model in a.models
    ]
    return f"{'; '.join(parts)}. At single times: Answer."


def _fairness(a: SurvivalAnalysis) -> str | None:
    columns = dict.fromkeys(row.by for model in a.models for row in model.subgroups)
    return f"Concordance by {', '.join(columns)}: Subgroups." if columns else None


def _specification(a: SurvivalAnalysis) -> str | None:
    shown = [model.name for model in a.models if model.final.equation is not None]
    saved = [f"Saved as {a.model_file}, which tlpo validate applies to new {a.units}."]
    ratios = [f"Hazard ratios of {', '.join(shown)}: Each model."] if shown else []
    return " ".join([*ratios, *(saved if a.model_file else [])]) or None


def _output(a: SurvivalAnalysis) -> str:
    return f"A ranking of {a.units} by risk; {', '.join(m.name for m in a.models)} give scores."


OWN: dict[str, Callable[[SurvivalAnalysis], str | None]] = {
    "1": lambda a: f"For example: {title(a)}",
    "8a": lambda a: f"Time ({a.time_column}) to {a.target}. {follow_up(a)}",
    "10": _size,
    "12a": _divided,
    "12e": _measures,
    "13": lambda _: None,
    "14": _fairness,
    "15": _output,
    "21": _counts,
    "22": _specification,
    "23a": _performance,
    "23b": _fairness,
}
