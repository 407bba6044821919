"""What Python reads is what the command line analyses."""

import numpy as np
import pytest

import tlpo
from analysis.analyses import deaths
from tables import patients
from tlpo.analysis.models import make_model
from tlpo.errors import InputError, UsageError
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table as read_frame


@pytest.fixture
def file(tmp_path):
    table = patients(24)
    table.loc[3, "age"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    return tmp_path / "t.csv"


@pytest.mark.parametrize("drop", [[], ["site", "smoker"]])
def test_sample_against_the_parts_it_is_made_of(file, drop):
    found = tlpo.read_table(file, "outcome", drop=drop, by=["site"], decimal=",", missing="drop")
    spec = Specification("outcome", drop=drop, by=["site"], missing="drop")
    sample = build_sample(read_frame(str(file), Reading(decimal=",")), spec)
    model = make_model("ridge", sample)
    np.testing.assert_array_equal(np.asarray(found.X), np.asarray(model.features(sample)))
    np.testing.assert_array_equal(found.y, sample.y)
    assert found.table.equals(sample.X)
    assert repr(found.model("ridge")) == repr(model.estimator)
    assert found.model("ridge") is not found.model("ridge")
    assert (found.positive, found.groups, found.time) == ("yes", None, None)
    assert found.by["site"].tolist() == sample.by["site"]
    assert found.names == list(sample.X.columns)
    assert len(found.y) == 23
    assert isinstance(found.X, np.ndarray) == bool(drop)
    assert set(sample.notes) <= set(found.notes)


def test_a_column_that_may_deceive_is_noted(tmp_path):
    table = patients(24)
    table["treated"] = (table["outcome"] == "yes").map({True: 1.5, False: 0.25})
    table.to_csv(tmp_path / "t.csv", index=False)
    notes = tlpo.read_table(tmp_path / "t.csv", "outcome").notes
    assert (
        "'treated' tells the outcome: it has one value for each label. Unless it is a test to be "
        "judged, run the analysis again without 'treated'." in notes
    )


def test_times_are_what_survival_takes(tmp_path):
    table = deaths()
    table.to_csv(tmp_path / "t.csv", index=False)
    sample = tlpo.read_table(tmp_path / "t.csv", time="months", event="died")
    assert sample.time.tolist() == table["months"].tolist()
    assert sample.event.sum() == sample.y["event"].sum() > 0
    assert "months" not in sample.names
    assert sample.positive is None


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ({}, "neither"),
        ({"time": "months"}, "time='months'"),
        ({"target": "a", "time": "b", "event": "c"}, "target='a' and time='b' and event='c'"),
    ],
)
def test_no_outcome_or_two_are_refused(file, given, passed):
    with pytest.raises(UsageError) as caught:
        tlpo.read_table(file, **given)
    assert str(caught.value) == (
        f"An outcome is either one column, or a time and an event.\nYou passed {passed}.\n"
        "For example target='relapse', or time='months' and event='died'."
    )


def test_arguments_are_named_as_in_python(file):
    with pytest.raises(InputError, match=r"You passed drop='age'"):
        tlpo.read_table(file, "outcome", drop="age")
    with pytest.raises(UsageError, match="There is no such model"):
        tlpo.read_table(file, "outcome").model("rigde")
