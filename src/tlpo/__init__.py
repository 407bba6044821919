"""Honest ROC analysis for small samples: tournament leave-pair-out cross-validation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tlpo.displays import RocDisplay, SchemesDisplay, ScoreDisplay, TournamentDisplay
    from tlpo.errors import EngineError, GameError, InputError, JournalError
    from tlpo.learners import RLS, InverseDistanceKNN
    from tlpo.results.comparison import compare
    from tlpo.results.tournament import Tournament
    from tlpo.roc.planning import planning_table, power, sample_size
    from tlpo.schemes.bootstrap import bootstrap
    from tlpo.schemes.evaluate import evaluate
    from tlpo.schemes.kfold import kfold
    from tlpo.schemes.leave_one_out import leave_one_out
    from tlpo.schemes.leave_pair_out import leave_pair_out
    from tlpo.schemes.permutation import permutation_test
    from tlpo.schemes.quicksort import quicksort
    from tlpo.schemes.shards import merge, play_shard
    from tlpo.schemes.splitter import LeavePairOut
    from tlpo.schemes.tournament import tournament

__version__ = "0.1.0"

# Where each public name lives. Resolved on first use: importing scikit-learn takes a second,
# which `tlpo --help` should not.
_HOME = {
    "Buffer": "tlpo.problem.exclusion",
    "EngineError": "tlpo.errors",
    "GameError": "tlpo.errors",
    "InputError": "tlpo.errors",
    "InverseDistanceKNN": "tlpo.learners",
    "JournalError": "tlpo.errors",
    "LeavePairOut": "tlpo.schemes.splitter",
    "RLS": "tlpo.learners",
    "RocDisplay": "tlpo.displays",
    "SchemesDisplay": "tlpo.displays",
    "ScoreDisplay": "tlpo.displays",
    "Tournament": "tlpo.results.tournament",
    "TournamentDisplay": "tlpo.displays",
    "Window": "tlpo.problem.matching",
    "bootstrap": "tlpo.schemes.bootstrap",
    "compare": "tlpo.results.comparison",
    "evaluate": "tlpo.schemes.evaluate",
    "kfold": "tlpo.schemes.kfold",
    "leave_one_out": "tlpo.schemes.leave_one_out",
    "leave_pair_out": "tlpo.schemes.leave_pair_out",
    "merge": "tlpo.schemes.shards",
    "permutation_test": "tlpo.schemes.permutation",
    "planning_table": "tlpo.roc.planning",
    "play_shard": "tlpo.schemes.shards",
    "power": "tlpo.roc.planning",
    "quicksort": "tlpo.schemes.quicksort",
    "sample_size": "tlpo.roc.planning",
    "tournament": "tlpo.schemes.tournament",
}

__all__ = [
    "RLS",
    "Buffer",
    "EngineError",
    "GameError",
    "InputError",
    "InverseDistanceKNN",
    "JournalError",
    "LeavePairOut",
    "RocDisplay",
    "SchemesDisplay",
    "ScoreDisplay",
    "Tournament",
    "TournamentDisplay",
    "Window",
    "bootstrap",
    "compare",
    "evaluate",
    "kfold",
    "leave_one_out",
    "leave_pair_out",
    "merge",
    "permutation_test",
    "planning_table",
    "play_shard",
    "power",
    "quicksort",
    "sample_size",
    "tournament",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tlpo' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
