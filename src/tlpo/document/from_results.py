"""The page of ``tlpo run`` from Python: from tournaments that were played."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.results import Played, describe_results, opponents_of
from tlpo.analysis.shapes import AnyRun, Flow
from tlpo.document.write import require_writable, write
from tlpo.errors import InputError, UsageError, explain
from tlpo.results.multiclass import Multiclass
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.tournament import Tournament

# Suffix of a file → the argument of `OutputFiles` that it is written by.
KINDS = {
    ".html": "html",
    ".htm": "html",
    ".pdf": "html",
    ".docx": "html",
    ".json": "json",
    ".md": "md",
}


def report(
    results: Played | Sequence[Tournament] | Sequence[OrderedGames] | Sequence[Multiclass],
    *paths: str | Path,
    names: Sequence[str] | None = None,
    target: str = "outcome",
    unit: str = "unit",
    specificity: float = 0.9,
    confidence_level: float = 0.95,
    prevalence: float | None = None,
    at: Sequence[float] = (),
    smooth: bool = False,
) -> AnyRun:
    """Write the report of tournaments, of any outcome, over the same units.

    It is the page of ``tlpo run`` without what needs the table: results hold no features, so there
    are no baseline table, no final model and no other schemes.

    Parameters
    ----------
    results : Tournament, Multiclass, Concordance, Survival, or a sequence of one kind
        One model or several.
    *paths : path
        Files to write: ``.html``, ``.pdf`` (needs a browser), ``.docx``, ``.json`` or ``.md``.
    names : sequence of str, optional
        What the models are called; the names of their estimators by default.
    target : str
        What the outcome is called.
    unit : str
        What a row is, such as ``"patient"`` or ``"mouse/mice"``.
    specificity, confidence_level, prevalence : float
        As in ``tlpo run``.
    at : sequence of float
        Times to an event: those at which to report the AUC.
    smooth : bool
        Two classes: whether to draw smooth ROC curves with the others, as
        `Tournament.smooth_curve`.

    Returns
    -------
    ModelAnalysis, SeveralAnalysis, OrderedAnalysis or SurvivalAnalysis
        What the files were made from.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    >>> found = tlpo.report(tlpo.tournament(tlpo.RLS(), X, y), names=["ridge"], unit="patient")
    >>> found.models[0].name, found.n_units, found.units
    ('ridge', 20, 'patients')
    """
    given: list[Any] = [results] if isinstance(results, Played) else list(results)
    played = dict(zip(_names(given, names), given, strict=True))
    outputs = _outputs(paths)
    require_writable(outputs, {})
    rounds = {opponents_of(t) for t in given}
    options = Options(
        specificity=specificity,
        confidence_level=confidence_level,
        prevalence=prevalence,
        unit=unit,
        rounds=rounds.pop() if len(rounds) == 1 else None,
        at=tuple(at),
        smooth=smooth,
    )
    groups = given[0].groups
    first = given[0].each[0] if isinstance(given[0], Multiclass) else given[0]
    n_groups = None if groups is None else np.unique(groups).size
    sample = _unknown(first.standings.n_units, n_groups)
    analysis = describe_results(played, options, sample, target=target, unit=unit)
    write(analysis, outputs)
    return analysis


def _names(given: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    kind = type(given[0]) if given and isinstance(given[0], Played) else Tournament
    wrong = [type(t).__name__ for t in given if not isinstance(t, kind)]
    if wrong or not given:
        raise InputError(
            explain(
                "A report is made from tournaments.",
                f"You passed {', '.join(wrong) or 'no results'}.",
                "For example tlpo.report([a, b], 'report.html') with a = tlpo.tournament(…).",
            )
        )
    found = [t.estimator_name for t in given] if names is None else list(map(str, names))
    if len(found) != len(given) or len(set(found)) < len(found):
        raise InputError(
            explain(
                "Every tournament needs a name of its own.",
                f"You passed {len(given)} tournaments, called {', '.join(found)}.",
                "For example names=['ridge', 'forest'].",
            )
        )
    return found


def _outputs(paths: Sequence[str | Path]) -> OutputFiles:
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        kind = KINDS.get(path.suffix.lower())
        if kind is None or kind in found:
            raise UsageError(
                explain(
                    "The kind of a file follows from its name, and each kind is written once.",
                    f"You passed {', '.join(repr(str(p)) for p in paths)}.",
                    "For example 'report.html', 'result.json', 'answer.md'.",
                )
            )
        found[kind] = path
    return OutputFiles(**found)


def _unknown(n_units: int, n_groups: int | None) -> Flow:
    """Describe a sample of which only the labels are known."""
    return Flow(
        is_known=False,
        read=n_units,
        without_target=0,
        incomplete=0,
        dropped=0,
        missing_cells=0,
        duplicates=0,
        chosen_by="as passed",
        missing="impute",
        numeric=[],
        categorical=[],
        group=None if n_groups is None else "groups",
        n_groups=n_groups,
        rows=[],
        unselected=0,
        classes=[],
        other_classes=0,
        left_out={},
        suspects=[],
        notes=[],
    )
