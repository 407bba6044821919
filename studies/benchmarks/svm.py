"""Support vector machines without refitting, against fits; prints a line per case.

Times of refits are those of some, each without one pair, times the number of games. These games are
compared first.
"""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, NuSVC

from studies.benchmarks.engines import best
from studies.benchmarks.sparse import M, data, seconds_a_fit
from tlpo.games.contest import Contest
from tlpo.games.schedule import Schedule

N = 10
PAIRS = 100
# What must be reached, in fits.
TARGETS = {"SVC": 30, "SVC, C = 100": 8}


def main() -> None:
    """Print a line per machine."""
    X, y = data(N)
    pairs = np.column_stack(np.triu_indices(M, 1))
    games = pairs[np.random.default_rng(0).permutation(len(pairs))[:PAIRS]]
    for name, estimator in (
        ("SVC", SVC()),
        ("SVC, C = 100", SVC(C=100.0)),
        ("SVC, gamma = 0.1", SVC(gamma=0.1)),
        ("SVC, linear", SVC(kernel="linear")),
        ("NuSVC", NuSVC()),
        ("SVR", SVR()),
        ("scaler + SVC", make_pipeline(StandardScaler(), SVC())),
        ("scaler + SVC, C = 100", make_pipeline(StandardScaler(), SVC(C=100.0))),
        ("scaler + SVC, linear", make_pipeline(StandardScaler(), SVC(kernel="linear"))),
        ("scaler + SVR", make_pipeline(StandardScaler(), SVR())),
    ):
        contest = Contest(estimator, X, y)
        some = contest.play(Schedule(listed=games))
        slow, outcome = seconds_a_fit(estimator, X, y, games)
        assert some.engine == "svm"
        assert np.array_equal(some.outcome, outcome)
        played = contest.play(Schedule())
        fast = best(lambda contest=contest: contest.play(Schedule())) / len(pairs)
        line = f"m = {M}, n = {N}, {name}: {1e6 * fast:.0f} µs a game, {slow / fast:.0f} × a fit"
        line += f", {played.diagnostics.fits - 1} games refitted"
        if name in TARGETS:
            line += f" (target ≥ {TARGETS[name]} ×)"
        print(line, flush=True)


if __name__ == "__main__":
    main()
