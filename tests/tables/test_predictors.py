"""Which columns are used, which are left out, and that the answer says so."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tables import answer, patients
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

FILES = ("--md", "r.md", "--html", "r.html", "--json", "r.json")


def base(m=24):
    return patients(m)[["age", "marker", "outcome"]]


def in_every_form(text):
    """Return whether the answer says it as Markdown, HTML and JSON alike."""
    page = Path("r.html").read_text().replace("&#39;", "'")
    said = " ".join(json.loads(Path("r.json").read_text())["warnings"])
    return text in Path("r.md").read_text() and text in page and text in said


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Number", np.arange(24) % 7 + 2),  # of vertebrae, in kyphosis
        ("number3m", np.arange(24) * 3 % 11),
        ("Patient age", np.arange(24) + 30),
        ("No. of physician visits", np.arange(24) // 3),
        ("case load", np.arange(24)[::-1]),
        ("index", np.arange(24) * 2),
        ("dose", np.arange(24) + 10),  # whole, different and sorted in the file
        ("year", np.arange(1990, 2014)),
    ],
)
def test_no_predictor_is_left_out_by_its_name_or_the_order_of_rows(name, values):
    found = answer(base().assign(**{name: values}))
    assert found.code == 0
    assert "Not used" not in found.text
    assert "identifier" not in found.text
    assert "--group" not in found.text


def test_what_is_left_out_is_named_in_every_form_of_the_answer():
    table = base().assign(
        row=np.arange(1, 25),
        clinic="A",
        empty=np.nan,
        remark=[f"patient came {k} times" for k in range(24)],
        day=pd.date_range("2024-02-20", periods=24).strftime("%Y-%m-%d"),
        visit=pd.date_range("2024-02-20", periods=24).strftime("%Y%m%d").astype(int),
    )
    text = (
        "Not used as predictors: 'clinic' (constant); 'empty' (empty); "
        "'remark' (every text is different); 'day' and 'visit' (it holds dates)."
    )
    found = answer(table, *FILES)
    assert text in found.text
    assert in_every_form(text)


def test_of_many_that_are_left_out_a_few_are_named():
    table = pd.concat([base(), pd.DataFrame(1.0, range(24), [f"g{k}" for k in range(40)])], axis=1)
    text = "Not used as predictors: 40 columns, such as 'g0', 'g1', 'g2', (constant)."
    assert text in answer(table).text


def test_a_column_that_is_constant_in_the_rows_asked_for_is_left_out():
    table = base().assign(arm=np.where(np.arange(24) < 16, "treated", "placebo"))
    found = answer(table, "--rows", "arm=treated")
    assert "Not used as predictors: 'arm' (constant)." in found.text
    assert "8 of 24 rows were left out on request: 8 not selected by 'arm=treated'." in found.text


def test_an_identifier_is_used_and_asked_about_in_every_form_of_the_answer():
    mrn = np.random.default_rng(0).permutation(24) * 17 + 40321
    text = (
        "'MRN' looks like an identifier but was used as a predictor. If so, run the analysis again "
    )
    found = answer(base().assign(MRN=mrn), *FILES)
    assert f"{text}with --drop MRN." in found.text
    assert in_every_form(f"{text}without 'MRN'.")
    assert "identifier" not in answer(base().assign(MRN=mrn), "--drop", "MRN").text
    assert build_sample(base().assign(MRN=mrn), Specification("outcome")).numeric[-1] == "MRN"


def test_a_text_with_many_values_that_repeat_is_a_predictor():
    table = patients(60)[["age", "marker", "outcome"]]
    table["hospital"] = [f"hospital {k % 25}" for k in range(60)]
    assert build_sample(table, Specification("outcome")).categorical == ["hospital"]
