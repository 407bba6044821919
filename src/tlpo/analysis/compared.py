"""What validations of all outcomes share: differences, versions, scores that cannot be used."""

from __future__ import annotations

import numpy as np

from tlpo.analysis.models import describe_error
from tlpo.analysis.shapes import Card, Limits, Rate, SurvivalCard
from tlpo.analysis.summarize import made_here
from tlpo.analysis.survival_card import version_here
from tlpo.arrays import FloatArray
from tlpo.errors import InputError, explain
from tlpo.roc.difference import separate_interval


class UnusableScoresError(ValueError):
    """Why scores cannot be used, as a clause."""


def difference(new: Rate, old: Rate, level: float) -> Limits:
    """Return the difference of two independent estimates, with limits from theirs.

    Examples
    --------
    >>> difference(Rate(0.7, 0.6, 0.8), Rate(0.8, 0.7, 0.9), 0.95)
    Limits(estimate=-0.1..., low=-0.241..., high=0.0414...)
    """
    limits = ((new.low, new.high), (old.low, old.high))
    both = (new.estimate, old.estimate)
    (low, high), _ = separate_interval(both, limits, 0.0, level)
    return Limits(both[0] - both[1], low, high)


def require_scores(scores: FloatArray, n_units: int) -> None:
    """Refuse anything but a finite score for every unit."""
    if scores.shape != (n_units,) or not np.isfinite(scores).all():
        n_odd = int((~np.isfinite(scores)).sum())
        raise UnusableScoresError(f"it gives {n_odd} scores that are not finite")


def unscored(card: Card | SurvivalCard, path: str, error: Exception) -> InputError:
    """Return the message about a model that cannot score rows."""
    why = str(error) if isinstance(error, UnusableScoresError) else describe_error(error)
    return InputError(
        explain(
            "The model cannot score these rows.",
            f"You passed {path!r}, developed with scikit-learn "
            f"{card.versions.scikit_learn}: {why}.",
            "Check that the columns mean what they did in development, or save the model again.",
        )
    )


def say_versions(card: Card | SurvivalCard) -> list[str]:
    """Say which packages are not what a model was made with."""
    here, then = made_here(), card.versions
    made = [
        ("tlpo", then.tlpo, here["version"]),
        ("scikit-learn", then.scikit_learn, here["sklearn"]),
    ]
    if isinstance(card, SurvivalCard) and card.versions.scikit_survival is not None:
        made.append(("scikit-survival", card.versions.scikit_survival, version_here()))
    return [
        f"The model was made with {name} {old}, and is tested with {new}: predictions may differ."
        for name, old, new in made
        if old != new
    ]
