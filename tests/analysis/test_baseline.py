"""The baseline table against pandas, which shares no code with it."""

import numpy as np
import pandas as pd
import pytest

from tlpo.analysis.baseline import PARTS, tabulate_baseline
from tlpo.analysis.json_values import finish
from tlpo.document.parts import baseline_cells
from tlpo.tables.levels import find_levels


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(60, 10, 40),
            "crp": rng.lognormal(1, 1.5, 40),
            "smoker": (rng.random(40) < 0.4).astype(float),
            "stage": rng.choice(["I", "II", "III"], 40).astype(object),
        }
    )
    frame.loc[[1, 2, 5], "age"] = np.nan
    frame.loc[[0, 7], "stage"] = np.nan
    return frame


def levels_of(table):
    return {"stage": find_levels("stage", table["stage"].tolist(), None, False)}


def test_numbers_against_pandas(table):
    ill = np.arange(40) % 3 == 0
    rows = tabulate_baseline(table, ["age", "crp", "smoker"], ["stage"], ill, levels_of(table))
    assert [(row.feature, row.level, row.kind) for row in rows] == [
        *(("stage", level, "share") for level in ("I", "II", "III")),
        *(("age", None, "mean"), ("crp", None, "median"), ("smoker", "1", "share")),
    ]
    for part, inside in zip(PARTS, (np.ones(40, dtype=bool), ill, ~ill), strict=True):
        own = table[inside]
        age, crp, smoker = (getattr(row, part) for row in rows[3:])
        assert age.values == pytest.approx([own["age"].mean(), own["age"].std()])
        assert (age.count, age.missing) == (own["age"].count(), own["age"].isna().sum())
        assert crp.values == pytest.approx(own["crp"].quantile([0.5, 0.25, 0.75]).tolist())
        assert smoker.values == pytest.approx([own["smoker"].sum(), own["smoker"].mean()])
        shares = own["stage"].value_counts(normalize=True)
        for row in rows[:3]:
            cell, count = getattr(row, part), (own["stage"] == row.level).sum()
            assert cell.values == pytest.approx([count, shares[row.level]])
            assert cell.missing == own["stage"].isna().sum()


def test_many_features_are_cut_and_categories_stay(table):
    ill = np.arange(40) % 2 == 0
    rows = tabulate_baseline(
        table, ["age", "crp", "smoker"], ["stage"], ill, levels_of(table), most=2
    )
    assert {row.feature for row in rows} == {"stage", "age"}


def test_cells_as_a_paper_shows_them(table):
    ill = np.arange(40) < 20
    table.loc[ill, "age"] = np.nan
    rows = tabulate_baseline(table, ["age"], ["stage"], ill, levels_of(table))
    stage, age = (baseline_cells(finish(row)) for row in (rows[0], rows[-1]))
    assert stage[0] == "stage: I, n (%)"
    counts = [(table["stage"][inside] == "I").sum() for inside in (ill | True, ill, ~ill)]
    assert [cell.split()[0] for cell in stage[1:]] == [str(count) for count in counts]
    assert age[2] == "— (20 missing)"
    assert age[3] == f"{table['age'].mean():.1f} ± {table['age'].std():.1f}"
