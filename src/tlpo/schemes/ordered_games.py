"""Play units of which an outcome says who should win: numbers, grades, times to an event."""

from __future__ import annotations

from dataclasses import replace

from tlpo.arrays import IntArray
from tlpo.checks import RandomState
from tlpo.engines.base import Played
from tlpo.games.contest import Contest
from tlpo.problem.outcome import Ordered, Outcome, TimeToEvent
from tlpo.results.concordance import Concordance
from tlpo.results.ordered_games import OrderedGames
from tlpo.results.survival import Survival
from tlpo.schemes.drawn import draw_changes
from tlpo.schemes.tournament import plan

RESULTS: dict[type[Outcome], type[OrderedGames]] = {Ordered: Concordance, TimeToEvent: Survival}


def play_ordered(
    contest: Contest, rounds: int | None = None, random_state: RandomState = None
) -> OrderedGames:
    """Play every pair of a contest or, with ``rounds``, a balanced part of them."""
    schedule, drawn = plan(contest, rounds, random_state)
    opponents = None if drawn is None else rounds
    played = contest.play(schedule)
    result = describe_ordered(contest, played, opponents)
    return result if opponents else replace(result, _drawn=draw_changes(contest, played))


def describe_ordered(
    contest: Contest, played: Played, opponents: int | None = None
) -> OrderedGames:
    """Return the result of games of a contest."""
    return conclude_ordered(
        played,
        contest.outcome,
        name=contest.name,
        groups=contest.problem.groups,
        opponents=opponents,
    )


def conclude_ordered(
    played: Played,
    outcome: Outcome,
    *,
    name: str,
    groups: IntArray | None,
    opponents: int | None = None,
) -> OrderedGames:
    """Return the result of games that were played."""
    return RESULTS[type(outcome)](
        standings=played.standings,
        outcome=outcome,
        _table=played.predictions,
        engine=played.engine,
        diagnostics=played.diagnostics,
        estimator_name=name,
        groups=groups,
        opponents=opponents,
    )
