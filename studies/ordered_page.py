"""Write the tables of docs/ordered.md, and of the paper, from docs/ordered.csv.

python -m studies.ordered_page
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import tlpo
from studies.marked import DOCS, markdown_table, write_blocks
from studies.ordered import GRADED, GROUPED, NUMBERS, TREES
from studies.ordered import GroupedOrderedSimulation as Grouped
from studies.ordered import OrderedSimulation as Setting

CSV, PAGE, PAPER = DOCS / "ordered.csv", DOCS / "ordered.md", DOCS / "paper-ours" / "paper.md"
LOW, HIGH = 0.93, 0.99
SMALL = 30
METHODS = {
    "placement-jackknife": "**tlpo**",
    "infinitesimal jackknife": "infinitesimal jackknife",
    "bootstrap": "bootstrap",
}
OTHERS = ("leave-one-out", "5-fold, pooled", "5-fold, averaged")
SECTIONS: dict[str, list[Setting]] = {
    "Numbers": NUMBERS,
    "Grades and counts": GRADED,
    "Trees and forests": TREES,
    "Patients with several units, left out together": list(GROUPED),
}


def table_of(csv: Path) -> pd.DataFrame:
    """Return one row per setting that was measured; means, errors and widths by quantity."""
    long = pd.read_csv(csv)
    wide = long.pivot(index="measurement", columns="quantity", values=["mean", "se", "width"])
    for column in ("requested", "seconds"):
        wide[column, ""] = long.groupby("measurement")[column].first()
    return wide


def coverage(table: pd.DataFrame) -> str:
    """Coverage of every method in every setting, and where the default's is not as it should be."""
    parts, outside = [], []
    for title, settings in SECTIONS.items():
        rows = []
        for setting in settings:
            if setting.name not in table.index:
                continue
            row = table.loc[setting.name]
            covered = row["mean", "placement-jackknife"]
            if not LOW <= covered <= HIGH:
                outside.append(f"{_words(setting)} ({covered:.3f})")
            rows.append(
                [
                    *_cells(setting),
                    f"{row['mean', 'true concordance']:.3f}",
                    _error(row, "error"),
                    f"**{covered:.3f}** ± {row['se', 'placement-jackknife']:.3f}",
                    *(f"{row['mean', name]:.3f}" for name in list(METHODS)[1:]),
                    *(f"{row['width', name]:.2f}" for name in METHODS),
                ]
            )
        names = list(METHODS.values())
        head = ["learner", "units", "features (signal)", "outcome", "true C", "bias", *names]
        head += ["width", *(f"of {name}" for name in names[1:])]
        if rows:
            parts.append(f"**{title}**\n\n{markdown_table(head, rows)}")
    verdict = f"The interval covers {LOW} to {HIGH} in every setting."
    if outside:
        verdict = (
            f"Outside {LOW}–{HIGH}, in {len(outside)} of {len(table)} settings: "
            f"{'; '.join(outside)}."
        )
    return "\n\n".join([*parts, verdict])


def grouped(table: pd.DataFrame) -> str:
    """Coverage with groups, and as if there were none."""
    names = ("placement-jackknife", "as if alone")
    rows = [
        [
            f"{setting.n_patients} × {setting.n_units // setting.n_patients}",
            setting.outcome,
            f"{row['mean', 'true concordance']:.3f}",
            *(f"{row['mean', name]:.3f} ± {row['se', name]:.3f}" for name in names),
            *(f"{row['width', name]:.2f}" for name in names),
        ]
        for setting in GROUPED
        if setting.name in table.index
        for row in [table.loc[setting.name]]
    ]
    head = ["patients × units", "outcome", "true C", "**with groups**", "without them"]
    return markdown_table([*head, "width", "without them"], rows)


