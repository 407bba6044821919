import joblib
import numpy as np
import pytest

from tlpo.execution.threads import in_threads, slices, thread_count


def test_all_cores_by_default_and_n_jobs_is_a_cap(monkeypatch):
    monkeypatch.setattr("tlpo.execution.threads._cores", lambda: 4)
    assert thread_count(None) == 4
    assert thread_count(1) == 1
    assert thread_count(3) == 3
    assert thread_count(99) == 4
    with joblib.parallel_config("threading", n_jobs=2):
        assert thread_count(None) == 2


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_one_thread_inside_a_worker(backend):
    calls = (joblib.delayed(thread_count)(None) for _ in range(2))
    assert joblib.Parallel(n_jobs=2, backend=backend)(calls) == [1, 1]


def test_results_come_in_order():
    assert in_threads(divmod, [(7, 2), (9, 4), (5, 5)]) == [(3, 1), (2, 1), (1, 0)]
    assert in_threads(divmod, [(7, 2)]) == [(3, 1)]


def test_slices_cover_a_range_evenly():
    parts = slices(10, 3)
    assert np.array_equal(np.concatenate([np.arange(10)[part] for part in parts]), np.arange(10))
    assert sorted(part.stop - part.start for part in parts) == [3, 3, 4]
    assert slices(0, 1) == [slice(0, 0)]
