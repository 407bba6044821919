import numpy as np
import pandas as pd
import pytest

from commands.running import run
from tables import patients
from tlpo.tables.build_sample import build_sample, listed
from tlpo.tables.columns import ALL_DIFFERENT, kinds_of
from tlpo.tables.options import Specification


@pytest.mark.exhaustive
def test_numbers_mixed_with_text_are_refused(tmp_path):
    mixed = patients(12).astype({"marker": object})
    mixed.loc[3, "marker"] = "haemolysed"
    mixed.to_csv(tmp_path / "t.csv", index=False)
    result = run("run", "t.csv", "--target", "outcome", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == (
        "tlpo: Column 'marker' mixes numbers and text.\n"
        "You passed 'haemolysed' among 11 numbers.\n"
        "Replace the text by numbers, or clear these cells; or leave the column out with "
        "--drop marker.\n"
    )


def test_dates_and_long_texts_are_no_features():
    table = patients()
    table["day"] = pd.date_range("2020-01-01", periods=24).repeat(1)
    table["remark"] = [f"text {k % 22}" for k in range(24)]
    notes = " ".join(build_sample(table, Specification("outcome")).notes)
    assert "'day' was not used: it holds dates" in notes
    assert "'remark' was not used: most of its texts occur only once" in notes


def test_names_and_the_order_of_rows_leave_nothing_out():
    table = patients().drop(columns="patient")
    table["PatientID"] = np.repeat(np.arange(12), 2) * 7 + 100000
    table["subject"] = [f"s{k // 2}" for k in range(24)]
    table["Number"] = np.arange(24) % 5
    table["Patient age"] = np.arange(30, 54)
    table["No. of physician visits"] = np.arange(24) // 3
    sample = build_sample(table, Specification("outcome"))
    assert sample.left_out == {"clinic": "it is constant"}
    assert sample.categorical == ["site", "subject"]


@pytest.mark.parametrize("first", [0, 1])
def test_only_a_count_of_the_rows_is_left_out(first):
    table = patients().assign(count=np.arange(first, first + 24))
    counted = build_sample(table, Specification("outcome")).left_out
    assert counted["count"] == "it only counts the rows"
    # Also behind holes that missing outcomes leave.
    table.loc[5, "outcome"] = None
    assert "count" in build_sample(table, Specification("outcome")).left_out
    assert (
        "count" in build_sample(table, Specification("outcome", features=["count", "age"])).numeric
    )
    for other in (np.arange(24)[::-1], np.arange(24) * 2, np.arange(24) + 2, np.arange(24) / 2):
        assert "count" in build_sample(table.assign(count=other), Specification("outcome")).numeric


def judge_alone(column):
    """Judge one column with pandas, however slowly: the definition of what blocks are for."""
    filled = column.dropna()
    if filled.nunique() <= 1:
        return "constant", "it is constant" if len(filled) else "it is empty"
    if filled.map(lambda v: isinstance(v, bool)).all() or pd.api.types.is_numeric_dtype(column):
        return "numeric", ""
    levels = filled.astype(str).str.strip().nunique()
    return ("text", ALL_DIFFERENT) if levels == len(filled) else ("categorical", "")


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
    table = pd.DataFrame({kind: makers[kind]() for kind in rng.permutation(list(makers))})
    found = kinds_of(table, list(table.columns), asked)
    assert list(found) == list(table.columns)
    assert found == {name: judge_alone(table[name]) for name in table.columns}


def test_a_mixed_column_can_be_left_out_as_the_message_says():
    mixed = patients(12).astype({"marker": object})
    mixed.loc[3, "marker"] = "<0.1"
    assert build_sample(mixed, Specification("outcome", drop=["marker"])).numeric == [
        "age",
        "smoker",
    ]


def test_many_columns_are_not_listed_one_by_one():
    table = patients()
    names = [f"gene{k}" for k in range(300)]
    genes = pd.DataFrame(np.random.default_rng(0).normal(size=(24, 300)), columns=names)
    genes.iloc[:, 100:] = 1.0
    sample = build_sample(pd.concat([table, genes], axis=1), Specification("outcome"))
    notes, shown = sample.notes, listed(sample.numeric)
    assert shown.startswith("age, marker, smoker, gene0, ")
    assert shown.endswith("gene16 … (103 in all)")
    assert (
        "Each of 201 columns, such as 'clinic', 'gene100', 'gene101', was not used: it is constant."
    ) in notes
    assert len(notes) == 3
