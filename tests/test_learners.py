import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.utils.estimator_checks import check_estimator

from tlpo import RLS, InverseDistanceKNN


@pytest.mark.parametrize(
    "estimator", [RLS(), RLS(regparam=0.0), InverseDistanceKNN(), InverseDistanceKNN(n_neighbors=1)]
)
def test_scikit_learn_accepts_them(estimator):
    # array API support is optional, and not offered
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("shape", [(20, 3), (3, 20), (8, 7), (8, 8)])
@pytest.mark.parametrize("regparam", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_rls_against_normal_equations(shape, regparam, weighted):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    weight = rng.uniform(0.1, 3, size=shape[0]) if weighted else None
    Z = np.column_stack([X, np.ones(shape[0])])
    S = np.diag(np.ones(shape[0]) if weight is None else weight)
    w = np.linalg.solve(Z.T @ S @ Z + regparam * np.eye(shape[1] + 1), Z.T @ S @ y)
    model = RLS(regparam=regparam).fit(X, y, sample_weight=weight)
    assert model.coef_ == pytest.approx(w[:-1], rel=1e-6, abs=1e-9)
    assert model.intercept_ == pytest.approx(w[-1], rel=1e-6, abs=1e-9)
    assert model.predict(X) == pytest.approx(Z @ w, rel=1e-6, abs=1e-9)


def test_rls_penalises_the_intercept_and_ridge_does_not():
    X, y = np.zeros((4, 1)), np.ones(4)
    assert RLS(regparam=4.0).fit(X, y).predict([[0.0]]) == pytest.approx(0.5)
    assert Ridge(alpha=4.0).fit(X, y).predict([[0.0]]) == pytest.approx(1.0)


def test_rls_without_penalty_is_the_least_norm_solution():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(4, 9)), rng.normal(size=4)
    model = RLS(regparam=0.0).fit(X, y)
    expected = np.linalg.pinv(np.column_stack([X, np.ones(4)])) @ y
    assert np.append(model.coef_, model.intercept_) == pytest.approx(expected)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "1", None])
def test_rls_refuses_a_bad_penalty(bad):
    with pytest.raises(ValueError, match="regparam must be a non-negative number"):
        RLS(regparam=bad).fit([[0.0], [1.0]], [0.0, 1.0])


def naive_vote(X, is_positive, x, k):
    distance = [float(np.sqrt(np.sum((row - x) ** 2))) for row in X]
    nearest = sorted(range(len(X)), key=lambda i: (distance[i], i))[:k]
    zeros = [i for i in nearest if distance[i] == 0]
    if zeros:
        return sum(1.0 if is_positive[i] else -1.0 for i in zeros)
    return sum(1 / distance[i] for i in nearest if is_positive[i]) - sum(
        1 / distance[i] for i in nearest if not is_positive[i]
    )


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("kind", ["random", "integers"])
def test_knn_against_a_loop(k, kind):
    rng = np.random.default_rng(3)
    X = (
        rng.integers(0, 3, (25, 3)).astype(float)
        if kind == "integers"
        else rng.normal(size=(25, 3))
    )
    test = (
        rng.integers(0, 3, (40, 3)).astype(float)
        if kind == "integers"
        else rng.normal(size=(40, 3))
    )
    y = rng.permutation(np.array(["a"] * 13 + ["b"] * 12))
    scores = InverseDistanceKNN(n_neighbors=k).fit(X, y).decision_function(test)
    assert scores == pytest.approx([naive_vote(X, y == "b", x, k) for x in test])


def test_knn_equal_votes_cancel_exactly():
    # eight neighbours in mirror image, one of each class at each distance
    offsets = np.array([0.1, 0.2, 0.3, 0.7])
    X = np.concatenate([offsets, -offsets])[:, None]
    model = InverseDistanceKNN(n_neighbors=8).fit(X, [0, 1, 0, 1, 1, 0, 1, 0])
    assert model.decision_function([[0.0]]) == 0.0


def test_knn_at_equal_distance_takes_the_first():
    model = InverseDistanceKNN(n_neighbors=1)
    assert model.fit([[1.0], [-1.0]], [0, 1]).decision_function([[0.0]]) == -1.0
    assert model.fit([[-1.0], [1.0]], [1, 0]).decision_function([[0.0]]) == 1.0


def test_knn_predicts_labels():
    model = InverseDistanceKNN(n_neighbors=1).fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[0.1], [0.9]]).tolist() == ["no", "yes"]


@pytest.mark.parametrize("k", [0, 3, 1.5, "1", None])
def test_knn_refuses_a_bad_number_of_neighbours(k):
    with pytest.raises(ValueError, match=f"You passed n_neighbors={k!r} with n_samples = 2"):
        InverseDistanceKNN(n_neighbors=k).fit([[0.0], [1.0]], [0, 1])
