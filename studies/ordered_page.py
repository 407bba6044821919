"""Write the tables of docs/ordered.md, and of the paper, from docs/ordered.csv.

python -m studies.ordered_page
"""

from __future__ import annotations

import pandas as pd

from studies.marked import DOCS, markdown_table
from studies.measured import (
    HIGH,
    LOW,
    error,
    how_measured,
    span,
    verdict,
    write_pages,
)
from studies.ordered import GRADED, GROUPED, NUMBERS, TREES
from studies.ordered import GroupedOrderedSimulation as Grouped
from studies.ordered import OrderedSimulation as Setting

CSV, PAGE = DOCS / "ordered.csv", DOCS / "ordered.md"
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
                    error(row, "error"),
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
    return "\n\n".join([*parts, verdict(outside, len(table))])


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
            error(row, "error"),
            *(error(row, f"error of {name}") for name in OTHERS),
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
            covers = [span(own["mean"][name], 3) for name in METHODS]
            covers[0] = f"**{covers[0]}**"
            size = {s.n_units for s in measured}
            units = f"{min(size)} to {max(size)}" if len(size) > 1 else f"{size.pop()}"
            true = span(own["mean"]["true concordance"], 2)
            rows.append([kind, len(own), units, true, *covers, span(ratio, 2)])
    head = ["outcome or learner", "settings", "units", "true C", *METHODS.values()]
    return markdown_table([*head, "variance / mean square error"], rows)


def how(table: pd.DataFrame) -> str:
    """State how the tables were measured."""
    return how_measured(table, "coverage-ordered", "placement-jackknife")


def _cells(setting: Setting) -> list[str]:
    outcome = "normal numbers" if setting.outcome == "normal" else setting.outcome
    units: int | str = setting.n_units
    if isinstance(setting, Grouped):
        units = f"{setting.n_patients} × {setting.n_units // setting.n_patients}"
    return [setting.learner, str(units), f"{setting.n_features} ({setting.n_signal})", outcome]


def _words(setting: Setting) -> str:
    learner, units, features, outcome = _cells(setting)
    return f"{learner}, {units} units, {features} features, {outcome}"


def blocks(table: pd.DataFrame) -> dict[str, str]:
    """Return the blocks of the page."""
    return {
        "coverage of concordance": coverage(table),
        "concordance of groups": grouped(table),
        "biases of concordance": biases(table),
        "how concordance was measured": how(table),
    }


def blocks_of_paper(table: pd.DataFrame) -> dict[str, str]:
    """Return the block of the paper."""
    return {"concordance in brief": f"{summary(table)}\n\n{how(table)}"}


def main() -> None:
    """Write the blocks of both pages."""
    write_pages(__doc__.split("\n")[0], CSV, PAGE, blocks, blocks_of_paper)


if __name__ == "__main__":
    main()
