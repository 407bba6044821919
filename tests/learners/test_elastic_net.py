"""The lasso with its penalty chosen inside, against scikit-learn and conditions of optimality."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import tlpo
from tlpo.learners import elastic_net
from tlpo.learners.folds import folds_of


def sample(kind, seed, m=40, p=6):
    rng = np.random.default_rng(seed)
    y = (np.arange(m) % 3 == 0).astype(int)
    X = rng.normal(size=(m, p))
    X[:, 0] += y
    if kind == "wide":
        X = np.hstack([X, rng.normal(size=(m, 2 * m))])
    elif kind == "separated":
        X[:, 1] = 3.0 * y + 0.1 * rng.random(m)
    elif kind == "constant":
        X[:, 2] = 7.0
    elif kind == "twins":
        X = np.hstack([X, X[:, :2], 3.0 - 2.0 * X[:, :1]])
    elif kind == "scales":
        X = X * 10.0 ** np.arange(-6, -6 + 2 * p, 2) + 5.0
    elif kind == "binary":
        X = (X > 0.3).astype(float)
    elif kind == "rare":
        y = (np.arange(m) < 4).astype(int)
        X[:, 0] += 2 * y
    elif kind == "collinear":
        X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=m)
    elif kind == "nothing":
        X[:] = 1.5
    return X, y


KINDS = (
    "plain",
    "wide",
    "separated",
    "constant",
    "twins",
    "scales",
    "binary",
    "rare",
    "collinear",
    "nothing",
)


def standardised(X):
    unit = X.std(axis=0)
    unit[np.ptp(X, axis=0) == 0] = np.inf
    return (X - X.mean(axis=0)) / unit, unit


def gap_of(S, y, w, b, penalty, l1):
    """The duality gap: of the loss, at a point of the dual that is made feasible by shrinking."""
    m = len(S)
    z = S @ w + b
    loss = np.logaddexp(0.0, np.where(y == 1, -z, z)).mean()
    primal = loss + penalty * (l1 * np.abs(w).sum() + 0.5 * (1 - l1) * w @ w)
    share = 1 / (1 + np.exp(-z))
    r = (y - share) / m  # sums to zero: the intercept is not penalised
    inner = S.T @ r
    if l1 == 1.0:
        shrink = min(1.0, penalty / max(np.abs(inner).max(), 1e-300))
        excess = 0.0
    else:
        shrink = 1.0
        over = np.maximum(np.abs(inner) - penalty * l1, 0.0)
        excess = (over**2).sum() / (2 * penalty * (1 - l1))
    a = np.clip(np.abs(m * shrink * r), 1e-300, 1 - 1e-16)
    entropy = -(a * np.log(a) + (1 - a) * np.log1p(-a)).mean()
    return primal - (entropy - excess)


@pytest.mark.parametrize(
    "estimator",
    [
        tlpo.ElasticNetLogisticCV(),
        tlpo.ElasticNetLogisticCV(0.5, choice="1se", n_folds=3, n_penalties=5),
    ],
)
def test_scikit_learn_accepts_it(estimator):
    check_estimator(estimator, on_skip=None)


@pytest.mark.parametrize("l1", [1.0, 0.4])
@pytest.mark.parametrize("kind", ["plain", "constant", "scales", "binary", "rare", "wide"])
def test_coefficients_against_saga(kind, l1):
    X, y = sample(kind, 1)
    model = tlpo.ElasticNetLogisticCV(l1, n_folds=4, n_penalties=8).fit(X, y)
    S, unit = standardised(X)
    assert 1 / (len(y) * model.lambda_) == pytest.approx(model.C_)
    slow = LogisticRegression(
        C=model.C_, l1_ratio=l1, solver="saga", tol=1e-10, max_iter=100_000, random_state=0
    ).fit(S, y)
    assert model.coef_[0] * np.where(np.isinf(unit), 0.0, unit) == pytest.approx(
        slow.coef_[0], abs=1e-5
    )
    assert model.decision_function(X) == pytest.approx(slow.decision_function(S), abs=1e-5)
    assert model.n_nonzero_ == np.count_nonzero(np.abs(slow.coef_) > 1e-6)


@pytest.mark.parametrize("l1", [1.0, 0.3])
@pytest.mark.parametrize("choice", ["min", "1se"])
@pytest.mark.parametrize("kind", KINDS)
def test_duality_gap_and_conditions_of_optimality(kind, choice, l1):
    for seed in (2, 3):
        X, y = sample(kind, seed)
        model = tlpo.ElasticNetLogisticCV(l1, choice=choice, n_folds=5).fit(X, y)
        S, unit = standardised(X)
        w = model.coef_[0] * np.where(np.isinf(unit), 0.0, unit)
        z = model.decision_function(X)
        b = (z - S @ w)[0]
        share = y.mean()
        null = -2 * (share * np.log(share) + (1 - share) * np.log(1 - share))
        assert 2 * gap_of(S, y, w, b, model.lambda_, l1) <= 1e-9 * null
        gradient = S.T @ (1 / (1 + np.exp(-z)) - y) / len(y) + model.lambda_ * (1 - l1) * w
        limit = model.lambda_ * l1
        assert np.all(np.abs(gradient) <= limit * (1 + 1e-6) + 1e-12)
        used = w != 0
        assert gradient[used] == pytest.approx(-limit * np.sign(w[used]), rel=1e-6)
        assert np.all(model.coef_[0][np.isinf(unit)] == 0)


@pytest.mark.parametrize(
    ("kind", "choice"),
    [
        ("plain", "min"),
        ("plain", "1se"),
        ("constant", "min"),
        ("binary", "1se"),
        ("separated", "1se"),
    ],
)
def test_the_choice_against_a_loop_over_folds(kind, choice):
    X, y = sample(kind, 4, m=30)
    model = tlpo.ElasticNetLogisticCV(choice=choice, n_folds=4, n_penalties=6, random_state=3)
    model.fit(X, y)
    path = model.path_
    fold = folds_of(X, y, 4, seed=3)
    means, counts = [], []
    for number in range(4):
        out = fold == number
        if not out.any():
            continue
        S, unit = standardised(X[~out])
        T = (X[out] - X[~out].mean(axis=0)) / unit
        row = []
        for penalty in path.penalty:
            slow = LogisticRegression(
                C=1 / (len(S) * penalty),
                l1_ratio=1.0,
                solver="saga",
                tol=1e-9,
                max_iter=200_000,
                random_state=0,
            ).fit(S, y[~out])
            if not slow.coef_.any():  # saga stops before the intercept is there
                share = y[~out].mean()
                slow.intercept_ = np.log([share / (1 - share)])
            p = slow.predict_proba(T)[np.arange(out.sum()), y[out]]
            row.append(-2 * np.log(p).mean())
        means.append(row)
        counts.append(out.sum())
    means, counts = np.array(means), np.array(counts)
    deviance = counts @ means / counts.sum()
    spread = counts @ (means - deviance) ** 2 / counts.sum()
    error = np.sqrt(spread / (len(counts) - 1))
    assert path.deviance == pytest.approx(deviance, rel=1e-4, abs=1e-5)
    assert path.standard_error == pytest.approx(error, rel=1e-3, abs=1e-5)
    best = int(np.argmin(deviance))
    if choice == "1se":
        best = int(np.flatnonzero(deviance <= deviance[best] + error[best])[0])
    assert model.lambda_ == path.penalty[best]
    assert path.n_nonzero[best] == model.n_nonzero_


@pytest.mark.parametrize(("m", "p", "ratio"), [(30, 5, 1e-4), (30, 29, 1e-4), (30, 30, 1e-2)])
def test_penalties_begin_where_no_feature_is_used_and_end_as_in_glmnet(m, p, ratio):
    X, y = sample("plain", 5, m=m, p=p)
    path = tlpo.ElasticNetLogisticCV(n_penalties=12).fit(X, y).path_
    S, _ = standardised(X)
    largest = np.abs(S.T @ (y - y.mean())).max() / m
    step = ratio ** (1 / 11)
    assert largest <= path.penalty[0] < largest / step
    assert path.penalty[-1] / path.penalty[0] == pytest.approx(ratio)
    assert path.penalty[1:] / path.penalty[:-1] == pytest.approx(step)
    assert path.n_nonzero[0] == 0
    assert path.n_nonzero[1] > 0


def test_one_standard_error_selects_fewer_features():
    X, y = sample("wide", 6, m=60)
    least, fewer = (tlpo.ElasticNetLogisticCV(choice=choice).fit(X, y) for choice in ("min", "1se"))
    assert fewer.lambda_ > least.lambda_
    assert 0 < fewer.n_nonzero_ < least.n_nonzero_


@pytest.mark.parametrize("choice", ["min", "1se"])
def test_nothing_to_learn_gives_the_share_of_the_class(choice):
    X, y = sample("nothing", 0)
    model = tlpo.ElasticNetLogisticCV(choice=choice).fit(X, y)
    assert not model.coef_.any()
    assert model.predict_proba(X)[:, 1] == pytest.approx(y.mean())
    assert model.lambda_ == model.path_.penalty[0]


def test_a_scale_or_a_shift_of_features_changes_nothing_but_their_unit():
    X, y = sample("plain", 7)
    fold = folds_of(X, y, 10, 0)
    model = tlpo.ElasticNetLogisticCV().fit(X, y)
    # Folds are of the rows: the same ones are asked for by name.
    other = X * 100.0 - 3.0
    patched = tlpo.ElasticNetLogisticCV()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tlpo.learners.folds.folds_of", lambda *_: fold)
        patched.fit(other, y)
    assert patched.lambda_ == pytest.approx(model.lambda_)
    assert patched.coef_ * 100.0 == pytest.approx(model.coef_, rel=1e-7)


def test_frames_and_words():
    X, y = sample("plain", 8)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    words = np.where(y == 1, "sick", "healthy")
    model = tlpo.ElasticNetLogisticCV().fit(frame, words)
    assert model.classes_.tolist() == ["healthy", "sick"]
    assert model.feature_names_in_.tolist() == list(frame)
    assert set(model.predict(frame)) <= {"healthy", "sick"}
    assert model.score(frame, words) == np.mean((model.decision_function(frame) > 0) == (y == 1))


def test_two_units_of_a_class_are_enough_and_one_is_not():
    X, y = sample("plain", 9, m=12)
    y[:] = 0
    y[:2] = 1
    assert np.isfinite(tlpo.ElasticNetLogisticCV().fit(X, y).coef_).all()
    y[0] = 0
    with pytest.raises(ValueError, match="two units of each class") as caught:
        tlpo.ElasticNetLogisticCV().fit(X, y)
    assert str(caught.value) == (
        "Cross-validation inside needs two units of each class.\n"
        "You passed 11 of class 0 and 1 of class 1.\n"
        "Pass more units, or a model whose penalty is given."
    )


def test_missing_values_are_refused():
    X, y = sample("plain", 10)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        tlpo.ElasticNetLogisticCV().fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"l1_ratio": 0.0}, "l1_ratio must be above 0 and at most 1"),
        ({"l1_ratio": np.nan}, "l1_ratio must be above 0 and at most 1"),
        ({"choice": "max"}, "choice must be 'min' or '1se'"),
        ({"n_folds": 1}, "n_folds must be a whole number, 2 or more"),
        ({"n_penalties": 2.5}, "n_penalties must be a whole number, 2 or more"),
        ({"random_state": -1}, "random_state must be from 0 to 4294967295"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    X, y = sample("plain", 11)
    with pytest.raises(ValueError, match=message):
        tlpo.ElasticNetLogisticCV(**parameters).fit(X, y)


def test_no_seed_draws_other_folds():
    X, y = sample("plain", 12)
    model = tlpo.ElasticNetLogisticCV(random_state=None)
    assert len({tuple(model.fit(X, y).path_.deviance) for _ in range(5)}) > 1
    seeded = tlpo.ElasticNetLogisticCV(random_state=np.random.RandomState(1))
    assert np.isfinite(seeded.fit(X, y).coef_).all()


def test_equal_and_opposite_columns_against_all_pairs():
    rng = np.random.default_rng(13)
    X = rng.integers(0, 2, size=(6, 30)).astype(float)
    X = X[:, np.ptp(X, axis=0) > 0]
    S, _ = standardised(X)
    first = [
        f
        for f in range(S.shape[1])
        if not any(
            np.allclose(S[:, f], s * S[:, e], atol=1e-9) for e in range(f) for s in (1.0, -1.0)
        )
    ]
    assert len(first) < S.shape[1]
    assert elastic_net.first_of_equal(np.ascontiguousarray(S.T)).tolist() == first
