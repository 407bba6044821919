"""Write the tables of measured coverage into docs/coverage.md, those of planning into inference.md.

python -m studies.pages
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

import tlpo
from studies.coverage import (
    BENEFITS,
    BEYOND,
    COHORTS,
    GROUPED,
    KNOWN,
    NEW,
    PERMUTED,
    REFITTED,
    RIVALS,
)
from studies.cutoffs import MARKERS as CHOSEN_MARKERS
from studies.cutoffs import MODELS
from studies.large_samples import SETTINGS as LARGE_SAMPLES
from studies.marked import DOCS, markdown_table, write_blocks
from studies.markers import GROUPED_MARKERS, MARKERS, RIVAL_MARKERS, TOURNAMENTS, Marker
from studies.measured import span
from studies.probabilities import Cohort
from studies.simulations import Simulation
from tlpo.roc.methods import FIXED, METHODS
from tlpo.roc.planning import expected_interval, planning_table, power

LOW, HIGH = 0.93, 0.995
RATES = {"sensitivity": "Se", "specificity": "Sp", "ppv": "PPV", "npv": "NPV"}
# Learners whose planned widths are shown.
PLANNED = ("knn", "5-NN", "forest of 100")
# On the page that explains them; all other tables are on a page of their own.
PLANS = ("planning", "planned")
CHOICE = DOCS / "choice.csv"
CUTOFFS = DOCS / "cutoffs.csv"
LARGE = DOCS / "large_samples.csv"
# Learners whose games tie: their curves are read between points (`cutoffs`).
TIED = ("-NN", "tree", "forest", "boosting")
CURVE = {
    "sensitivity at 0.8": "Se at Sp 0.8",
    "sensitivity at 0.9": "Se at Sp 0.9",
    "specificity at 0.9": "Sp at Se 0.9",
    "band, pointwise": "band, pointwise",
    "band, whole curve": "band, whole curve",
    "subgroup": "AUC of a random half",
}
POINT = {
    f"{name}, top {share}": f"{short}, top {share}"
    for share in ("50%", "20%")
    for name, short in (
        ("sensitivity", "Se"),
        ("specificity", "Sp"),
        ("lr_positive", "LR+"),
        ("lr_negative", "LR−"),
    )
}


def page_of(name: str, docs: Path = DOCS) -> Path:
    """Return the page that has a table."""
    return docs / ("inference.md" if name in PLANS else "coverage.md")


def write_tables(docs: Path, table: pd.DataFrame) -> None:
    """Write every table into its block of its page."""
    blocks = {
        "intervals": intervals(table),
        "curve": curve(table),
        "groups": groups(table),
        "comparisons": comparisons(table),
        "permutations": permutations(table),
        "probabilities": probabilities(table),
        "planning": planning(),
        "how": how(table),
        "choices": choices(pd.read_csv(CHOICE)),
        "refits": refits(table),
        "cutoffs": cutoffs(pd.read_csv(CUTOFFS)),
        "planned": planned(table),
        "large samples": large_samples(pd.read_csv(LARGE)),
        "markers": markers(table),
        "marker comparisons": marker_comparisons(table),
        "precision": precision(table),
    }
    for page in {page_of(name, docs) for name in blocks}:
        write_blocks(page, {n: text for n, text in blocks.items() if page_of(n, docs) == page})


def choices(table: pd.DataFrame) -> str:
    """Bias and coverage of the best of several models."""
    head = ["race", "true AUC", "uncorrected", "**corrected**", "nested"]
    head += ["as if alone", "**choose**", "nested", "samples", "nested"]
    rows = []
    for name in dict.fromkeys(table["measurement"]):
        own = table[table["measurement"] == name].set_index("quantity")
        mean, se, count, width = (own[k] for k in ("mean", "se", "repetitions", "width"))
        errors = ("error uncorrected", "error corrected", "error of nested")
        held = ("interval as if alone", "interval of choose", "interval of nested")
        rows.append(
            [
                name,
                f"{mean['true AUC of the winner']:.3f}",
                *(f"{mean[k]:+.3f} ± {se[k]:.3f}" for k in errors),
                *(f"{_share(mean[k])} ± {se[k]:.3f} ({width[k]:.2f})" for k in held),
                count["error corrected"],
                count["error of nested"],
            ]
        )
    return markdown_table(head, rows)


def intervals(table: pd.DataFrame) -> str:
    """Coverage of every method for the AUC."""
    default = "placement-jackknife"
    others = list(METHODS)[1:]
    columns = [default, *others]
    head = [*_SETTING, "true AUC", "**default**", *others, "width", "DeLong's"]
    rows, outside, covers = [], [], {name: list[float]() for name in columns}
    for setting in (*KNOWN, *BEYOND, *NEW):
        own = _own(table, f"interval {setting.name}")
        if own is None:
            continue
        shares = own["mean"]
        for name in columns:
            covers[name].append(shares[name])
        if not LOW <= shares[default] <= HIGH:
            outside.append(f"{_words(setting)} ({_share(shares[default])})")
        rows.append(
            [
                *_cells(setting),
                f"{shares['true AUC']:.3f}",
                f"**{_share(shares[default])}** ± {own['se'][default]:.3f}",
                *(_share(shares[name]) for name in columns[1:]),
                f"{own['width'][default]:.2f}",
                f"{own['width']['delong']:.2f}",
            ]
        )
    blank = [""] * (len(_SETTING) - 1)
    for word, pick in (("least", min), ("most", max)):
        rows.append([word, *blank, "", *(_share(pick(covers[c])) for c in columns), "", ""])
    verdict = (
        f"The default lies within {LOW}–{HIGH} in every setting."
        if not outside
        else f"**The default lies outside {LOW}–{HIGH} in**: {'; '.join(outside)}."
    )
    return f"{markdown_table(head, rows)}\n\n{verdict}"


def curve(table: pd.DataFrame) -> str:
    """Coverage of readings of the curve, and at cut-offs fixed beforehand."""
    head = [*_SETTING, *CURVE.values(), "bias of Se at 0.8", "at 0.9"]
    points = ["", *POINT.values()]
    rows, more = [], []
    for setting in (*KNOWN, *BEYOND, *NEW):
        own = _own(table, f"interval {setting.name}")
        if own is None or any(word in setting.learner for word in TIED):
            continue
        shares = own["mean"]
        bias = [f"{shares[f'bias of sensitivity at {s}']:+.3f}" for s in ("0.8", "0.9")]
        rows.append([*_cells(setting), *(_held(own, name) for name in CURVE), *bias])
        more.append([*_cells(setting), *(_share(shares.get(name)) for name in POINT)])
    least_most = [[line[0], *line[-len(POINT) :]] for line in _extremes(more, len(POINT))]
    return "\n\n".join(
        [
            markdown_table(head, [*rows, *_extremes(rows, len(CURVE))]),
            markdown_table(points, least_most),
        ]
    )


def cutoffs(table: pd.DataFrame) -> str:
    """Coverage at cut-offs chosen on the sample, and of readings where games tie."""
    points = {"Sp ≥ 0.9": "Sp ≥ 0.9", "Se ≥ 0.9": "Se ≥ 0.9", "Youden": "best sum"}
    shown = {
        f"{rate}, {point}": f"{short}, {name}"
        for point, name in points.items()
        for rate, short in RATES.items()
    }
    reading = {"reading, Se at Sp 0.9": "reading of Se at Sp 0.9", "band": "band"}
    rows = []
    for setting in MODELS:
        own = _own(table, f"model {setting.name}")
        if own is not None:
            columns = [_held(own, name) for name in (*shown, *reading)]
            rows.append([*_cells(setting), *columns, str(own["repetitions"][next(iter(shown))])])
    head = [*_SETTING, *shown.values(), *reading.values(), "samples"]
    fixed = {"sensitivity, fixed": "Se, fixed", "specificity, fixed": "Sp, fixed"}
    marked = []
    for marker in CHOSEN_MARKERS:
        own = _own(table, f"marker {marker.name}")
        if own is not None:
            columns = [_held(own, name) for name in (*shown, *fixed)]
            marked.append([*_marker_cells(marker), *columns])
    return "\n\n".join(
        [
            markdown_table(head, rows),
            markdown_table([*_MARKER, *shown.values(), *fixed.values()], marked),
        ]
    )


def large_samples(table: pd.DataFrame) -> str:
    """Coverage where units are drawn for the jackknife, and what the draw leaves open."""
    head = [*_SETTING, "true AUC", "**default**", "inflated", "width error", "samples"]
    rows = []
    for setting in LARGE_SAMPLES:
        own = _own(table, f"draw {setting.name}")
        if own is None:
            continue
        mean, error = own["mean"], own["se"]["default"]
        held = f"**{_share(mean['default'])}** ± {error:.3f} ({own['width']['default']:.3f})"
        inflated = f"{_share(mean['inflated'])} ({own['width']['inflated']:.3f})"
        count = str(own["repetitions"]["default"])
        left = f"{mean['width error']:.1%}"
        rows.append([*_cells(setting), f"{mean['true AUC']:.3f}", held, inflated, left, count])
    return markdown_table(head, rows)


def refits(table: pd.DataFrame) -> str:
    """Coverage of the bootstrap with refits, beside the default."""
    shown = ("default", "bootstrap-refit", "percentile", "shifted percentile", "basic")
    head = [
        *_SETTING,
        "true AUC",
        *shown,
        "width",
        "bootstrap-refit",
        "mean of resamples",
        "samples",
    ]
    rows = []
    for setting in REFITTED:
        own = _own(table, f"refits {setting.name}")
        if own is None:
            continue
        mean, se, width = own["mean"], own["se"], own["width"]
        rows.append(
            [
                *_cells(setting),
                f"{mean['true AUC']:.3f}",
                *(f"{_share(mean[name])} ± {se[name]:.3f}" for name in shown[:2]),
                *(_share(mean[name]) for name in shown[2:]),
                *(f"{width[name]:.2f}" for name in shown[:2]),
                f"{mean['bias of resamples']:+.3f}",
                str(own["repetitions"]["default"]),
            ]
        )
    return markdown_table(head, rows)


def planned(table: pd.DataFrame) -> str:
    """Compare planned widths of intervals with those of simulated studies."""
    head = ["learner", "signal", "settings", "units", "true AUC", "mean width", "planned / mean"]
    rows = []
    for learner in PLANNED:
        for has_signal in (False, True):
            found = []
            for setting in (*KNOWN, *BEYOND, *NEW):
                own = _own(table, f"interval {setting.name}")
                if own is None or setting.learner != learner or setting.features != "normal":
                    continue
                if bool(setting.n_signal) == has_signal:
                    auc, width = own["mean"]["true AUC"], own["width"]["placement-jackknife"]
                    low, high = expected_interval(auc, setting.n_units, setting.fraction, 0.95)
                    found.append((setting.n_units, auc, width, (high - low) / width))
            if found:
                spans = [
                    span(pd.Series(values), digits)
                    for values, digits in zip(zip(*found, strict=True), (0, 2, 2, 2), strict=True)
                ]
                rows.append([learner, "yes" if has_signal else "no", len(found), *spans])
    return markdown_table(head, rows)


def groups(table: pd.DataFrame) -> str:
    """Coverage with several units per patient."""
    head = ["patients × images", "groups", "features (signal)", "true AUC"]
    head += ["**with groups**", "inflated"]
    head += ["Se at Sp 0.8", "as if all were patients", "width", "as if all were patients"]
    rows = []
    for setting in GROUPED:
        own = _own(table, f"groups {setting.name}")
        if own is None:
            continue
        shares, se, width = own["mean"], own["se"], own["width"]
        rows.append(
            [
                f"{setting.n_patients} × {setting.n_images}",
                setting.kind or "alike",
                f"{setting.n_features} ({setting.n_shifted})",
                f"{shares['true AUC']:.3f}",
                f"**{_share(shares['with groups'])}** ± {se['with groups']:.3f}",
                _share(shares["inflated"]),
                _held(own, "sensitivity at 0.8"),
                _share(shares["as if alone"]),
                f"{width['with groups']:.2f}",
                f"{width['as if alone']:.2f}",
            ]
        )
    return markdown_table(head, rows)


def comparisons(table: pd.DataFrame) -> str:
    """Coverage and size of comparisons."""
    head = ["second learner", *_SETTING, "true difference", "interval covers", "width"]
    head += ["rejects", "DeLong", "√(V_place V_jack)", "rejects"]
    rows = []
    for setting, rival in RIVALS:
        own = _own(table, f"compare {setting.name} {rival}")
        if own is None:
            continue
        shares, se = own["mean"], own["se"]
        rows.append(
            [
                rival,
                *_cells(setting),
                f"{shares['true difference']:+.3f}",
                f"{_share(shares['interval of difference'])} ± {se['interval of difference']:.3f}",
                f"{own['width']['interval of difference']:.2f}",
                f"{_share(shares['rejected'])} ± {se['rejected']:.3f}",
                _share(shares["rejected by DeLong"]),
                _held(own, "interval by the geometric mean"),
                _share(shares.get("rejected by the geometric mean")),
            ]
        )
    return markdown_table(head, rows)


def permutations(table: pd.DataFrame) -> str:
    """Size and power of the permutation test."""
    head = [*_SETTING, "true AUC", "LPO rejects", "TLPO rejects", "`tlpo.power` says"]
    rows = []
    for setting in PERMUTED:
        own = _own(table, f"permute {setting.name}")
        if own is None:
            continue
        shares, se = own["mean"], own["se"]
        auc = shares["true AUC"]
        said = power(auc, setting.n_units, fraction=setting.fraction)
        rows.append(
            [
                *_cells(setting),
                f"{auc:.3f}",
                *(
                    f"{_share(shares[f'rejected by {s}'])} ± {se[f'rejected by {s}']:.3f}"
                    for s in ("lpo", "tlpo")
                ),
                f"{said:.3f}",
            ]
        )
    return markdown_table(head, rows)


def markers(table: pd.DataFrame) -> str:
    """Coverage of intervals of fixed scores."""
    readings = {
        "sensitivity at 0.9": "Se at Sp 0.9",
        "sensitivity at 0.9, interpolated": "interpolated",
        "specificity at 0.9, interpolated": "Sp at Se 0.9, interpolated",
        "partial AUC, specificity 0.9 to 1": "pAUC, Sp 0.9–1",
        "partial AUC, specificity 0.8 to 1": "pAUC, Sp 0.8–1",
        "partial AUC, sensitivity 0.8 to 1": "pAUC, Se 0.8–1",
    }
    columns = [*FIXED, *readings]
    head = [*_MARKER, *(f"**{m}**" if m == next(iter(FIXED)) else m for m in FIXED)]
    rows, covers = [], []
    for setting in MARKERS:
        own = _own(table, f"marker {setting.name}")
        if own is not None:
            covers.append([own["mean"][name] for name in columns])
            rows.append([*_marker_cells(setting), *(_held(own, name) for name in columns)])
    for word, pick in (("least", min), ("most", max)):
        if covers:
            rows.append([word, "", "", "", *(_share(pick(c)) for c in zip(*covers, strict=True))])
    several = []
    for grouped in GROUPED_MARKERS:
        own = _own(table, f"marker groups {grouped.name}")
        if own is not None:
            shares = [_held(own, name) for name in (*FIXED, "sensitivity at 0.9")]
            size = f"{grouped.n_patients} × {grouped.n_images}"
            several.append([size, f"{grouped.auc:g}", *shares])
    return "\n\n".join(
        [
            markdown_table([*head, *readings.values()], rows),
            markdown_table(["patients × images", "AUC", *FIXED, "Se at Sp 0.9"], several),
        ]
    )


def marker_comparisons(table: pd.DataFrame) -> str:
    """Coverage and size of DeLong's tests of fixed scores."""
    head = [*_MARKER, "second AUC", "same units", "rejects", "different units", "rejects"]
    rows = []
    for setting, auc, _ in RIVAL_MARKERS:
        own = _own(table, f"markers {setting.name} {100 * auc:.0f}")
        if own is not None:
            names = ("same units", "different units")
            shares = [
                cell
                for name in names
                for cell in (_held(own, name), _share(own["mean"][f"rejected, {name}"]))
            ]
            rows.append([*_marker_cells(setting), f"{auc:g}", *shares])
    return markdown_table(head, rows)


