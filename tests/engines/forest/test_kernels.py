"""The compiled loops against plain NumPy."""

import numpy as np
import pytest

from tlpo.engines.forest.kernels import ask_judges, find_judges


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
    responses = np.empty(sets.shape)
    ask_judges(is_out, answers, sets, n_judges, responses)
    assert np.array_equal(responses, twin_ask(is_out, answers, sets, n_judges))


def test_equal_units_get_equal_responses():
    rng = np.random.default_rng(0)
    answers = rng.uniform(size=(1, 50)).repeat(2, axis=0)
    responses = np.empty((1, 2))
    ask_judges(np.ones((2, 50), dtype=bool), answers, np.array([[0, 1]]), 50, responses)
    assert responses[0, 0] == responses[0, 1]


def test_a_failed_judge_leaves_no_response():
    answers = np.array([[0.5, np.inf, 0.5], [0.1, np.nan, 0.2], [0.3, 0.4, 0.1]])
    sets = np.array([[0, 1], [0, 2]])
    responses = np.empty((2, 2))
    ask_judges(~np.isnan(answers), answers, sets, 2, responses)
    assert np.isfinite(responses).all(axis=1).tolist() == [True, False]
