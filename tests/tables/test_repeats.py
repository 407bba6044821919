"""Patients with several rows: the answer warns unless it was told."""

import numpy as np
import pandas as pd
import pytest

from tables import answer, patients
from tlpo.tables.duplicates import count_duplicates


def visits():
    """Twelve patients with four visits each."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12), 4)
    marker = rng.normal(size=12)[who] + rng.normal(scale=0.3, size=48)
    outcome = np.where(who % 2, "yes", "no")
    return pd.DataFrame({"patient": who * 3 + 101, "marker": marker.round(3), "outcome": outcome})


WARNING = (
    "'patient' repeats: 12 values in 48 rows. If it identifies the patient, models were tested on "
    "patients they had seen. In that case, run the analysis again with --group patient."
)


@pytest.mark.parametrize("naming", [int, "P{}".format])
@pytest.mark.parametrize("drop", [(), ("--drop", "patient")])
def test_visits_without_a_group(naming, drop):
    table = visits().assign(age=np.arange(48) * 7 % 31)
    table["patient"] = table["patient"].map(naming)
    assert WARNING in answer(table, *drop).text


def test_visits_with_a_group():
    text = answer(visits(), "--group", "patient").text
    assert "repeats" not in text
    assert "same features" not in text


def test_rows_of_few_possible_ones_are_the_same_by_chance():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 2, (200, 4)), columns=list("abcd"))
    n_duplicates, expected = count_duplicates(table)
    assert n_duplicates == 184
    assert expected == pytest.approx(200 * 199 / 2 / 16, rel=0.1)
    assert "same features" not in answer(table.assign(outcome=["yes", "no"] * 100)).text


def test_identical_rows():
    table = pd.concat([patients(20), patients(20)])[["age", "marker", "outcome"]]
    table["person"] = [f"p{k}" for k in range(20)] * 2
    warning = (
        "20 rows have the same features as an earlier row, more than chance would give. If they "
        "belong to the same patient, models were tested on patients they had seen. In that case, "
        "remove these rows, or run the analysis again with --group."
    )
    assert warning in answer(table, "--drop", "person").text
    grouped = answer(table, "--group", "person").text
    assert "same features" not in grouped
    assert "repeats" not in grouped
