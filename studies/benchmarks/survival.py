"""Speed of Cox regression, Coxnet and IPCRidge without refitting, as ratios in one run.

    python -m studies.benchmarks.survival [--most 300] [--write]

Refitting every pair would take up to an hour: it is timed on a sample of the games, which must end
alike. ``--write`` puts the table into docs/performance.md. Needs scikit-survival.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis, IPCRidge

import tlpo
from studies.benchmarks.engines import Row
from studies.benchmarks.refits import against_refits
from studies.marked import DOCS, markdown_table, write_blocks
from tlpo.games.contest import Contest
from tlpo.games.schedule import Schedule

UNITS, FEATURES, N_SAMPLED = (50, 100, 200, 300), 10, 100
OTHERS = "scikit-survival's CoxPHSurvivalAnalysis"
COXNET = "scikit-survival's CoxnetSurvivalAnalysis, alphas=[0.05]"
# Of refits that users would otherwise wait for.
TARGETS = {
    (OTHERS, 100): "≥ 300 ×",
    (OTHERS, 300): "≥ 300 ×, ≤ 3 s",
    ("tlpo.Cox", 300): "≤ 3 s",
}
MODELS: dict[str, Any] = {
    OTHERS: CoxPHSurvivalAnalysis(alpha=1.0),
    "tlpo.Cox": tlpo.Cox(),
    "scikit-survival's IPCRidge": IPCRidge(),
    COXNET: CoxnetSurvivalAnalysis(alphas=[0.05]),
}
ENGINES = {"scikit-survival's IPCRidge": "ipc-ridge", COXNET: "coxnet"}


def data(m: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Draw exponential times with some signal in the first two features, and censor them."""
    rng = np.random.default_rng(m)
    X = rng.normal(size=(m, FEATURES))
    time_of_event = rng.exponential(np.exp(-X[:, :2].sum(axis=1)))
    censored = rng.exponential(2.0, size=m)
    return X, tlpo.time_to_event(np.minimum(time_of_event, censored), time_of_event <= censored)


def measure(most: int) -> list[Row]:
    """Time every case; the games that were refitted must end alike."""
    rows = []
    for name, estimator in MODELS.items():
        engine = ENGINES.get(name, "cox")
        for m in (m for m in UNITS if m <= most):
            X, y = data(m)
            found = against_refits(estimator, X, y, engine, N_SAMPLED)
            assert not found.n_different
            refitted = found.played.diagnostics.fits - 1
            rows.append(
                (
                    f"{name}, m = {m}, n = {FEATURES}: {refitted} of "
                    f"{found.played.standings.n_games:,} games refitted",
                    found.gain,
                    TARGETS.get((name, m), "—"),
                )
            )
            print(*rows[-1], sep=" | ", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=300, help="the largest number of units")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args()
    for estimator in (tlpo.Cox(), IPCRidge(), MODELS[COXNET]):
        Contest(estimator, *data(30)).play(Schedule())  # imports and machine code
    table = markdown_table(("case", "measured", "target"), measure(options.most))
    print(table)
    if options.write:
        made = "Made by `python -m studies.benchmarks.survival --write` on 2 cores."
        write_blocks(DOCS / "performance.md", {"cox": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
