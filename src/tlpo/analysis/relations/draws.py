"""Relations of intervals whose variance was estimated from drawn units."""

from __future__ import annotations

from typing import Any

from tlpo.analysis.relations.checks import Fault, Faults
from tlpo.analysis.shapes import Interval, Shape
from tlpo.roc.methods import DEFAULT


def of_draws(part: Any, where: str = "", has_games: bool = False) -> Faults:
    """Check that only the default method draws, and only where not all games are kept.

    ``has_games`` where nothing is ever drawn.
    """
    if isinstance(part, Interval):
        if part.width_error is not None and (part.method != DEFAULT or has_games):
            rule = f"only {DEFAULT!r} draws units, where the games of all are not kept"
            yield Fault(f"{where}.width_error", part.width_error, rule)
    elif isinstance(part, Shape):
        has_games = has_games or getattr(part, "games", None) is not None
        for name in part.__struct_fields__:
            place = f"{where}.{name}" if where else name
            yield from of_draws(getattr(part, name), place, has_games)
    elif isinstance(part, list) and part and isinstance(part[0], Shape):
        for k, one in enumerate(part):
            yield from of_draws(one, f"{where}[{k}]", has_games)
