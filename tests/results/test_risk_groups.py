"""Groups of rising risk: who is in which, and their survival by hand and by scikit-survival."""

import numpy as np
import pytest
from sksurv.compare import compare_survival
from sksurv.nonparametric import kaplan_meier_estimator

import survival_oracles as by_loops
import tlpo
from survival_oracles import patients, y_of
from tlpo.problem.outcome import TimeToEvent
from tlpo.results.risk_groups import cut_between, divide, divide_at


def groups_of(risk, n_groups, time=None, event=None):
    m = len(risk)
    time = np.arange(1.0, m + 1) if time is None else np.asarray(time, dtype=float)
    event = np.ones(m, dtype=bool) if event is None else np.asarray(event, dtype=bool)
    return divide(np.asarray(risk, dtype=float), TimeToEvent(time, event), n_groups)


# --- who is in which


@pytest.mark.parametrize(
    ("risk", "n_groups", "member"),
    [
        ([5, 1, 3, 2, 6, 4], 3, [2, 0, 1, 0, 2, 1]),
        ([5, 1, 3, 2, 6, 4], 2, [1, 0, 0, 0, 1, 1]),
        ([1, 2, 3, 4, 5, 6, 7], 3, [0, 0, 1, 1, 1, 2, 2]),
        ([1, 2, 3, 4, 5, 6, 7, 8], 3, [0, 0, 0, 1, 1, 2, 2, 2]),
        # Equal ranks stay together: in the group of the middle one.
        ([1, 2, 2, 2, 3, 4], 3, [0, 1, 1, 1, 2, 2]),
        ([1, 1, 1, 1, 2, 3], 2, [0, 0, 0, 0, 1, 1]),
        ([1, 1, 2, 2, 3, 3], 3, [0, 0, 1, 1, 2, 2]),
        # Units without a rank are in none.
        ([1, np.nan, 2, 3, np.nan], 3, [0, -1, 1, 2, -1]),
    ],
)
def test_members_by_hand(risk, n_groups, member):
    found = groups_of(risk, n_groups)
    assert found.member.tolist() == member
    assert len(found.curves) == len(found.names) == n_groups


def test_names_rise():
    assert groups_of(range(6), 2).names == ("low", "high")
    assert groups_of(range(6), 3).names == ("low", "medium", "high")
    assert groups_of(range(6), 4).names == ("1 of 4", "2 of 4", "3 of 4", "4 of 4")


def test_many_ties_may_leave_a_group_empty():
    # Of nine, seven share a rank, which is that of all thirds: the middle one.
    found = groups_of([0, 1, 1, 1, 1, 1, 1, 1, 2], 3)
    assert found.member.tolist() == [0, *[1] * 7, 2]
    found = groups_of([1, 1, 1, 1, 1, 1, 1, 2, 3], 3)
    assert found.member.tolist() == [*[0] * 7, 1, 1]
    assert found.names == ("1 of 2", "2 of 2")


def test_fewer_ranks_than_groups():
    with pytest.raises(tlpo.InputError) as caught:
        groups_of([1, 1, 2, 2, np.nan], 3)
    assert str(caught.value) == (
        "There are fewer different ranks than groups.\n"
        "You passed n_groups=3; the units have 2 different ranks.\n"
        "Ask for fewer groups."
    )


@pytest.mark.parametrize("n_groups", [1, 11, 2.5, True])
def test_how_many_groups_there_may_be(n_groups):
    X, time, event = patients(20)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.assess(X[:, 0], y_of(time, event)).risk_groups(n_groups)
    assert str(caught.value) == (
        "n_groups must be a whole number, at least 2 and at most 10, which are tenths.\n"
        f"You passed n_groups={n_groups!r}.\nFor example n_groups=10."
    )
    with pytest.raises(tlpo.InputError, match="at most 6, the number of units"):
        tlpo.assess(X[:6, 0], y_of(time[:6], event[:6])).risk_groups(7)


def test_groups_of_a_tournament_follow_its_wins():
    X, time, event = patients(30, seed=1)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    member = s.risk_groups().member
    assert np.bincount(member).tolist() == [10, 10, 10]
    assert s.scores[member == 0].max() <= s.scores[member == 1].min()
    assert s.scores[member == 1].max() <= s.scores[member == 2].min()


# --- their survival


