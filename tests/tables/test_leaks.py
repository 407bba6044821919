"""Columns that know the outcome: the answer warns of them, and not of chance."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from tables import answer, patients
from tlpo.tables.build_sample import build_sample
from tlpo.tables.leakage import _code_aucs, _midranks, single_aucs
from tlpo.tables.options import Specification


def base(m=24):
    return patients(m)[["age", "marker", "outcome"]]


def suspects(table, **spec):
    found = build_sample(table, Specification("outcome", **spec)).suspects
    return {suspect["column"]: suspect["kind"] for suspect in found}


def noise():
    return np.random.default_rng(1).normal(size=24).round(2)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "coding",
    [
        {"yes": 1, "no": 0},
        {"yes": 1, "no": 2},
        {"yes": "R", "no": "NR"},
        {"yes": True, "no": False},
        {"yes": 0.25, "no": 7.5},
    ],
)
@pytest.mark.parametrize("positives", [12, 3])
def test_a_copy_of_the_outcome_under_any_coding(coding, positives):
    table = base().assign(outcome=["yes" if k < positives else "no" for k in range(24)])
    table["copy"] = table["outcome"].map(coding)
    found = answer(table)
    assert "'copy' tells the outcome: it has one value for each label" in found.text
    remedy = "Unless it is a test to be judged, run the analysis again with --drop copy."
    assert remedy in found.text
    assert "tells the outcome" not in answer(table, "--drop", "copy").text


def test_a_code_in_any_order_that_tells_the_outcome():
    table = base().assign(code=[2, 1] * 6 + [2, 3] * 6)  # 2 is yes
    assert suspects(table)["code"] == "separates"
    assert suspects(table.assign(code=table["code"].map({1: "a", 2: "b", 3: "c"})))["code"] == (
        "separates"
    )


def test_what_defines_the_outcome():
    """Birth weight, of a low birth weight."""
    rng = np.random.default_rng(0)
    weight = rng.normal(2900, 600, 120).round()
    table = pd.DataFrame({"age": rng.integers(15, 40, 120), "bwt": weight})
    table["outcome"] = np.where(weight < 2500, "low", "normal")
    found = answer(table)
    assert (
        ". If it followed the outcome or defined it, no AUC here means anything. In that case, run "
        "the analysis again with --drop bwt."
    ) in found.text
    assert "'bwt' alone separates the classes (AUC 1.000); without it the AUC is " in found.text
    # A copy with a few errors still separates nearly perfectly.
    table.loc[table["bwt"].nlargest(1).index, "bwt"] = 2400.0
    assert suspects(table)["bwt"] == "separates"


@pytest.mark.parametrize(
    "name",
    ["radiologic_6m", "follow-up", "futime", "survival time", "days_to_death", "pain post-op",
     "discharge status", "outcome2", "time", "score_12 months", "LengthOfStay", "RFS", "pfs_months",
     "TTP", "Time to recurrence", "months to progression", "date of last contact",
     "weeks_to_event", "YearsToDeath", "Recurrence_free", "BCR_time", "DSS_months", "lastfu", "fup",
     "fuptime", "survmonths", "surtim", "t_event", "time_in_study", "obs_time"],
)  # fmt: skip
def test_names_of_something_later(name):
    assert suspects(base().assign(**{name: noise()})) == {name: "after"}


@pytest.mark.parametrize("name", ["futime", "survival time"])
def test_a_name_of_something_later_is_said(name):
    table = base().assign(**{name: noise()})
    found = answer(table)
    quoted = f"'{name}'" if " " in name else name
    assert (
        f". If so, it cannot predict it. In that case, run the analysis again with --drop {quoted}."
    ) in found.text
    assert f"'{name}' seems to have been known only after the outcome" in found.text


@pytest.mark.parametrize(
    ("one", "other"),
    [("ptime", "pstat"), ("OS", "OS_event"), ("os.time", "os.status"), ("rectime", "censrec"),
     ("LocalDays", "Local status")],
)  # fmt: skip
def test_a_time_beside_its_status(one, other):
    """Neither name says so alone."""
    table = base().assign(**{one: noise(), other: ["a", "b", "b"] * 8})
    assert suspects(table) == {one: "after", other: "after"}
    for name in (one, other):
        alone = suspects(table[["age", "marker", "outcome", name]])
        assert alone in ({}, {name: "after"})
    assert suspects(table.rename(columns={other: "stage"})) in ({}, {one: "after"})


def test_a_time_beside_the_outcome():
    table = base().rename(columns={"outcome": "relstat"}).assign(reltime=noise())
    found = build_sample(table, Specification("relstat")).suspects
    assert [(row["column"], row["kind"]) for row in found] == [("reltime", "after")]


@pytest.mark.parametrize(
    "name",
    [
        "age",
        "CYP2D",
        "IL6",
        "prior outcome",
        "visit_2",
        "post-menopausal",
        "smoking status",
        "OS",
        "reaction time",
        "years of education",
        "duration",
        "months",
        "months tobacco",
        "PSA free",
        "t_cells",
        "disease-free interval",
        "discharge",
    ],
)
def test_a_name_of_something_else(name):
    table = base().assign(**{name: np.random.default_rng(1).normal(size=24).round(2)})
    assert suspects(table) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(3))
def test_thousands_of_genes_do_not_warn_by_chance(seed):
    rng = np.random.default_rng(seed)
    genes = pd.DataFrame(rng.normal(size=(38, 5000)), columns=[f"g{k}" for k in range(5000)])
    assert suspects(genes.assign(outcome=["yes"] * 11 + ["no"] * 27)) == {}
    few = genes.iloc[:10].assign(outcome=["yes", "no"] * 5)
    is_first = np.array(few["outcome"]) == "yes"
    separated = [c for c in genes if few[c][is_first].min() > few[c][~is_first].max()]
    assert separated  # by chance, as 5 of 10 do in one of 252 columns
    assert suspects(few) == {}


def test_many_small_categories_are_no_leak():
    table = base(60).assign(town=[f"town {k % 29}" for k in range(60)])
    assert suspects(table) == {"town": "names"}
    few = np.full(60, np.nan)
    few[:6] = [9, 1, 8, 2, 7, 3]  # nothing, though all six are on their side
    assert suspects(base(60).assign(few=few)) == {}


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 30), st.integers(1, 3)),
        elements=st.sampled_from([0.0, 0.5, 1.0, 7.0]),
    )
)
def test_ranks_are_those_of_scipy(A):
    np.testing.assert_array_equal(_midranks(A), rankdata(A, axis=0))


@pytest.mark.parametrize("name", ["TTR_prealbumin", "TTP gene", "dfs score b"])
def test_times_to_an_event_are_something_else_beside_other_words(name):
    assert suspects(base().assign(**{name: noise()})) == {}


def test_a_category_that_says_less_than_nothing_counts_as_nothing():
    """Ranked by the other rows of their category, useless ones look worse than chance."""
    table = pd.DataFrame({"site": ["a", "b", "c", "d"] * 3})
    is_positive = np.array([True, False] * 2 + [False, True] * 2 + [True, True, False, False])
    assert _code_aucs(table.to_numpy(object), is_positive)[0] < 0.5
    assert single_aucs(table, is_positive).tolist() == [0.5]
