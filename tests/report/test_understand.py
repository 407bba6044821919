import numpy as np
import pandas as pd
import pytest

import tlpo
from report.tables import patients
from tlpo.report.models import MODELS, make_model, parse_value
from tlpo.report.options import Question
from tlpo.report.understand import understand


def refused(table, target, **options):
    question = Question(target, **options)
    with pytest.raises(tlpo.InputError) as caught:
        understand(table, question)
    return str(caught.value)


def test_a_table_is_understood():
    sample = understand(patients(), Question("outcome"))
    assert sample.numeric == ["age", "marker", "smoker"]
    assert sample.categorical == ["site"]
    assert sample.labels.positive == "yes"
    assert sample.ids.columns.tolist() == ["row", "patient"]
    assert sample.ids["patient"].tolist()[:2] == ["P00", "P01"]
    notes = " ".join(sample.notes)
    assert "'yes' counts as positive ('no' reads as negative)" in notes
    assert "Numeric features: age, marker, smoker." in notes
    assert "'patient' was not used: every value is different" in notes
    assert "'clinic' was not used: it is constant" in notes


def test_what_is_missing_is_counted():
    table = patients()
    table.loc[3, "outcome"] = None
    table.loc[[4, 5], "marker"] = np.nan
    table.loc[5, "site"] = None
    imputed = understand(table, Question("outcome", positive="no"))
    assert (imputed.n_read, imputed.n_without_target) == (24, 1)
    assert (imputed.n_incomplete, imputed.n_missing_cells, imputed.n_dropped) == (2, 3, 0)
    assert len(imputed.X) == 23
    assert imputed.labels.positive == "no"
    dropped = understand(table, Question("outcome", missing="drop"))
    assert (dropped.n_dropped, dropped.n_missing_cells, len(dropped.X)) == (2, 0, 21)


def test_numbers_are_labels_too():
    table = patients().assign(outcome=[1.0, 0.0] * 12)
    table.loc[0, "outcome"] = np.nan
    assert understand(table, Question("outcome")).labels.positive == "1"


def test_columns_can_be_chosen():
    chosen = understand(patients(), Question("outcome", features=["marker", "age"]))
    assert chosen.numeric == ["marker", "age"]
    fewer = understand(patients(), Question("outcome", drop=["site", "smoker"]))
    assert (fewer.numeric, fewer.categorical) == (["age", "marker"], [])
    grouped = understand(patients(), Question("outcome", group="site"))
    assert set(grouped.groups) == {"north", "south"}
    assert "site" not in grouped.categorical


def test_wrong_tables_are_refused():
    table = patients()
    assert refused(table, "outcom") == (
        "There is no such column.\n"
        "You passed 'outcom'; the columns are 'patient', 'age', 'marker', 'site', 'smoker', "
        "'clinic', 'outcome'.\nDid you mean 'outcome'?"
    )
    assert refused(table, "age").startswith("The target must have exactly two labels.")
    assert "Did you mean 'yes'?" in refused(table, "outcome", positive="yess")
    assert refused(table[["clinic", "outcome"]], "outcome").startswith("No features are left.")
    assert refused(table.assign(outcome=None), "outcome").startswith("The target column is empty.")
    infinite = table.assign(marker=np.inf).assign(age=table["age"])
    infinite.loc[0, "marker"] = 0.0
    assert refused(infinite, "outcome").startswith("Features must be finite numbers.")
    gaps = table.assign(site=[None, "x"] * 12)
    assert refused(gaps, "outcome", group="site").startswith("The group column has gaps.")
    odd = np.arange(24) % 2 == 1
    hollow = table.assign(marker=table["marker"].mask(odd), age=table["age"].mask(~odd))
    assert refused(hollow, "outcome", missing="drop").startswith("Every row has a missing value.")


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_the_list_plays(name):
    table = patients(12)
    table.loc[2, "marker"] = np.nan
    sample = understand(table, Question("outcome"))
    model = make_model(name, sample)
    t = tlpo.tournament(model.estimator, sample.X, sample.y)
    assert 0 <= t.auc <= 1
    if name == "constant":
        assert t.auc == 0.5


def test_preparation_is_fitted_inside():
    """Nothing of a held-out unit reaches its model: its outlier does not move the others' scale."""
    table = patients(16)[["age", "marker", "outcome"]]
    sample = understand(table, Question("outcome"))
    model = make_model("ridge", sample).estimator
    t = tlpo.tournament(model, sample.X, sample.y)
    moved = sample.X.copy()
    moved.loc[0, "age"] = 1e6
    other = tlpo.tournament(model, moved, sample.y)
    assert (t.predictions[1:, 0] == other.predictions[1:, 0]).all()
    assert (t.predictions[1:, 1:] != other.predictions[1:, 1:]).any()


def test_models_of_ones_own_and_parameters(tmp_path, monkeypatch):
    sample = understand(patients()[["age", "marker", "outcome"]], Question("outcome"))
    assert make_model("knn:n_neighbors=3,weights=distance", sample).estimator[-1].n_neighbors == 3
    assert make_model("rls:regparam=0.5", sample).estimator.regparam == 0.5
    (tmp_path / "mine.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "model = LogisticRegression()\n"
        "def make():\n    return model\n"
        "number = 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert make_model("mine:model", sample).estimator.C == 1
    assert make_model("mine:make", sample).estimator.C == 1
    for spec, message in (
        ("rigde", "Did you mean 'ridge'?"),
        ("knn:neighbours=3", "has no such parameter"),
        ("nothing.here:model", "cannot be imported"),
        ("mine:other", "cannot be imported"),
        ("mine:number", "is not an estimator"),
    ):
        with pytest.raises(tlpo.InputError, match=message.replace("?", r"\?")):
            make_model(spec, sample)


def test_values_are_parsed_never_evaluated():
    assert parse_value("__import__('os').system('true')") == "__import__('os').system('true')"
    assert parse_value("inf") == "inf"
    assert parse_value("1e3") == 1000.0


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


def test_higher_codes_are_positive():
    table = patients()
    table["outcome"] = pd.Categorical(
        np.where(table["outcome"] == "yes", "cancer", "healthy"),
        ["healthy", "cancer"],
        ordered=True,
    )
    sample = understand(table, Question("outcome"))
    assert (sample.labels.positive, sample.chosen_by) == (
        "cancer",
        "the label with the higher code",
    )
    assert understand(table, Question("outcome", positive="healthy")).labels.positive == "healthy"
