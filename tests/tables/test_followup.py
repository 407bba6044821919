"""Columns of follow-up, by their names and by their values."""

import numpy as np
import pandas as pd
import pytest

from tlpo.tables.followup import (
    copies_of,
    numbers_beside_status,
    recorded_with,
    times_beside_status,
    times_within,
)
from tlpo.tables.followup_words import is_time_to
from tlpo.tables.leakage import find_suspects, sounds_later, told_by_gaps
from tlpo.tables.survival import find_time_column

RNG = np.random.default_rng(3)
M = 60


def event(p=0.5):
    found = (RNG.random(M) < p).astype(int)
    found[:2] = 0, 1
    return found


def duration(scale=400):
    return np.ceil(RNG.exponential(scale, M))


@pytest.mark.parametrize(
    "name", ["PFS", "pfs time", "rfstime", "OSmonths", "months_os", "ttr.days"]
)
def test_a_time_to_an_end_point_is_known_by_its_name(name):
    assert is_time_to(name)
    assert sounds_later(name, "relapse")


@pytest.mark.parametrize(
    "name",
    ["DFS (mo)", "OS_mo", "OS mths", "Disease Free (Months)", "OS_STATUS", "TimeUntilRelapse",
     "weeks_until_relapse", "survmon", "TTNT", "LFS", "DFI.time", "PFI.time", "t.recur",
     "last_status", "ICU LOS", "length of hospital stay", "PFS (m)", "Nachbeobachtung (Monate)",
     "Ueberlebenszeit", "Überlebenszeit", "U\u0308berlebenszeit", "durée de suivi", "seuranta_kk",
     "OS.Zeit", "RFI_mo"],
)  # fmt: skip
def test_words_of_follow_up(name):
    assert sounds_later(name, "recurred")


@pytest.mark.parametrize(
    "name",
    ["mo", "MO_count", "osmo", "fumo", "motor score", "monto", "TTF1", "tte", "RFI", "DFI", "PFI",
     "status", "smoking status", "smoking_mo", "OS_D", "OS_cyl", "los_gene", "hospital", "mos",
     "disease-free interval", "free T4", "duration of symptoms", "year", "month", "total days",
     "delta CRP", "suivante", "prior TTP", "baseline PFS (mo)", "stage_status"],
)  # fmt: skip
def test_words_of_something_else(name):
    assert not sounds_later(name, "recurred")
    assert find_time_column([name], "sex") is None


@pytest.mark.parametrize("name", ["tte", "RFI", "TTF", "PFI"])
def test_short_names_are_times_beside_an_event_only(name):
    table = followed().drop(columns="alive")
    assert asked(table, "Recurrence", free=name) == {name}
    assert asked(table, "ill", free=name) == set()
    binary = table.assign(free=np.arange(80) % 2)
    assert asked(binary, "Recurrence", free=name) == set()
    assert asked(table, "Recurrence", free=name + "1") == set()


@pytest.mark.parametrize("scale", [lambda x: x / 12, lambda x: -x, lambda x: (x / 2).round()])
def test_a_copy_of_a_time_in_other_units_is_asked_about_with_it(scale):
    table = followed().drop(columns="alive")
    table["noise"] = scale(table["free"])
    assert asked(table, "Recurrence", free="RFS", noise="x1") == {"RFS", "x1"}
    table.loc[3, "noise"] = table["noise"].max() + table["noise"].max() - table["noise"].min()
    table.loc[4, "noise"] = 2 * table["noise"].min() - table["noise"].max() - 1
    found = asked(table, "Recurrence", free="RFS", noise="x1")
    assert found == {"RFS"}