def test_survival_by_hand():
    # Low: the event at 4, censored at 6 and 9. High: the event at 2, 3 and 5, censored at 3.
    time, event = [4, 6, 9, 2, 3, 3, 5], [1, 0, 0, 1, 1, 0, 1]
    found = groups_of([1, 1, 2, 3, 3, 4, 4], 2, time, event)
    assert found.member.tolist() == [0, 0, 0, 1, 1, 1, 1]
    low, high = found.curves
    assert low.time.tolist() == [4, 6, 9]
    assert low.survival == pytest.approx([2 / 3, 2 / 3, 2 / 3])
    assert low.median is None
    assert high.time.tolist() == [2, 3, 5]
    assert high.at_risk.tolist() == [4, 3, 1]
    assert high.survival == pytest.approx([3 / 4, 3 / 4 * 2 / 3, 0])
    assert high.censored.tolist() == [0, 1, 0]
    assert high.median == 4  # S is ½ from 3 to 5
    # At 2 one of 7 has it, of whom 4 are in the high group; at 3 one of 6 (3), at 4 one of 4 (1),
    # at 5 one of 3 (1).
    assert found.test.expected == pytest.approx(
        [3 / 7 + 3 / 6 + 3 / 4 + 2 / 3, 4 / 7 + 3 / 6 + 1 / 4 + 1 / 3]
    )
    assert found.test.observed.tolist() == [1, 3]
    variance = 12 / 49 + 9 / 36 + 3 / 16 + 2 / 9
    gap = 3 - (4 / 7 + 3 / 6 + 1 / 4 + 1 / 3)
    assert found.test.chi_square == pytest.approx(gap**2 / variance)
    assert found.test.degrees_of_freedom == 1
    frame = found.to_frame()
    assert frame.index.tolist() == ["low", "high"]
    assert frame["units"].tolist() == [3, 4]
    assert frame["events"].tolist() == [1, 3]
    assert np.isnan(frame["median"]["low"])
    assert frame["median"]["high"] == 4
    assert repr(found).splitlines() == [
        "2 risk groups of 7 units",
        "  low       3 units, 1 event, median not reached",
        "  high      4 units, 3 events, median 4",
        f"  log-rank  χ² = {found.test.chi_square:.2f} on 1 degree of freedom, "
        f"p = {found.test.p_value:.4g}",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_survival_against_scikit_survival(seed):
    X, time, event = patients(45, seed=seed, n_times=20)
    found = tlpo.survival(tlpo.Cox(), X, time, event).risk_groups(3)
    for k, curve in enumerate(found.curves):
        own = found.member == k
        times, survival = kaplan_meier_estimator(event[own], time[own])
        assert curve.time.tolist() == times.tolist()
        assert curve.survival == pytest.approx(survival)
        expected = [by_loops.survivors(time[own], event[own], t) for t in times]
        assert curve.survival == pytest.approx(expected)
        assert curve.at_risk[0] == own.sum()
    statistic, p_value = compare_survival(y_of(time, event), found.member)
    assert found.test.chi_square == pytest.approx(statistic)
    assert found.test.p_value == pytest.approx(p_value)


# ----- groups that were fixed beforehand


def test_cuts_by_hand():
    """A unit at a cut is below it; equal units stay together."""
    assert cut_between(np.array([5.0, 1.0, 4.0, 2.0, 9.0, 7.0]), 3) == [3.0, 6.0]
    assert cut_between(np.array([1.0, 1.0, 1.0, 1.0, 2.0, 3.0]), 3) == [1.5]
    outcome = TimeToEvent(np.array([4.0, 3.0, 2.0, 1.0]), np.ones(4, dtype=bool))
    groups = divide_at(np.array([1.0, 3.0, 3.5, 8.0]), outcome, [3.0, 6.0])
    assert groups.names == ("low", "medium", "high")
    assert groups.member.tolist() == [0, 0, 1, 2]
    assert [curve.time.tolist() for curve in groups.curves] == [[3.0, 4.0], [2.0], [1.0]]
    assert divide_at(np.array([1.0, 3.0, 3.5, 4.0]), outcome, [3.0, 6.0]) is None


def test_a_cut_between_neighbours_divides_them():
    below = 1.0
    above = np.nextafter(below, 2.0)
    (cut,) = cut_between(np.array([below, above]), 2)
    outcome = TimeToEvent(np.array([2.0, 1.0]), np.ones(2, dtype=bool))
    assert divide_at(np.array([below, above]), outcome, [cut]).member.tolist() == [0, 1]


def test_cuts_divide_as_ranks_do():
    rng = np.random.default_rng(4)
    risk = rng.normal(size=31)
    outcome = TimeToEvent(rng.exponential(size=31), rng.random(31) < 0.6)
    by_rank = divide(risk, outcome, 3)
    by_cut = divide_at(risk, outcome, cut_between(risk, 3))
    assert by_cut.member.tolist() == by_rank.member.tolist()
    assert by_cut.test.chi_square == by_rank.test.chi_square
