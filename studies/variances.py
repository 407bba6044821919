"""How far the two variances of a leave-pair-out AUC are off, and their geometric mean.

A ridge model of normal features, whose true AUC is known in closed form. Every setting is repeated,
and the mean of each variance is divided by the mean square error of the AUC.

    python -m studies.variances --write
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import norm

import tlpo
from studies.marked import write_blocks

PAGE = Path(__file__).parents[1] / "docs" / "paper-ours" / "paper.md"
# Penalty, units, features, repetitions. A huge penalty makes ridge the difference of two means, the
# example of the paper.
SETTINGS = [
    ("difference of means", 1e6, 60, 10, 2000),
    ("difference of means", 1e6, 60, 200, 2000),
    ("ridge", 1.0, 60, 10, 2000),
    ("ridge", 1.0, 200, 10, 500),
]
SHIFTS = (0.0, 0.5, 1.0, 2.0)


def measure(penalty: float, m: int, n: int, shift: float, repetitions: int) -> tuple[float, ...]:
    """Return the true AUC, the three ratios and the Monte-Carlo error of a ratio of one."""
    y = np.arange(m) % 2
    signs = 2.0 * y - 1.0
    errors, place, jack, truth = [], [], [], []
    for repetition in range(repetitions):
        X = np.random.default_rng([m, n, repetition]).normal(size=(m, n))
        X[:, 0] += signs * shift / 2
        t = tlpo.tournament(tlpo.RLS(penalty), X, y)
        w = np.linalg.solve(X.T @ X + penalty * np.eye(n), X.T @ signs)
        truth.append(norm.cdf(w[0] * shift / np.sqrt(2) / np.linalg.norm(w)))
        errors.append(t.auc - truth[-1])
        place.append(t._evidence.placement_variance)
        jack.append(t._evidence.jackknife_variance)
    squares = np.square(errors)
    mse = squares.mean()
    both = np.sqrt(np.array(place) * np.array(jack))
    noise = squares.std() / np.sqrt(repetitions) / mse
    return float(np.mean(truth)), *(float(np.mean(v) / mse) for v in (place, jack, both)), noise


def main() -> None:
    """Measure, print the table, and write it into the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    parser.add_argument("--repetitions", type=int, default=2000, help="at most")
    wanted = parser.parse_args()
    lines = [
        "| model | units | features | true AUC | placement | jackknife | **geometric mean** | ± |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, penalty, m, n, repetitions in SETTINGS:
        for shift in SHIFTS:
            found = measure(penalty, m, n, shift, min(repetitions, wanted.repetitions))
            truth, place, jack, both, noise = found
            lines.append(
                f"| {name} | {m} | {n} | {truth:.3f} | {place:.2f} | {jack:.2f} | **{both:.2f}** "
                f"| {noise:.2f} |"
            )
            print(lines[-1], flush=True)
    lines += ["", "Made by `python -m studies.variances --write`."]
    if wanted.write:
        write_blocks(PAGE, {"variances": "\n".join(lines)})


if __name__ == "__main__":
    main()
