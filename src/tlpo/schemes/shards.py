"""A long tournament in parts: each machine plays a share, and the journals are joined."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tlpo.checks import RandomState, require_choice
from tlpo.errors import InputError, explain
from tlpo.execution.journal import Part, merge_journals
from tlpo.games.contest import Contest, ContestOptions, OnError
from tlpo.problem.outcome import Classes, Ordered, Outcome, SeveralClasses, TimeToEvent
from tlpo.problem.problem import means_several
from tlpo.schemes.multiclass import require_all_games
from tlpo.schemes.tournament import plan
from tlpo.synonyms import refuse_foreign_arguments

# Which function plays an outcome.
FUNCTIONS: dict[type[Outcome], str] = {
    Classes: "tournament",
    SeveralClasses: "multiclass",
    Ordered: "concordance",
    TimeToEvent: "survival",
}


@refuse_foreign_arguments
def play_shard(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    shard: str,
    journal: str | Path,
    positive: Any = None,
    order: Any = None,
    groups: Any = None,
    exclude: Any = None,
    rounds: int | None = None,
    random_state: RandomState = None,
    engine: str = "auto",
    n_jobs: int | None = None,
    progress: bool = False,
    params: Mapping[str, Any] | None = None,
    on_error: OnError = "raise",
) -> Path:
    """Play one share of a tournament's games and keep them in the shard's own journal.

    Play every shard, on as many machines as you have, join the journals with `merge` (or
    ``tlpo merge``), and call `tournament` with the joined journal: it finds every game played.

    Parameters
    ----------
    estimator, X, y, positive, groups, exclude, rounds, random_state, engine, n_jobs, progress, \
    params, on_error
        As in `tournament`; they must be the same in every shard and in the final call. If y has
        more than two labels and neither ``positive`` nor ``order`` is passed, the shard is of a
        `multiclass`, which plays all games: it has no ``rounds``.
    order : True or sequence, optional
        The shard is of a `concordance`: True for numbers and ordered categories, or the grades from
        lowest to highest.
    shard : str
        Which share, such as ``"3/100"``: the third of a hundred.
    journal : path
        The journal of the whole run, such as ``"run.tlpo"``. The shard writes beside it, here
        ``run.3-of-100.tlpo``; interrupted, it resumes from there.

    Returns
    -------
    Path
        The journal of the shard.

    Examples
    --------
    Three shards, on one machine or on three; then one call that finds every game played:

    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> import tlpo
    >>> X, y = [[k % 5, k % 3] for k in range(12)], [0, 1, 1] * 4
    >>> model = AdaBoostClassifier(n_estimators=2, random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> run = Path(folder.name) / "run.tlpo"
    >>> shards = [tlpo.play_shard(model, X, y, shard=f"{k}/3", journal=run) for k in (1, 2, 3)]
    >>> [shard.name for shard in shards]
    ['run.1-of-3.tlpo', 'run.2-of-3.tlpo', 'run.3-of-3.tlpo']
    >>> joined = tlpo.merge(run, shards)
    >>> t = tlpo.tournament(model, X, y, journal=run)
    >>> t.diagnostics.pairs_played, round(t.auc, 3)
    (66, 1.0)
    >>> folder.cleanup()
    """
    k, n = parse_shard(shard)
    require_choice("engine", engine, ("auto", "refit"))
    path = shard_path(Path(journal), (k, n))
    options = ContestOptions(
        positive=positive,
        order=order,
        several=means_several(y, positive, order),
        groups=groups,
        exclude=exclude,
        params=params,
        engine=engine,
        n_jobs=n_jobs,
        progress=progress,
        on_error=on_error,
        journal=path,
    )
    contest = Contest(estimator, X, y, options)
    require_all_games(contest.outcome, rounds)
    schedule, _ = plan(contest, rounds, random_state)
    exact = contest.exact_engine(schedule)
    if exact is not None:
        raise InputError(
            explain(
                "There is nothing to divide into shards.",
                f"You passed {type(estimator).__name__}, which engine {exact.engine!r} plays "
                "without refitting.",
                f"Call {FUNCTIONS[type(contest.outcome)]}, or pass engine='refit'.",
            )
        )
    contest.play_share(schedule, (k, n))
    return path


def merge(journal: str | Path, shards: str | Path | Sequence[str | Path]) -> dict[str, Part]:
    """Join journals of the same run into one.

    Parameters
    ----------
    journal : path
        Where to write; an existing journal is extended.
    shards : path or sequence of path
        The journals to join. They are only read.

    Returns
    -------
    dict of str to Part
        What the joined journal holds, by the name of the run.

    Raises
    ------
    JournalError
        If they do not belong together; then nothing is written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.ensemble import AdaBoostClassifier
    >>> import tlpo
    >>> X, y = [[k] for k in range(10)], [0, 1] * 5
    >>> model = AdaBoostClassifier(n_estimators=2, random_state=0)
    >>> folder = tempfile.TemporaryDirectory()
    >>> run = Path(folder.name) / "run.tlpo"
    >>> shards = [tlpo.play_shard(model, X, y, shard=k, journal=run) for k in ("1/2", "2/2")]
    >>> list(tlpo.merge(run, shards))
    ['tournament']
    >>> run.exists()
    True
    >>> folder.cleanup()
    """
    paths = [Path(path) for path in ([shards] if isinstance(shards, str | Path) else shards)]
    if not paths:
        raise InputError(
            explain(
                "There is nothing to merge.",
                "You passed no journals of shards.",
                "Check that they have been written, and that a pattern matches them.",
            )
        )
    return merge_journals(Path(journal), paths)


def parse_shard(text: str) -> tuple[int, int]:
    """Read "3/100".

    Examples
    --------
    >>> parse_shard("3/100")
    (3, 100)
    """
    found = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", str(text))
    k, n = (int(part) for part in found.groups()) if found else (0, 0)
    if not 1 <= k <= n:
        raise InputError(
            explain(
                "A shard is a number and how many there are, counted from one.",
                f"You passed {text!r}.",
                "For example '3/100', the third of a hundred.",
            )
        )
    return k, n


def shard_path(journal: Path, shard: tuple[int, int]) -> Path:
    """Name the journal of a shard.

    Examples
    --------
    >>> str(shard_path(Path("out/run.tlpo"), (3, 100)))
    'out/run.3-of-100.tlpo'
    """
    k, n = shard
    return journal.with_name(f"{journal.stem}.{k}-of-{n}{journal.suffix}")
