"""Which games are to be played: all, those between the classes, a list, or rounds of some.

Rounds. With an even number of units, the circle method arranges all games into m − 1 rounds in
which each unit plays once; some of these rounds are drawn. With an odd number one unit would have
to sit out, so a round is a cycle instead: unit k meets the units k ± d, and each unit plays twice.
Units are numbered at random first, which makes every pair equally likely to meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tlpo.arrays import IntArray
from tlpo.checks import RandomState, require_count, seed_sequence
from tlpo.errors import InputError, arg, explain

Pairs = Literal["all", "opposite"]


@dataclass(frozen=True, eq=False)
class Schedule:
    """The games to play: all pairs, all pairs of opposite class, or a list of games.

    Attributes
    ----------
    kind : {"all", "opposite"}
        Which pairs may play.
    listed : ndarray of shape (g, 2) or None
        The games, lower index first, if only some of these pairs play.
    why : str
        Where the list comes from, in a few words.
    """

    kind: Pairs = "all"
    listed: IntArray | None = None
    why: str = "some"

    @property
    def is_opposite(self) -> bool:
        """Whether only units of opposite class play."""
        return self.kind == "opposite"

    @property
    def least_per_class(self) -> int:
        """Units of each class that are needed to leave one to train on."""
        return 2 if self.is_opposite else 3

    def n_games(self, is_positive: npt.NDArray[np.bool_]) -> int:
        """Count the games."""
        if self.listed is not None:
            return len(self.listed)
        m, n_positive = is_positive.size, int(np.count_nonzero(is_positive))
        return n_positive * (m - n_positive) if self.is_opposite else m * (m - 1) // 2

    def games(self, is_positive: npt.NDArray[np.bool_]) -> IntArray:
        """List the games, one per row."""
        if self.listed is not None:
            return self.listed
        try:
            return opposite_pairs(is_positive) if self.is_opposite else all_pairs(is_positive.size)
        except MemoryError as error:
            raise InputError(
                explain(
                    "The list of all games does not fit into memory.",
                    f"You passed {is_positive.size} units, which play "
                    f"{self.n_games(is_positive)} games.",
                    "Pass fewer units, or play a part of the games, for example "
                    "tournament(…, rounds=20).",
                )
            ) from error


def all_pairs(n_units: int) -> IntArray:
    """List every pair (i, j) with i < j, as rows."""
    return np.column_stack(np.triu_indices(n_units, k=1))


def opposite_pairs(is_positive: npt.NDArray[np.bool_]) -> IntArray:
    """List every pair of a positive and a negative unit, as rows, lower index first."""
    positives, negatives = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    pairs = np.column_stack(
        [np.repeat(positives, negatives.size), np.tile(negatives, positives.size)]
    )
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
        if _is_connected(games.reshape(-1, 2), n_units):
            return games


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


def _is_connected(games: IntArray, n_units: int) -> bool:
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    graph = sparse.coo_matrix((np.ones(len(games)), games.T), shape=(n_units, n_units))
    return int(connected_components(graph, directed=False)[0]) == 1
