"""Tournaments and tests that go on from a journal, with the same result."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import tlpo
from estimators import Fussy
from oracles import blobs
from tlpo.cli import main
from tlpo.engines.fingerprint import describe_fully, digest
from tlpo.execution.journal import _bodies

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
import numpy as np
from estimators import Slow
from oracles import blobs
import tlpo
X, y = blobs(24, 3, seed=1)
t = tlpo.tournament(Slow(), X, y, journal={journal!r}, n_jobs={n_jobs})
np.savez({out!r}, F=t.predictions, scores=t.scores, fits=t.diagnostics.fits)
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_killed_tournament_goes_on_bit_for_bit(tmp_path, n_jobs):
    journal, out = tmp_path / "run.tlpo", tmp_path / "out.npz"
    code = SCRIPT.format(
        tests=os.path.dirname(os.path.dirname(__file__)),
        journal=str(journal),
        out=str(out),
        n_jobs=n_jobs,
    )
    kills = 0
    rng = np.random.default_rng(n_jobs)
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        size = journal.stat().st_size if journal.exists() else 0
        while process.poll() is None and (
            not journal.exists() or journal.stat().st_size <= max(size, 400)
        ):
            time.sleep(0.005)
        time.sleep(float(rng.uniform(0, 0.3)))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills
    subprocess.run([sys.executable, "-c", code], check=True)
    from estimators import Slow

    X, y = blobs(24, 3, seed=1)
    whole = tlpo.tournament(Slow(), X, y)
    with np.load(out) as found:
        np.testing.assert_array_equal(found["F"], whole.predictions)
        np.testing.assert_array_equal(found["scores"], whole.scores)
        assert found["fits"] == whole.diagnostics.fits == 276


def test_nothing_is_played_twice(tmp_path):
    X, y = blobs(12, 2, seed=0)
    first = tlpo.tournament(LogisticRegression(), X, y, journal=tmp_path / "j")
    size = (tmp_path / "j").stat().st_size
    started = time.perf_counter()
    again = tlpo.tournament(LogisticRegression(), X, y, journal=str(tmp_path / "j"), n_jobs=2)
    assert time.perf_counter() - started < first.diagnostics.seconds + 1
    np.testing.assert_array_equal(first.predictions, again.predictions)
    assert (tmp_path / "j").stat().st_size == size
    pairs = tlpo.leave_pair_out(LogisticRegression(), X, y, journal=tmp_path / "k")
    assert pairs.auc == tlpo.leave_pair_out(LogisticRegression(), X, y, journal=tmp_path / "k").auc
    assert pairs.auc == first.lpo_auc


def test_failures_are_remembered(tmp_path):
    X, y = blobs(12, 2, seed=0)
    options = {"on_error": "skip", "journal": tmp_path / "j"}
    one, two = (tlpo.tournament(Fussy(needs=(X[0, 0],)), X, y, **options) for _ in range(2))
    assert one.diagnostics.failures == two.diagnostics.failures
    assert one.diagnostics.pairs_failed == 11
    np.testing.assert_array_equal(one.scores, two.scores)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"estimator": LogisticRegression(C=2.0)}, "estimator"),
        ({"X": "moved"}, "X"),
        ({"y": "swapped"}, "y"),
        ({"positive": 0}, "positive"),
        ({"groups": np.arange(12) // 2 + np.arange(12) % 2 * 10}, "groups"),
        ({"params": {"sample_weight": np.ones(12)}}, "params"),
        ({"on_error": "skip"}, "on_error"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_run_is_refused(tmp_path, change, what):
    X, y = blobs(12, 2, seed=0)
    path = tmp_path / "j"
    tlpo.tournament(LogisticRegression(), X, y, journal=path)
    arguments = {"estimator": LogisticRegression(), "X": X, "y": y}
    if what == "X":
        change = {"X": X + 1e-9}
    if what == "y":
        change = {"y": y[::-1].copy()}
    with pytest.raises(
        tlpo.JournalError, match=rf"The journal belongs to another run[^;]* {what} "
    ):
        tlpo.tournament(**{**arguments, **change}, journal=path)


def test_exact_engines_have_nothing_to_write(tmp_path):
    X, y = blobs(12, 2, seed=0)
    t = tlpo.tournament(tlpo.RLS(), X, y, journal=tmp_path / "j")
    assert t.engine == "least-squares"
    assert len(list(_bodies((tmp_path / "j").read_bytes()))) == 1  # what run it is, and no game


def test_permutations_go_on(tmp_path):
    X, y = blobs(12, 2, seed=0)
    options = {"random_state": 3, "journal": tmp_path / "j"}
    model = LogisticRegression()
    few = tlpo.permutation_test(model, X, y, n_permutations=4, **options)
    size = (tmp_path / "j").stat().st_size
    more = tlpo.permutation_test(model, X, y, n_permutations=8, **options)
    assert (tmp_path / "j").stat().st_size > size
    plain = tlpo.permutation_test(model, X, y, n_permutations=8, random_state=3)
    np.testing.assert_array_equal(more.null_distribution, plain.null_distribution)
    np.testing.assert_array_equal(more.null_distribution[:4], few.null_distribution)
    with pytest.raises(tlpo.InputError, match="A journal needs a seed"):
        tlpo.permutation_test(model, X, y, n_permutations=2, journal=tmp_path / "k")
    with pytest.raises(tlpo.JournalError, match="seed was 3 and is 4"):
        tlpo.permutation_test(model, X, y, n_permutations=2, random_state=4, journal=tmp_path / "j")


def test_fingerprints_tell_data_apart_and_nothing_else():
    X = np.arange(6.0).reshape(3, 2)
    assert digest(X) == digest(X.copy())
    assert digest(X) != digest(X.T.copy())
    assert digest(X) != digest(X.astype(np.float32))
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert digest(frame) == digest(frame.copy())
    assert digest(frame) != digest(frame.rename(columns={"a": "c"}))
    assert digest(sparse.csr_array(X)) != digest(sparse.csr_array(2 * X))
    assert digest(["a", None]) != digest(["a", "None"])
    steps = make_pipeline(FunctionTransformer(np.log1p), StandardScaler(), LogisticRegression())
    text = describe_fully(steps)
    assert " at 0x" not in text
    assert text == describe_fully(
        make_pipeline(FunctionTransformer(np.log1p), StandardScaler(), LogisticRegression())
    )
    assert text != describe_fully(
        make_pipeline(FunctionTransformer(np.log1p), StandardScaler(), LogisticRegression(C=3))
    )


def test_a_journal_tells_what_it_is(tmp_path, capsys, monkeypatch):
    X, y = blobs(12, 2, seed=0)
    path = tmp_path / "run.tlpo"
    tlpo.tournament(LogisticRegression(C=0.5), X, y, journal=path)
    path.write_bytes(path.read_bytes() + b"torn")

    def show(file):
        monkeypatch.setattr(sys, "argv", ["tlpo", "journal", str(file)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr()

    code, shown = show(path)
    assert not code
    assert ": 66 of 66 rounds done (100.0%)" in shown.out
    assert "LogisticRegression(C=0.5" in shown.out
    assert "4 bytes are damaged or unfinished" in shown.out
    (tmp_path / "no").write_text("no journal")
    code, shown = show(tmp_path / "no")
    assert code == 1
    assert shown.err.startswith("tlpo: This file is not a journal.")
    assert show(tmp_path / "nothing")[0] == 1
