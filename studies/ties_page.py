"""Write the tables and the picture of docs/ties.md from docs/ties.csv.

python -m studies.ties_page
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

from studies.marked import DOCS, markdown_table, write_blocks
from studies.ties import measurements
from tlpo.results.curves import MANY_TIES

matplotlib.use("Agg")
ENOUGH = 100
CSV, PAGE, PICTURE = DOCS / "ties.csv", DOCS / "ties.md", DOCS / "ties.png"


def table_of(csv: Path) -> pd.DataFrame:
    """Return one row per setting that was measured, means and standard errors by quantity."""
    long = pd.read_csv(csv)
    wide = long.pivot(index="measurement", columns="quantity", values=["mean", "se"])
    wide["repetitions", ""] = long.groupby("measurement")["repetitions"].max()
    order = [m.name for m in measurements(1) if m.name in wide.index]
    return wide.loc[order]


def aucs(table: pd.DataFrame) -> str:
    """Errors of both AUCs."""
    head = [
        "learner, units, positives, signal",
        "tied games",
        "true AUC",
        "TLPO AUC",
        "LPO AUC",
        "samples",
    ]
    rows = [
        [
            name,
            f"{row['mean', 'tied games']:.0%}",
            f"{row['mean', 'true AUC']:.3f}",
            _error(row, "error of the TLPO AUC"),
            _error(row, "error of the LPO AUC"),
            int(row["repetitions", ""]),
        ]
        for name, row in table.iterrows()
    ]
    return markdown_table(head, rows)


def curves(table: pd.DataFrame) -> str:
    """Errors of the curves."""
    kinds = ("tournament", "pooled", "anchored")
    head = [
        "learner, units, positives, signal",
        *(f"{kind}: Se at Sp 0.8" for kind in kinds),
        *(f"{kind}: Se at Sp 0.9" for kind in ("tournament", "anchored")),
        *(f"{kind}: RMSE" for kind in kinds),
    ]
    rows = []
    for name, row in table.iterrows():
        rows.append(
            [
                name,
                *(_error(row, f"{kind}: sensitivity at 0.8") for kind in kinds),
                *(
                    _error(row, f"{kind}: sensitivity at 0.9")
                    for kind in ("tournament", "anchored")
                ),
                *(f"{row['mean', f'{kind}: root mean square error']:.3f}" for kind in kinds),
            ]
        )
    return markdown_table(head, rows)


def findings(table: pd.DataFrame) -> str:
    """Say in numbers what the tables show; sizes of errors only where these are known well."""
    z = (table["mean", "error of the LPO AUC"] / table["se", "error of the LPO AUC"]).abs()
    n_settings = len(table)
    table = table[table["repetitions", ""] >= ENOUGH]
    mean = table["mean"]
    lpo, tlpo = mean["error of the LPO AUC"], mean["error of the TLPO AUC"]
    ratio = mean["anchored: root mean square error"] / mean["tournament: root mean square error"]
    tied = mean["tied games"] > MANY_TIES
    trees = tlpo[tlpo.index.str.startswith("tree")]
    one = [
        f"{_error(table.loc[f'1-NN, m = {m}, 50%, some'], 'anchored: sensitivity at 0.8')} with {m}"
        for m in (60, 100, 200)
    ]
    return "\n".join(
        [
            f"- In none of {n_settings} settings is the mean error of the **LPO AUC** more than "
            f"{z.max():.1f} Monte-Carlo standard errors from 0. In the {len(table)} settings of "
            f"{ENOUGH} samples or more, to which the following refers, it is at most "
            f"{lpo.abs().max():.3f}.",
            f"- The **TLPO AUC** is off by up to {tlpo.abs().max():.3f}; by at most "
            f"{tlpo[~tied].abs().max():.3f} where no more than {MANY_TIES:.0%} of games tie. "
            f"Single trees err in both directions, by {trees.min():+.3f} to {trees.max():+.3f}.",
            "- The root mean square error of the **anchored curve** is "
            f"{_range(ratio[tied])} times that of the tournament's where more than "
            f"{MANY_TIES:.0%} of games tie, {_range(ratio[~tied])} times elsewhere.",
            *(
                f"- {name}, 60 units or more: the **sensitivity at specificity 0.8** is off by at "
                f"most {_worst(mean, learner, 'anchored: sensitivity')} on the anchored curve (at "
                f"0.9 by {_worst(mean, learner, 'anchored: sensitivity', 0.9)}), by up to "
                f"{_worst(mean, learner, 'tournament: sensitivity')} on the tournament's; at "
                "the best threshold that keeps the specificity, by up to "
                f"{_worst(mean, learner, 'anchored: attainable sensitivity')} and "
                f"{_worst(mean, learner, 'tournament: attainable sensitivity')}."
                for name, learner in (
                    ("1-NN", "^1-NN"),
                    ("k-NN with k of 3 or more", "^[0-9]+(?<!^1)-NN"),
                    ("Trees", "^tree"),
                )
            ),
            "- 1-NN, some signal, read off the line of the anchored curve: "
            f"{', '.join(one)} units.",
        ]
    )


def _worst(mean: pd.DataFrame, learner: str, reading: str, specificity: float = 0.8) -> str:
    large = mean.index.str.contains(learner) & ~mean.index.str.contains("m = 30")
    return f"{mean.loc[large, f'{reading} at {specificity:g}'].abs().max():.3f}"


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw errors of both AUCs, and of both curves, over the share of tied games."""
    from matplotlib import pyplot as plt

    mean = table["mean"]
    ties = 100 * mean["tied games"]
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    for quantity, name, colour, marker in (
        ("error of the TLPO AUC", "tournament", "#D55E00", "D"),
        ("error of the LPO AUC", "leave-pair-out", "#0072B2", "o"),
    ):
        axes[0].plot(
            ties, mean[quantity], marker, color=colour, markersize=4, label=name, alpha=0.8
        )
    axes[0].axhline(0, color="0.6", linewidth=0.8)
    axes[0].set(xlabel="tied games, %", ylabel="error of the AUC")
    for kind, name, colour, marker in (
        ("tournament", "tournament", "#D55E00", "D"),
        ("anchored", "leave-pair-out, anchored", "#0072B2", "o"),
    ):
        error = mean[f"{kind}: root mean square error"]
        axes[1].plot(ties, error, marker, color=colour, markersize=4, label=name, alpha=0.8)
    axes[1].set(
        xlabel="tied games, %", ylabel="root mean square error of the curve", ylim=(0, None)
    )
    for ax in axes:
        ax.legend(frameon=False, fontsize="small")
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150, metadata={"Software": None})
    plt.close(figure)


def _error(row: pd.Series, quantity: str) -> str:
    mean, se = row["mean", quantity], row["se", quantity]
    return f"{mean:+.3f} ± {se:.3f}" if np.isfinite(se) else f"{mean:+.3f}"


def main() -> None:
    """Write the blocks of the page, and the picture."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--csv", type=Path, default=CSV)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--picture", type=Path, default=PICTURE)
    arguments = parser.parse_args()
    table = table_of(arguments.csv)
    write_blocks(
        arguments.page,
        {
            "findings of ties": findings(table),
            "aucs with ties": aucs(table),
            "curves with ties": curves(table),
        },
    )
    draw(table, arguments.picture)


if __name__ == "__main__":
    main()