def precision(table: pd.DataFrame) -> str:
    """Coverage of limits of the average precision."""
    places = ("the sample", "a screening")
    head = [
        "scores",
        "units",
        "positive",
        "in the sample",
        "bias",
        "at a prevalence of 10 %",
        "bias",
    ]
    named = [(f"marker {m.name}", *_marker_words(m)) for m in MARKERS]
    named += [
        (f"precision {t.name}", f"{t.learner}, {t.n_signal} signal", t.n_units, t.fraction)
        for t in TOURNAMENTS
    ]
    rows = []
    for name, words, units, fraction in named:
        own = _own(table, name)
        if own is not None:
            mean = own["mean"]
            found = []
            for place in places:
                found.append(_held(own, f"average precision in {place}"))
                found.append(f"{mean[f'bias of average precision in {place}']:+.3f}")
            rows.append([words, str(units), f"{fraction:.0%}", *found])
    return markdown_table(head, rows)


def probabilities(table: pd.DataFrame) -> str:
    """Coverage of intervals about probabilities, and how far off the slope is."""
    names = {
        "brier": "Brier",
        "scaled_brier": "scaled Brier",
        "slope": "slope",
        "intercept": "intercept",
        "observed_expected": "observed / expected",
        **{f"net benefit at {t:g}": f"net benefit at {t:g}" for t in BENEFITS},
        "consistency band": "consistency band",
    }
    head = [*_SETTING, *names.values(), "bias of slope", "its RMSE", "bias of Brier"]
    rows = []
    for setting in COHORTS:
        own = _own(table, f"probabilities {setting.name}")
        if own is None:
            continue
        shares, known = own["mean"], own["repetitions"]
        # Where nearly every sample has probabilities of 0 or 1, the others are no random part.
        kept = {name: shares[name] for name in shares.index if known[name] > 0.9 * known["brier"]}
        error = kept.get("error of slope")
        square = kept.get("squared error of slope")
        rows.append(
            [
                *_cells(setting),
                *(_held(own, name) if name in kept else "—" for name in names),
                "—" if error is None else f"{error:+.3f}",
                "—" if square is None else f"{square**0.5:.2f}",
                f"{shares['error of brier']:+.4f}",
            ]
        )
    return markdown_table(head, [*rows, *_extremes(rows, len(names))])


