"""Times to an event in a table: which columns they are, and what is said of those that are not."""

import numpy as np
import pandas as pd
import pytest

from tables import patients
from tlpo.errors import InputError, UsageError
from tlpo.problem.outcome import TimeToEvent
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification
from tlpo.tables.read import read_table
from tlpo.tables.survival import Event, find_event, find_time_column

MONTHS = [5, 3, 8, 1, 9, 2, 7, 4.5]
STATUS = [1, 0, 1, 1, 0, 1, 0, 1]


def followed(months=MONTHS, status=STATUS, **columns):
    """Return a table with these times and events, and two features without relation to them."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(60, 9, 8).round(1), "iron": rng.normal(size=8)})
    return table.assign(months=months, status=status, **columns)


def sample(table, event="status", time="months", **spec):
    return build_sample(table, Specification(event, time=time, **spec))


def message(table, event="status", time="months", **spec):
    with pytest.raises(InputError) as caught:
        sample(table, event, time, **spec)
    return str(caught.value)


# ----- which columns


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("status", Event("status")),
        ("status == 2", Event("status", "2")),
        ("status=2", Event("status", "2")),
        (" status  ==  dead or gone ", Event("status", "dead or gone")),
        # Names that hold a mark are names first.
        ("a=b", Event("a=b")),
        ("a=b == 1", Event("a=b", "1")),
        ("a == 1", Event("a", "1")),
    ],
)
def test_a_name_or_a_name_and_a_value(asked, meant):
    assert find_event(pd.DataFrame(columns=["status", "a", "a=b"]), asked) == meant


@pytest.mark.parametrize("asked", ["stat", "stat == 1", "status ==", "== 1", ""])
def test_columns_that_are_not_there(asked):
    said = message(followed(), asked)
    assert said.startswith(f"There is no such column.\nYou passed {asked!r}; the columns are 'age'")
    assert "You passed 'days'" in message(followed(), time="days")


def test_the_time_is_no_feature_and_no_event():
    assert list(sample(followed()).X.columns) == ["age", "iron"]
    assert list(sample(followed(), features=("age", "months")).X.columns) == ["age"]
    for event in ("months", "months == 9"):
        assert message(followed(), event) == (
            "Times and events are two columns.\n"
            "You passed time='months' and event='months'.\n"
            "Name the column that says who had the event, such as a status."
        )


@pytest.mark.parametrize(
    ("also", "shown"),
    [
        ({"positive": "1"}, "positive"),
        ({"classes": ("0", "1")}, "classes"),
        ({"ordered": True}, "ordered"),
        ({"order": ("0", "1")}, "order"),
    ],
)
def test_a_time_is_neither_classes_nor_numbers(also, shown):
    with pytest.raises(UsageError) as caught:
        Specification("status", time="months", **also)
    assert str(caught.value) == (
        "A time to an event is neither classes nor a number.\n"
        f"You passed time='months' and {shown}.\nLeave out one of the two."
    )


@pytest.mark.parametrize(
    ("columns", "target", "found"),
    [
        (["age", "months", "died"], "died", "months"),
        (["age", "OS_months"], "death", "OS_months"),
        (["time to event", "months"], "Status", "time to event"),
        (["Follow-up"], "relapse_status", "Follow-up"),
        (["status", "days"], "status", "days"),
        ([1, 2, "Days"], "Event", "Days"),
        (["lifetime"], "died", None),
        (["timer"], "died", None),
        (["months"], "sex", None),
        (["time"], "outcome", None),
        ([], "died", None),
    ],
)
def test_columns_of_times_by_their_names(columns, target, found):
    assert find_time_column(columns, target) == found


# ----- from a table to a sample


def test_times_and_events_as_they_are():
    found = sample(followed())
    outcome = found.outcome
    assert isinstance(outcome, TimeToEvent)
    assert outcome.time.tolist() == MONTHS
    assert outcome.event.tolist() == [bool(e) for e in STATUS]
    assert found.y.dtype.names == ("event", "time")
    assert (found.y["time"].tolist(), found.y["event"].tolist()) == (
        outcome.time.tolist(),
        outcome.event.tolist(),
    )
    assert (found.target, found.is_ordered, found.is_survival) == ("status", True, True)
    assert found.notes == [
        "The outcome is the time 'months' to 'status': 5 had the event, 3 were censored. Of two "
        "patients, the one with the earlier event should rank higher."
    ]
    assert list(found.ids.columns) == ["row"]


@pytest.mark.parametrize(
    ("status", "event", "expected", "coding"),
    [
        ([1, 2, 2, 1] * 2, "status", [0, 1, 1, 0] * 2, "2 is the event"),
        ([1.0, 2.0, 2.0, 1.0] * 2, "status", [0, 1, 1, 0] * 2, "2 is the event"),
        ([0, 1, 2, 0] * 2, "status == 2", [0, 0, 1, 0] * 2, "2 is the event"),
        ([0, 1, 2, 0] * 2, "status = 1", [0, 1, 0, 0] * 2, "1 is the event"),
        ([0, 1, 2, None] * 2, "status == 2.0", [0, 0, 1] * 2, "2.0 is the event"),
        ([1, 2, 2, 1] * 2, "status == 1", [1, 0, 0, 1] * 2, "1 is the event"),
        (["dead", "alive"] * 4, "status", [1, 0] * 4, "'dead' is the event"),
        (["Dead", "alive"] * 4, "status == dead", [1, 0] * 4, "dead is the event"),
        (["alive", "dead"] * 4, "status == alive", [1, 0] * 4, "alive is the event"),
        ([True, False] * 4, "status", [1, 0] * 4, "'True' is the event"),
        (["relapse", "dead", "alive", None] * 2, "status == dead", [0, 1, 0] * 2, None),
        (pd.Categorical(["dead", "alive"] * 4), "status", [1, 0] * 4, "'dead' is the event"),
        (["1,0", "0,0"] * 4, "status", [1, 0] * 4, ""),
    ],
)
def test_what_marks_the_event(status, event, expected, coding):
    found = sample(followed(status=status), event).outcome
    assert found.event.tolist() == [bool(e) for e in expected]
    if coding is not None:
        assert found.coding == coding


def test_empty_cells_are_left_out_and_counted():
    table = followed([5, None, 8, 1, 9, 2, None, 4], [1, 1, None, 1, 0, 1, 1, 0])
    table.loc[4, "iron"] = np.nan
    found = sample(table, rows=("1-7",))
    assert found.outcome.time.tolist() == [5, 1, 9, 2]
    assert found.outcome.event.tolist() == [True, True, False, True]
    assert (found.n_read, found.n_unselected, found.n_without_target) == (8, 1, 3)
    assert found.ids["row"].tolist() == [1, 4, 5, 6]
    assert found.X["age"].tolist() == table["age"][[0, 3, 4, 5]].tolist()
    dropped = sample(table, rows=("1-7",), missing="drop")
    assert (dropped.n_dropped, dropped.outcome.time.tolist()) == (1, [5, 1, 2])
    assert dropped.y["time"].tolist() == [5, 1, 2]


@pytest.mark.parametrize("decimal", [",", "."])
def test_from_a_file(tmp_path, decimal):
    table = patients(20).drop(columns="outcome")
    table["months"] = np.arange(20) * 1.5 + 0.25
    table["died"] = np.where(np.arange(20) % 3, "yes", "no")
    table.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=decimal)
    found = sample(read_table(str(tmp_path / "t.csv")), "died")
    assert found.outcome.time.tolist() == table["months"].tolist()
    assert found.outcome.event.tolist() == (table["died"] == "yes").tolist()
    assert found.ids.columns.tolist() == ["row", "patient"]
    assert "months" not in found.X


# ----- what is refused


@pytest.mark.parametrize(
    ("months", "said"),
    [
        (
            [f"2020-01-0{k}" for k in range(1, 9)],
            "The column of times must hold numbers, such as days or months.\nYou passed "
            "time='months', which holds dates: '2020-01-01', '2020-01-02', '2020-01-03', … (8 in "
            "all).\nAdd a column with the time from inclusion to the event or the last visit.",
        ),
        (
            pd.date_range("2020-01-01", periods=8),
            "The column of times must hold numbers, such as days or months.\nYou passed "
            "time='months', which holds dates: '2020-01-01 00:00:00', '2020-01-02 00:00:00', "
            "'2020-01-03 00:00:00', … (8 in all).\nAdd a column with the time from inclusion to "
            "the event or the last visit.",
        ),
        (
            [f"{k} d" for k in range(8)],
            "The column of times must hold numbers, such as days or months.\nYou passed "
            "time='months', which holds no numbers: '0 d', '1 d', '2 d', … (8 in all).\n"
            "Write numbers only, without a unit, or choose another column.",
        ),
        (
            [5, -1, 3, None, 5, -2, 7, 8],
            "Times count from inclusion and cannot be negative.\nYou passed time='months', which "
            "is negative in 2 rows (2, 6).\n"
            "Correct these cells, or clear them to leave the rows out.",
        ),
        (
            [5, 1, 3, 4, np.inf, 2, 7, 8],
            "Times count from inclusion and cannot be infinite.\nYou passed time='months', which "
            "is infinite in 1 row (5).\nCorrect these cells, or clear them to leave the rows out.",
        ),
        (
            [None] * 8,
            "The target column is empty.\nYou passed time='months' and event='status'; no row has "
            "both.\nChoose another column.",
        ),
    ],
    ids=["texts", "dates", "units", "negative", "infinite", "empty"],
)
def test_columns_that_are_no_times(months, said):
    assert message(followed(months)) == said


@pytest.mark.parametrize(
    ("status", "event", "said"),
    [
        (
            [0, 1, 2, 0] * 2,
            "status",
            "There may be a competing event: the column of the event has three codes.\nYou passed "
            "event='status', which holds '0', '1', '2'.\nSay which is the event, for example "
            "event='status == 1'; patients with the other event are then censored when it "
            "happened.",
        ),
        (
            [3, 4] * 4,
            "status",
            "Nothing says which value of the column is the event.\nYou passed event='status', "
            "which holds '3', '4'.\nSay which is the event, for example event='status == 4'.",
        ),
        (
            ["relapse", "dead", "alive", "alive"] * 2,
            "status",
            "There may be a competing event: the column of the event has three codes.\nYou passed "
            "event='status', which holds 'alive', 'dead', 'relapse'.\nSay which is the event, for "
            "example event='status == relapse'; patients with the other event are then censored "
            "when it happened.",
        ),
        (
            [0, 1] * 4,
            "status == 7",
            "The column of the event has no such value.\nYou passed event='status == 7'; it holds "
            "'0', '1'.\nPass one of these.",
        ),
        (
            [0] * 8,
            "status",
            "No patient had the event.\nYou passed event='status', which holds '0': 8 patients, 0 "
            "events, times from 1 to 9.\nCheck how event is coded: it must be true for patients "
            "that had the event.",
        ),
        (
            [0, 0, 0, 0, 1, 0, 0, 0],
            "status",
            "No patient outlived one that had the event, so no two patients can be ordered.\n"
            "You passed event='status', which holds '0', '1': 8 patients, 1 event, times from 1 "
            "to 9.\nCheck times and events; events must not all come last. If these were censored "
            "instead, pass event='status == 0'.",
        ),
    ],
    ids=["three codes", "other codes", "three words", "no such value", "no event", "last"],
)
def test_columns_that_are_no_events(status, event, said):
    assert message(followed(status=status), event) == said


def test_gaps_can_leave_no_events():
    table = followed(status=[1, 1, 0, 0, 0, 0, 0, 0])
    table.loc[:1, "iron"] = np.nan
    assert message(table, missing="drop").startswith(
        "No patient had the event.\nYou passed event='status', which holds '0': 6 patients, "
    )
