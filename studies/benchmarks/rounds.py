"""Variation that drawing rounds adds to an AUC, over many draws, and coverage of its interval.

    python -m studies.benchmarks.rounds [--repetitions 1500] [--schedules 500] [--write]

Ridge, 10 features. ``--write`` puts the tables into docs/fewer_games.md.
"""

from __future__ import annotations

import argparse

import numpy as np
from joblib import Parallel, delayed

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from studies.simulations import Simulation
from tlpo.games.response import outcomes
from tlpo.games.schedule import draw_rounds
from tlpo.problem.outcome import Classes
from tlpo.results import intervals as uncertainty
from tlpo.results.rounds import _tlpo, judge_rounds

# share of positives, signal features
KINDS = ((0.5, 0), (0.5, 1), (0.5, 4), (0.5, 10), (0.2, 4))
UNITS = (60, 61, 100)


def added_sd(m: int, kind: tuple[float, int], rounds: int, schedules: int) -> tuple[float, ...]:
    """Compare estimates with the spread over many schedules for the same sample."""
    setting = Simulation("ridge", m, kind[0], 10, kind[1])
    X, y = setting.draw(setting.rng(1))
    full = tlpo.tournament(setting.estimator, X, y)
    F, aucs, judged, jackknifed = full.predictions, [], [], []
    for seed in range(schedules):
        games = draw_rounds(m, rounds, seed)
        i, j = games.reshape(-1, 2).T
        outcome = outcomes(F[i, j], F[j, i]).reshape(games.shape[:2])
        aucs.append(_tlpo(games, outcome, full.labels))
        judged.append(judge_rounds(games, outcome, full.labels))
        jackknifed.append(jackknife(games, outcome, full.labels, left=1.0 - rounds / (m - 1)))
    sd, estimates = np.std(aucs, ddof=1), np.array([one.added_sd for one in judged])
    rejected = np.array(jackknifed)
    return (
        np.sqrt(np.mean(estimates**2)) / sd,
        estimates.std() / estimates.mean(),
        np.sqrt(np.mean(rejected**2)) / sd,
        rejected.std() / rejected.mean(),
        np.mean(aucs) - full.tlpo_auc,
        float(np.mean([one.bias for one in judged])),
    )


def jackknife(games: np.ndarray, outcome: np.ndarray, labels: Classes, left: float) -> float:
    """Estimate the added standard deviation by deleting one round at a time (rejected)."""
    R = len(games)
    if R == 1:
        return np.nan
    without = [_tlpo(np.delete(games, k, 0), np.delete(outcome, k, 0), labels) for k in range(R)]
    return float(np.sqrt(left * (R - 1) * np.var(without)))


def coverage(kind: tuple[float, int], rounds: int | None, repetitions: int) -> tuple[float, ...]:
    """Measure how often 95 % intervals of 60 units contain the truth."""
    setting = Simulation("ridge", 60, kind[0], 10, kind[1])
    held = []
    for k in range(repetitions):
        X, y = setting.draw(setting.rng(k))
        truth = setting.truth(X, y)
        t = tlpo.tournament(setting.estimator, X, y, rounds=rounds, random_state=k)
        low, high = t.auc_interval()
        uncertainty.LEAST_OPPONENTS = 0  # to measure what is refused otherwise
        sensitivity = t.sensitivity_interval(0.8)
        inside = float(sensitivity.low <= truth.sensitivity_at(0.8) <= sensitivity.high)
        held.append((low <= truth.auc <= high, high - low, inside))
    return tuple(np.mean(held, axis=0))


def span(values: np.ndarray, form: str) -> str:
    if np.isnan(values).all():
        return "—"
    return f"{np.nanmin(values):{form}} to {np.nanmax(values):{form}}"


def draws(schedules: int) -> str:
    """Tabulate the variation added by the draw, over samples of several kinds and sizes."""
    rows = []
    for rounds in (2, 4, 10, 20, 40):
        calls = [delayed(added_sd)(m, kind, rounds, schedules) for m in UNITS for kind in KINDS]
        found = np.array(Parallel(n_jobs=-1)(calls)).T
        rows.append(
            (f"{rounds}", *(span(v, f) for v, f in zip(found, SPANS, strict=True))),
        )
        print(*rows[-1], sep="\t", flush=True)
    return markdown_table(
        (
            *("rounds", "`added_sd` over true SD", "spread of one `added_sd`"),
            *("jackknife over true SD", "spread of one jackknife"),
            *("true bias of the TLPO AUC", "mean of `rounds.bias`"),
        ),
        rows,
    )


SPANS = (".2f", ".0%", ".2f", ".0%", "+.3f", "+.3f")


def intervals(repetitions: int) -> str:
    """Tabulate the coverage of 95 % intervals."""
    ways = (4, 10, 20, None)
    calls = [delayed(coverage)(kind, r, repetitions) for kind in KINDS for r in ways]
    found = iter(Parallel(n_jobs=-1)(calls))
    rows = []
    for kind in KINDS:
        for rounds in ways:
            share, width, curve = next(found)
            error = np.sqrt(share * (1 - share) / repetitions)
            rows.append(
                (
                    f"{kind[0]:.0%}",
                    f"{kind[1]}",
                    "all games" if rounds is None else f"{rounds}",
                    f"{share:.3f} ± {error:.3f}",
                    f"{width:.2f}",
                    f"{curve:.3f}{' (refused)' if rounds == 4 else ''}",
                )
            )
            print(*rows[-1], sep="\t", flush=True)
    return markdown_table(
        (
            *("positive", "signal features", "rounds", "AUC interval covers", "its width"),
            "interval of the sensitivity at specificity 0.8 covers",
        ),
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1500)
    parser.add_argument("--schedules", type=int, default=500)
    parser.add_argument("--write", action="store_true", help="write docs/fewer_games.md")
    wanted = parser.parse_args()
    text = (
        f"{draws(wanted.schedules)}\n\n{wanted.schedules} schedules for each of 15 samples: "
        f"{', '.join(map(str, UNITS))} units, from no to near-perfect signal, half or a fifth "
        f"positive. The ratios have a Monte-Carlo error of "
        f"{1 / np.sqrt(2 * wanted.schedules):.2f}.\n\n"
        f"{intervals(wanted.repetitions)}\n\n95 % intervals, RLS, 60 units, 10 features, "
        f"{wanted.repetitions} samples each. Made by `python -m studies.benchmarks.rounds --write`."
    )
    if wanted.write:
        write_blocks(DOCS / "fewer_games.md", {"rounds": text})


if __name__ == "__main__":
    main()