def planning() -> str:
    """Interval widths and power by sample size, balanced and with a fifth of the units positive."""
    parts = []
    for fraction in (0.5, 0.2):
        found = planning_table(fraction=fraction)
        widths = [name for name in found.columns if name.startswith("width")]
        head = [
            "units",
            "positives",
            *(f"{w.replace('width', 'AUC')[:-4]} {w[-3:]}" for w in widths),
        ]
        head.append("smallest AUC found with a power of 80 %")
        rows = [
            [
                str(size),
                str(int(row["positives"])),
                *(f"{row[w]:.2f}" for w in widths),
                f"{row['found with 80 %']:.2f}",
            ]
            for size, row in found.iterrows()
        ]
        parts.append(markdown_table(head, rows))
    return "\n\n".join(parts)


def how(table: pd.DataFrame) -> str:
    """State how the tables were measured."""
    each = table.groupby("measurement")["seconds"].first()
    repetitions = table.groupby("measurement")["requested"].first()
    fewer = sorted(set(repetitions) - {repetitions.max()})
    what = "forests, groups, comparisons, markers and probabilities"
    less = f" ({', '.join(map(str, fewer))} for {what})" if fewer else ""
    return (
        f"Measured with tlpo {tlpo.__version__} by `make coverage`: {len(each)} measurements of "
        f"{repetitions.max()} repetitions each{less} in {each.sum() / 60:.0f} minutes on two "
        "cores. "
        "± is the Monte-Carlo error of a share (one standard error); where it is not given it "
        "is the same as the default's for the same share, 0.005 at 0.95 with 2 000 repetitions."
    )


