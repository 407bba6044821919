"""Categories of features that differ only in case and spaces."""

import numpy as np
import pandas as pd
import pytest

from tlpo.analysis.new_rows import _categories
from tlpo.analysis.shapes import CategoricalColumn
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification
from tlpo.tables.spelling import join_categories


def table(sex):
    n = len(sex)
    return pd.DataFrame(
        {"sex": sex, "age": np.arange(n) % 7 + 0.5, "ill": np.where(np.arange(n) % 2, "yes", "no")}
    )


def test_categories_are_joined_and_said():
    sample = build_sample(
        table(["M", "F", "m ", "M", " f", "F", "M", None] * 3), Specification("ill")
    )
    assert sample.X["sex"].dropna().unique().tolist() == ["M", "F"]
    assert sample.levels["sex"].kept == ("M", "F")
    assert sample.n_missing_cells == 3
    (note,) = [note for note in sample.notes if "'sex'" in note]
    # Spaces around a text never count.
    assert note == (
        "Column 'sex': 2 spellings that differ from others only in case or spaces were joined "
        "(6 rows)."
    )


def test_a_category_that_is_said_to_be_one_stays_as_it_is():
    sex = ["M", "F", "m", "M"] * 6
    sample = build_sample(table(sex), Specification("ill", categorical=("sex",)))
    assert set(sample.X["sex"]) == {"M", "F", "m"}
    assert not [note for note in sample.notes if "spelling" in note]


@pytest.mark.parametrize(
    "values",
    [
        ["AA", "Aa", "aa"],  # only one would be left
        ["north", "south", "east"],
        [1.0, 2.0, None],
    ],
)
def test_what_is_not_joined(values):
    frame = pd.DataFrame({"x": values})
    found, joined = join_categories(frame, ["x"])
    assert joined == {}
    assert found is frame


def test_labels_of_spss_are_what_their_codes_say():
    frame = pd.DataFrame({"x": pd.Categorical(["No", "no", "Yes"])})
    assert join_categories(frame, ["x"])[1] == {}


@pytest.mark.parametrize(
    ("categories", "value", "read"),
    [
        (["M", "F"], "m ", "M"),
        (["M", "m", "F"], "m", "m"),
        (["AA", "other (2 levels)"], "aa", "aa"),  # as development, which kept it apart
        (["M", "F"], "x", "x"),
    ],
)
def test_a_saved_model_reads_categories_as_development_did(categories, value, read):
    other = categories[-1] if categories[-1].startswith("other") else None
    known = CategoricalColumn("sex", 0, categories, other)
    values, _ = _categories(pd.Series([value, None]), known)
    assert values[0] == read
    assert values.isna().tolist() == [False, True]
