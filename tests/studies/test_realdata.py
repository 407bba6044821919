import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier

import tlpo
from studies import realdata_survival
from studies.marked import DOCS, read_block
from studies.public_tables import CASES, FALSE, USEFUL, USELESS
from studies.realdata import FEW, HEAD, count_remarks, judged, plain_loop, try_out

BUNDLED = [case for case in CASES if case.name == "sklearn/iris"]  # the others take longer


@pytest.mark.parametrize("case", BUNDLED, ids=lambda case: case.name)
def test_a_table_of_scikit_learn_is_as_the_study_expects(case):
    line, wrong = try_out(case)
    assert wrong == []
    assert len(line) == len(HEAD)
    assert line[1] == "50 + 50"
    assert line[-2] == line[-1]


def test_the_plain_loop_against_the_package():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * FEW, 3))
    y = np.array(["yes", "no"] * FEW)
    groups = np.arange(2 * FEW) // 3
    for positive, some in (("yes", None), ("no", groups)):
        found = tlpo.leave_pair_out(RidgeClassifier(), X, y, positive=positive, groups=some).auc
        assert plain_loop(RidgeClassifier(), X, y, positive, some) == found


@pytest.mark.exhaustive
def test_what_is_not_expected_is_a_fault():
    from dataclasses import replace

    case = replace(
        BUNDLED[0],
        warned={"petal width (cm)": "separates"},
        leaks=("petal width (cm)",),
        remarks={"one column": USEFUL},
    )
    _, wrong = try_out(case)
    said = list(BUNDLED[0].remarks)
    assert wrong == [
        "sklearn/iris: warned of {}, expected {'petal width (cm)': 'separates'}",
        f"sklearn/iris: remarks {said}, expected ['one column']",
        "sklearn/iris: ['petal width (cm)'] not asked about, expected ()",
    ]


def test_the_page_has_every_table():
    lines = read_block(DOCS / "tables.md", "real data").splitlines()[2:]
    assert [line.split(" ")[1] for line in lines] == [case.name for case in CASES]
    assert len({case.name for case in CASES}) >= 40
    assert all(line.split(" | ")[-2] == line.split(" | ")[-1].strip(" |") for line in lines)


def test_every_remark_was_judged_and_nearly_all_are_true():
    worth = [one for case in CASES for one in case.remarks.values()]
    assert {*worth} <= {USEFUL, USELESS, FALSE}
    assert worth.count(FALSE) <= 0.05 * len(worth)
    assert np.median([len(case.remarks) for case in CASES]) <= 2
    counted = read_block(DOCS / "reliability.md", "remarks")
    for line in count_remarks(CASES, [1.0]).splitlines()[2:-2]:  # but the times
        assert line in counted
    shown = read_block(DOCS / "tables.md", "real data")
    assert all(f" | {judged(case)} | " in shown for case in CASES)


# --- times to an event


@pytest.mark.exhaustive
def test_veterans_are_as_the_study_expects():
    line, wrong = realdata_survival.try_out(realdata_survival.CASES[0])
    assert wrong == []
    assert len(line) == len(realdata_survival.HEAD)
    assert line[1:3] == [137, 128]
    assert line[-2] == line[-1]


@pytest.mark.parametrize("n_times", [None, 4])
def test_the_plain_loop_of_times_against_the_package(n_times):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(14, 2))
    time = rng.exponential(size=14) if n_times is None else rng.integers(1, n_times + 1, 14)
    y = tlpo.time_to_event(time, rng.random(14) < 0.6)
    found = tlpo.survival(tlpo.Cox(), X, y, engine="refit").concordance
    assert realdata_survival.plain_loop(tlpo.Cox(), X, y) == found


def test_the_page_of_survival_has_every_table():
    lines = read_block(DOCS / "survival.md", "real data").splitlines()[2:]
    names = [case.name for case in realdata_survival.CASES]
    assert [line.split(" ")[1] for line in lines] == names
    assert all(line.split(" | ")[-2] == line.split(" | ")[-1].strip(" |") for line in lines)
