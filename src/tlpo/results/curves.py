"""Which ROC curve a tournament shows: its own, or that of leave-pair-out where games tie.

The label of a unit raises or lowers the predictions for its neighbours in all of their games but
those against the unit itself. Where predictions are continuous, the effect is negligible. Where
they take only a few values it decides close games, so a unit's own label enters its rank, and
more units do not help (docs/ties.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from tlpo.results.tournament import Tournament

CURVES = ("auto", "tournament", "leave-pair-out")
# Share of tied games above which the leave-pair-out curve is shown (measured: docs/ties.md).
MANY_TIES = 0.02


class CurveChoice(str):
    """The name of a curve, with the reason it was chosen."""

    __slots__ = ("why",)
    why: str

    def __new__(cls, name: str, why: str) -> Self:
        """Attach a reason to a name."""
        choice = super().__new__(cls, name)
        choice.why = why
        return choice

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (str(self), self.why)


def choose_curve(t: Tournament, games: str = "games") -> CurveChoice:
    """Return the curve requested, or decide by the share of tied games, which are called so."""
    if t._asked_curve != "auto":
        return CurveChoice(t._asked_curve, "as asked for")
    share = t.n_ties / max(1, t.standings.n_games)
    ties = f"{share:.0%} of {games} tie" if t.n_ties else f"no {games} tie"
    if 0 < share < 0.01:
        ties = f"less than 1% of {games} tie"
    if share <= MANY_TIES:
        return CurveChoice("tournament", ties)
    if not t._are_comparable:
        return CurveChoice("tournament", f"{ties}, but models are not comparable")
    if t._table is None:
        return CurveChoice("tournament", f"{ties}, but held-out predictions were not kept")
    return CurveChoice("leave-pair-out", ties)
