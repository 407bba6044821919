"""Parameters of trees, and what it means to agree with refits to the last bit."""

import warnings

import numpy as np
from hypothesis import strategies as st

import tlpo
from tlpo.games.contest import Contest, ContestOptions

limits = st.fixed_dictionaries(
    {
        "max_depth": st.sampled_from([1, 2, 3, 5, None]),
        "min_samples_leaf": st.sampled_from([1, 1, 1, 3, 0.2]),
        "min_samples_split": st.sampled_from([2, 2, 5, 0.3]),
        "min_weight_fraction_leaf": st.sampled_from([0.0, 0.0, 0.1]),
        "min_impurity_decrease": st.sampled_from([0.0, 0.0, 0.02]),
        "max_features": st.sampled_from([None, None, "sqrt", "log2", 0.5, 1]),
        "random_state": st.integers(0, 99),
    }
)


def assert_same_bits(estimator, problem, engine, positive=1, refits=0):
    """Every prediction of every game as by refitting."""
    X, y = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a model that does not learn
        warnings.simplefilter("ignore", RuntimeWarning)  # a selection that divides by zero
        fast, slow = (
            tlpo.tournament(estimator, X, y, positive=positive, engine=name)
            for name in (engine, "refit")
        )
    assert np.array_equal(fast.predictions, slow.predictions, equal_nan=True)
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.n_ties == slow.n_ties
    assert fast.diagnostics.fits <= 1 + refits
    return fast


def assert_same_answers(estimator, X, y, engine, tests, fits, **options):
    """Every response of held-out sets and of fits on repeated units as by refitting."""
    found = []
    for name in ("auto", "refit"):
        contest = Contest(estimator, X, y, ContestOptions(engine=name, **options))
        sets, resamples = contest.hold_out(tests, "sets"), contest.fit(fits, "fits", "Fits")
        assert (sets.engine, resamples.engine) == ((engine,) * 2 if name == "auto" else (name,) * 2)
        found.append(sets.responses + resamples.responses)
    for fast, slow in zip(*found, strict=True):
        assert np.array_equal(fast, slow)
