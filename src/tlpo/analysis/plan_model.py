"""How many patients a model of so many features needs, and how many features a sample supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tlpo.analysis.plan import AUCS
from tlpo.checks import require_count
from tlpo.errors import UsageError, arg, explain
from tlpo.plurals import Noun, counted
from tlpo.roc.development import DevelopmentSize, development_size


@dataclass(frozen=True)
class Study:
    """What is planned, or there already; what is not known is None.

    Attributes
    ----------
    features : int or None
        Coefficients of the model.
    n_units, events : int or None
        Patients, and how many of them have the event.
    fraction : float or None
        Share of patients who have it.
    rate, follow_up, time : float or None
        Of times to an event: as in `development_size`.
    ordered : bool
        The outcome is a number.
    """

    features: int | None = None
    n_units: int | None = None
    events: int | None = None
    fraction: float | None = None
    rate: float | None = None
    follow_up: float | None = None
    time: float | None = None
    ordered: bool = False

    @property
    def is_timed(self) -> bool:
        """Whether times to an event are planned for."""
        return any(value is not None for value in (self.rate, self.follow_up, self.time))

    @property
    def is_of_model(self) -> bool:
        """Whether the question is how many features a model can have."""
        return self.features is not None or self.events is not None or self.is_timed


class ModelPlan(NamedTuple):
    """What a model needs if its AUC or R² is as expected.

    ``supported`` are the features that the sample supports; None without a sample.
    """

    auc: float | None
    size: DevelopmentSize
    supported: int | None


def plan_model(
    study: Study, aucs: Sequence[float] = (), r_squared: float | None = None
) -> tuple[Study, list[ModelPlan]]:
    """Return the study with what follows from the rest filled in, and a row per AUC.

    Examples
    --------
    >>> study, (row,) = plan_model(Study(features=10, n_units=200, events=60), [0.8])
    >>> study.fraction, row.size.n_units, row.supported
    (0.3, 343, 5)
    """
    study = _complete(study)
    known = study.ordered or r_squared is not None
    rows = []
    for auc in tuple(aucs) or ((None,) if known else AUCS):
        size = development_size(
            1 if study.features is None else study.features,
            auc=auc,
            r_squared=r_squared,
            fraction=study.fraction,
            rate=study.rate,
            follow_up=study.follow_up,
            time=study.time,
            order=study.ordered,
        )
        n = study.n_units
        rows.append(ModelPlan(auc, size, None if n is None else size.features_supported(n)))
    return study, rows


def require_one_question(study: Study, **about_interval: float | None) -> None:
    """Refuse options of another question, and a question without its number."""
    for name, value in about_interval.items():
        if value is not None:
            raise UsageError(
                explain(
                    f"{arg(name)} is about the interval of the AUC, not about features.",
                    f"You passed {arg(name, value)} with a question about features.",
                    "Leave it out, or ask one question after the other.",
                )
            )
    if study.ordered and study.events is not None:
        raise UsageError(
            explain(
                "A number has no events.",
                f"You passed {arg('events', study.events)} with {arg('ordered')}.",
                f"Pass the number of patients, for example {arg('n_units', 300)}.",
            )
        )
    if study.features is None and study.events is None and study.n_units is None:
        raise UsageError(
            explain(
                "How many features, or how many patients?",
                "You passed neither.",
                f"For example {arg('features', 10)}, or {arg('n_units', 113)} and "
                f"{arg('events', 84)}.",
            )
        )


def say_model(study: Study, rows: Sequence[ModelPlan], units: Noun) -> list[str]:
    """Put a plan into words, one line per AUC."""
    measure = "Concordance" if study.is_timed else "AUC"
    sample = ""
    if study.n_units is not None:
        having = "" if study.events is None else f" with {counted(study.events, 'event')}"
        sample = f"{counted(study.n_units, *units)}{having}"
    lines = []
    for row in rows:
        size, parts = row.size, []
        if study.features is not None:
            parts.append(_say_size(size, units))
        if row.supported is not None:
            many = "no feature" if row.supported == 0 else counted(row.supported, "feature")
            parts.append(f"{sample} support{'s' if study.n_units == 1 else ''} {many}")
        expected = f"R² {size.r_squared:.3g}"
        if row.auc is not None:
            expected = f"{measure} {row.auc:g} ({expected})"
        lines.append(f"{expected}: {'; '.join(parts)}.")
    error = None if study.n_units is None else rows[0].size.risk_error(study.n_units)
    if error is not None:
        lines.append(f"{sample}: the overall risk is known to within ±{error:.2f}.")
    return [*lines, _say_criteria(rows[0].size)]


def _say_size(size: DevelopmentSize, units: Noun) -> str:
    having = "" if size.n_events is None else f" with {counted(size.n_events, 'event')}"
    last = "deviation" if size.n_events is None else "risk"
    return (
        f"{counted(size.features, 'feature')} {'needs' if size.features == 1 else 'need'} "
        f"{counted(size.n_units, *units)}{having} (shrinkage {size.for_shrinkage}, optimism "
        f"{size.for_optimism}, {last} {size.for_precision})"
    )


def _say_criteria(size: DevelopmentSize) -> str:
    last = (
        "the residual standard deviation known to within 10%"
        if size.n_events is None
        else "the overall risk known to within ±0.05"
    )
    return (
        f"Criteria: coefficients that need to be shrunk by no more than {1 - size.shrinkage:.0%}, "
        f"an R² that is optimistic by no more than 0.05, and {last} (Riley et al. 2020), of a "
        "model that is fitted without a penalty."
    )


def _complete(study: Study) -> Study:
    """Return the study with units, events, share and rate as far as they follow from the rest."""
    n_units, events, fraction, rate = study.n_units, study.events, study.fraction, study.rate
    for name, value in (("n_units", n_units), ("events", events)):
        if value is not None:
            require_count(name, value, 1)
    if events is not None and n_units is not None:
        if events >= n_units:
            raise UsageError(
                explain(
                    "Some patients must be without the event.",
                    f"You passed {arg('events', events)} and {arg('n_units', n_units)}.",
                    "Pass the number of all patients, with and without the event.",
                )
            )
        twice = [name for name, value in (("fraction", fraction), ("rate", rate)) if value]
        if twice:
            raise UsageError(
                explain(
                    f"{arg(twice[0])} follows from the numbers of events and patients.",
                    f"You passed {arg('events', events)}, {arg('n_units', n_units)} and "
                    f"{arg(twice[0], getattr(study, twice[0]))}.",
                    "Leave one of them out.",
                )
            )
    if study.is_timed:
        e = None if rate is None or study.follow_up is None else rate * study.follow_up
        if e is None and events is not None and n_units is not None and study.follow_up:
            rate = events / (n_units * study.follow_up)
    else:
        if events is not None and n_units is not None:
            fraction = events / n_units
        e = (0.5 if fraction is None else fraction) if not study.ordered else None
    if e and events is not None and n_units is None:
        n_units = round(events / e)
    elif e and n_units is not None and events is None:
        events = round(e * n_units)
    return Study(
        study.features,
        n_units,
        events,
        fraction,
        rate,
        study.follow_up,
        study.time,
        study.ordered,
    )
