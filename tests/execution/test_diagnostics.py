"""Warnings of estimators, counted, and what a run tells of itself."""

import json
import threading
import time
import warnings

import joblib
import pytest
from sklearn.exceptions import ConvergenceWarning

import estimators
import oracles
import tlpo
from execution.squares import Squares, gather
from tlpo.execution.diagnostics import (
    Diagnostics,
    RunLog,
    WarningLog,
    first_line,
    outside,
    recording,
)


def test_warnings_of_the_estimator_are_said_once():
    X, y = oracles.blobs(m=8)
    with pytest.warns(UserWarning, match="28 times in 28 fits: no convergence") as caught:
        t = tlpo.tournament(estimators.Shouting(), X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert len(t.diagnostics.warnings) == 1
    assert "! UserWarning, 28 times in 28 fits" in repr(t)


def warn(rounds):
    for r in rounds:
        warnings.warn(f"digits {r}", UserWarning, stacklevel=1)
    time.sleep(0.004 * len(rounds))
    return Squares([r * r for r in rounds], set(), len(rounds))


@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_warnings_are_counted_not_printed(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        log, _ = gather(warn, 250, None)
    (line,) = log.warnings.lines(log.fits)
    assert line.startswith("UserWarning, 250 times in 250 fits: digits ")
    with pytest.warns(UserWarning, match="250 times in 250 fits: digits") as caught:
        log.warnings.emit(log.fits)
    assert len(caught) == 1


def test_threads_that_overlap_keep_their_warnings_apart():
    """One enters first and leaves first: Python's own catch_warnings would be left in disorder."""
    shown, filters = warnings.showwarning, list(warnings.filters)
    logs = [WarningLog(), WarningLog()]
    entered, left = threading.Event(), threading.Event()

    def first():
        with recording(logs[0]):
            entered.wait()
            warnings.warn("first", UserWarning, stacklevel=1)
        left.set()

    def second():
        with recording(logs[1]):
            entered.set()
            left.wait()
            warnings.warn("second", RuntimeWarning, stacklevel=1)

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [log.lines(1) for log in logs] == [
        ["UserWarning, 1 time in 1 fit: first"],
        ["RuntimeWarning, 1 time in 1 fit: second"],
    ]
    assert (warnings.showwarning, list(warnings.filters)) == (shown, filters)


def test_a_run_within_a_run_hands_its_warnings_over():
    shown = warnings.showwarning
    outer = WarningLog()
    with recording(outer):
        for _ in range(2):
            inner = WarningLog()
            with recording(inner):
                pass
            warnings.warn("between", UserWarning, stacklevel=1)
            with recording(inner):
                warnings.warn("inside", UserWarning, stacklevel=1)
            inner.emit(7)
    assert sorted(outer.lines(9)) == [
        "UserWarning, 2 times in 9 fits: between",
        "UserWarning, 2 times in 9 fits: inside",
    ]
    assert warnings.showwarning is shown


def test_warnings_survive_the_way_to_a_journal_and_back():
    log = WarningLog()
    for category in (UserWarning, ConvergenceWarning, type("Own", (FutureWarning,), {})):
        for _ in range(3):
            log.add(category, f"of {category.__name__}", (category.__name__, 7))
    back = WarningLog.unpack(json.loads(json.dumps(log.pack())))
    assert back.counts == log.counts
    # A category that is not Python's or scikit-learn's own is not imported from a name in a file.
    assert [c for c, _ in back.first.values()] == [UserWarning, ConvergenceWarning, UserWarning]
    assert WarningLog.unpack([["f", 1, "eval", "text", 1]]).first["f", 1][0] is UserWarning


def log_of(*warned):
    log = WarningLog()
    for category, text, place in warned:
        log.add(category, text, place)
    return log


def test_warnings_are_counted_by_the_line_that_raised_them():
    log = log_of(
        (UserWarning, "first digits 1\nmore", ("a.py", 3)),
        (UserWarning, "first digits 2", ("a.py", 3)),
        (FutureWarning, "other", ("a.py", 4)),
    )
    other = log_of((UserWarning, "first digits 3", ("a.py", 3)), (UserWarning, "", ("b.py", 1)))
    log.merge(other)
    assert log.lines(9) == [
        "UserWarning, 3 times in 9 fits: first digits 1",
        "FutureWarning, 1 time in 9 fits: other",
        "UserWarning, 1 time in 9 fits: (no message)",
    ]


def test_what_is_meant_for_authors_is_not_counted():
    log = log_of(
        (DeprecationWarning, "old", ("a.py", 3)), (PendingDeprecationWarning, "old", ("a.py", 4))
    )
    assert (log.lines(1), log.pack()) == ([], [])


def test_each_warning_is_issued_once_in_its_own_category():
    log = log_of((ConvergenceWarning, "slow", ("a.py", 3)), (ConvergenceWarning, "x", ("a.py", 3)))
    with pytest.warns(ConvergenceWarning, match=r"^ConvergenceWarning, 2 times in 5 fits: slow$"):
        log.emit(5)


def test_a_closed_log_by_hand():
    log = RunLog(fits=12, warnings=log_of((UserWarning, "slow", ("a.py", 3))))
    closed = log.diagnostics(pairs_played=9, failures={"a": 2, "b": 1}, remarks=("remark",))
    assert (closed.pairs_played, closed.fits, closed.pairs_failed) == (9, 12, 3)
    assert closed.warnings == ("UserWarning, 1 time in 12 fits: slow", "remark")
    assert 0 <= closed.seconds <= log.seconds
    assert (closed.why_not_faster, closed.added_sd, closed.games_evaluated) == (None, 0.0, 0)


def test_nothing_failed_by_default():
    assert RunLog().diagnostics().pairs_failed == Diagnostics().pairs_failed == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [("\n  first \nsecond", "first"), ("", "(no message)"), (" \n ", "(no message)"), ("a", "a")],
)
def test_the_first_line_of_a_message(text, line):
    assert first_line(text) == line


def test_outside_is_the_first_frame_that_is_not_ours():
    assert outside() == 1  # called from here
    own = {"__name__": "tlpo.somewhere", "outside": outside}
    exec("def inner():\n    return outside()\n\ndef outer():\n    return inner()", own)
    assert own["outer"]() == 3  # inner, outer, this test
