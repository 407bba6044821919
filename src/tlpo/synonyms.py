"""Answer the words of other libraries with ours.

Who comes from scikit-learn writes ``pos_label`` or ``max_fpr``. Python would only say that there is
no such argument.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tlpo.errors import explain

P = ParamSpec("P")
R = TypeVar("R")


def _level(alpha: Any) -> str:
    return f"confidence_level={1 - alpha:g}" if isinstance(alpha, float) else "confidence_level"


def _range(max_fpr: Any) -> str:
    low = f"{1 - max_fpr:g}" if isinstance(max_fpr, float) else "1 - max_fpr"
    return f"specificity=({low}, 1), and corrected=True for the number that scikit-learn gives"


# Someone else's word → from the value that came with it to what to pass instead.
SYNONYMS: dict[str, Callable[[Any], str]] = {
    "pos_label": lambda value: f"positive={value!r}",
    "sample_weight": lambda _: "params={'sample_weight': …}",
    "fit_params": lambda _: "params",
    "alpha": _level,
    "level": lambda value: f"confidence_level={value!r}",
    "conf_level": lambda value: f"confidence_level={value!r}",
    "max_fpr": _range,
    "verbose": lambda _: "progress=True",
    "error_score": lambda _: "on_error='skip'",
    "n_bootstraps": lambda value: f"n_resamples={value!r}",
    "cv": lambda value: f"n_splits={value!r}" if isinstance(value, int) else "n_splits",
    "k": lambda value: f"n_splits={value!r}",
    "seed": lambda value: f"random_state={value!r}",
}


def refuse_foreign_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse an argument that another library uses, and name ours.

    Examples
    --------
    >>> @refuse_foreign_arguments
    ... def play(y, *, positive=None):
    ...     return positive
    >>> play([0, 1], pos_label=1)
    Traceback (most recent call last):
        ...
    TypeError: play has no argument pos_label.
    You passed pos_label=1.
    Pass positive=1.
    """
    own = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for word, value in kwargs.items():
            if word not in own and word in SYNONYMS:
                ours = SYNONYMS[word](value)
                if ours.split("=")[0] in own:
                    raise TypeError(
                        explain(
                            f"{function.__name__} has no argument {word}.",
                            f"You passed {word}={_short(value)}.",
                            f"Pass {ours}.",
                        )
                    )
        return function(*args, **kwargs)

    return call


def _short(value: Any) -> str:
    text = repr(value).replace("\n", " ")
    return text if len(text) <= 40 else text[:39] + "…"
