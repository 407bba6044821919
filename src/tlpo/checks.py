"""Checks of options shared by several schemes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tlpo.errors import InputError, arg, explain

RandomState = int | np.random.RandomState | np.random.Generator | None


def seed_sequence(random_state: RandomState) -> np.random.SeedSequence:
    """Convert any NumPy random state to a seed sequence, which can be split."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(int(random_state.randint(2**31)))
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**63)))
    if random_state is None or (isinstance(random_state, int | np.integer) and random_state >= 0):
        return np.random.SeedSequence(random_state)
    raise InputError(
        explain(
            "random_state must be a non-negative whole number, a NumPy generator or None.",
            f"You passed random_state={random_state!r}.",
            "For example random_state=0.",
        )
    )


def journal_seed(journal: Any, random_state: RandomState) -> int | None:
    """Return the seed that a journal records; None without a journal."""
    if journal is None:
        return None
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    raise InputError(
        explain(
            "A journal needs a fixed seed, so that a resumed run draws the same numbers.",
            f"You passed random_state={random_state!r}.",
            "For example random_state=0.",
        )
    )


def require_jobs(n_jobs: Any) -> None:
    """Reject a number of jobs that joblib would not know what to do with."""
    if n_jobs is not None and (not isinstance(n_jobs, int | np.integer) or n_jobs == 0):
        raise InputError(
            explain(
                f"{arg('n_jobs')} must be a whole number other than 0, or None.",
                f"You passed {arg('n_jobs', n_jobs)}.",
                f"For example {arg('n_jobs', 2)}, or {arg('n_jobs', -1)} for all cores.",
            )
        )


def require_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Reject an option that is not one of the choices."""
    if value not in choices:
        raise InputError(
            explain(
                f"{arg(name)} must be one of {', '.join(repr(choice) for choice in choices)}.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, choices[0])}.",
            )
        )


def require_count(
    name: str, value: Any, low: int, high: int | None = None, limit: str = "the number of units"
) -> None:
    """Reject a count outside its range."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if whole and value >= low and (high is None or value <= high):
        return
    upper = "" if high is None else f" and at most {high}, {limit}"
    raise InputError(
        explain(
            f"{arg(name)} must be a whole number, at least {low}{upper}.",
            f"You passed {arg(name, value)}.",
            f"For example {arg(name, low if high is None else min(high, 10))}.",
        )
    )


def require_level(name: str, value: Any) -> None:
    """Reject a confidence or significance level that is not strictly between 0 and 1."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (number and 0.0 < value < 1.0):
        raise InputError(
            explain(
                f"{arg(name)} must be strictly between 0 and 1.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, 0.95)} for 95 %."
                if name == "confidence_level"
                else f"For example {arg(name, 0.05)} for 5 %.",
            )
        )


def require_share(name: str, value: float) -> None:
    """Reject a proportion outside 0 … 1."""
    if not (isinstance(value, int | float | np.number) and 0.0 <= value <= 1.0):
        raise InputError(
            explain(
                f"{arg(name)} must be between 0 and 1.",
                f"You passed {arg(name, value)}.",
                f"For example {arg(name, 0.9)} for 90 %.",
            )
        )


def require_time(name: str, value: float) -> None:
    """Refuse anything but a time above 0."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (is_number and 0 < value < np.inf):
        raise InputError(
            explain(
                f"{arg(name)} must be a time above 0.",
                f"You passed {arg(name, value)}.",
                "Use the unit of the times in the data.",
            )
        )
