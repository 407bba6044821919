"""Tournaments and tests that go on from a journal, with the same result."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics.pairwise import linear_kernel
from sklearn.svm import SVC

import tlpo
from estimators import Fussy, Shouting
from oracles import blobs
from tlpo.execution.framing import bodies
from tlpo.execution.journal import read_journal

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


@pytest.mark.long
def test_a_killed_tournament_goes_on_bit_for_bit(tmp_path):
    journal, out = tmp_path / "run.tlpo", tmp_path / "out.npz"
    code = SCRIPT.format(
        tests=os.path.dirname(os.path.dirname(__file__)),
        journal=str(journal),
        out=str(out),
        n_jobs=2,
    )
    kills = 0
    rng = np.random.default_rng(2)
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


def test_nothing_is_played_twice(tmp_path, monkeypatch):
    def fit(*_):
        raise AssertionError("played again")

    X, y = blobs(12, 2, seed=0)
    first = tlpo.tournament(SVC(kernel=linear_kernel), X, y, journal=tmp_path / "j")
    size = (tmp_path / "j").stat().st_size
    with monkeypatch.context() as patch:
        patch.setattr(SVC, "fit", fit)
        again = tlpo.tournament(
            SVC(kernel=linear_kernel), X, y, journal=str(tmp_path / "j"), n_jobs=2
        )
    np.testing.assert_array_equal(first.predictions, again.predictions)
    assert (tmp_path / "j").stat().st_size == size
    pairs = tlpo.leave_pair_out(SVC(kernel=linear_kernel), X, y, journal=tmp_path / "k")
    assert (
        pairs.auc
        == tlpo.leave_pair_out(SVC(kernel=linear_kernel), X, y, journal=tmp_path / "k").auc
    )
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
        ({"rounds": 5, "random_state": 0}, "which games"),
        ({"exclude": lambda i, j: [(i + 1) % 12]}, "exclude"),
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
    assert len(list(bodies((tmp_path / "j").read_bytes()))) == 1  # what run it is, and no game


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
    with pytest.raises(tlpo.InputError, match="A journal needs a fixed seed"):
        tlpo.permutation_test(model, X, y, n_permutations=2, journal=tmp_path / "k")
    with pytest.raises(tlpo.JournalError, match="seed was 3 and is 4"):
        tlpo.permutation_test(model, X, y, n_permutations=2, random_state=4, journal=tmp_path / "j")


def schemes(model, X, y, **journal):
    """Everything that takes a journal, each with what tells results apart."""
    seeded = {"random_state": 0, **journal}
    return {
        "tournament": tlpo.tournament(model, X, y, **journal).scores,
        "leave_pair_out": tlpo.leave_pair_out(model, X, y, **journal).predictions,
        "leave_one_out": tlpo.leave_one_out(model, X, y, **journal).scores,
        "kfold": tlpo.kfold(model, X, y, **seeded).scores,
        "bootstrap": np.array(tlpo.bootstrap(model, X, y, n_resamples=7, **seeded).auc),
        "quicksort": tlpo.quicksort(model, X, y, n_sorts=2, **seeded).ranks,
        "permutation_test": tlpo.permutation_test(
            model, X, y, n_permutations=3, **seeded
        ).null_distribution,
        "evaluate": tlpo.evaluate(model, X, y, n_resamples=7, n_sorts=2, **seeded)["auc"],
    }


def test_every_scheme_goes_on_from_one_journal_without_a_fit(tmp_path, monkeypatch):
    X, y = blobs(12, 2, seed=0)
    path = tmp_path / "all.tlpo"
    plain = schemes(SVC(kernel=linear_kernel), X, y)
    written = schemes(SVC(kernel=linear_kernel), X, y, journal=path)
    size = path.stat().st_size

    def fit(*_):
        raise AssertionError("played again")

    monkeypatch.setattr(SVC, "fit", fit)
    again = schemes(SVC(kernel=linear_kernel), X, y, journal=path)
    assert path.stat().st_size == size
    for name, values in plain.items():
        np.testing.assert_array_equal(values, written[name], err_msg=name)
        np.testing.assert_array_equal(values, again[name], err_msg=name)


@pytest.mark.parametrize("scheme", ["kfold", "bootstrap", "quicksort", "evaluate"])
def test_randomness_needs_a_seed_that_can_be_had_again(tmp_path, scheme):
    X, y = blobs(12, 2, seed=0)
    with pytest.raises(
        tlpo.InputError, match=r"^A journal needs a fixed seed, so that a resumed run "
    ):
        getattr(tlpo, scheme)(LogisticRegression(), X, y, journal=tmp_path / "j")


def test_what_was_finished_before_a_failure_is_kept_and_the_failure_is_not(tmp_path):
    X, y = blobs(12, 2, seed=0)
    path = tmp_path / "j"
    # Described alike, as if what it needs were a file that comes back.
    sick, well = Fussy(needs=(X[3, 0],)), Fussy()
    sick.get_params = well.get_params = lambda deep=True: {}
    sick.__sklearn_clone__ = lambda: Fussy(needs=(X[3, 0],))
    with pytest.raises(tlpo.GameError, match=r"failed on the pair \(0, 3\)"):
        tlpo.tournament(sick, X, y, journal=path)
    ((runs,),) = (part.progress().values() for part in read_journal(path)[0].values())
    assert runs == [(0, 2, 66)]  # (0, 1) and (0, 2)
    t = tlpo.tournament(well, X, y, journal=path)
    np.testing.assert_array_equal(t.scores, tlpo.tournament(LogisticRegression(), X, y).scores)
    assert t.diagnostics.fits == 66


def test_warnings_are_remembered(tmp_path):
    X, y = blobs(12, 2, seed=0)
    lines = []
    for _ in range(2):
        with pytest.warns(UserWarning, match="66 times in 66 fits: no convergence"):
            t = tlpo.tournament(Shouting(), X, y, journal=tmp_path / "j")
        lines.append(t.diagnostics.warnings)
    assert lines[0] == lines[1]


def test_games_of_one_list_are_not_taken_for_those_of_another(tmp_path):
    """An exact engine refits a few doubtful games; a tournament by refitting plays all."""
    X, y = blobs(12, 2, seed=0)
    X[:, 1] = 0.0
    X[0, 1] = 1.0  # unit 0 alone carries this direction: its games are refitted
    path = tmp_path / "j"
    exact = tlpo.tournament(LinearRegression(), X, y, engine="least-squares", journal=path)
    assert exact.diagnostics.fits > 1
    refit = tlpo.tournament(LinearRegression(), X, y, engine="refit", journal=path)
    assert refit.diagnostics.fits == 66
    np.testing.assert_array_equal(exact.scores, refit.scores)


def test_what_a_permutation_test_does_about_failures_is_part_of_it(tmp_path):
    X, y = blobs(12, 2, seed=0)
    options = {"n_permutations": 2, "random_state": 0, "journal": tmp_path / "j"}
    tlpo.permutation_test(Fussy(needs=(X[0, 0],)), X, y, on_error="skip", **options)
    with pytest.raises(tlpo.JournalError, match="on_error was 'skip' and is 'raise'"):
        tlpo.permutation_test(Fussy(needs=(X[0, 0],)), X, y, **options)


def test_numbers_of_numpy_are_numbers(tmp_path):
    X, y = blobs(12, 2, seed=0)
    options = {"random_state": np.int64(0), "journal": tmp_path / "j"}
    one = tlpo.quicksort(LogisticRegression(), X, y, n_sorts=np.int64(2), **options)
    two = tlpo.quicksort(
        LogisticRegression(), X, y, n_sorts=2, random_state=0, journal=tmp_path / "j"
    )
    np.testing.assert_array_equal(one.ranks, two.ranks)


@pytest.mark.parametrize("journal", [True, b"run.tlpo", 3])
def test_what_is_no_path_is_refused(journal):
    X, y = blobs(12, 2, seed=0)
    with pytest.raises(tlpo.JournalError) as caught:
        tlpo.tournament(LogisticRegression(), X, y, journal=journal)
    assert str(caught.value) == (
        "journal must be the path of a file.\n"
        f"You passed journal={journal!r}.\n"
        "For example journal='run.tlpo'."
    )
    with pytest.raises(tlpo.JournalError, match=r"^The journal cannot be opened\."):
        tlpo.tournament(LogisticRegression(), X, y, journal="a\0b")
