"""Support vector machines behind all kinds of steps."""

import pytest
from hypothesis import strategies as st
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

import tlpo
from engines.sparse.problems import BEFORE, assert_same_with_gaps, behind

KERNELS = ("linear", "rbf", "poly", "sigmoid")
OWN = {SVC: ("C", "class_weight"), NuSVC: ("nu",), SVR: ("C", "epsilon"), NuSVR: ("C", "nu")}


def machine_of(kind=SVC, before="nothing", **params):
    """Return a machine with those of the parameters that it has."""
    shared = ("kernel", "gamma", "degree", "coef0", "tol", "shrinking", "max_iter")
    own = {key: value for key, value in params.items() if key in (*shared, *OWN[kind])}
    return behind(before, kind(**own))


machines = st.builds(
    machine_of,
    kind=st.sampled_from([SVC, SVC, SVC, NuSVC, SVR, NuSVR]),
    before=st.sampled_from(list(BEFORE)),
    kernel=st.sampled_from(["rbf", *KERNELS]),
    gamma=st.sampled_from(["scale", "scale", "auto", 0.05, 2.0]),
    C=st.sampled_from([0.05, 1.0, 1.0, 30.0]),
    nu=st.sampled_from([0.1, 0.3, 0.5]),
    epsilon=st.sampled_from([0.0, 0.1, 0.5]),
    degree=st.sampled_from([2, 3]),
    coef0=st.sampled_from([0.0, 1.0]),
    class_weight=st.sampled_from([None, None, "balanced", {0: 3.0, 1: 0.5}]),
    tol=st.sampled_from([1e-3, 1e-3, 1e-1, 1e-6]),
    shrinking=st.sampled_from([True, True, False]),
    max_iter=st.sampled_from([20_000, 20_000, 5]),
)


def assert_same_or_same_failure(estimator, problem, seed):
    """Agree on a problem; where libsvm fails in a game, refitting must fail as well.

    It does if there is no start for nu in a class this small, or its coefficients are not finite.
    """
    try:
        assert_same_with_gaps(estimator, problem, seed, "svm")
    except tlpo.GameError:
        with pytest.raises(tlpo.GameError, match=r"infeasible|not finite"):
            tlpo.tournament(estimator, *problem, engine="refit")