def biases(table: pd.DataFrame) -> str:
    """Errors of other estimates in small samples."""
    rows = [
        [
            *_cells(setting),
            f"{row['mean', 'true concordance']:.3f}",
            _error(row, "error"),
            *(_error(row, f"error of {name}") for name in OTHERS),
        ]
        for setting in (*NUMBERS, *GRADED)
        if setting.name in table.index and setting.n_units <= SMALL
        for row in [table.loc[setting.name]]
    ]
    head = ["learner", "units", "features (signal)", "outcome", "true C", "**leave-pair-out**"]
    return markdown_table([*head, *OTHERS], rows)


def summary(table: pd.DataFrame) -> str:
    """Least and most coverage, kind by kind."""
    kinds = {
        "numbers, no signal": [s for s in NUMBERS if not s.n_signal],
        "numbers, signal": [s for s in NUMBERS if s.n_signal],
        "grades and counts, no signal": [s for s in GRADED if not s.n_signal],
        "grades and counts, signal": [s for s in GRADED if s.n_signal],
        "trees of depth 2": [s for s in TREES if s.learner.startswith("tree")],
        "forests of 50 trees": [s for s in TREES if s.learner.startswith("forest")],
        "several units per patient": list(GROUPED),
    }
    rows = []
    for kind, settings in kinds.items():
        measured = [s for s in settings if s.name in table.index]
        own = table.loc[[s.name for s in measured]]
        if measured:
            ratio = own["mean"]["geometric mean"] / own["mean"]["squared error"]
            covers = [_range(own["mean"][name], 3) for name in METHODS]
            covers[0] = f"**{covers[0]}**"
            size = {s.n_units for s in measured}
            units = f"{min(size)} to {max(size)}" if len(size) > 1 else f"{size.pop()}"
            true = _range(own["mean"]["true concordance"], 2)
            rows.append([kind, len(own), units, true, *covers, _range(ratio, 2)])
    head = ["outcome or learner", "settings", "units", "true C", *METHODS.values()]
    return markdown_table([*head, "variance / mean square error"], rows)


def how(table: pd.DataFrame) -> str:
    """State how the tables were measured."""
    samples = table["requested", ""]
    largest = table["se"]["placement-jackknife"].max()
    return (
        f"Measured with tlpo {tlpo.__version__} by `make coverage-ordered`: {len(table)} settings "
        f"of {_range(samples, 0)} samples each, {table['seconds', ''].sum() / 60:.0f} minutes on "
        "one core. ± is one Monte-Carlo standard error; that of a coverage is "
        f"{(0.95 * 0.05 / samples.max()) ** 0.5:.3f} at 0.95, and {largest:.3f} at most for tlpo's."
    )


def _cells(setting: Setting) -> list[str]:
    outcome = "normal numbers" if setting.outcome == "normal" else setting.outcome
    units: int | str = setting.n_units
    if isinstance(setting, Grouped):
        units = f"{setting.n_patients} × {setting.n_units // setting.n_patients}"
    return [setting.learner, str(units), f"{setting.n_features} ({setting.n_signal})", outcome]


def _words(setting: Setting) -> str:
    learner, units, features, outcome = _cells(setting)
    return f"{learner}, {units} units, {features} features, {outcome}"


def _error(row: pd.Series, quantity: str) -> str:
    return f"{row['mean', quantity]:+.3f} ± {row['se', quantity]:.3f}"


def _range(values: pd.Series, digits: int) -> str:
    low, high = (f"{value:.{digits}f}" for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def main() -> None:
    """Write the blocks of both pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--csv", type=Path, default=CSV)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--paper", type=Path, default=PAPER)
    arguments = parser.parse_args()
    table = table_of(arguments.csv)
    write_blocks(
        arguments.page,
        {
            "coverage of concordance": coverage(table),
            "concordance of groups": grouped(table),
            "biases of concordance": biases(table),
            "how concordance was measured": how(table),
        },
    )
    write_blocks(arguments.paper, {"concordance in brief": f"{summary(table)}\n\n{how(table)}"})


if __name__ == "__main__":
    main()
