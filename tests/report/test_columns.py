import re

import numpy as np
import pandas as pd
import pytest

from report.commands import run
from report.tables import patients
from tlpo.report.columns import ALL_DIFFERENT, REPEATED, kinds_of
from tlpo.report.options import Question
from tlpo.report.understand import listed, understand


def test_numbers_mixed_with_text_are_refused(tmp_path):
    mixed = patients(12).astype({"marker": object})
    mixed.loc[3, "marker"] = "<0.1"
    mixed.to_csv(tmp_path / "t.csv", index=False)
    result = run("run", "t.csv", "--target", "outcome", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == (
        "tlpo: Column 'marker' mixes numbers and text.\nYou passed '<0.1' among 11 numbers.\n"
        "Replace the text by numbers, clear these cells, or leave the column out with "
        "--drop marker.\n"
    )


def test_dates_and_long_texts_are_no_features():
    table = patients()
    table["day"] = pd.date_range("2020-01-01", periods=24).repeat(1)
    table["remark"] = [f"text {k % 22}" for k in range(24)]
    notes = " ".join(understand(table, Question("outcome")).notes)
    assert "'day' was not used: it holds dates" in notes
    assert "'remark' was not used: it has 22 distinct values" in notes


def test_identifiers_are_told_by_their_names():
    table = patients().drop(columns="patient")
    table["PatientID"] = np.repeat(np.arange(12), 2) * 7 + 100000
    table["subject"] = [f"s{k // 2}" for k in range(24)]
    table["count"] = np.arange(24)
    sample = understand(table, Question("outcome"))
    assert sample.numeric == ["age", "marker", "smoker"]
    notes = " ".join(sample.notes)
    assert (
        "Column 'PatientID' was not used: it looks like an identifier; if rows with the same value "
        "belong together, make it the group."
    ) in notes
    assert "'subject' was not used: it looks like an identifier" in notes
    assert "'count' was not used: every value is different" in notes
    # A hole that a missing target leaves does not hide it.
    table.loc[5, "outcome"] = None
    assert "count" not in understand(table, Question("outcome")).numeric


def judge_alone(column, asked):
    """Judge one column with pandas, however slowly: the definition of what blocks are for."""
    filled = column.dropna()
    if filled.nunique() <= 1:
        return "constant", "it is constant" if len(filled) else "it is empty"
    if filled.map(lambda v: isinstance(v, bool)).all():
        return "numeric", ""
    unique = filled.nunique() == len(filled)
    named = re.search(r"\b(id|patient)\b", re.sub(r"[^A-Za-z]+", " ", column.name)) is not None
    if pd.api.types.is_numeric_dtype(column):
        whole = bool((filled % 1 == 0).all())
        in_order = unique and bool((filled.diff().dropna() > 0).all())
        if whole and not asked and ((unique and named) or in_order):
            return "identifier", ALL_DIFFERENT
        return ("identifier", REPEATED) if whole and named and not asked else ("numeric", "")
    levels = filled.astype(str).str.strip().nunique()
    if levels == len(column):
        return "identifier", ALL_DIFFERENT
    return ("identifier", REPEATED) if named and levels > 2 else ("categorical", "")


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_blocks_of_columns_against_each_alone(seed, asked):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 12))
    gap = rng.random(m) < 0.3
    makers = {
        "normal": lambda: rng.normal(size=m),
        "with gaps": lambda: np.where(gap, np.nan, rng.normal(size=m)),
        "whole": lambda: rng.integers(0, 5, m),
        "whole with gaps": lambda: np.where(gap, np.nan, rng.integers(0, 5, m)),
        "large": lambda: 2**60 + np.arange(m)[:: rng.choice([-1, 1])],
        "small": lambda: rng.integers(0, 100, m).astype(np.int8),
        "unsigned": lambda: np.sort(rng.integers(0, 100, m)).astype(np.uint16),
        "rising with gaps": lambda: np.where(gap, np.nan, np.arange(m)),
        "constant": lambda: np.where(gap, np.nan, 4.0),
        "empty": lambda: np.full(m, np.nan),
        "infinite": lambda: np.append(np.arange(m - 1.0), np.inf),
        "truth": lambda: rng.random(m) < 0.5,
        "truth with gaps": lambda: np.where(gap, None, rng.random(m) < 0.5),
        "nullable": lambda: pd.array(np.where(gap, None, np.arange(m)), dtype="Int64"),
        "text": lambda: rng.choice(["a", "b ", "b", "c"], m),
        "names": lambda: [f"n{k}" for k in range(m)],
    }
    names = [f"{kind}{suffix}" for kind in makers for suffix in ("", " id", " of patient", " too")]
    table = pd.DataFrame({name: makers[re.sub("( id| of patient| too)$", "", name)]()
                          for name in rng.permutation(names)})  # fmt: skip
    found = kinds_of(table, list(table.columns), asked)
    assert list(found) == list(table.columns)
    assert found == {name: judge_alone(table[name], asked) for name in table.columns}


def test_a_mixed_column_can_be_left_out_as_the_message_says():
    mixed = patients(12).astype({"marker": object})
    mixed.loc[3, "marker"] = "<0.1"
    assert understand(mixed, Question("outcome", drop=["marker"])).numeric == ["age", "smoker"]


def test_many_columns_are_not_listed_one_by_one():
    table = patients()
    names = [f"gene{k}" for k in range(300)]
    genes = pd.DataFrame(np.random.default_rng(0).normal(size=(24, 300)), columns=names)
    genes.iloc[:, 100:] = 1.0
    sample = understand(pd.concat([table, genes], axis=1), Question("outcome"))
    notes, shown = sample.notes, listed(sample.numeric)
    assert shown.startswith("age, marker, smoker, gene0, ")
    assert shown.endswith("gene16 … (103 in all)")
    assert (
        "Each of 201 columns, such as 'clinic', 'gene100', 'gene101', was not used: it is constant."
    ) in notes
    assert len(notes) == 3