_MARKER = ("marker", "units", "positive", "AUC")


def _marker_cells(setting: Marker) -> list[str]:
    kind = "five grades" if setting.is_graded else "normal"
    return [kind, str(setting.n_units), f"{setting.fraction:.0%}", f"{setting.auc:g}"]


def _marker_words(setting: Marker) -> tuple[str, int, float]:
    kind, units, _, auc = _marker_cells(setting)
    return f"{kind} marker, AUC {auc}", int(units), setting.fraction


_SETTING = ("learner", "units", "positive", "features (signal)")


def _cells(setting: Simulation) -> list[str]:
    kind = "" if setting.features == "normal" else f", {setting.features}"
    is_grouped = isinstance(setting, Cohort) and setting.n_images > 1
    return [
        setting.learner,
        f"{setting.n_units} × {setting.n_images}" if is_grouped else str(setting.n_units),
        f"{setting.fraction:.0%}",
        f"{setting.n_features} ({setting.n_signal}){kind}",
    ]


def _words(setting: Simulation) -> str:
    learner, units, positive, features = _cells(setting)
    return f"{learner}, {units} units, {positive} positive, {features}"


def _own(table: pd.DataFrame, name: str) -> dict[str, Any] | None:
    own = table[table["measurement"] == name].set_index("quantity")
    columns = ("mean", "se", "width", "repetitions")
    return {column: own[column] for column in columns} if len(own) else None


def _extremes(rows: list[list[str]], count: int) -> list[list[str]]:
    """Return the least and most of the columns after the setting."""
    start = len(_SETTING)
    if not rows:
        return []
    columns = [
        [float(row[k].split()[0]) for row in rows if row[k] != "—"]
        for k in range(start, start + count)
    ]
    return [
        [word, *[""] * (start - 1), *(_share(pick(c)) for c in columns)]
        + [""] * (len(rows[0]) - start - count)
        for word, pick in (("least", min), ("most", max))
    ]


def _held(own: dict[str, Any], name: str) -> str:
    """Write how often limits held, and in brackets their mean width."""
    if name not in own["mean"]:
        return "—"
    return f"{_share(own['mean'][name])} ({own['width'][name]:.2f})"


def _share(value: float | None) -> str:
    return "—" if value is None or value != value else f"{value:.3f}"


def main() -> None:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of the pages")
    write_tables(parser.parse_args().docs, pd.read_csv(DOCS / "coverage.csv"))


if __name__ == "__main__":
    main()
