import errno
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from tlpo.errors import JournalError
from tlpo.execution.diagnostics import RunLog
from tlpo.execution.journal import Journal, merge_journals, read_journal
from tlpo.execution.run import Keep, run_tasks

FINGERPRINT = {"data": "abc", "version": "1"}


def write(path, records):
    with Journal(path) as journal:
        part = journal.part("run", FINGERPRINT)
        for name, start, stop, values in records:
            part.section(name).append(start, stop, 50, values)


def read(path, name="a"):
    with Journal(path) as journal:
        done = journal.part("run", FINGERPRINT).section(name).done
        return [(r.start, r.stop, r.values) for r in done]


THREE = [("a", 2 * k, 2 * k + 2, {"x": np.arange(2.0) + k, "n": k}) for k in range(3)]


def test_sections_keep_their_own_records_in_order(tmp_path):
    path = tmp_path / "new" / "j"
    write(path, [("b", 0, 5, {"y": 1}), *THREE[::-1]])
    assert [r[:2] for r in read(path)] == [(0, 2), (2, 4), (4, 6)]
    assert [r[2]["n"] for r in read(path)] == [0, 1, 2]
    assert read(path, "b") == [(0, 5, {"y": 1})]
    assert read(path, "c") == []


def test_a_torn_end_is_dropped_wherever_it_is_torn(tmp_path):
    path = tmp_path / "j"
    write(path, THREE[:2])
    kept = path.stat().st_size
    write(path, THREE[2:])
    whole = path.read_bytes()
    for size in range(kept, len(whole)):
        path.write_bytes(whole[:size])
        assert [r[0] for r in read(path)] == [0, 2]
        assert path.stat().st_size == kept
        write(path, THREE[2:])
        assert path.read_bytes() == whole


def test_a_flipped_byte_costs_its_record_or_the_journal_but_is_never_believed(tmp_path):
    path = tmp_path / "j"
    write(path, THREE)
    whole = path.read_bytes()
    expected = read(path)
    counts = []
    for k in range(len(whole)):
        flipped = bytearray(whole)
        flipped[k] ^= 0x10
        path.write_bytes(flipped)
        found = read(path)
        counts.append(len(found))
        with Journal(path) as journal:  # a description that was damaged is written anew
            assert journal.parts["run"].fingerprint == FINGERPRINT
        for start, stop, values in found:
            (same,) = [e for e in expected if e[0] == start]
            assert stop == same[1]
            np.testing.assert_array_equal(values["x"], same[2]["x"])
    assert set(counts) == {2, 3}


def test_another_runs_journal_is_refused(tmp_path):
    path = tmp_path / "j"
    write(path, THREE)
    with Journal(path) as journal, pytest.raises(JournalError) as caught:
        journal.part("run", {"data": "abd", "seed": 3})
    assert str(caught.value) == (
        "The journal belongs to another run.\n"
        f"You passed {path}: data was 'abc' and is 'abd'; version was '1' and is None; "
        "seed was None and is 3.\n"
        "Repeat the original call to resume it, or pass another path to start over."
    )
    assert len(read(path)) == 3


def test_a_file_that_is_no_journal_is_left_alone(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(JournalError, match="not a journal, and will not be overwritten"):
        read(path)
    assert path.read_text() == "a,b\n1,2\n"
    with pytest.raises(JournalError, match="cannot be opened"), Journal(tmp_path):
        pass


def test_a_second_process_is_refused(tmp_path):
    path = tmp_path / "j"
    code = (
        f"import sys; from tlpo.execution.journal import Journal\nwith Journal({str(path)!r}): pass"
    )
    with Journal(path):
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Another process is writing this journal." in other.stderr
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "j"
    fsync = os.fsync
    with Journal(path) as journal:
        section = journal.part("run", FINGERPRINT).section("a")

        def append(name, start, stop, values):
            section.append(start, stop, 50, values)

        append(*THREE[0])

        def full(descriptor):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(JournalError, match=r"what it already holds is safe"):
            append(*THREE[1])
        monkeypatch.setattr(os, "fsync", fsync)
        append(*THREE[2])
    assert [r[0] for r in read(path)] == [0, 4]


@dataclass
class Squares:
    values: np.ndarray
    fits: int = 0

    @property
    def finished(self):
        return len(self.values)


def squares(rounds):
    return Squares(rounds**2, fits=len(rounds))


def run(path, n_jobs=1, total=50):
    found = np.full(total, -1)
    order = []

    def collect(where, chunk):
        found[where] = chunk.values
        order.append(where.start)

    log = RunLog()
    with Journal(path) as journal:
        keep = Keep(
            journal.part("run", FINGERPRINT).section("squares"),
            lambda chunk: {"values": chunk.values, "fits": chunk.fits},
            lambda values, _: Squares(values["values"], values["fits"]),
        )
        run_tasks(
            squares,
            np.arange(total),
            collect,
            log,
            n_jobs=n_jobs,
            progress=False,
            title="",
            keep=keep,
        )
    assert order == sorted(order)
    return found, log.fits


def test_a_run_goes_on_from_what_is_there(tmp_path):
    path = tmp_path / "j"
    write(path, [("squares", 10, 13, {"values": np.array([1, 2, 3]), "fits": 7})])
    found, fits = run(path)
    assert found[10:13].tolist() == [1, 2, 3]  # as written, so not played again
    assert (
        np.delete(found, slice(10, 13)).tolist()
        == np.delete(np.arange(50) ** 2, slice(10, 13)).tolist()
    )
    assert fits == 47 + 7
    size = path.stat().st_size
    again, fits_again = run(path)
    assert again.tolist() == found.tolist()
    assert fits_again == fits
    assert path.stat().st_size == size


@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "/dev/null"])
def test_what_has_no_end_is_refused(tmp_path, path):
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / path
    for use in (lambda: write(path, []), lambda: read_journal(path)):
        with pytest.raises(JournalError) as caught:
            use()
        assert str(caught.value) == (
            "A journal must be an ordinary file.\n"
            f"You passed {path}, which is a pipe, a socket or a device.\n"
            "Pass the path of a file."
        )


def test_links_that_lead_to_each_other_are_refused(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.symlink_to(b)
    b.symlink_to(a)
    with pytest.raises(JournalError, match="cannot be opened"):
        write(a, [])
    with pytest.raises(JournalError, match="cannot be read"):
        read_journal(a)
    good = tmp_path / "good"
    write(good, [("a", 0, 1, {})])
    with pytest.raises(JournalError, match="cannot be opened"):
        merge_journals(a, [good])


def test_a_refused_merge_leaves_no_file(tmp_path):
    first, second, target = tmp_path / "1", tmp_path / "2", tmp_path / "new" / "all"
    write(first, [("a", 0, 1, {})])
    with Journal(second) as journal:
        journal.part("run", {**FINGERPRINT, "data": "xyz"})
    with pytest.raises(JournalError, match="data was 'abc' and is 'xyz'"):
        merge_journals(target, [first, second])
    assert not target.parent.exists()
