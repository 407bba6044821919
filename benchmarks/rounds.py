"""What drawn rounds add to an AUC, against many draws; and what its interval covers.

    python benchmarks/rounds.py [--repetitions 1500] [--schedules 500]

Prints the figures of docs/fewer_games.md: ridge, 10 features.
"""

from __future__ import annotations

import argparse

import numpy as np

import tlpo
from tlpo.experiments.samples import Setting
from tlpo.response import outcomes
from tlpo.schemes.rounds import _tlpo, draw_rounds, judge_rounds

# share of positives, signal features
KINDS = ((0.5, 0), (0.5, 1), (0.5, 4), (0.5, 10), (0.2, 4))


def added_sd(m: int, kind: tuple[float, int], rounds: int, schedules: int) -> str:
    """Compare estimates with the spread over schedules drawn for the same sample."""
    setting = Setting("ridge", m, kind[0], 10, kind[1])
    X, y = setting.draw(setting.rng(1))
    full = tlpo.tournament(setting.estimator, X, y)
    F, aucs, judged = full.predictions, [], []
    for seed in range(schedules):
        games = draw_rounds(m, rounds, seed)
        i, j = games.reshape(-1, 2).T
        outcome = outcomes(F[i, j], F[j, i]).reshape(games.shape[:2])
        aucs.append(_tlpo(games, outcome, y))
        judged.append(judge_rounds(games, outcome, y))
    sd, estimates = np.std(aucs, ddof=1), np.array([one.added_sd for one in judged])
    return (
        f"| {m} | {kind[0]:.0%} | {kind[1]} | {rounds} | {sd:.4f} | "
        f"{np.sqrt(np.mean(estimates**2)) / sd:.2f} ± {1 / np.sqrt(2 * schedules):.2f} | "
        f"{estimates.std() / estimates.mean():.0%} | {np.mean(aucs) - full.auc:+.4f} | "
        f"{np.mean([one.bias for one in judged]):+.4f} |"
    )


def coverage(kind: tuple[float, int], rounds: int | None, repetitions: int) -> str:
    """Count how often 95 % intervals of 60 units hold the truth."""
    setting = Setting("ridge", 60, kind[0], 10, kind[1])
    held = []
    for k in range(repetitions):
        X, y = setting.draw(setting.rng(k))
        truth = setting.truth(X, y)
        t = tlpo.tournament(setting.estimator, X, y, rounds=rounds, random_state=k)
        low, high = t.auc_interval()
        inside = np.nan
        if rounds is None or rounds >= 10:
            sensitivity = t.sensitivity_interval(0.8)
            inside = float(sensitivity.low <= truth.sensitivity_at(0.8) <= sensitivity.high)
        held.append((low <= truth.auc <= high, high - low, inside))
    share, width, curve = np.mean(held, axis=0)
    error = np.sqrt(share * (1 - share) / repetitions)
    return (
        f"| {kind[0]:.0%} | {kind[1]} | {rounds} | {share:.3f} ± {error:.3f} | {width:.2f} | "
        f"{curve:.3f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1500)
    parser.add_argument("--schedules", type=int, default=500)
    arguments = parser.parse_args()
    print(
        "| units | positive | signal | rounds | SD | estimate over SD | its spread | bias | est. |"
    )
    for m in (60, 61, 100):
        for kind in KINDS:
            for rounds in (2, 4, 10, 20, 40):
                print(added_sd(m, kind, rounds, arguments.schedules), flush=True)
    print("| positive | signal | rounds | covers | width | Se at Sp 0.8 |")
    for kind in KINDS:
        for r in (4, 10, 20, None):
            print(coverage(kind, r, arguments.repetitions), flush=True)


if __name__ == "__main__":
    main()
