"""The games of a tournament as short text: one line per unit, one character per later unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlpo.arrays import FloatArray

# Beyond so many units nobody could see a cell of the picture, and the text would grow long.
MOST_UNITS = 400
WON, LOST, TIED, MISSING = "1", "0", "=", "."
_VALUES = {WON: 1.0, LOST: 0.0, TIED: 0.5, MISSING: np.nan}
_NAMES = {1.0: WON, 0.0: LOST, 0.5: TIED}


def pack_games(wins: FloatArray) -> list[str]:
    """Write a win matrix as text; the games against earlier units follow from theirs.

    Examples
    --------
    >>> pack_games(np.array([[np.nan, 1.0, 0.5], [0.0, np.nan, np.nan], [0.5, np.nan, np.nan]]))
    ['1=', '.', '']
    """
    return [
        "".join(_NAMES.get(float(game), MISSING) for game in row[k + 1 :])
        for k, row in enumerate(wins)
    ]


def unpack_games(lines: Sequence[str]) -> FloatArray:
    """Read the win matrix back.

    Examples
    --------
    >>> unpack_games(["1=", ".", ""])
    array([[nan, 1. , 0.5],
           [0. , nan, nan],
           [0.5, nan, nan]])
    """
    wins = np.full((len(lines), len(lines)), np.nan)
    for k, line in enumerate(lines):
        wins[k, k + 1 :] = [_VALUES[game] for game in line]
        wins[k + 1 :, k] = 1.0 - wins[k, k + 1 :]
    return wins
