"""One share of the games of every slow model, for a run that is divided among machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tlpo.analysis.models import Model, make_runs
from tlpo.analysis.options import Options
from tlpo.execution.journal import Journal
from tlpo.games.schedule import Schedule
from tlpo.tables.build_sample import Sample


def play_shards(
    sample: Sample,
    models: Sequence[Model],
    options: Options,
    path: Path,
    shard: tuple[int, int],
    say: Callable[[str], None] = lambda _: None,
) -> bool:
    """Play a share of the games of every model that must be refitted.

    Returns
    -------
    bool
        Whether there was any such model, and the journal at ``path`` was written.
    """
    slow = []
    for model, contest in make_runs(sample, models, options):
        exact = contest.exact_engine(Schedule())
        if exact is None:
            slow.append(model)
        else:
            say(f"{model.name} needs no refits (engine {exact.engine}): left to the last run.")
    if not slow:
        return False
    with Journal(path) as journal:
        for model, contest in make_runs(sample, slow, options, journal):
            say(f"Playing shard {shard[0]} of {shard[1]} of {model.name} …")
            contest.play_share(Schedule(), shard)
    return True
