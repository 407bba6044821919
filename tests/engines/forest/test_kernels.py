"""The compiled loops against plain NumPy."""

import numpy as np
import pytest

from tlpo.engines.forest.kernels import ask_judges, ask_survival_trees, find_judges, hazard_at


def twin_find(is_out, sets, n_judges):
    is_judge = np.zeros(is_out.shape[1], dtype=bool)
    is_short = np.zeros(len(sets), dtype=bool)
    for k, units in enumerate(sets):
        qualified = np.flatnonzero(is_out[units].all(axis=0))
        is_judge[qualified[:n_judges]] = True
        is_short[k] = qualified.size < n_judges
    return is_judge, is_short


def twin_ask(is_out, answers, sets, n_judges):
    responses = np.empty(sets.shape)
    for k, units in enumerate(sets):
        qualified = np.flatnonzero(is_out[units].all(axis=0))[:n_judges]
        responses[k] = np.cumsum(answers[np.ix_(units, qualified)], axis=1)[:, -1] / n_judges
    return responses


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("n_judges", [1, 3, 9])
def test_judges_against_numpy(size, n_judges):
    rng = np.random.default_rng([size, n_judges])
    is_out = rng.uniform(size=(7, 40)) < 0.45
    sets = np.array([rng.choice(7, size, replace=False) for _ in range(12)])
    is_judge, is_short = np.zeros(40, dtype=bool), np.empty(12, dtype=bool)
    find_judges(is_out, sets, n_judges, is_judge, is_short)
    expected = twin_find(is_out, sets, n_judges)
    assert np.array_equal(is_judge, expected[0])
    assert np.array_equal(is_short, expected[1])
    assert is_short.any() == (size == 2 and n_judges == 9)  # both outcomes are met
    answers = np.where(is_out, rng.normal(size=is_out.shape), np.nan)
    sets = sets[~is_short]
    responses = np.empty((3, *sets.shape))
    ask_judges(is_out, answers, sets, n_judges, responses)
    assert np.array_equal(responses[0], twin_ask(is_out, answers, sets, n_judges))
    half = n_judges // 2
    for k, units in enumerate(sets):
        own = answers[units][:, np.flatnonzero(is_out[units].all(axis=0))[:n_judges]]
        first = own[:, :half].mean(axis=1) if half else np.zeros(size)
        np.testing.assert_allclose(responses[1, k], first, rtol=1e-14)
        np.testing.assert_allclose(responses[2, k], own[:, half:].mean(axis=1), rtol=1e-14)


def test_equal_units_get_equal_responses():
    rng = np.random.default_rng(0)
    answers = rng.uniform(size=(1, 50)).repeat(2, axis=0)
    responses = np.empty((3, 1, 2))
    ask_judges(np.ones((2, 50), dtype=bool), answers, np.array([[0, 1]]), 50, responses)
    assert np.array_equal(responses[:, :, 0], responses[:, :, 1])


def test_a_failed_judge_leaves_no_response():
    answers = np.array([[0.5, np.inf, 0.5], [0.1, np.nan, 0.2], [0.3, 0.4, 0.1]])
    sets = np.array([[0, 1], [0, 2]])
    responses = np.empty((3, 2, 2))
    ask_judges(~np.isnan(answers), answers, sets, 2, responses)
    assert np.isfinite(responses[0]).all(axis=1).tolist() == [True, False]


def twin_hazard(when, hazard, first, last, place):
    steps = [h for w, h in zip(when[first:last], hazard[first:last], strict=True) if w <= place]
    return steps[-1] if steps else 0.0


def test_hazards_against_a_loop():
    rng = np.random.default_rng(0)
    when = np.r_[np.sort(rng.integers(9, size=5)), np.sort(rng.integers(9, size=4))]
    hazard = rng.uniform(size=9)
    for first, last in ((0, 5), (5, 9), (5, 5), (0, 1)):
        for place in range(-1, 10):
            expected = twin_hazard(when, hazard, first, last, place)
            assert hazard_at(when, hazard, first, last, place) == expected


@pytest.mark.parametrize("size", [1, 2])
def test_survival_trees_against_numpy(size):
    rng = np.random.default_rng(size)
    m, n_trees, n_steps, n_judges = 7, 60, 6, 4
    is_out = rng.uniform(size=(m, n_trees)) < 0.6
    answers = np.where(is_out, rng.normal(size=is_out.shape), np.nan)
    when = np.sort(rng.integers(8, size=(n_trees, n_steps)), axis=1).astype(np.int32)
    hazard = rng.uniform(size=(n_trees, n_steps))
    bounds = np.sort(rng.integers(n_steps + 1, size=(2, m, n_trees)), axis=0).astype(np.int32)
    sets = np.array([rng.choice(m, size, replace=False) for _ in range(20)])
    place, is_lost = rng.integers(8, size=m), rng.uniform(size=sets.shape) < 0.5
    found, expected = np.empty((3, *sets.shape)), np.empty((3, *sets.shape))
    steps = (when, hazard, *bounds)
    ask_survival_trees(is_out, answers, steps, sets, place[sets], is_lost, n_judges, found)
    for k, units in enumerate(sets):
        judges = np.flatnonzero(is_out[units].all(axis=0))[:n_judges]
        assert judges.size == n_judges
        for at, unit in enumerate(units):
            each = [
                answers[unit, b]
                - sum(
                    twin_hazard(when[b], hazard[b], *bounds[:, unit, b], place[other])
                    for other in units[is_lost[k]]
                )
                for b in judges
            ]
            expected[:, k, at] = np.mean(each), np.mean(each[:2]), np.mean(each[2:])
    np.testing.assert_allclose(found, expected, rtol=1e-13)
