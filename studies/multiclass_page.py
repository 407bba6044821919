"""Write the tables of docs/multiclass.md, and of the paper, from docs/multiclass.csv.

python -m studies.multiclass_page
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from studies.marked import DOCS, markdown_table
from studies.measured import HIGH, LOW, error, how_measured, span, verdict, write_pages
from studies.multiclass import DIFFERENCE, PAIR, REST, SETTINGS, M
from studies.multiclass import ClassSimulation as Setting

CSV, PAGE = DOCS / "multiclass.csv", DOCS / "multiclass.md"
OWN, FIXED = "placement-jackknife", "infinitesimal jackknife"
# What is estimated, and how a table calls it.
MEASURES = {
    M: "M",
    PAIR: "AUC of two classes",
    REST: "one class against the others",
    DIFFERENCE: "difference of two M",
}
ALONE = [s for s in SETTINGS if not s.n_units_a_patient]
GROUPED = [s for s in SETTINGS if s.n_units_a_patient]
SECTIONS: dict[str, Sequence[Setting]] = {
    "Ridge": [s for s in ALONE if s.learner == "ridge"],
    "Linear discriminant analysis": [s for s in ALONE if s.learner == "LDA"],
    "Naive Bayes": [s for s in ALONE if s.learner == "naive Bayes"],
    "9 nearest neighbours": [s for s in ALONE if s.learner == "9 neighbours"],
    "Patients with several units, left out together": GROUPED,
}
HEAD = ["learner", "units of each class", "features", "classes apart"]


def coverage(table: pd.DataFrame) -> str:
    """Coverage of the interval of M, and where it is not as it should be."""
    parts, outside = [], []
    for title, settings in SECTIONS.items():
        rows = []
        for setting, row in _measured(table, settings):
            covered = row["mean", f"{M}: {OWN}"]
            if not LOW <= covered <= HIGH:
                outside.append(f"{_words(setting)} ({covered:.3f})")
            rows.append(
                [
                    *_cells(setting),
                    f"{row['mean', f'{M}: true']:.3f}",
                    error(row, f"{M}: error"),
                    f"**{covered:.3f}** ± {row['se', f'{M}: {OWN}']:.3f}",
                    f"{row['mean', f'{M}: {FIXED}']:.3f}",
                    *(f"{row['width', f'{M}: {name}']:.2f}" for name in (OWN, FIXED)),
                ]
            )
        head = [*HEAD, "true M", "bias", "**tlpo**", FIXED, "width", f"of {FIXED}"]
        if rows:
            parts.append(f"**{title}**\n\n{markdown_table(head, rows)}")
    return "\n\n".join([*parts, verdict(outside, len(table))])


def others(table: pd.DataFrame) -> str:
    """Coverage of the intervals of a pair of classes, of a class, and of a difference of two M."""
    names = [name for name in MEASURES if name != M]
    rows = []
    outside: dict[str, list[str]] = {name: [] for name in names}
    for setting, row in _measured(table, _every()):
        cells: list[str] = []
        for name in names:
            covered = row["mean", f"{name}: {OWN}"]
            if not LOW <= covered <= HIGH:
                outside[name].append(f"{_words(setting)} ({covered:.3f})")
            cells += [
                f"**{covered:.3f}** ({row['mean', f'{name}: {FIXED}']:.3f})",
                f"{row['width', f'{name}: {OWN}']:.2f}",
            ]
        rows.append([*_cells(setting), *cells])
    head = [*HEAD, *(title for name in names for title in (MEASURES[name], "width"))]
    said = [f"- *{MEASURES[name]}.* {verdict(outside[name], len(table))}" for name in names]
    return f"{markdown_table(head, rows)}\n\n" + "\n".join(said)


def biases(table: pd.DataFrame) -> str:
    """Tabulate true values and the errors of estimates; and how often a test says two M differ."""
    names = [name for name in MEASURES if name != M]
    rows = [
        [
            *_cells(setting),
            *(cell for name in names for cell in (_true(row, name), error(row, f"{name}: error"))),
            setting.rival,
            f"{row['mean', f'{DIFFERENCE}: rejected']:.3f}",
        ]
        for setting, row in _measured(table, _every())
    ]
    head = [*HEAD, *(title for name in names for title in (f"true {MEASURES[name]}", "bias"))]
    return markdown_table([*head, "the other model", "p < 0.05"], rows)


def variances(table: pd.DataFrame) -> str:
    """Divide each variance by the mean square error of M."""
    rows = []
    for setting, row in _measured(table, _every()):
        truth = row["mean", f"{M}: squared error"]
        found = [row["mean", f"{name} variance"] / truth for name in ("placement", "jackknife")]
        mean = row["mean", "geometric mean"] / truth
        phi = row["mean", "phi"]
        cells = [f"{found[0]:.2f}", f"{found[1]:.2f}", f"**{mean:.2f}**", f"{phi:.2f}"]
        rows.append([*_cells(setting), *cells])
    head = [*HEAD, "placement", "jackknife", "**geometric mean**", "mean φ"]
    return markdown_table(head, rows)


def summary(table: pd.DataFrame) -> str:
    """Least and most coverage, kind by kind."""
    kinds = {
        "ridge, no signal": [s for s in SECTIONS["Ridge"] if not s.n_apart],
        "ridge, signal": [s for s in SECTIONS["Ridge"] if s.n_apart],
        "LDA, no signal": [s for s in SECTIONS["Linear discriminant analysis"] if not s.n_apart],
        "LDA, signal": [s for s in SECTIONS["Linear discriminant analysis"] if s.n_apart],
        "naive Bayes": SECTIONS["Naive Bayes"],
        "9 nearest neighbours": SECTIONS["9 nearest neighbours"],
        "several units per patient": GROUPED,
    }
    rows = []
    for kind, settings in kinds.items():
        own = table.loc[[s.name for s in settings if s.name in table.index]]
        if len(own):
            mean = own["mean"]
            ratio = mean["geometric mean"] / mean[f"{M}: squared error"]
            rows.append(
                [
                    kind,
                    len(own),
                    span(mean[f"{M}: true"], 2),
                    f"**{span(mean[f'{M}: {OWN}'], 3)}**",
                    span(mean[f"{M}: {FIXED}"], 3),
                    *(span(mean[f"{name}: {OWN}"], 3) for name in MEASURES if name != M),
                    span(ratio, 2),
                ]
            )
    head = ["learner", "settings", "true M", "**M**", f"M, {FIXED}"]
    head += [title for name, title in MEASURES.items() if name != M]
    return markdown_table([*head, "variance / mean square error"], rows)


def how(table: pd.DataFrame) -> str:
    """State how the tables were measured."""
    return how_measured(table, "coverage-multiclass", f"{M}: {OWN}")


def _every() -> list[Setting]:
    return [setting for settings in SECTIONS.values() for setting in settings]


def _measured(
    table: pd.DataFrame, settings: Sequence[Setting]
) -> Iterator[tuple[Setting, pd.Series]]:
    return ((s, table.loc[s.name]) for s in settings if s.name in table.index)


def _true(row: pd.Series, name: str) -> str:
    return f"{round(row['mean', f'{name}: true'], 3) + 0.0:.3f}"  # + 0.0, for it may be -0.000


def _cells(setting: Setting) -> list[str]:
    return [setting.learner, _units(setting), str(setting.n_features), _apart(setting)]


def _units(setting: Setting) -> str:
    """Return the sizes of classes: ``3 × 10``, ``5/20/60``, ``3 × 10 patients of 2``."""
    sizes, own = setting.sizes, setting.n_units_a_patient
    counts = [size // own if own else size for size in sizes]
    same = len(set(counts)) == 1
    units = f"{len(counts)} × {counts[0]}" if same else "/".join(map(str, counts))
    return f"{units} patients of {own}" if own else units


def _apart(setting: Setting) -> str:
    if not setting.n_apart:
        return "none"
    return f"{'one' if setting.n_apart == 1 else 'all'}, {setting.shift:g} SD"


def _words(setting: Setting) -> str:
    return f"{setting.learner}, {_units(setting)}, classes apart: {_apart(setting)}"


def blocks(table: pd.DataFrame) -> dict[str, str]:
    """Return the blocks of the page."""
    return {
        "coverage of M": coverage(table),
        "coverage of pairs and classes": others(table),
        "biases of pairs and classes": biases(table),
        "variances of M": variances(table),
        "how M was measured": how(table),
    }


def blocks_of_paper(table: pd.DataFrame) -> dict[str, str]:
    """Return the block of the paper."""
    return {"several classes in brief": f"{summary(table)}\n\n{how(table)}"}


def main() -> None:
    """Write the blocks of both pages."""
    write_pages(__doc__.split("\n")[0], CSV, PAGE, blocks, blocks_of_paper)


if __name__ == "__main__":
    main()
