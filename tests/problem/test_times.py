"""Times and events of any type, and what is said about those that order nobody."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sksurv.datasets import load_gbsg2, load_veterans_lung_cancer
from sksurv.util import Surv

import tlpo
from tlpo.problem.outcome import TimeToEvent
from tlpo.problem.problem import make_problem
from tlpo.problem.times import has_times, read_events, read_structured, read_times

DAYS = ["2020-01-01", "2021-06-30"]
UNCLEAR = (
    "Nothing says which value of event is the event.\nYou passed {}.\n"
    "Pass True for units that had the event and False for those that were censored, for example "
    "event=(status == 'dead')."
)
NUMBERS_ONLY = (
    "time must be numbers, such as days or months.\nYou passed {}.\n"
    "Pass the time from inclusion to the event or the last visit."
)


def message(time=(1, 2, 3), event=(1, 0, 1)):
    with pytest.raises(tlpo.InputError) as caught:
        read_times(time, event, None)
    return str(caught.value)


# --- times


@pytest.mark.parametrize(
    "time",
    [
        [3, 1.5, 0],
        (3, 1.5, 0),
        np.array([3, 1.5, 0], dtype=np.float32),
        np.array([[3], [1.5], [0]]),
        pd.Series([3, 1.5, 0], index=list("abc")),
        pd.DataFrame({"months": [3, 1.5, 0]}),
        pd.Series([3, 1.5, 0], dtype="Float64"),
        pl.Series([3.0, 1.5, 0.0]),
        [Decimal(3), Decimal("1.5"), Decimal(0)],
        ["3", "1.5", "0"],
    ],
    ids=lambda value: type(value).__name__,
)
def test_times_of_any_type(time):
    found = read_times(time, [0, 1, 1], None)
    assert found.time.dtype == np.float64
    assert found.time.tolist() == [3.0, 1.5, 0.0]
    assert found.event.tolist() == [False, True, True]


@pytest.mark.parametrize(
    "time",
    [
        [1.0, np.nan, 2.0],
        [1, None, 2],
        pd.Series([1, None, 2], dtype="Int64"),
        pl.Series([1, None, 2]),
        np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_missing_times(time):
    assert message(time) == (
        "time has missing values.\n"
        "You passed 3 values, 1 of them missing (index 1).\n"
        "Drop these units from X, time and event."
    )


def test_negative_times():
    assert message([1, -2, -3.5]) == (
        "time has negative values.\n"
        "You passed -2.0, -3.5 (index 1, 2).\n"
        "Times count from inclusion: correct them, or drop these units."
    )


def test_infinite_times():
    assert message([1, np.inf, 3]) == (
        "time has infinite values.\n"
        "You passed inf (index 1).\n"
        "Times count from inclusion: correct them, or drop these units."
    )


@pytest.mark.parametrize(
    "time",
    [
        np.array(DAYS, dtype="M8[D]"),
        [np.datetime64(day) for day in DAYS],
        [datetime.date.fromisoformat(day) for day in DAYS],
        pl.Series([datetime.date.fromisoformat(day) for day in DAYS]),
    ],
    ids=["array", "scalars", "dates", "polars"],
)
def test_dates(time):
    assert message(time, [1, 0]) == (
        "time must be numbers, such as days or months.\n"
        "You passed dates: '2020-01-01', '2021-06-30'.\n"
        "Pass the time from inclusion to the event or the last visit, for example "
        "(end - start).dt.days."
    )
    assert message(DAYS, [1, 0]) == (
        "time must be numbers, such as days or months.\n"
        "You passed dates as text: '2020-01-01', '2021-06-30'.\n"
        "Pass the time from inclusion to the event or the last visit, for example "
        "(pd.to_datetime(end) - pd.to_datetime(start)).dt.days."
    )
    zoned = pd.Series(pd.to_datetime(DAYS, utc=True))
    assert "dates: '2020-01-01 00:00:00+00:00', " in message(zoned, [1, 0])


@pytest.mark.parametrize(
    "time",
    [
        pd.Series(pd.to_timedelta([3, 5], unit="D")),
        np.array([72, 120], dtype="m8[h]"),
        [np.timedelta64(3, "D"), np.timedelta64(5, "D")],
        [datetime.timedelta(3), datetime.timedelta(5)],
        pl.Series([datetime.timedelta(3), datetime.timedelta(5)]),
    ],
    ids=["pandas", "array", "scalars", "timedeltas", "polars"],
)
def test_lengths_of_time(time):
    assert message(time, [1, 0]) == (
        "time must be numbers, such as days or months.\n"
        "You passed lengths of time: '3 days, 0:00:00', '5 days, 0:00:00'.\n"
        "Convert them, for example with .dt.days."
    )


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (["3 months", "2", "1"], "'3 months', '2', '1'"),
        (["3", "nan", "1"], "'3', 'nan', '1'"),
        ([True, False, True], "True, False, True"),
        (np.array([True, False, True]), "True, False, True"),
        (np.array([1j, 2, 3]), "1j, (2+0j), (3+0j)"),
        ([b"1", b"2", b"3"], "b'1', b'2', b'3'"),
        (np.array([b"1", b"2", b"3"]), "b'1', b'2', b'3'"),
    ],
    ids=["words", "nan", "bool", "bools", "complex", "bytes", "array of bytes"],
)
def test_times_that_are_no_numbers(time, shown):
    assert message(time) == NUMBERS_ONLY.format(shown)


def test_several_columns():
    assert message(np.ones((3, 2))) == (
        "time must have one value per unit.\nYou passed an array of shape (3, 2).\nPass one column."
    )
    assert message(event=np.ones((3, 2))).startswith("event must have one value per unit.\n")


def test_times_and_events_of_different_length():
    assert message([1, 2, 3], [1, 0]) == (
        "time and event must describe the same units.\n"
        "You passed 3 times and 2 events.\n"
        "Check that neither was filtered without the other."
    )


# --- events


@pytest.mark.parametrize(
    ("event", "expected", "coding"),
    [
        ([True, False, True], [1, 0, 1], ""),
        ([1, 0, 1.0], [1, 0, 1], ""),
        ([True, False, 1], [1, 0, 1], ""),
        (np.array([1, 0, 1], dtype=np.uint8), [1, 0, 1], ""),
        (pd.Series([True, False, True], dtype="boolean"), [1, 0, 1], ""),
        (pl.Series([True, False, True]), [1, 0, 1], ""),
        (np.array([[1], [0], [1]]), [1, 0, 1], ""),
        ([1, 1, 1], [1, 1, 1], ""),
        # As R codes it.
        ([1, 2, 2], [0, 1, 1], "2 is the event"),
        (np.array([1.0, 2.0, 2.0]), [0, 1, 1], "2 is the event"),
        (["1", "2", "2"], [0, 1, 1], "2 is the event"),
        (["1", "0", "1"], [1, 0, 1], "'1' is the event"),
        # As everyone reads it.
        (["dead", "alive", "dead"], [1, 0, 1], "'dead' is the event"),
        (["dead", "dead"], [1, 1], "'dead' is the event"),
        (["censored", "relapse"], [0, 1], "'relapse' is the event"),
        (["event", "censored"], [1, 0], "'event' is the event"),
        (pd.Categorical(["yes", "no"]), [1, 0], "'yes' is the event"),
    ],
)
def test_events_by_their_codes(event, expected, coding):
    found, said = read_events(event)
    assert found.dtype == bool
    assert found.tolist() == [bool(e) for e in expected]
    assert said == coding


def test_a_status_of_one_and_two_is_said_in_the_count():
    found = read_times([5, 8, 2], [1, 2, 2], None)
    assert found.count == "3 units, 2 events (2 is the event), times from 2 to 8"


def test_three_codes_may_be_a_competing_event():
    assert message(event=[0, 1, 2]) == (
        "event has three codes, so there may be a competing event.\n"
        "You passed 0, 1 and 2.\n"
        "Say which is the event, for example event=(status == 1); units with the other event are "
        "then censored when it happened."
    )


@pytest.mark.parametrize(
    ("event", "shown"),
    [
        (["a", "b", "a"], "'a', 'b'"),
        (["alive", "alive", "alive"], "'alive'"),
        ([2, 2, 2], "2"),
        ([3, 4, 3], "3, 4"),
        ([-1, 1, 1], "-1, 1"),
        ([0.5, 1, 1], "0.5, 1"),
        ([1, "dead", 0], "1, 'dead', 0"),
        (list("abcdef"), "'a', 'b', 'c', 'd', 'e', 'f'"),
    ],
)
def test_codes_that_can_mean_anything(event, shown):
    assert message(event=event) == UNCLEAR.format(shown)


@pytest.mark.parametrize(
    ("event", "shown", "example", "other"),
    [
        (["dead", "relapse", "alive"], "'dead', 'relapse', 'alive'", "relapse", "the other"),
        (["0", "1", "2"], "'0', '1', '2'", "1", "the other"),
        (list("abcd"), "'a', 'b', 'c', 'd'", "d", "another"),
    ],
)
def test_more_than_two_words_may_be_competing_events(event, shown, example, other):
    assert message(event=event) == (
        f"event has {len(event)} values, so there may be a competing event.\n"
        f"You passed {shown}.\n"
        f"Say which is the event, for example event=(status == '{example}'); units with {other} "
        "event are then censored when it happened."
    )


def test_missing_events():
    assert message(event=[1, None, 1]) == (
        "event has missing values.\n"
        "You passed 3 values, 1 of them missing (index 1).\n"
        "Drop these units from X, time and event."
    )


def test_nobody_had_the_event():
    assert message(event=[0, 0, 0]) == (
        "No unit had the event.\n"
        "You passed 3 units, 0 events, times from 1 to 3.\n"
        "Check how event is coded: it must be true for units that had the event."
    )
    assert "You passed no units at all." in message([], [])


@pytest.mark.parametrize(
    ("time", "event", "shown", "turned"),
    [
        ([1, 2, 3], [0, 0, 1], "3 units, 1 event, times from 1 to 3", "0"),
        ([1, 3, 3], [0.0, 1.0, 1.0], "3 units, 2 events, times from 1 to 3", "0"),
        ([1, 3, 3], [1, 2, 2], "3 units, 2 events (2 is the event), times from 1 to 3", "1"),
        ([1, 3], [False, True], "2 units, 1 event, times from 1 to 3", "0"),
        (
            [1, 3],
            ["alive", "dead"],
            "2 units, 1 event ('dead' is the event), times from 1 to 3",
            "'alive'",
        ),
        ([2, 2], [True, True], "2 units, 2 events, times from 2 to 2", None),
    ],
)
def test_all_events_come_last(time, event, shown, turned):
    hint = f" If these were censored instead, pass event=(status == {turned})."
    assert message(time, event) == (
        "No unit outlived one that had the event, so no two units can be ordered.\n"
        f"You passed {shown}.\n"
        "Check times and events; events must not all come last." + (hint if turned else "")
    )


# --- both in one array


def test_arrays_of_scikit_survival():
    for load, event, time in (
        (load_veterans_lung_cancer, "Status", "Survival_in_days"),
        (load_gbsg2, "cens", "time"),
    ):
        _, y = load()
        found = read_structured(y, None)
        assert found.event.tolist() == y[event].tolist()
        assert found.time.tolist() == y[time].tolist()
    turned = y[["time", "cens"]]  # the order of fields says nothing
    assert turned.dtype.names == ("time", "cens")
    assert read_structured(turned, None).event.tolist() == y["cens"].tolist()


def test_joined_as_scikit_survival_joins_them():
    time, event = [5.0, 8.0, 2.0], [True, False, True]
    expected = Surv.from_arrays(event, time)
    found = tlpo.time_to_event(time, event)
    assert found.dtype == expected.dtype
    assert found.tolist() == expected.tolist()
    assert tlpo.time_to_event(time, ["dead", "alive", "dead"]).tolist() == expected.tolist()
    again = read_structured(found, ["a", "b", "c"])
    assert (again.time.tolist(), again.event.tolist()) == (time, event)
    assert again.unit_names == ["a", "b", "c"]
    record = np.rec.array(found)
    assert has_times(record)
    assert read_structured(record, None).time.tolist() == time
    frame = pd.DataFrame({"time": time, "event": event})
    assert not any(map(has_times, (time, np.array(time), frame, frame["time"], None)))


@pytest.mark.parametrize(
    "fields",
    [
        [("time", float), ("age", float)],
        [("event", int), ("time", float)],
        [("event", bool), ("alive", bool)],
        [("event", bool)],
        [("event", bool), ("start", float), ("stop", float)],
    ],
)
def test_arrays_with_other_fields(fields):
    with pytest.raises(tlpo.InputError) as caught:
        read_structured(np.zeros(3, dtype=fields), None)
    shown = ", ".join(repr(name) for name, _ in fields)
    assert str(caught.value) == (
        "y must have two fields: whether a unit had the event, and when.\n"
        f"You passed an array with the fields {shown}.\n"
        "For example y=tlpo.time_to_event(time, event)."
    )


# --- as a problem


def test_a_problem_with_times():
    X = pd.DataFrame({"x": np.arange(4.0)}, index=list("abcd"))
    y = tlpo.time_to_event([4, 1, 9, 1], [1, 2, 2, 2])
    problem = make_problem(X, y)
    outcome = problem.outcome
    assert isinstance(outcome, TimeToEvent)
    assert list(outcome.unit_names) == list("abcd")
    assert problem.y.tolist() == y.tolist()
    assert outcome.coding == ""  # the array knows nothing of codes
    # What is a problem's already is one again, with what it says about codes.
    times = read_times([4, 1, 9, 1], [1, 2, 2, 2], list("wxyz"))
    assert make_problem(X, times).outcome.coding == "2 is the event"
    assert list(make_problem(X, times).outcome.unit_names) == list("abcd")
    assert make_problem(X.to_numpy(), times).outcome.unit_names == list("wxyz")


def test_rows_and_times_of_different_length():
    with pytest.raises(tlpo.InputError) as caught:
        make_problem(np.zeros((4, 1)), tlpo.time_to_event([1, 2, 3], [1, 1, 0]))
    assert str(caught.value) == (
        "X and y must describe the same units.\n"
        "You passed 4 rows of X and 3 values.\n"
        "Check that neither was filtered without the other."
    )


@pytest.mark.parametrize(
    ("asked", "shown"),
    [({"positive": "dead"}, "positive='dead'"), ({"order": ("I", "II")}, "order=['I', 'II']")],
)
def test_times_have_neither_a_positive_label_nor_grades(asked, shown):
    y = tlpo.time_to_event([1, 2, 3], [1, 1, 0])
    with pytest.raises(tlpo.InputError) as caught:
        make_problem(np.zeros((3, 1)), y, **asked)
    assert str(caught.value) == (
        "Times to an event are neither classes nor grades.\n"
        f"You passed y with times and events, and {shown}.\n"
        "Leave it out: who had the event earlier should win."
    )
    assert make_problem(np.zeros((3, 1)), y, order=True).outcome.n_events == 2
