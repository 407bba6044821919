"""The followed solver against libsvm's own coefficients, digit by digit, and its parts by hand."""

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, NuSVC, NuSVR

from engines.svm.problems import KERNELS
from tlpo.engines.svm import kernels, paths, smo
from tlpo.engines.svm.objective import KERNELS as NUMBERS
from tlpo.engines.svm.objective import LOSSES

NO_DOUBT = kernels.Doubt(0.0, 0.0, 0.0)


def trained(model, X, target, C):
    """Return the coefficients and the threshold where the path of all units ends."""
    m = len(X)
    kernel = kernels.Kernel(NUMBERS[model.kernel], model.coef0, model.degree)
    training, asked = np.empty((m, m)), np.empty((m, m))
    kernels.arguments(X, model.kernel == "rbf", training, asked)
    nothing = np.empty((0, 0), dtype=np.float32)
    arguments = paths.Arguments(training, asked, X, np.zeros(m), nothing, np.zeros(m))
    nu, epsilon = getattr(model, "nu", 0.5), getattr(model, "epsilon", 0.1)
    machine = paths.Machine(
        LOSSES[type(model)], nu, epsilon, model.tol, model.shrinking, model.max_iter
    )
    size, coef = m * (1 if machine.loss < paths.C_REGRESSOR else 2), np.empty(m)
    end, rho = paths.train(
        *(machine, kernel, model.gamma, NO_DOUBT, arguments, target, np.full(m, C)),
        *(np.arange(m), 0, 0.0, np.empty((size, size), dtype=np.float32), coef),
    )
    return end, coef, rho


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shrinking", [True, False])
def test_coefficients_against_libsvm(kernel, shrinking):
    """After hundreds of steps, with variables set aside and taken back."""
    rng = np.random.default_rng(0)
    m = 60
    X, codes = rng.normal(size=(m, 4)), np.arange(m) // 30
    X[:, 0] += codes
    numbers = X[:, 1] + rng.normal(size=m)
    options = {"kernel": kernel, "gamma": 0.2, "coef0": 0.5, "degree": 3, "shrinking": shrinking}
    for C in (0.5, 20.0):
        for model in (
            SVC(C=C, **options),
            SVR(C=C, **options),
            NuSVC(nu=0.4, **options),
            NuSVR(C=C, **options),
        ):
            is_regressor = isinstance(model, SVR | NuSVR)
            model.fit(X, numbers if is_regressor else codes)
            target = numbers if is_regressor else 1.0 - 2.0 * codes
            bound = 1.0 if isinstance(model, NuSVC) else C
            end, coef, rho = trained(model, X, target, bound)
            own = np.zeros(m)
            own[model.support_] = model.dual_coef_[0] if is_regressor else -model.dual_coef_[0]
            assert end == paths.SURE
            np.testing.assert_array_equal(coef, own)
            assert rho == (-1.0 if is_regressor else 1.0) * model.intercept_[0]


def test_a_path_that_is_cut_short_has_no_end():
    X, codes = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) // 10
    end, *_ = trained(SVC(gamma=0.2, max_iter=3), X, 1.0 - 2.0 * codes, 1.0)
    assert end == paths.UNFINISHED


def test_last_largest_by_hand():
    for values in ([3.0], [1.0, 3.0, 2.0, 3.0, 0.0], [0.0] * 9, [5.0, *[1.0] * 8], [-np.inf] * 6):
        array = np.array(values)
        expected = max(k for k, value in enumerate(values) if value == max(values))
        assert smo.last_largest(array, array.size) == expected


def test_steps_by_hand():
    # Of opposite signs both grow by (v_j − v_i) / curvature = 2, or until one is at its bound.
    assert smo.moved(1.0, -1.0, -1.0, 3.0, 2.0, 5.0, 5.0, 0.5, 1.0) == (2.5, 3.0)
    assert smo.moved(1.0, -1.0, -1.0, 3.0, 2.0, 5.0, 2.0, 0.5, 1.0) == (1.5, 2.0)
    # Of the same sign one grows by what the other falls.
    assert smo.moved(1.0, 1.0, -1.0, 3.0, 4.0, 5.0, 5.0, 0.5, 3.0) == (1.5, 2.0)
    assert smo.moved(1.0, 1.0, -1.0, 3.0, 4.0, 5.0, 5.0, 0.5, 0.25) == (0.75, 0.0)


@pytest.mark.parametrize(
    ("was", "now", "is_near"),
    [
        ((0.3, 0.4), (0.5, 0.2), False),
        ((0.3, 0.4), (0.7, 0.0), False),  # stopped by its bound
        ((0.0, 0.0), (1.0, 1.0), False),  # from bounds to bounds
        ((0.3, 0.7), (1.0, 0.0), True),  # what is left is rounding
        ((0.3, 0.7), (1.0, 1e-16), True),
        ((0.3, 0.4), (0.7, 1e-16), True),
    ],
)
def test_closeness_to_bounds_by_hand(was, now, is_near):
    assert smo.is_near_both(*was, *now, 1.0, 1.0) == is_near


def test_thresholds_by_hand():
    v, zero, out = np.array([1.0, 3.0, -1.0, 7.0]), 0.0, -np.inf
    y = np.array([1.0, 1.0, -1.0, -1.0])
    free = np.zeros(4)
    assert smo.threshold(v, free, free, y, 0.0, 4) == 2.5
    assert smo.threshold(v, free, free, y, -1.0, 4) == 3.0
    # Without free variables, between the largest v of those that cannot grow and the least of
    # those that cannot fall.
    up, low = np.array([out, zero, out, zero]), np.array([zero, out, zero, out])
    assert smo.threshold(v, up, low, y, 0.0, 4) == 0.5 * (1.0 + 3.0)
