"""Nothing that was acknowledged is lost and nothing wrong is believed, whatever breaks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_every_fault_ends_in_the_same_result_or_a_clear_refusal():
    # Only root may mount a small disk; in a user namespace of its own, everybody is.
    wrap = [] if os.geteuid() == 0 else ["unshare", "-Urm"]
    done = subprocess.run(
        [*wrap, sys.executable, "-m", "studies.faults", "--kills", "2", "--damages", "3"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    kills = [found["killed at a random moment"], found["killed in the middle of a write"]]
    assert all(sum(outcome.values()) >= 2 for outcome in kills)
    assert len(found) == 22
    for fault, outcome in found.items():
        assert set(outcome) <= {"identical", "refused"}, (fault, outcome)
        # A full disk can only be refused, and the old file kept.
        assert outcome["refused" if "while writing" in fault else "identical"], (fault, outcome)
