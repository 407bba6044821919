"""Write the tables of docs/survival.md, and of the paper, from docs/survival.csv.

python -m studies.survival_page
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from studies.marked import DOCS, markdown_table
from studies.measured import HIGH, LOW, error, how_measured, span, verdict, write_pages
from studies.survival import (
    AUC,
    CENSORED,
    COX,
    DIFFERENCE,
    FEW_VALUES,
    FORESTS,
    GROUPED,
    UNO,
    UNO_ALL,
    C,
)
from studies.survival import SurvivalSimulation as Setting

CSV, PAGE = DOCS / "survival.csv", DOCS / "survival.md"
OWN, FIXED = "placement-jackknife", "infinitesimal jackknife"
OTHERS = {
    "ranking": "tournament ranking",
    "leave-one-out": "leave-one-out",
    "5-fold, pooled": "5-fold, pooled",
    "5-fold, averaged": "5-fold, averaged",
    "bootstrap": "bootstrap",
}
# What is estimated, and how a table calls it.
MEASURES = {
    C: "Harrell's C",
    UNO: "Uno's C before τ",
    UNO_ALL: "Uno's C, all times",
    AUC: "AUC at t",
    DIFFERENCE: "difference of two C",
}
SECTIONS: dict[str, Sequence[Setting]] = {
    "Cox regression": COX,
    "Cox regression: who is censored when, and rounded times": CENSORED,
    "Cox regression, patients with several units, left out together": GROUPED,
    "Cox regression, features with few values": FEW_VALUES,
    "Survival forests of 20 trees": FORESTS,
}
HEAD = ["learner", "units", "features (signal)", "events", "censored"]


def coverage(table: pd.DataFrame) -> str:
    """Coverage of the interval of Harrell's C, and where it is not as it should be."""
    parts, outside = [], []
    for title, settings in SECTIONS.items():
        rows = []
        for setting, row in _measured(table, settings):
            covered = row["mean", f"{C}: {OWN}"]
            if not LOW <= covered <= HIGH:
                outside.append(f"{_words(setting)} ({covered:.3f})")
            rows.append(
                [
                    *_cells(setting, row),
                    f"{row['mean', f'{C}: true']:.3f}",
                    error(row, f"{C}: error"),
                    f"**{covered:.3f}** ± {row['se', f'{C}: {OWN}']:.3f}",
                    f"{row['mean', f'{C}: {FIXED}']:.3f}",
                    *(f"{row['width', f'{C}: {name}']:.2f}" for name in (OWN, FIXED)),
                ]
            )
        head = [*HEAD, "true C", "bias", "**tlpo**", FIXED, "width", f"of {FIXED}"]
        if rows:
            parts.append(f"**{title}**\n\n{markdown_table(head, rows)}")
    return "\n\n".join([*parts, verdict(outside, len(table))])


def others(table: pd.DataFrame) -> str:
    """Coverage of the intervals of Uno's C, of the AUC at a time, and of a difference of two C."""
    names = [name for name in MEASURES if name != C]
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
        rows.append([*_cells(setting, row), *cells])
    head = [*HEAD, *(title for name in names for title in (MEASURES[name], "width"))]
    said = [f"- *{MEASURES[name]}.* {verdict(outside[name], len(table))}" for name in names]
    return f"{markdown_table(head, rows)}\n\n" + "\n".join(said)


def biases_of_measures(table: pd.DataFrame) -> str:
    """Tabulate true values of Uno's C and of the AUC at a time, and the errors of estimates."""
    names = (UNO, UNO_ALL, AUC)
    rows = [
        [
            *_cells(setting, row),
            *(
                cell
                for name in names
                for cell in (
                    f"{row['mean', f'{name}: true']:.3f}",
                    error(row, f"{name}: error"),
                )
            ),
            error(row, "AUC(t): error of the ranking"),
        ]
        for setting, row in _measured(table, _every())
    ]
    head = [*HEAD, *(title for name in names for title in (f"true {MEASURES[name]}", "bias"))]
    return markdown_table([*head, "bias of the area of the curve at t"], rows)


def biases(table: pd.DataFrame) -> str:
    """Biases and root mean square errors of other estimates of Harrell's C."""
    rows = [
        [
            *_cells(setting, row),
            f"{row['mean', f'{C}: true']:.3f}",
            _both(row, f"{C}: error", f"{C}: squared error"),
            *(_both(row, f"error of {name}", f"squared error of {name}") for name in OTHERS),
        ]
        for setting, row in _measured(table, _every())
    ]
    return markdown_table([*HEAD, "true C", "**leave-pair-out**", *OTHERS.values()], rows)


