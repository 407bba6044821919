import numpy as np
import pandas as pd
import pytest

import tlpo
from tables import patients
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification
from tlpo.tables.read import read_table


def refused(table, target, **options):
    spec = Specification(target, **options)
    with pytest.raises(tlpo.InputError) as caught:
        build_sample(table, spec)
    return str(caught.value)


def test_a_table_is_understood():
    sample = build_sample(patients(), Specification("outcome"))
    assert sample.numeric == ["age", "marker", "smoker"]
    assert sample.categorical == ["site"]
    assert sample.labels.positive == "yes"
    assert sample.ids.columns.tolist() == ["row", "patient"]
    assert sample.ids["patient"].tolist()[:2] == ["P00", "P01"]
    notes = " ".join(sample.notes)
    assert "'yes' counts as positive ('no' reads as negative)" in notes
    assert "features:" not in notes  # the baseline table lists them once
    assert "'patient' was not used: every text is different" in notes
    assert "'clinic' was not used: it is constant" in notes


def test_what_is_missing_is_counted():
    table = patients()
    table.loc[3, "outcome"] = None
    table.loc[[4, 5], "marker"] = np.nan
    table.loc[5, "site"] = None
    imputed = build_sample(table, Specification("outcome", positive="no"))
    assert (imputed.n_read, imputed.n_without_target) == (24, 1)
    assert (imputed.n_incomplete, imputed.n_missing_cells, imputed.n_dropped) == (2, 3, 0)
    assert len(imputed.X) == 23
    assert imputed.labels.positive == "no"
    dropped = build_sample(table, Specification("outcome", missing="drop"))
    assert (dropped.n_dropped, dropped.n_missing_cells, len(dropped.X)) == (2, 0, 21)


def test_numbers_are_labels_too():
    table = patients().assign(outcome=[1.0, 0.0] * 12)
    table.loc[0, "outcome"] = np.nan
    assert build_sample(table, Specification("outcome")).labels.positive == "1"


def test_columns_can_be_chosen():
    chosen = build_sample(patients(), Specification("outcome", features=["marker", "age"]))
    assert chosen.numeric == ["marker", "age"]
    fewer = build_sample(patients(), Specification("outcome", drop=["site", "smoker"]))
    assert (fewer.numeric, fewer.categorical) == (["age", "marker"], [])
    grouped = build_sample(patients(), Specification("outcome", group="site"))
    assert set(grouped.groups) == {"north", "south"}
    assert "site" not in grouped.categorical


def test_wrong_tables_are_refused():
    table = patients()
    assert refused(table, "outcom") == (
        "There is no such column.\n"
        "You passed 'outcom'; the columns are 'patient', 'age', 'marker', 'site', 'smoker', "
        "'clinic', 'outcome'.\nDid you mean 'outcome'?"
    )
    assert refused(table, "clinic", rows=("1-24",), classes=("A", "Z")).startswith(
        "The outcome has no such label."
    )
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


def test_higher_codes_are_positive():
    table = patients()
    table["outcome"] = pd.Categorical(
        np.where(table["outcome"] == "yes", "grade B", "grade C"),
        ["grade C", "grade B"],
        ordered=True,
    )
    sample = build_sample(table, Specification("outcome"))
    assert (sample.labels.positive, sample.chosen_by) == (
        "grade B",
        "the label with the higher code",
    )
    assert (
        build_sample(table, Specification("outcome", positive="grade C")).labels.positive
        == "grade C"
    )
    # SPSS files often code yes as 1 and no as 2.
    table["outcome"] = pd.Categorical(patients()["outcome"], ["yes", "no"], ordered=True)
    assert build_sample(table, Specification("outcome")).labels.positive == "yes"


@pytest.mark.parametrize("seed", range(4))
def test_duplicates_against_pandas(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "a": rng.choice([0.0, -0.0, 1.5, np.nan], 60),
            "b": rng.choice([1, 2], 60),
            "c": rng.choice(np.array(["x", " x", "y", None]), 60),
            "outcome": ["yes", "no"] * 30,
        }
    )
    sample = build_sample(table, Specification("outcome"))
    assert sample.n_duplicates == sample.X.duplicated().sum() > 0


def test_the_rows_of_the_features_are_those_of_the_outcome():
    table = patients(40).drop(columns="patient")
    table.loc[[3, 17], "outcome"] = None
    table.loc[[4, 17, 30], "marker"] = np.nan
    sample = build_sample(table, Specification("outcome", missing="drop"))
    kept = [k for k in range(40) if k not in (3, 4, 17, 30)]
    assert (sample.ids["row"] - 1).tolist() == kept
    pd.testing.assert_frame_equal(
        sample.X,
        table.loc[kept, ["age", "marker", "smoker", "site"]]
        .astype({"smoker": float, "site": object})
        .reset_index(drop=True),
    )
    assert sample.y.tolist() == table.loc[kept, "outcome"].tolist()
    assert (sample.n_without_target, sample.n_dropped, sample.n_incomplete) == (2, 2, 2)


def test_the_positive_label_in_upper_or_lower_case():
    table = patients().assign(outcome=[True, False] * 12)
    for positive in ("TRUE", "true", "True"):
        assert (
            build_sample(table, Specification("outcome", positive=positive)).labels.positive
            == "True"
        )
    table = table.assign(outcome=["Yes", "yes"] * 12)
    assert build_sample(table, Specification("outcome", positive="yes")).labels.positive == "yes"
    ambiguous = refused(table, "outcome", positive="YES")
    assert ambiguous.startswith("The positive label does not occur in the target column.")


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_groups_with_and_without_leading_zeros_are_refused(tmp_path, kind):
    table = patients(12)[["marker", "outcome"]].assign(who=[*range(7, 18), "007"])
    if kind == "csv":
        table.to_csv(tmp_path / "t.csv", index=False)
    else:
        table.to_excel(tmp_path / "t.xlsx", index=False)
    read = read_table(str(tmp_path / f"t.{kind}"))
    build_sample(read, Specification("outcome"))  # as a feature it is a number
    with pytest.raises(tlpo.InputError) as caught:
        build_sample(read, Specification("outcome", group="who"))
    assert str(caught.value) == (
        "Some groups differ only in how a number is written.\n"
        "You passed group='who', where a number stands with leading zeros and without.\n"
        "If they are one group, write it in one way; if not, add a letter to one."
    )


def test_a_gap_in_the_group_column_is_refused():
    table = patients(12).assign(who=[*map(str, range(11)), None])
    assert "You passed group='who'; it is empty in 1 row." in refused(table, "outcome", group="who")
