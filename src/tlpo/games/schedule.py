"""Which games are to be played: all, those between ordered units, a list, or rounds of some.

Rounds. With an even number of units, the circle method arranges all games into m − 1 rounds in
which each unit plays once; some of these rounds are drawn. With an odd number one unit would have
to sit out, so a round is a cycle instead: unit k meets the units k ± d, and each unit plays twice.
Units are numbered at random first, which makes every pair equally likely to meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tlpo.arrays import IntArray
from tlpo.checks import RandomState, require_count, seed_sequence
from tlpo.errors import InputError, arg, explain
from tlpo.problem.outcome import Outcome, TimeToEvent

Pairs = Literal["all", "ordered"]


@dataclass(frozen=True, eq=False)
class Schedule:
    """The games to play: all pairs, all ordered pairs, or a list of games.

    Attributes
    ----------
    kind : {"all", "ordered"}
        Which pairs may play: ordered are those of which one unit should win.
    listed : ndarray of shape (g, 2) or None
        The games, lower index first, if only some of these pairs play.
    why : str
        Where the list comes from, in a few words.
    """

    kind: Pairs = "all"
    listed: IntArray | None = None
    why: str = "some"

    @property
    def is_ordered(self) -> bool:
        """Whether peers do not play: of two classes, only units of opposite class do."""
        return self.kind == "ordered"

    def least_off_mode(self, outcome: Outcome) -> int:
        """Return how many units must differ from the most common outcome.

        Of two classes these are the units of the smaller one, and games between ordered units hold
        out one of them; of times to an event, those that had it.
        """
        return 2 if self.is_ordered and not isinstance(outcome, TimeToEvent) else 3

    def n_games(self, outcome: Outcome) -> int:
        """Count the games."""
        if self.listed is not None:
            return len(self.listed)
        m = outcome.n_units
        return outcome.n_ordered if self.is_ordered else m * (m - 1) // 2

    def games(self, outcome: Outcome) -> IntArray:
        """List the games, one per row."""
        if self.listed is not None:
            return self.listed
        try:
            return ordered_pairs(outcome) if self.is_ordered else all_pairs(outcome.n_units)
        except MemoryError as error:
            raise InputError(
                explain(
                    "The list of all games does not fit into memory.",
                    f"You passed {outcome.n_units} units, which play "
                    f"{self.n_games(outcome)} games.",
                    "Pass fewer units, or play a part of the games, for example "
                    "tournament(…, rounds=20).",
                )
            ) from error


def all_pairs(n_units: int) -> IntArray:
    """List every pair (i, j) with i < j, as rows."""
    return np.column_stack(np.triu_indices(n_units, k=1))


def ordered_pairs(outcome: Outcome) -> IntArray:
    """List every pair of which one unit should win, as rows, lower index first."""
    pairs = np.column_stack(outcome.should_win())
    pairs.sort(axis=1)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def require_rounds(rounds: int, n_units: int) -> None:
    """Refuse a number of opponents that cannot be the same for every unit."""
    require_count("rounds", rounds, 2, n_units - 1, "the number of opponents there are")
    if n_units % 2 and rounds % 2:
        raise InputError(
            explain(
                "An odd number of units cannot play an odd number of games each.",
                f"You passed {arg('rounds', rounds)} for {n_units} units.",
                f"Use {arg('rounds', rounds - 1)} or {arg('rounds', rounds + 1)}.",
            )
        )


def draw_rounds(n_units: int, opponents: int, random_state: RandomState) -> IntArray:
    """Draw rounds in which each unit meets ``opponents`` others, and all are connected.

    Returns
    -------
    ndarray of shape (R, g, 2)
        The games of every round, lower index first. R is ``opponents``, or half of it if the
        number of units is odd. Depends on nothing but the two numbers and the seed.

    Examples
    --------
    >>> games = draw_rounds(6, 3, random_state=0)
    >>> games.shape
    (3, 3, 2)
    >>> np.bincount(games.ravel())
    array([3, 3, 3, 3, 3, 3])
    """
    rng = np.random.default_rng(seed_sequence(random_state))
    is_odd = n_units % 2 == 1
    there_are = (n_units - 1) // 2 if is_odd else n_units - 1
    wanted = opponents // 2 if is_odd else opponents
    arranged = _cycle if is_odd else _matching
    while True:
        names = rng.permutation(n_units)
        drawn = rng.choice(there_are, wanted, replace=False)
        games = np.stack([names[arranged(n_units, int(k))] for k in drawn])
        games.sort(axis=2)
        if is_connected(games.reshape(-1, 2), n_units):
            return games


def find_rounds(games: IntArray, n_units: int) -> IntArray | None:
    """Return games, in the order in which they were drawn, by rounds; None if these are not whole.

    Examples
    --------
    >>> drawn = draw_rounds(6, 3, random_state=0)
    >>> np.array_equal(find_rounds(drawn.reshape(-1, 2), 6), drawn)
    True
    >>> find_rounds(drawn.reshape(-1, 2)[1:], 6) is None
    True
    """
    each = 2 if n_units % 2 else 1  # games of every unit in a round
    size = n_units * each // 2
    if not len(games) or len(games) % size:
        return None
    rounds = games.reshape(-1, size, 2)
    counts = [np.bincount(one.reshape(-1), minlength=n_units) for one in rounds]
    return rounds if np.all(np.array(counts) == each) else None


def _matching(n_units: int, k: int) -> IntArray:
    """Return round k of the circle method: one unit stands still, the others move on by one."""
    circle = n_units - 1
    step = np.arange(1, n_units // 2)
    moving = np.column_stack([(k + step) % circle, (k - step) % circle])
    return np.concatenate([[[k, circle]], moving])


def _cycle(n_units: int, k: int) -> IntArray:
    """Return the games of every unit with the one k + 1 places on."""
    unit = np.arange(n_units)
    return np.column_stack([unit, (unit + k + 1) % n_units])


def is_connected(games: IntArray, n_units: int) -> bool:
    """Return whether games lead from every unit to every other."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    graph = sparse.coo_matrix((np.ones(len(games)), games.T), shape=(n_units, n_units))
    return int(connected_components(graph, directed=False)[0]) == 1