def grouped(table: pd.DataFrame) -> str:
    """Coverage with groups, and as if there were none."""
    names = (f"{C}: {OWN}", f"{C}: as if alone")
    rows = [
        [
            _units(setting),
            f"{row['mean', f'{C}: true']:.3f}",
            *(f"{row['mean', name]:.3f} ± {row['se', name]:.3f}" for name in names),
            *(f"{row['width', name]:.2f}" for name in names),
        ]
        for setting, row in _measured(table, GROUPED)
    ]
    head = ["patients × units", "true C", "**with groups**", "without them"]
    return markdown_table([*head, "width", "without them"], rows)


def summary(table: pd.DataFrame) -> str:
    """Least and most coverage, kind by kind."""
    kinds: dict[str, list[Setting]] = {
        "Cox, no signal": [s for s in COX if not s.n_signal],
        "Cox, signal": [s for s in COX if s.n_signal],
        "Cox, other censoring": [s for s in CENSORED if not s.n_times],
        "Cox, rounded times": [s for s in CENSORED if s.n_times],
        "Cox, several units per patient": list(GROUPED),
        "Cox, features with few values": list(FEW_VALUES),
        "survival forests of 20 trees": list(FORESTS),
    }
    rows = []
    for kind, settings in kinds.items():
        own = table.loc[[s.name for s in settings if s.name in table.index]]
        if len(own):
            mean = own["mean"]
            rows.append(
                [
                    kind,
                    len(own),
                    span(mean["events"], 0),
                    span(mean[f"{C}: true"], 2),
                    f"**{span(mean[f'{C}: {OWN}'], 3)}**",
                    span(mean[f"{C}: {FIXED}"], 3),
                    *(span(mean[f"{name}: {OWN}"], 3) for name in MEASURES if name != C),
                    span(mean["geometric mean"] / mean[f"{C}: squared error"], 2),
                ]
            )
    head = ["learner", "settings", "events", "true C", "**C**", f"C, {FIXED}"]
    head += [title for name, title in MEASURES.items() if name != C]
    return markdown_table([*head, "variance / mean square error"], rows)


def how(table: pd.DataFrame) -> str:
    """State how the tables were measured."""
    return how_measured(table, "coverage-survival", f"{C}: {OWN}")


def _every() -> list[Setting]:
    return [setting for settings in SECTIONS.values() for setting in settings]


def _measured(table: pd.DataFrame, settings: Sequence[Setting]) -> list[tuple[Setting, pd.Series]]:
    return [(s, table.loc[s.name]) for s in settings if s.name in table.index]


def _units(setting: Setting) -> str:
    n = setting.n_patients
    return f"{n} × {setting.n_units // n}" if n else str(setting.n_units)


def _cells(setting: Setting, row: pd.Series) -> list[str]:
    return [
        setting.learner,
        _units(setting),
        _features(setting),
        f"{row['mean', 'events']:.0f}",
        _censored(setting),
    ]


def _features(setting: Setting) -> str:
    values = f", {setting.n_values} values" if setting.n_values else ""
    return f"{setting.n_features} ({setting.n_signal}){values}"


def _censored(setting: Setting) -> str:
    how = "" if setting.censoring == "at random" else f", {setting.censoring}"
    rounded = f", {setting.n_times} times" if setting.n_times else ""
    return f"{100 * setting.censored:g} %{how}{rounded}"


def _words(setting: Setting) -> str:
    return (
        f"{setting.learner}, {_units(setting)} units, {_features(setting)} features, "
        f"{_censored(setting)}"
    )


def _both(row: pd.Series, bias: str, square: str) -> str:
    """Return a bias with its Monte-Carlo error, and the root of the mean square error."""
    if pd.isna(row["mean", bias]):
        return "—"
    return f"{error(row, bias)} ({row['mean', square] ** 0.5:.3f})"


def blocks(table: pd.DataFrame) -> dict[str, str]:
    """Return the blocks of the page."""
    return {
        "coverage of survival": coverage(table),
        "coverage at times": others(table),
        "biases at times": biases_of_measures(table),
        "survival of groups": grouped(table),
        "biases of survival": biases(table),
        "how survival was measured": how(table),
    }


def blocks_of_paper(table: pd.DataFrame) -> dict[str, str]:
    """Return the block of the paper."""
    return {"survival in brief": f"{summary(table)}\n\n{how(table)}"}


def main() -> None:
    """Write the blocks of both pages."""
    write_pages(__doc__.split("\n")[0], CSV, PAGE, blocks, blocks_of_paper)


if __name__ == "__main__":
    main()
