"""How runs of the command are timed."""

import sys

import pytest

from studies.benchmarks.command import cases, seconds_of

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_what_takes_too_long_is_ended():
    assert seconds_of(SLEEP, limit=0.2) is None
    assert 0 < seconds_of([sys.executable, "-c", ""]) < 60


def test_what_fails_is_not_timed():
    with pytest.raises(RuntimeError, match="no such thing"):
        seconds_of([sys.executable, "-c", "raise SystemExit('no such thing')"])


def test_every_case_has_a_table_and_a_name_of_its_own():
    found = cases()
    assert len({case.name for case in found}) == len(found)
    for case in found:
        outcome = "died" if case.is_survival else "outcome"
        assert case.table()[outcome].nunique() == 2
