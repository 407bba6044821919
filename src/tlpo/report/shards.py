"""One share of the games of every slow model, for a run that is divided among machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tlpo.engines.base import Execution
from tlpo.execution.journal import Journal
from tlpo.problem.problem import make_problem
from tlpo.report.models import Model
from tlpo.report.options import Options
from tlpo.report.understand import Sample
from tlpo.schedule import Schedule
from tlpo.schemes.shards import needs_no_refits, play_share


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
    for model in models:
        problem = make_problem(
            model.features(sample),
            sample.y,
            positive=sample.labels.positive,
            groups=sample.groups,
        )
        exact = needs_no_refits(model.estimator, problem)
        if exact is None:
            slow.append((model, problem))
        else:
            say(f"{model.name} needs no refits (engine {exact}): left to the last run.")
    if not slow:
        return False
    execution = Execution(options.n_jobs, options.progress, shard=shard)
    with Journal(path) as journal:
        for model, problem in slow:
            say(f"Playing shard {shard[0]} of {shard[1]} of {model.name} …")
            chapter = journal.under(model.name)
            play_share(model.estimator, problem, Schedule(), chapter, execution)
    return True
