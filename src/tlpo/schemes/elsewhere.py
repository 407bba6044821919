"""Games from elsewhere: drawn here, played anywhere, and analysed here again."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from tlpo.arrays import FloatArray, IntArray
from tlpo.checks import RandomState, require_choice
from tlpo.engines.base import ELSEWHERE, Decided, say_idle
from tlpo.errors import InputError, arg, explain
from tlpo.execution.diagnostics import Diagnostics, outside
from tlpo.execution.options import Execution, keeps_predictions
from tlpo.games.response import Link, outcomes
from tlpo.games.schedule import Schedule, draw_rounds, find_rounds, is_connected, require_rounds
from tlpo.plurals import counted
from tlpo.problem.labels import object_safe
from tlpo.problem.outcome import Classes, Outcome, SeveralClasses, TimeToEvent
from tlpo.problem.playable import admit
from tlpo.problem.problem import Problem, make_problem, means_several
from tlpo.results.concordance import Concordance
from tlpo.results.curves import CURVES
from tlpo.results.multiclass import Multiclass
from tlpo.results.probabilities import ROUNDING
from tlpo.results.survival import Survival
from tlpo.results.tournament import Tournament
from tlpo.roc.several import unordered
from tlpo.schemes.games_table import GamesTable, read_games, require_ids
from tlpo.schemes.multiclass import conclude_multiclass, require_all_games
from tlpo.schemes.ordered_games import conclude_ordered
from tlpo.schemes.survival import join_times
from tlpo.schemes.tournament import conclude_tournament
from tlpo.synonyms import refuse_foreign_arguments

if TYPE_CHECKING:
    import pandas as pd

Scale = Literal["score", "probability", "log-odds", "rank"]
SCALES = ("score", "probability", "log-odds", "rank")
Result: TypeAlias = Tournament | Concordance | Survival | Multiclass

NOT_CHECKED = (
    "The games were played elsewhere. That no model had seen the two units that it compared, in "
    "training or in any step before, cannot be checked here."
)
NO_PREDICTIONS = "no predictions were passed"
# If at least this share of a schedule was played, games are missing; otherwise it is a part.
NEARLY_ALL = 0.95


@refuse_foreign_arguments
def pairs(
    y: Any,
    event: Any = None,
    *,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    exclude: Any = None,
    rounds: int | None = None,
    random_state: RandomState = None,
    ids: Any = None,
    train: bool = False,
) -> pd.DataFrame:
    """List the games of a tournament, to be played elsewhere: in R, on a GPU, on a cluster.

    Train a model without both units of each game, write down what it predicts for i and for j, and
    pass the table to `from_predictions`.

    Parameters
    ----------
    y : array-like of shape (m,)
        The outcome: classes, or numbers and grades with ``order``, or times to an event. More than
        two labels without ``order`` and ``positive`` are several classes.
    event : array-like of shape (m,), optional
        Whether units had the event; y has the times. As in `survival`.
    positive, groups, exclude, rounds
        As in `tournament`; ``positive`` only to choose between two and several classes. Several
        classes play all games.
    order : True or sequence, optional
        y has numbers (True), or grades, listed from lowest to highest, as in `concordance`.
    random_state : int, RandomState or Generator, optional
        Seed of the order and, with ``rounds``, of the draw, which is that of `tournament`.
    ids : sequence of length m, optional
        What to call the units; their places in y, counted from 0, by default.
    train : bool
        Add a column with the units to train on: all but i, j, their groups, and those that
        ``exclude`` names.

    Returns
    -------
    pandas.DataFrame
        Columns ``game`` (counted from 1), ``i`` and ``j``, and ``train`` if asked for. Play them in
        this order: whenever you stop, no unit is more than two games behind another.

    Examples
    --------
    >>> import numpy as np
    >>> import tlpo
    >>> games = tlpo.pairs([0, 0, 0, 1, 1, 1], random_state=0)
    >>> len(games), games.columns.tolist()
    (15, ['game', 'i', 'j'])
    >>> np.bincount(games[["i", "j"]].to_numpy()[:9].ravel())
    array([3, 3, 3, 3, 3, 3])
    """
    import pandas as pd

    problem = _problem(y, event, positive, order, groups, exclude)
    m = problem.n_units
    require_all_games(problem.outcome, rounds)
    if rounds is None:
        admit(problem, Schedule(), may_skip=False)
        drawn = draw_rounds(m, m - 1, random_state).reshape(-1, 2)
    else:
        require_rounds(rounds, m)
        drawn = draw_rounds(m, rounds, random_state).reshape(-1, 2)
        admit(problem, Schedule(listed=drawn), may_skip=False)
    names = np.arange(m) if ids is None else require_ids(ids, m)
    table = pd.DataFrame(
        {"game": np.arange(1, len(drawn) + 1), "i": names[drawn[:, 0]], "j": names[drawn[:, 1]]}
    )
    if train:
        # In a loop: an array of arrays of one length would become a matrix.
        table["train"] = object_safe([names[problem.training_set(game)] for game in drawn])
    return table


@refuse_foreign_arguments
def from_predictions(
    games: Any,
    y: Any,
    event: Any = None,
    *,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    ids: Any = None,
    scale: Scale = "score",
    curve: Literal["auto", "tournament", "leave-pair-out"] = "auto",
    name: str = "model from elsewhere",
) -> Result:
    """Return the result of games that were played elsewhere, as if they had been played here.

    Parameters
    ----------
    games : DataFrame, mapping, structured array, or array of shape (m, m)
        Columns ``i`` and ``j`` (two units), ``prediction_i`` and ``prediction_j`` (what a model
        that had seen neither predicts for them; missing in both for a game not played yet). A
        larger prediction means: more likely positive; a larger outcome; an earlier event. Of
        several classes, a column for each: ``prediction_i_a``, ``prediction_j_a`` … for class a.
        ``game``, if there is one, gives the order in which games were drawn; other columns are
        ignored. Or a table F with ``F[i, j]`` the prediction for i of the model without i and j;
        of K classes, shape (K, m, m).
    y, event, positive, order
        The outcome, as in `pairs`.
    groups : array-like of shape (m,), optional
        Units that were left out together: intervals depend on it.
    ids : sequence of length m, optional
        What ``i`` and ``j`` call the units; their places in y, counted from 0, by default.
    scale : {"score", "probability", "log-odds", "rank"}
        What predictions are. ``"probability"`` of the positive class (or of each class) and
        ``"log-odds"`` give calibration too. ``"rank"``: any numbers that can be compared only with
        each other's, not with those of another game; then intervals, which otherwise see how
        predictions shift from model to model, double a variance instead, and say so.
    curve
        As in `tournament`.
    name : str
        What was evaluated.

    Returns
    -------
    Tournament, Concordance, Survival or Multiclass
        As `tournament`, `concordance`, `survival` or `multiclass` return it: the same games give
        the same numbers, to the last bit. If only some were played, as with ``rounds``: whole
        rounds, in the order of `pairs`, give the same numbers too; any other part gives the answer
        so far, with a warning.

    Notes
    -----
    Every pair must be there once, with two finite predictions. What cannot be checked is that no
    model had seen the two units that it compared; the result says so.

    Examples
    --------
    Nearest centroids, played by hand:

    >>> import numpy as np
    >>> import tlpo
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(0).normal(size=(30, 3)) + y[:, None]
    >>> games = tlpo.pairs(y, train=True, random_state=0)
    >>> def predict(train, unit):
    ...     far, near = (X[train[y[train] == k]].mean(axis=0) for k in (0, 1))
    ...     return np.sum((X[unit] - far) ** 2) - np.sum((X[unit] - near) ** 2)
    >>> for k in "ij":
    ...     games[f"prediction_{k}"] = [predict(g["train"], g[k]) for _, g in games.iterrows()]
    >>> t = tlpo.from_predictions(games, y, name="nearest centroid")
    >>> low, high = t.auc_interval()
    >>> f"AUC {t.auc:.2f} ({low:.2f} to {high:.2f})"
    'AUC 0.80 (0.58 to 0.91)'
    """
    if scale not in SCALES:
        require_choice("scale", scale, SCALES)
    if curve not in CURVES:
        require_choice("curve", curve, CURVES)
    if curve == "leave-pair-out" and scale == "rank":
        raise InputError(
            explain(
                "The leave-pair-out curve pools predictions of different models.",
                f"You passed {arg('curve', curve)} and {arg('scale', scale)}, which says that they "
                "cannot be compared.",
                "Leave out one of the two.",
            )
        )
    problem = _problem(y, event, positive, order, groups)
    outcome = problem.outcome
    table = read_games(games, outcome, ids)
    ceiling = _ceiling(scale, outcome, table)
    part = _part_of(table, outcome)
    is_whole = part.drawn is None and not part.failures
    admit(problem, Schedule() if is_whole else Schedule(listed=part.played), may_skip=False)
    responses = part.responses / outcome.unit
    decided = Decided(
        outcome,
        part.games,
        outcomes(responses[:, 0], responses[:, 1], ceiling),
        responses,
        ceiling,
        Diagnostics(failures=part.failures, warnings=(NOT_CHECKED, *part.remarks)),
    )
    _require_met(decided)
    if part.is_irregular:
        warnings.warn(" ".join(part.remarks), stacklevel=outside())
    execution = Execution(keep_predictions=keeps_predictions(problem.n_units))
    found = _conclude(decided, part, problem, execution, name, scale, curve)
    return found if scale != "rank" else replace(found, _are_comparable=False)


def _conclude(
    decided: Decided,
    part: _Part,
    problem: Problem,
    execution: Execution,
    name: str,
    scale: Scale,
    curve: str,
) -> Result:
    outcome, groups = problem.outcome, problem.groups
    if isinstance(outcome, SeveralClasses):
        each = replace(decided.by_class(part.schedule, execution), engine=ELSEWHERE)
        return conclude_multiclass(each, outcome, name=name, groups=groups)
    played = replace(decided.described(part.schedule, execution), engine=ELSEWHERE)
    if isinstance(outcome, Classes):
        link = _LINKS.get(scale, "its predictions are scores, not probabilities")
        return conclude_tournament(
            played, outcome, name=name, groups=groups, drawn=part.drawn, curve=curve, link=link
        )
    opponents = None if part.drawn is None else 2 * len(part.games) // problem.n_units
    found = conclude_ordered(played, outcome, name=name, groups=groups, opponents=opponents)
    assert isinstance(found, Concordance | Survival)
    return found


_LINKS = {"probability": Link(False, True), "log-odds": Link(True, True)}


class _Part(NamedTuple):
    """What was played of a tournament.

    Attributes
    ----------
    games, responses : ndarray
        Games, and predictions; NaN where they are missing.
    failures : dict
        How many games of the schedule are missing.
    remarks : tuple of str
        What the reader should know.
    drawn : ndarray of shape (R, g, 2) or None
        The rounds, if only a part of all pairs was to meet.
    is_irregular : bool
        Whether it is a part of another kind than rounds.
    """

    games: IntArray
    responses: FloatArray
    failures: dict[str, int]
    remarks: tuple[str, ...]
    drawn: IntArray | None = None
    is_irregular: bool = False

    @property
    def played(self) -> IntArray:
        """The games with predictions."""
        return self.games[~np.isnan(self.responses.reshape(len(self.games), -1)[:, 0])]

    @property
    def schedule(self) -> Schedule:
        """The games that were meant to be played."""
        return Schedule() if self.drawn is None else Schedule(listed=self.games)


def _part_of(table: GamesTable, outcome: Outcome) -> _Part:
    """Find out whether all games were played, whole rounds of them, or some."""
    m, is_played = outcome.n_units, table.is_played
    n_all, n_played = m * (m - 1) // 2, int(np.count_nonzero(is_played))
    played, responses = table.pairs[is_played], table.responses[is_played]
    said = _say_repeated(table.n_repeated)
    rounds = None if isinstance(outcome, SeveralClasses) else _rounds_of(table, m)
    # Whole rounds, and a schedule of rounds, are what they are even if hardly a game is missing.
    are_meant = rounds is not None and (rounds[..., 0].size == n_played or len(table.pairs) < n_all)
    if n_played >= NEARLY_ALL * n_all and not are_meant:
        failures, missing = _count_missing(n_all - n_played, n_all)
        return _Part(played, responses, failures, (*said, *missing, *_say_idle(played, m)))
    if rounds is not None:
        n_drawn = rounds[..., 0].size
        failures, missing = _count_missing(n_drawn - n_played, n_drawn)
        games, given = table.pairs[:n_drawn], table.responses[:n_drawn]
        said = (*said, *missing, *_say_idle(played, m))
        return _Part(games, given, failures, said, rounds)
    said = (*said, *_say_part(played, m))
    if isinstance(outcome, SeveralClasses):
        return _Part(played, responses, {NO_PREDICTIONS: n_all - n_played}, said, None, True)
    return _Part(played, responses, {}, said, played[None], True)


def _rounds_of(table: GamesTable, n_units: int) -> IntArray | None:
    """Return the rounds that were begun, if these are not all and hardly a game is missing."""
    rounds = find_rounds(table.pairs, n_units)
    if rounds is None:
        return None
    is_played = table.is_played
    begun = int(np.flatnonzero(is_played.reshape(rounds.shape[:2]).any(axis=1)).max()) + 1
    n_drawn = begun * rounds.shape[1]
    is_part = n_drawn < n_units * (n_units - 1) // 2
    is_there = np.count_nonzero(is_played) >= NEARLY_ALL * n_drawn
    return rounds[:begun] if is_part and is_there else None


def _count_missing(n_missing: int, n_games: int) -> tuple[dict[str, int], tuple[str, ...]]:
    if not n_missing:
        return {}, ()
    said = (
        f"{n_missing} of {n_games} games have no predictions; estimates rest on "
        f"{n_games - n_missing}."
    )
    return {NO_PREDICTIONS: n_missing}, (said,)


def _say_repeated(n_repeated: int) -> tuple[str, ...]:
    if not n_repeated:
        return ()
    rows = "row repeats" if n_repeated == 1 else "rows repeat"
    return (f"{n_repeated} {rows} a game with the same predictions; every game counts once.",)


def _say_part(played: IntArray, n_units: int) -> tuple[str, ...]:
    """Say how much of a tournament was played, and how unevenly."""
    counts = np.bincount(played.reshape(-1), minlength=n_units)
    said = [
        f"{len(played)} of {n_units * (n_units - 1) // 2} games have been played; estimates rest "
        "on these."
    ]
    if counts.max() - counts.min() > 2:
        said.append(
            f"Units have played {counts.min()} to {counts.max()} games, so the scores of some are "
            "rougher than those of others. Games played in the order in which they were drawn keep "
            "these numbers equal."
        )
    idle = _say_idle(played, n_units)
    if not idle and not is_connected(played, n_units):
        said.append(
            "The games fall into parts that have not met, and scores of different parts cannot be "
            "compared."
        )
    return (*said, *idle)


def _say_idle(played: IntArray, n_units: int) -> tuple[str, ...]:
    return say_idle(np.setdiff1d(np.arange(n_units), played))


def _problem(
    y: Any, event: Any, positive: Any, order: Any, groups: Any, exclude: Any = None
) -> Problem:
    """Check an outcome that comes without features."""
    if event is not None:
        y = join_times(y, event)
    n_units = y.n_units if isinstance(y, TimeToEvent) else len(y) if hasattr(y, "__len__") else 0
    return make_problem(
        np.empty((n_units, 0)),
        y,
        positive=positive,
        order=order,
        several=means_several(y, positive, order),
        groups=groups,
        exclude=exclude,
    )


def _ceiling(scale: Scale, outcome: Outcome, table: GamesTable) -> float:
    """Return the largest value a prediction can take, or refuse the scale."""
    takes = {"probability": (Classes, SeveralClasses), "log-odds": (Classes,)}
    if scale in takes and not isinstance(outcome, takes[scale]):
        raise InputError(
            explain(
                f"Only {'classes have' if scale == 'probability' else 'two classes have'} "
                "predictions on this scale.",
                f"You passed {arg('scale', scale)} and {outcome.count}.",
                f"Leave out {arg('scale')}: predictions are scores.",
            )
        )
    if scale != "probability":
        return np.inf
    low, high = np.nanmin(table.responses), np.nanmax(table.responses)
    if low < -ROUNDING or high > 1.0 + ROUNDING:
        raise InputError(
            explain(
                "Probabilities lie between 0 and 1.",
                f"You passed {arg('scale', scale)} and predictions from {low:.4g} to {high:.4g}.",
                f"Divide per cents by 100; pass {arg('scale', 'log-odds')} or "
                f"{arg('scale', 'score')} if that is what they are.",
            )
        )
    return 1.0


def _require_met(decided: Decided) -> None:
    """Refuse games between units of which nobody should win."""
    outcome, games = decided.who_wins, decided.games
    finished = ~np.isnan(decided.outcome.reshape(len(games), -1)[:, 0])
    met = outcome.are_ordered(*games[finished].T)
    which = "between ordered units"
    if isinstance(outcome, Classes):
        which = "between the classes"
    if isinstance(outcome, SeveralClasses):
        codes = np.sort(outcome.code[games[finished]], axis=1)
        for a, b in unordered(len(outcome.names)):
            if not (codes == (a, b)).all(axis=1).any():
                which = f"between classes {outcome.names[a]!r} and {outcome.names[b]!r}"
                met = np.zeros(1, dtype=bool)
                break
    if not met.any():
        raise InputError(
            explain(
                f"No game {which} has been played yet.",
                f"You passed {counted(int(np.count_nonzero(finished)), 'game')} with predictions "
                f"among {outcome.count}.",
                "Play more games, in the order in which they were drawn.",
            )
        )
