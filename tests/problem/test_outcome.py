"""Who should win: classes, numbers, grades and times by hand, and against double loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tlpo.problem.outcome import Classes, Ordered, TimeToEvent
from tlpo.roc.order import levels_of_times

CLASSES = Classes(np.array([False, True, True, False, False]), "no", "yes")
NUMBERS = Ordered(np.array([2.5, -1.0, 2.5, 7.0, 0.0]))
GRADES = Ordered(np.array([1.0, 3.0, 1.0]), ("low", "medium", "high", "highest"))

# The event at 2, 2 and 5; censored at 1, 2 and 7.
TIMES = TimeToEvent(
    np.array([2.0, 7.0, 2.0, 5.0, 1.0, 2.0]), np.array([True, False, True, True, False, False])
)

levelled = st.one_of(
    arrays(float, st.integers(1, 9), elements=st.sampled_from([-2.0, 0.3, 0.5, 1e9])).map(Ordered),
    arrays(bool, st.integers(1, 9)).map(lambda mask: Classes(mask, 0, 1)),
)
# Few different times, so that events share them with each other and with censorings.
times = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 2.0, 1e9]), st.booleans()), min_size=1, max_size=7
).map(lambda rows: TimeToEvent(np.array([t for t, _ in rows]), np.array([e for _, e in rows])))
outcomes = st.one_of(levelled, times)


def kind_of_game(outcome, own, other):
    """0 for a game that the first unit should win, 1 for one it should lose, 2 for one of peers."""
    if isinstance(outcome, TimeToEvent):
        return 0 if outlives(outcome, other, own) else 1 if outlives(outcome, own, other) else 2
    values = outcome.is_positive if isinstance(outcome, Classes) else outcome.y
    return 0 if values[own] > values[other] else 1 if values[own] < values[other] else 2


def outlives(outcome, one, other):
    """Whether a unit was known to be without the event when the other had it."""
    time, event = outcome.time, outcome.event
    later = time[one] > time[other] or (time[one] == time[other] and not event[one])
    return bool(event[other] and later)


# --- by hand


def test_two_classes_by_hand():
    assert CLASSES.level.tolist() == [0, 1, 1, 0, 0]
    assert (CLASSES.n_units, CLASSES.n_positive, CLASSES.n_negative) == (5, 2, 3)
    assert (CLASSES.n_ordered, CLASSES.n_off_mode, CLASSES.n_columns) == (6, 2, 2)
    assert CLASSES.unit == 1.0
    assert CLASSES.n_expected.tolist() == [[0, 2, 2], [3, 0, 1], [3, 0, 1], [0, 2, 2], [0, 2, 2]]
    winner, loser = CLASSES.should_win()
    assert winner.tolist() == [1, 1, 1, 2, 2, 2]
    assert loser.tolist() == [0, 3, 4, 0, 3, 4]
    assert CLASSES.count == "5 units, 2 positive ('yes') and 3 negative ('no')"


def test_standings_of_two_classes_by_hand():
    units, opponents = np.array([0, 0, 1, 1]), np.array([1, 3, 2, 4])
    assert CLASSES.column(units, opponents).tolist() == [1, 0, 1, 0]  # by the opponent's class
    # A positive unit should beat negatives, and has positives for peers; a negative unit should
    # lose to positives.
    to_win, to_lose, peers = 100 + np.arange(5), 200 + np.arange(5), 300 + np.arange(5)
    arranged = CLASSES.arrange(np.column_stack([to_win, to_lose, peers]))
    assert arranged.tolist() == [[300, 200], [101, 301], [102, 302], [303, 203], [304, 204]]
    assert CLASSES.to_win(arranged).tolist() == [101, 102]
    assert CLASSES.scheduled(ordered=False).tolist() == [[2, 2], [3, 1], [3, 1], [2, 2], [2, 2]]
    assert CLASSES.scheduled(ordered=True).tolist() == [[0, 2], [3, 0], [3, 0], [0, 2], [0, 2]]


def test_numbers_by_hand():
    assert NUMBERS.level.tolist() == [2, 0, 2, 3, 1]
    assert (NUMBERS.n_units, NUMBERS.n_levels, NUMBERS.n_columns) == (5, 4, 3)
    # All ten pairs but that of 0 and 2.
    assert (NUMBERS.n_ordered, NUMBERS.n_off_mode) == (9, 3)
    assert NUMBERS.n_expected.tolist() == [[2, 1, 1], [0, 4, 0], [2, 1, 1], [4, 0, 0], [1, 3, 0]]
    winner, loser = NUMBERS.should_win()
    assert winner.tolist() == [0, 0, 2, 2, 3, 3, 3, 3, 4]
    assert loser.tolist() == [1, 4, 1, 4, 0, 1, 2, 4, 1]
    assert NUMBERS.values.tolist() == NUMBERS.y.tolist()
    assert NUMBERS.count == "5 units, 4 values: -1 (1), 0 (1), 2.5 (2), 7 (1)"


def test_standings_of_numbers_by_hand():
    units, opponents = np.array([0, 0, 1, 3, 4]), np.array([1, 3, 2, 4, 0])
    assert NUMBERS.column(units, opponents).tolist() == [0, 1, 1, 0, 1]
    assert NUMBERS.column(np.array([0, 2]), np.array([2, 0])).tolist() == [2, 2]
    counts = np.arange(15).reshape(5, 3)
    assert NUMBERS.arrange(counts).tolist() == counts.tolist()
    assert NUMBERS.to_win(counts).tolist() == counts[:, 0].tolist()
    assert NUMBERS.scheduled(ordered=False).tolist() == NUMBERS.n_expected.tolist()
    assert NUMBERS.scheduled(ordered=True)[:, 2].tolist() == [0] * 5


def test_grades_by_hand():
    assert GRADES.level.tolist() == [0, 1, 0]  # of the grades that occur
    assert (GRADES.n_levels, GRADES.n_ordered, GRADES.n_off_mode) == (2, 2, 1)
    assert GRADES.values.tolist() == ["medium", "highest", "medium"]
    assert GRADES.count == "3 units, 2 grades: 'medium' (2), 'highest' (1)"


def test_times_by_hand():
    # 0 and 2 beat 1, 3 and 5, but not each other; 3 beats 1. 4 left before anything happened.
    assert TIMES.level.tolist() == [3, 0, 3, 1, 4, 2]
    assert TIMES.may_win.tolist() == [True, False, True, True, False, False]
    winner, loser = TIMES.should_win()
    assert list(zip(winner.tolist(), loser.tolist(), strict=True)) == [
        *((0, 1), (0, 3), (0, 5)),
        *((2, 1), (2, 3), (2, 5)),
        (3, 1),
    ]
    assert (TIMES.n_ordered, TIMES.n_events) == (7, 3)
    # Wins to expect, losses to expect, peers.
    assert TIMES.n_expected.tolist() == [
        *([3, 0, 2], [0, 3, 2], [3, 0, 2]),
        *([1, 2, 2], [0, 0, 5], [0, 2, 3]),
    ]
    assert TIMES.scheduled(ordered=True)[:, 2].tolist() == [0] * 6
    # Without 1 and 3 only 0 and 2 have had the event, and 5 outlived them: three must leave.
    assert TIMES.n_off_mode == 3
    assert TIMES.strata.tolist() == [1, 0, 1, 1, 0, 0]
    inside = np.array([True, True, False, True, True, False])
    assert TIMES.off_mode(inside).tolist() == [True, False, False, True, False, False]
    assert TIMES.is_trainable(np.array([0, 5]))
    assert not TIMES.is_trainable(np.array([0, 2, 4]))
    assert not TIMES.is_trainable(np.array([1, 5]))
    assert not TIMES.is_trainable(np.array([], dtype=int))


def test_times_in_a_phrase_and_as_one_array():
    assert TIMES.count == "6 units, 3 events, times from 1 to 7"
    one = TimeToEvent(np.array([1.25, 365.2425]), np.array([True, False]), coding="2 is the event")
    assert one.count == "2 units, 1 event (2 is the event), times from 1.25 to 365.243"
    y = TIMES.structured
    assert y.dtype.names == ("event", "time")
    assert y["event"].tolist() == TIMES.event.tolist()
    assert y["time"].tolist() == TIMES.time.tolist()


def test_times_that_differ():
    other = TimeToEvent(TIMES.time.copy(), TIMES.event.copy())
    assert TIMES.differing(other).tolist() == []
    other.time[1], other.event[4] = 8.0, True
    assert TIMES.differing(other).tolist() == [1, 4]


def test_many_values_are_counted_and_many_grades_listed():
    y = np.arange(11.0) / 3.0
    assert Ordered(y).count == "11 units, y from 0 to 3.333 (11 different values)"
    assert Ordered(y[:10]).count.startswith("10 units, 10 values: 0 (1), 0.333333 (1), ")
    graded = Ordered(np.arange(11.0), tuple("abcdefghijk"))
    assert graded.count.startswith("11 units, 11 grades: 'a' (1), 'b' (1), ")


@pytest.mark.parametrize(
    ("largest", "unit"),
    [(1.0, 1.0), (-1.0, 1.0), (1.99, 1.0), (2.0, 2.0), (-3.0, 2.0), (0.3, 0.25), (1e5, 65536.0)],
)
def test_unit_by_hand(largest, unit):
    assert Ordered(np.array([0.0, largest])).unit == unit


@given(arrays(float, 6, elements=st.floats(-1e300, 1e300)).filter(lambda y: y.any()))
def test_dividing_by_the_unit_rounds_nothing(y):
    outcome = Ordered(y)
    scaled = y / outcome.unit
    assert 1 <= np.abs(scaled).max() < 2
    # Numbers far below the largest may leave the range of doubles; nothing else may change.
    is_normal = (np.abs(scaled) > 1e-300) | (y == 0)
    assert (scaled * outcome.unit)[is_normal].tolist() == y[is_normal].tolist()


# --- against loops


@given(outcomes)
def test_ordered_pairs_against_a_double_loop(outcome):
    m = outcome.n_units
    pairs = [(i, j) for i in range(m) for j in range(m) if kind_of_game(outcome, i, j) == 0]
    winner, loser = outcome.should_win()
    assert list(zip(winner.tolist(), loser.tolist(), strict=True)) == pairs
    assert outcome.n_ordered == len(pairs)
    counts = np.zeros((m, 3), dtype=int)
    for i in range(m):
        for j in set(range(m)) - {i}:
            counts[i, kind_of_game(outcome, i, j)] += 1
    assert outcome.n_expected.tolist() == counts.tolist()


@given(outcomes)
def test_columns_against_a_double_loop(outcome):
    m = outcome.n_units
    counted = np.zeros((m, outcome.n_columns), dtype=int)
    by_kind = np.zeros((m, 3), dtype=int)
    for i in range(m):
        for j in set(range(m)) - {i}:
            column = outcome.column(np.array([i]), np.array([j]))
            counted[i, column] += 10 * i + j  # each game counts differently
            by_kind[i, kind_of_game(outcome, i, j)] += 10 * i + j
    assert outcome.arrange(by_kind).tolist() == counted.tolist()
    # Of two classes, the entries of positives; negatives have no game that they should win.
    own = by_kind[outcome.is_positive, 0] if isinstance(outcome, Classes) else by_kind[:, 0]
    assert outcome.to_win(counted).tolist() == own.tolist()


@given(outcomes, st.data())
def test_what_is_left_to_train_on_against_a_loop(outcome, data):
    m = outcome.n_units
    train = data.draw(st.lists(st.integers(0, m - 1), unique=True))
    expected = any(kind_of_game(outcome, i, j) == 0 for i in train for j in train)
    assert outcome.is_trainable(np.array(train, dtype=int)) == expected


@given(levelled)
def test_off_mode_against_a_search(outcome):
    m = outcome.n_units
    is_peer = [[kind_of_game(outcome, i, j) == 2 for j in range(m)] for i in range(m)]
    assert outcome.n_off_mode == m - max(map(sum, is_peer))


def peers_only(outcome, units):
    return all(kind_of_game(outcome, i, j) == 2 for i, j in itertools.combinations(units, 2))


@given(times)
def test_off_mode_of_times_against_all_subsets(outcome):
    """The most units of whom nobody should win; all others would have to leave."""
    m = outcome.n_units
    subsets = (units for k in range(m + 1) for units in itertools.combinations(range(m), k))
    most = max(len(units) for units in subsets if peers_only(outcome, units))
    assert outcome.n_off_mode == m - most


@given(times)
def test_pairs_of_times_against_a_double_loop(outcome):
    units = np.arange(outcome.n_units)
    first, second = (side.reshape(-1) for side in np.meshgrid(units, units))
    pairs = list(zip(first, second, strict=True))
    expected = [kind_of_game(outcome, i, j) < 2 for i, j in pairs]
    assert outcome.are_ordered(first, second).tolist() == expected
    may_win = [bool(outcome.event[i]) for i in units]
    assert outcome.may_win.tolist() == may_win
    for i, j in pairs:
        above = outcome.level[i] > outcome.level[j] and may_win[i]
        assert above == (kind_of_game(outcome, i, j) == 0)
    assert outcome.level.tolist() == levels_of_times(outcome.time, outcome.event).tolist()


@given(outcomes, st.data())
def test_reordered_against_a_loop(outcome, data):
    m = outcome.n_units
    units = np.array(data.draw(st.permutations(range(m))))
    other = outcome.reordered(units)
    assert type(other) is type(outcome)
    for i in range(m):
        for j in range(m):
            assert kind_of_game(other, i, j) == kind_of_game(outcome, units[i], units[j])
    assert other.level.tolist() == outcome.level[units].tolist()
    assert other.unit == outcome.unit
    assert other.n_ordered == outcome.n_ordered


def test_reordered_keeps_names():
    units = np.array([2, 0, 1])
    grades = Ordered(GRADES.y, GRADES.grades, ["x", "y", "z"]).reordered(units)
    assert grades.grades == GRADES.grades
    assert grades.unit_names == ["x", "y", "z"]
    assert grades.values.tolist() == ["medium", "medium", "highest"]
    classes = Classes(np.array([True, False, False]), "no", "yes", ["x", "y", "z"]).reordered(units)
    assert (classes.negative, classes.positive) == ("no", "yes")
    assert classes.unit_names == ["x", "y", "z"]
    assert classes.is_positive.tolist() == [False, True, False]
    time, event = np.array([1.0, 2.0, 3.0]), np.array([True, False, False])
    times = TimeToEvent(time, event, ["x", "y", "z"], "2 is the event").reordered(units)
    assert (times.unit_names, times.coding) == (["x", "y", "z"], "2 is the event")
    assert times.time.tolist() == [3.0, 1.0, 2.0]
    assert times.event.tolist() == [False, True, False]


@pytest.mark.parametrize("kind", ["classes", "grades", "times"])
def test_ordered_pairs_without_each_group_against_loop(kind):
    rng = np.random.default_rng(4)
    groups = rng.permutation(np.repeat(np.arange(6), 4))
    if kind == "classes":
        outcome = Classes(rng.random(24) < 0.4, False, True)
    elif kind == "grades":
        outcome = Ordered(rng.integers(4, size=24).astype(float))
    else:
        outcome = TimeToEvent(rng.integers(1, 9, size=24).astype(float), rng.random(24) < 0.6)
    winner, loser = outcome.should_win()
    for group in range(6):
        inside = np.isin(winner, np.flatnonzero(groups == group))
        other = np.isin(loser, np.flatnonzero(groups == group))
        assert outcome.n_ordered_within(groups)[group] == np.sum(inside & other)
        assert outcome.n_ordered_without(groups)[group] == np.sum(~(inside | other))
    alone = [np.sum((winner != i) & (loser != i)) for i in range(24)]
    assert outcome.n_ordered_without(None).tolist() == alone
