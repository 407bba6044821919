"""A table of games that were played elsewhere: who met whom, and what was predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tlpo.arrays import BoolArray, FloatArray, IntArray
from tlpo.errors import InputError, arg, enumerate_briefly, explain
from tlpo.games.schedule import all_pairs
from tlpo.plurals import counted
from tlpo.problem.labels import missing, object_safe
from tlpo.problem.outcome import Outcome, SeveralClasses

# Returns what to call a game, by its row.
Call = Callable[[int], str]


class GamesTable(NamedTuple):
    """Games, each once, in the order in which they were drawn.

    Attributes
    ----------
    pairs : ndarray of shape (g, 2)
        The units of each, the lower index first.
    responses : ndarray of shape (g, 2), or (g, 2, K) for several classes
        What was predicted for them; NaN for a game that was not played yet.
    n_repeated : int
        Rows that repeat a game, with the same predictions, and were left out.
    """

    pairs: IntArray
    responses: FloatArray
    n_repeated: int

    @property
    def is_played(self) -> BoolArray:
        """Which games have predictions."""
        return ~np.isnan(self.responses.reshape(len(self.pairs), -1)[:, 0])


def read_games(games: Any, outcome: Outcome, ids: Any = None) -> GamesTable:
    """Read a table of games, or the m × m table of predictions, and check it.

    Parameters
    ----------
    games : DataFrame, mapping, structured array or array
        As in `tlpo.from_predictions`.
    outcome : Outcome
        Who should win.
    ids : sequence, optional
        What ``i`` and ``j`` call the units; their places, counted from 0, by default.
    """
    names = _names_of(games)
    if names is None:
        return _of_matrix(games, outcome)
    pairs = find_units(_column(games, names, "i"), _column(games, names, "j"), outcome.n_units, ids)
    columns = [
        [_predictions(_column(games, names, name), name) for name in both]
        for both in prediction_columns(outcome)
    ]
    _require_same_length(pairs, columns)
    responses = np.stack([np.column_stack(both) for both in columns], axis=2)
    order, call = _order(games, names, len(pairs))
    _require_finite(responses, call)
    _require_whole(responses, call)
    pairs, responses = pairs[order], responses[order]
    swapped = pairs[:, 0] > pairs[:, 1]
    pairs[swapped], responses[swapped] = pairs[swapped, ::-1], responses[swapped, ::-1]
    once, n_repeated = _each_once(pairs, responses, outcome.n_units, lambda k: call(int(order[k])))
    return _checked(pairs[once], responses[once], outcome, n_repeated)


def _require_same_length(pairs: IntArray, columns: list[list[FloatArray]]) -> None:
    lengths = {len(pairs), *(values.size for both in columns for values in both)}
    if len(lengths) > 1:
        raise InputError(
            explain(
                "All columns must have one value per game.",
                f"You passed columns of {' and '.join(map(str, sorted(lengths)))} values.",
                "Check that none was filtered without the others.",
            )
        )


def prediction_columns(outcome: Outcome) -> list[tuple[str, str]]:
    """Name the columns of predictions for both units; of several classes, for each."""
    if not isinstance(outcome, SeveralClasses):
        return [("prediction_i", "prediction_j")]
    return [(f"prediction_i_{name}", f"prediction_j_{name}") for name in outcome.names]


def find_units(first: Any, second: Any, n_units: int, ids: Any = None) -> IntArray:
    """Return the places of the units that two columns name, as rows."""
    if len(first) != len(second):
        raise InputError(
            explain(
                "Columns i and j must have one value per game.",
                f"You passed {len(first)} and {len(second)} values.",
                "Check that neither was filtered without the other.",
            )
        )
    found = np.empty((len(first), 2), dtype=np.intp)
    known = None
    if ids is not None:
        known = {name: k for k, name in enumerate(require_ids(ids, n_units).tolist())}
    for k, values in enumerate((first, second)):
        found[:, k] = (
            _numbered(values, n_units) if known is None else _called(values, "ij"[k], known)
        )
    itself = np.flatnonzero(found[:, 0] == found[:, 1])
    if itself.size:
        raise InputError(
            explain(
                "No unit plays against itself.",
                f"You passed {counted(itself.size, 'game')} in which i and j are the same, the "
                f"first in row {itself[0]}.",
                "Leave them out.",
            )
        )
    return found


def _names_of(games: Any) -> list[str] | None:
    """Return the names of columns; None for an array without."""
    if isinstance(games, Mapping):
        return [str(name) for name in games]
    if getattr(games, "columns", None) is not None:
        return [str(name) for name in games.columns]
    names = getattr(getattr(games, "dtype", None), "names", None)
    return None if names is None else list(names)


def _column(games: Any, names: Sequence[str], name: str) -> npt.NDArray[Any]:
    if name not in names:
        raise InputError(
            explain(
                f"The games have no column {name!r}.",
                f"You passed the columns {enumerate_briefly(names, 12)}.",
                "Columns i and j say who met, and predictions for them are in "
                f"{'columns such as ' if name.count('_') > 1 else ''}"
                f"{name if name.startswith('prediction') else 'prediction_i and prediction_j'}.",
            )
        )
    values = object_safe(games[name])
    if values.ndim != 1:
        raise InputError(
            explain(
                f"Column {name!r} must have one value per game.",
                f"You passed values of shape {values.shape}.",
                "Check that no two columns have this name.",
            )
        )
    return values


def _order(games: Any, names: Sequence[str], n_games: int) -> tuple[IntArray, Call]:
    """Return rows in the order of the numbers of games, if these have any, and call them."""
    if "game" in names:
        try:
            numbers = np.asarray(_column(games, names, "game"), dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.array(np.nan)
        if numbers.shape == (n_games,) and np.isfinite(numbers).all():
            return np.argsort(numbers, kind="stable"), lambda k: f"game {numbers[k]:.15g}"
    return np.arange(n_games), lambda k: f"row {k}"


def _listed(call: Call, which: BoolArray) -> str:
    """Count games, and name the first."""
    found = np.flatnonzero(which)
    first = ", ".join(call(int(k)) for k in found[:3])
    return f"{counted(found.size, 'game')} ({first}{', …' if found.size > 3 else ''})"


def _predictions(values: npt.NDArray[Any], name: str) -> FloatArray:
    absent = missing(values)
    numbers = np.full(values.size, np.nan)
    try:
        if values.dtype.kind == "c":
            raise TypeError
        numbers[~absent] = values[~absent].astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            explain(
                "Predictions must be numbers.",
                f"You passed a column {name} with {_first_text(values[~absent])!r}.",
                "Write one number per game; leave the cell empty for a game not played yet.",
            )
        ) from error
    return numbers


def _first_text(values: npt.NDArray[Any]) -> Any:
    for value in values.tolist():
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return values[0]


def _require_finite(responses: FloatArray, call: Call) -> None:
    infinite = np.asarray(np.isinf(responses).any(axis=(1, 2)))
    if infinite.any():
        raise InputError(
            explain(
                "Predictions must be finite.",
                f"You passed infinite ones in {_listed(call, infinite)}.",
                "Find out why the model gave them; leave the predictions of both units missing in "
                "a game that could not be played.",
            )
        )


def _require_whole(responses: FloatArray, call: Call) -> None:
    """Refuse games of which some predictions are there and others not."""
    gone = np.isnan(responses.reshape(len(responses), -1))
    half = np.asarray(gone.any(axis=1) & ~gone.all(axis=1))
    if half.any():
        raise InputError(
            explain(
                "A game needs the predictions of one model for both units.",
                f"You passed only some of them in {_listed(call, half)}.",
                "Fill them in, or leave all predictions of a game missing if it was not played.",
            )
        )


def _each_once(
    pairs: IntArray, responses: FloatArray, n_units: int, call: Call
) -> tuple[IntArray, int]:
    """Return which rows to keep, one for every pair, and how many repeat another."""
    code = pairs[:, 0] * n_units + pairs[:, 1]
    gone = np.isnan(responses.reshape(len(responses), -1)[:, 0])
    # Of a pair that is there several times, rows with predictions come first.
    order = np.lexsort((np.arange(code.size), gone, code))
    repeats = np.flatnonzero(code[order][1:] == code[order][:-1]) + 1
    before, after = order[repeats - 1], order[repeats]
    same = gone[after] | (responses[before] == responses[after]).all(axis=(1, 2))
    if not same.all():
        k = min(np.flatnonzero(~same), key=lambda k: min(before[k], after[k]))
        raise InputError(
            explain(
                "A pair of units was played twice, with different predictions.",
                f"You passed {counted(int(np.count_nonzero(~same)), 'such pair')}, for example in "
                f"{call(int(before[k]))} and {call(int(after[k]))}.",
                "Keep the first that was played, not the one that looks better.",
            )
        )
    keep = np.ones(code.size, dtype=bool)
    keep[after] = False
    return np.flatnonzero(keep), int(np.count_nonzero(~gone[after]))


def _of_matrix(games: Any, outcome: Outcome) -> GamesTable:
    """Read ``F[i, j]``, the prediction for i of the model without i and j."""
    m, several = outcome.n_units, isinstance(outcome, SeveralClasses)
    shape = (outcome.n_columns, m, m) if several else (m, m)
    try:
        F = np.asarray(games, dtype=np.float64)
    except (TypeError, ValueError):
        F = np.array(np.nan)
    if F.shape != shape:
        raise InputError(
            explain(
                "games must be a table with columns i, j, prediction_i and prediction_j, or an "
                f"array of shape {shape}.",
                f"You passed an object of type {type(games).__name__} and shape {np.shape(F)}.",
                "In the array, F[i, j] is what the model trained without i and j predicts for i"
                f"{'; one such array for every class' if several else ''}.",
            )
        )
    pairs = all_pairs(m)
    first, second = pairs.T
    tables = F if several else F[None]
    responses = np.stack([np.column_stack([f[first, second], f[second, first]]) for f in tables], 2)

    def call(k: int) -> str:
        return str(pairs[k].tolist())

    _require_finite(responses, call)
    _require_whole(responses, call)
    return _checked(pairs, responses, outcome, 0)


def _checked(
    pairs: IntArray, responses: FloatArray, outcome: Outcome, n_repeated: int
) -> GamesTable:
    if not isinstance(outcome, SeveralClasses):
        responses = responses[:, :, 0]
    found = GamesTable(pairs, responses, n_repeated)
    if not found.is_played.any():
        raise InputError(
            explain(
                "No game has been played yet.",
                f"You passed {len(pairs)} games without predictions.",
                "Fill in what the models predict for i and j.",
            )
        )
    return found


def _numbered(values: npt.NDArray[Any], n_units: int) -> IntArray:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not (np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all()):
        raise InputError(
            explain(
                "i and j must be the places of units in y, counted from 0.",
                f"You passed {enumerate_briefly(dict.fromkeys(values.tolist()), 3)}.",
                f"If they are names, say whose: {arg('ids', ...)} has the name of every unit.",
            )
        )
    outside = numbers[(numbers < 0) | (numbers >= n_units)]
    if outside.size:
        from_one = outside.min() == n_units and numbers.min() >= 1
        raise InputError(
            explain(
                "Some games are between units that y does not have.",
                f"You passed {enumerate_briefly(np.unique(outside).astype(np.int64), 3)} for "
                f"{n_units} units, which are counted from 0.",
                "If you count from 1, pass ids=range(1, len(y) + 1)."
                if from_one
                else "Check that games and y are of the same units.",
            )
        )
    return numbers.astype(np.intp)


def require_ids(ids: Any, n_units: int) -> npt.NDArray[Any]:
    """Return the names of the units, each of which has its own."""
    names = object_safe(list(ids) if isinstance(ids, range) else ids).reshape(-1)
    if names.size != n_units:
        raise InputError(
            explain(
                f"{arg('ids')} must have one name per unit.",
                f"You passed {names.size} names for {n_units} units.",
                "Check that neither was filtered without the other.",
            )
        )
    absent = missing(names)
    again = [name for name, n in Counter(names[~absent].tolist()).items() if n > 1]
    if absent.any() or again:
        raise InputError(
            explain(
                f"Every unit needs a name of its own in {arg('ids')}.",
                f"You passed {enumerate_briefly(again, 3)} more than once."
                if again
                else f"You passed {np.count_nonzero(absent)} missing names.",
                f"Leave out {arg('ids')}: units are then numbered.",
            )
        )
    return names


def _called(values: npt.NDArray[Any], column: str, known: dict[Any, int]) -> IntArray:
    places = [known.get(value, -1) for value in values.tolist()]
    if -1 in places:
        unknown = [v for v, place in zip(values.tolist(), places, strict=True) if place < 0]
        raise InputError(
            explain(
                "Some games are between units that are not known.",
                f"You passed {enumerate_briefly(dict.fromkeys(unknown), 3)} in column {column}; "
                f"units are called {enumerate_briefly(list(known), 3)}.",
                "Check that the games belong to these units, and that names are written alike: "
                "7 and '7' differ.",
            )
        )
    return np.array(places, dtype=np.intp)
