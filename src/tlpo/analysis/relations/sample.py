"""Relations among rows, and in the baseline table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from tlpo.analysis.baseline import PARTS
from tlpo.analysis.gaps import MANY_GAPS
from tlpo.analysis.json_values import number
from tlpo.analysis.relations.checks import TOLERANCE, Fault, Faults, between, defined, equal
from tlpo.analysis.shapes import Characteristic, Flow, ModelAnalysis, Suspect
from tlpo.tables.codes import FEWEST, MOST

SUM = "the sum over both classes"
# What a column may be suspected of with values, and how many: at least, at most.
_WITH_VALUES = {
    "codes": (FEWEST, MOST),
    "missing code": (1, 30),
    "spelling": (2, 1000),
    "shared": (1, 1),
    "decimals": (3, 3),
}


def of_units(analysis: ModelAnalysis) -> Faults:
    """Check the number of patients of either class."""
    is_positive = analysis.is_positive
    m = analysis.n_units
    if len(is_positive) != m:
        yield Fault("n_units", m, f"'is_positive' has {len(is_positive)} entries")
    for name, count in (("n_positive", sum(is_positive)), ("n_negative", m - sum(is_positive))):
        yield from equal(name, getattr(analysis, name), count, "as 'is_positive' counts")
    if analysis.rounds is not None and analysis.sorts is not None:
        yield Fault("sorts", analysis.sorts, "there are either rounds or sorts")
    if analysis.prevalence in (0, 1):
        yield Fault("prevalence", analysis.prevalence, "it is strictly between 0 and 1")


def _of_gaps(sample: Flow, m: int) -> Faults:
    """Check the columns that have many gaps."""
    known = {*sample.numeric, *sample.categorical}
    for name, count in sample.gaps.items():
        if name not in known:
            yield Fault(f"sample.gaps.{name}", name, "it is not among the features")
        elif not MANY_GAPS * m < count <= sample.incomplete:
            why = "it is more than a fifth of the rows, and no more than the incomplete ones"
            yield Fault(f"sample.gaps.{name}", count, why)
    if sum(sample.gaps.values()) > sample.missing_cells:
        yield Fault("sample.gaps", sum(sample.gaps.values()), "there are fewer missing values")


def of_flow(sample: Flow, m: int) -> Faults:
    """Check that the rows add up."""
    left_out = ("unselected", "without_target", "other_classes", "dropped")
    yield from equal(
        "sample.read",
        sample.read,
        m + sum(getattr(sample, name) for name in left_out),
        "the rows that are used and those that are left out",
    )
    incomplete, dropped, cells = (sample.incomplete, sample.dropped, sample.missing_cells)
    if sample.missing not in ("impute", "drop"):
        yield Fault("sample.missing", sample.missing, "it is 'impute' or 'drop'")
    if sample.missing == "drop":
        yield from equal("sample.dropped", dropped, incomplete, "the incomplete rows")
        yield from equal("sample.missing_cells", cells, 0, "incomplete rows were dropped")
    else:
        yield from equal("sample.dropped", dropped, 0, "missing values were imputed")
        yield from between("sample.incomplete", incomplete, 0, m, "0", "the rows used")
        features = len(sample.numeric) + len(sample.categorical)
        most = incomplete * features
        yield from between(
            *("sample.missing_cells", cells, incomplete, most),
            *("the number of incomplete rows", "all their cells"),
        )
    yield from _of_gaps(sample, m)
    yield from between("sample.duplicates", sample.duplicates, 0, m - 1, "0", "all but one row")
    pairs = m * (m - 1) / 2 if sample.duplicates else 0.0
    yield from between(
        *("sample.expected_duplicates", sample.expected_duplicates, 0.0, pairs),
        *("0", "all pairs of rows, if any are the same"),
    )
    if (sample.group is None) != (sample.n_groups is None):
        yield Fault("sample.n_groups", sample.n_groups, "it belongs to a column of groups")
    if sample.n_groups is not None:
        yield from between("sample.n_groups", sample.n_groups, 2, m, "2", "the rows used")
    yield from of_suspects(sample.suspects, sample.read, "sample.suspects")


def of_suspects(suspects: Sequence[Suspect], n_read: int, where: str) -> Faults:
    """Check what columns are suspected of."""
    for k, suspect in enumerate(suspects):
        yield from _of_suspect(suspect, n_read, f"{where}[{k}]")


def _of_suspect(suspect: Suspect, n_read: int, where: str) -> Faults:
    kind, auc, n_values = suspect.kind, suspect.auc, suspect.n_values
    if kind in ("copy", "separates", "filled", "after"):
        if auc is None or auc < 0.5 - TOLERANCE:
            yield Fault(f"{where}.auc", auc, "it is at least 0.5, in the better direction")
    elif kind in ("identifier", "repeated", "names", "codes", "missing code", "spelling"):
        if n_values is None or not 1 <= n_values <= n_read:
            yield Fault(f"{where}.n_values", n_values, "it lies between 1 and the rows read")
    elif kind in ("decimals", "shared"):
        if n_values is not None:
            yield Fault(f"{where}.n_values", n_values, "no values are counted")
    else:
        yield Fault(f"{where}.kind", kind, "no column is suspected of that")
    if kind in ("codes", "missing code"):
        yield from equal(f"{where}.n_values", n_values or 0, len(suspect.values), "so many values")
    low, high = _WITH_VALUES.get(kind, (0, 0))
    if not low <= len(suspect.values) <= high:
        yield Fault(f"{where}.values", len(suspect.values), "so many do not belong to its kind")


def of_baseline(analysis: ModelAnalysis) -> Faults:
    """Check the baseline table: counts, shares, means and spreads of both classes."""
    sizes = [analysis.n_units, analysis.n_positive, analysis.n_negative]
    rows = [
        (row.feature, row.level, row.kind, [getattr(row, part) for part in PARTS])
        for row in analysis.baseline
    ]
    yield from of_characteristics(rows, PARTS, sizes, analysis.sample)


def of_characteristics(
    rows: Sequence[tuple[str, str | None, str, list[Characteristic]]],
    names: Sequence[str],
    sizes: Sequence[int],
    sample: Flow,
) -> Faults:
    """Check rows of a baseline table: feature, level, kind, and cells of all and of parts."""
    known = {*sample.numeric, *sample.categorical}
    gaps: dict[str, int] = {}
    shares: dict[str, list[float]] = {}
    for k, (feature, level, kind, cells) in enumerate(rows):
        where, whole = f"baseline[{k}]", cells[0]
        if feature not in known:
            yield Fault(f"{where}.feature", feature, "it is not among the features")
        for name, size, cell in zip(names, sizes, cells, strict=True):
            total = cell.count + cell.missing
            yield from equal(f"{where}.{name}.count", total, size, "with 'missing', rows")
            yield from _of_cell(cell, kind, f"{where}.{name}")
        if (level is None) == (kind == "share"):
            yield Fault(f"{where}.level", level, "shares, and only these, are of a level")
        yield from _of_parts(kind, whole, cells[1:], where)
        gaps[feature] = whole.missing
        if kind == "share":
            counts = shares.setdefault(feature, [])
            counts.append(number(whole.values[0]))
            yield from between(
                *(f"{where}.all.values[0]", sum(counts), 0, whole.count),
                *("0", "with other levels, rows"),
            )
    for name, count in sample.gaps.items():
        if name in gaps:
            where = f"sample.gaps.{name}"
            yield from equal(where, count, gaps[name], "as the baseline table counts")
    if rows and known == set(gaps) and sample.missing == "impute":
        yield from equal(
            *("sample.missing_cells", sample.missing_cells, sum(gaps.values())),
            "as the baseline table counts",
        )


def _of_cell(cell: Characteristic, kind: str, where: str) -> Faults:
    n_values = 3 if kind == "median" else 2
    first, *rest = values = cell.values
    if len(values) != n_values:
        yield Fault(f"{where}.values", values, f"there are {n_values} of them")
    if kind == "share":
        count = number(first)
        if not count.is_integer():
            yield Fault(f"{where}.values[0]", first, "it is a number of rows")
        yield from between(f"{where}.values[0]", first, 0, cell.count, "0", "the known values")
        share = count / cell.count if cell.count else None
        yield from equal(f"{where}.values[1]", rest[0], share, "the share of the known values")
    elif kind == "mean":
        yield from defined(f"{where}.values[0]", first, cell.count > 0)
        yield from defined(f"{where}.values[1]", rest[0], cell.count > 1)
        if rest[0] is not None and rest[0] < 0:
            yield Fault(f"{where}.values[1]", rest[0], "a standard deviation is not negative")
    else:
        for k, value in enumerate(values):
            yield from defined(f"{where}.values[{k}]", value, cell.count > 0)
        low, high = map(number, rest)
        if first is not None and not low <= first <= high:
            yield Fault(f"{where}.values", values, "the median lies between the quartiles")


def _of_parts(
    kind: str, whole: Characteristic, parts: Sequence[Characteristic], where: str
) -> Faults:
    """Compare what is said of all rows with what is said of their parts."""
    for key in ("count", "missing"):
        yield from equal(
            f"{where}.all.{key}", getattr(whole, key), sum(getattr(p, key) for p in parts), SUM
        )
    if kind == "share":
        total = sum(number(part.values[0]) for part in parts)
        yield from equal(f"{where}.all.values[0]", whole.values[0], total, SUM)
    if kind != "mean" or not whole.count:
        return
    counts = [part.count for part in parts]
    means = [part.values[0] or 0.0 for part in parts]
    mean, spread = map(number, whole.values)
    # Relative to the spread: a mean of small numbers is the sum of large ones at times.
    spreads = [part.values[1] or 0.0 for part in parts]
    size = max(abs(mean), *map(abs, means), 0.0 if isnan(spread) else spread, *spreads)
    weighted = sum(c * m for c, m in zip(counts, means, strict=True)) / whole.count
    if not abs(mean - weighted) <= 1e-6 * size:
        yield Fault(f"{where}.all.values[0]", mean, "it is the mean of both classes together")
    if isnan(spread) or not size:
        return
    # In units of the largest number, so that no square overflows.
    within = sum(
        max(0, c - 1) * (sd / size) * (sd / size) + c * ((m - mean) / size) * ((m - mean) / size)
        for c, m, sd in zip(counts, means, spreads, strict=True)
    )
    squares = (whole.count - 1) * (spread / size) * (spread / size)
    if not abs(squares - within) <= 1e-6 * max(squares, within, 1e-6):
        yield Fault(f"{where}.all.values[1]", spread, "it is the SD of both classes together")