def test_grades_are_no_copy_of_a_time():
    table = followed()
    grade = pd.DataFrame({"RFS": table["free"], "grade": table["free"] // 10})
    assert copies_of(grade, ["RFS"]) == set()
    assert copies_of(grade, ["grade"]) == set()


@pytest.mark.parametrize(
    ("target", "column"),
    [("pgstat", "pgtime"), ("delta", "time"), ("status", "rfstime"), ("PFI", "PFI.time"),
     ("progressed", "TTP"), ("progressed", "PFS (mo)"), ("DFS_event", "DFS (mo)"),
     ("OS_STATUS", "OS_MONTHS"), ("linkstatus", "dayslink"), ("Recurrence", "TimeToRecurrence"),
     ("status", "Überlebenszeit (Monate)"), ("dead", "durée de suivi"), ("kuollut", "seuranta_kk")],
)  # fmt: skip
def test_the_time_of_a_status(target, column):
    assert find_time_column(["age", "site", column, target], target) == column


def test_the_time_named_like_the_status_comes_first():
    assert find_time_column(["OS.time", "PFI.time", "time"], "PFI") == "PFI.time"
    others = ["mo", "los", "hospital days", "ICU LOS", "time to treatment"]
    assert find_time_column(others, "died") is None
    assert find_time_column([*others, "TimeUntilRelapse"], "died") == "TimeUntilRelapse"


@pytest.mark.parametrize(
    "name",
    ["TTR_prealbumin", "OS", "os12m", "prothrombin time", "fu", "op time", "dayshift"],
)
def test_what_only_looks_like_it_is_not(name):
    assert not is_time_to(name)


def test_the_word_for_a_time_may_come_first():
    assert times_beside_status(["dayslink", "linkstatus"]) == {"dayslink", "linkstatus"}
    assert times_beside_status(["timeofday", "status"]) == set()


@pytest.mark.parametrize(
    "names", [("rel", "relstat"), ("t1", "d1"), ("TA", "DA"), ("srv", "srv_event")]
)
def test_a_number_beside_its_status_is_a_time(names):
    time, status = names
    table = pd.DataFrame({"age": duration(), time: duration(), status: event()})
    assert numbers_beside_status(table) == set(names)


def test_a_number_that_tells_the_status_is_none():
    er = duration()
    table = pd.DataFrame({"er": er, "er_status": (er > 100).astype(int)})
    assert numbers_beside_status(table) == set()


@pytest.mark.parametrize(
    "columns",
    [
        {"rel": RNG.integers(0, 5, M), "relstat": event()},  # a grade
        {"rel": RNG.normal(size=M), "relstat": event()},  # below 0
        {"rel": duration(), "relstat": RNG.integers(0, 3, M)},  # three kinds of status
        {"rel": ["a", "b"] * (M // 2), "relstat": event()},
        {"rel": duration(), "relstat": [1] * M},
        {"temp": duration(), "demp": event()},  # more than t1 and d1
        {"t": duration(), "d": event()},
    ],
)
def test_what_cannot_be_a_time_and_its_status(columns):
    assert numbers_beside_status(pd.DataFrame(columns)) == set()


def test_what_happened_during_follow_up():
    futime = duration()
    relapse = np.where(event(0.7), np.ceil(futime * RNG.random(M)), np.nan)
    X = pd.DataFrame(
        {
            "futime": futime,
            "relapse": relapse,
            "age": RNG.normal(60, 9, M),
            "crp": RNG.exponential(400, M),  # as large, but not below
            "pH": RNG.normal(7.0, 0.1, M),  # below in nearly all, by its scale
        }
    )
    assert times_within(X, ["futime"]) == {"relapse"}
    assert times_within(X, []) == set()
    X.loc[0, "relapse"] = futime[0] + 1
    assert times_within(X, ["futime"]) == set()


def test_chance_rarely_puts_a_column_within_follow_up():
    found = 0
    for _ in range(300):
        X = pd.DataFrame({"futime": RNG.exponential(5, 20), "marker": RNG.exponential(1, 20)})
        found += bool(times_within(X, ["futime"]))
    assert found <= 1


def test_columns_recorded_together_share_their_gaps():
    gone = event().astype(bool)
    X = pd.DataFrame(
        {
            "relapse time": np.where(gone, np.nan, 4.0),
            "site of relapse": np.where(gone, None, "lung"),
            "crp": np.where(np.roll(gone, 1), np.nan, 4.0),
            "age": 50.0,
        }
    )
    assert recorded_with(X, ["relapse time"]) == {"site of relapse"}
    few = X.assign(**{"relapse time": 4.0})
    few.loc[:3, ["relapse time", "crp"]] = np.nan
    assert recorded_with(few, ["relapse time"]) == set()


@pytest.mark.parametrize("is_filled", [True, False])
def test_who_has_a_value_tells_the_outcome(is_filled):
    code = np.repeat([0, 1], [40, 20])
    year = np.where((code == 1) == is_filled, 1990.0 + np.arange(60) % 7, np.nan)
    half = np.where((code == 1) & (np.arange(60) % 2 == 0), 3.0, np.nan)
    by_chance = np.where(np.arange(60) < 2, 3.0, np.nan)
    X = pd.DataFrame({"year": year, "half": half, "few": by_chance, "age": 50.0})
    assert told_by_gaps(X, code) == {"year": 1.0, "half": 0.75}


@pytest.mark.exhaustive
def test_gaps_at_random_tell_nothing():
    found = 0
    for _ in range(300):
        code = RNG.permutation(np.repeat([0, 1], [20, 10]))
        X = pd.DataFrame(np.where(RNG.random((30, 5)) < 0.15, np.nan, 1.0))
        found += bool(told_by_gaps(X.rename(columns=str), code))
    assert found <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_an_identifier_of_a_sorted_table_is_one_suspect():
    code = np.repeat([0, 1], [30, 30])
    table = pd.DataFrame({"patient id": np.arange(60.0) * 3 + 1, "y": code})
    X = table[["patient id"]]
    found = find_suspects(table, np.ones(60, dtype=bool), X, code, target="y", groups=())
    assert [(one["column"], one["kind"]) for one in found] == [("patient id", "identifier")]


# --- short names, beside other follow-up


def followed(m=80):
    """Recurrences, and how long patients lived with and without one."""
    rng = np.random.default_rng(5)
    to_relapse, censored = rng.exponential(20, m), rng.uniform(5, 40, m)
    relapsed = to_relapse < censored
    free = np.where(relapsed, to_relapse, censored)
    alive = free + np.where(relapsed, rng.exponential(10, m), 0.0)
    return pd.DataFrame(
        {
            "age": rng.normal(60, 9, m),
            "free": free,
            "alive": alive,
            "relapsed": relapsed,
            "noise": rng.exponential(20, m),
        }
    ).round(1)


def asked(table, target, **names):
    table = table.rename(columns={"relapsed": target, **names})
    X = table.drop(columns=target).astype(float)
    code = table[target].to_numpy().astype(int)
    rows = np.ones(len(table), dtype=bool)
    found = find_suspects(table, rows, X, code, target=target, groups=())
    return {one["column"] for one in found if one["kind"] == "after"}


def test_overall_survival_is_asked_about_where_the_outcome_is_an_event():
    assert asked(followed(), "Recurrence", free="RFS", alive="OS") == {"RFS", "OS"}
    alone = followed().drop(columns="free")
    assert asked(alone, "Recurrence", alive="OS") == {"OS"}
    assert asked(alone, "relapse", alive="DSS") == {"DSS"}
    # … or beside other follow-up.
    assert asked(followed().drop(columns="alive"), "response", free="PFS", noise="OS") == {
        "PFS",
        "OS",
    }


def test_the_left_eye_is_not():
    eyes = followed().drop(columns="free")
    assert asked(eyes, "glaucoma", alive="OS") == set()
    assert asked(eyes, "progression", alive="OS", noise="OD") == set()
    assert asked(eyes, "progression", alive="OS", noise="IOP_OD") == set()
    grades = eyes.assign(alive=np.arange(80) % 4)  # too few values
    assert asked(grades, "progression", alive="OS") == set()
    assert asked(eyes.assign(alive=eyes["alive"] - 20), "progression", alive="OS") == set()


@pytest.mark.parametrize("name", ["duration", "months", "Days", "t", "studytime"])
def test_any_time_that_tells_of_the_event_is_asked_about(name):
    table = followed().drop(columns="alive")
    assert asked(table, "died", free=name) == {name}
    assert asked(table, "ill", free=name) == set()  # no event, no follow-up
    untold = table.drop(columns="free")
    assert asked(untold, "died", noise=name) == set()


@pytest.mark.parametrize(
    "name", ["duration of symptoms", "years of education", "Months_smoked", "year"]
)
def test_what_went_on_beforehand_is_not(name):
    assert asked(followed().drop(columns="alive"), "died", free=name) == set()
    assert find_time_column([name], "died") is None


@pytest.mark.parametrize(
    "name", ["OS_months", "survival time", "time from diagnosis to death", "days.to.relapse", "fu"]
)
def test_a_time_that_an_event_ended(name):
    assert find_time_column([name], "died") == name


def test_what_never_falls_below_a_time_of_follow_up():
    """A longer time under a name that says nothing."""
    assert asked(followed(), "Recurrence", free="RFS", alive="x") == {"RFS", "x"}
    changed = followed()
    changed.loc[3, "alive"] = changed.loc[3, "free"] - 0.5
    assert asked(changed, "Recurrence", free="RFS", alive="x") == {"RFS"}


def test_how_follow_up_ended_is_asked_about_beside_it():
    table = followed().assign(Relapse=lambda x: x["relapsed"])
    table["died"] = np.arange(80) % 2
    X = table[["age", "alive", "Relapse"]].astype(float).rename(columns={"alive": "OS_months"})
    code, rows = table["died"].to_numpy(), np.ones(80, dtype=bool)
    found = find_suspects(table, rows, X, code, target="died", groups=())
    assert {one["column"] for one in found} == {"OS_months", "Relapse"}
    alone = find_suspects(table, rows, X[["age", "Relapse"]], code, target="ill", groups=())
    assert alone == []


def test_a_calendar_year_is_no_time():
    years = followed().drop(columns="alive").assign(free=lambda x: 1950 + x["free"].rank() // 2)
    for name in ("year", "Month"):
        assert asked(years, "died", free=name) == set()


def test_what_happened_before_the_time_of_the_outcome():
    """The time of the outcome is no feature, but limits those of what happened meanwhile."""
    table = followed()
    X = table[["age", "free", "noise"]]
    code, rows = table["relapsed"].to_numpy().astype(int), np.ones(80, dtype=bool)
    time = table["alive"].to_numpy()
    found = find_suspects(table, rows, X, code, target="died", groups=(), time=time)
    assert [(one["column"], one["kind"]) for one in found] == [("free", "after")]
