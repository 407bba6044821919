import itertools

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import oracles
import tlpo
from tlpo.checks import seed_sequence
from tlpo.problem.problem import make_problem
from tlpo.schemes.kfold import _fold_tests


def folds(y, n_splits, random_state, repeat=0):
    seeds = seed_sequence(random_state).generate_state(repeat + 1)
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=int(seeds[repeat]))
    return list(splitter.split(np.zeros(len(y)), y))


def test_both_poolings_against_loops():
    X, y = oracles.blobs(m=20)
    model = SVC(kernel=linear_kernel)
    pooled = tlpo.kfold(model, X, y, n_splits=4, random_state=1)
    averaged = tlpo.kfold(model, X, y, n_splits=4, pooling="averaged", random_state=1)
    scores, aucs = np.empty(20), []
    for train, test in folds(y, 4, 1):
        scores[test] = oracles.predict(model, X, y, train, test)
        aucs.append(oracles.auc(scores[test], y[test]))
    assert pooled.scores == pytest.approx(scores)
    assert pooled.auc == pytest.approx(oracles.auc(scores, y))
    assert averaged.fold_aucs == pytest.approx(np.array([aucs]))
    assert averaged.auc == pytest.approx(np.mean(aucs))
    assert pooled.diagnostics.fits == averaged.diagnostics.fits == 4
    assert pooled.roc_curve().tpr[-1] == 1
    assert np.isnan(pooled.spread)


def test_repeats_are_averaged_and_spread_is_reported():
    X, y = oracles.blobs(m=20)
    pooled = tlpo.kfold(LogisticRegression(), X, y, n_splits=4, n_repeats=3, random_state=1)
    assert pooled.auc == pytest.approx(np.mean(pooled.aucs))
    assert pooled.spread == pytest.approx(np.std(pooled.aucs, ddof=1))
    assert len(pooled.repeats) == 3
    assert pooled.aucs[0] == pytest.approx(oracles.auc(pooled.repeats[0].scores, y))
    with pytest.raises(tlpo.InputError, match="This result has 3 repeats"):
        pooled.roc_curve()
    assert "over 3 repeats" in repr(pooled)
    again = tlpo.kfold(LogisticRegression(), X, y, n_splits=4, n_repeats=3, random_state=1)
    assert np.array_equal(pooled.aucs, again.aucs)
    averaged = tlpo.kfold(
        LogisticRegression(), X, y, n_splits=4, n_repeats=3, pooling="averaged", random_state=1
    )
    assert averaged.spread == pytest.approx(np.std(averaged.fold_aucs.mean(axis=1), ddof=1))


def test_as_many_folds_as_units_is_leave_one_out():
    X, y = oracles.blobs(m=12)
    all_out = tlpo.kfold(LogisticRegression(), X, y, n_splits=12, random_state=0)
    assert all_out.scores == pytest.approx(tlpo.leave_one_out(LogisticRegression(), X, y).scores)


def test_unstratified_folds_differ():
    X, y = oracles.blobs(m=20)
    plain = tlpo.kfold(LogisticRegression(), X, y, n_splits=4, stratified=False, random_state=1)
    stratified = tlpo.kfold(LogisticRegression(), X, y, n_splits=4, random_state=1)
    assert not np.allclose(plain.scores, stratified.scores)


@pytest.mark.parametrize("stratified", [True, False])
def test_groups_stay_in_one_fold(stratified):
    X, y = oracles.blobs(m=24)
    groups = np.arange(24) // 3
    problem = make_problem(X, y, groups=groups)
    tests = _fold_tests(problem, 4, stratified, 0)
    assert sorted(np.concatenate(tests)) == list(range(24))
    for one, other in itertools.combinations(tests, 2):
        assert not set(groups[one]) & set(groups[other])
    options = {"n_splits": 4, "stratified": stratified, "random_state": 0}
    together = tlpo.kfold(LogisticRegression(), X, y, groups=groups, **options)
    alone = tlpo.kfold(LogisticRegression(), X, y, **options)
    assert not np.allclose(together.scores, alone.scores)
    with pytest.raises(tlpo.InputError, match="at most 8, the number of groups"):
        tlpo.kfold(LogisticRegression(), X, y, n_splits=10, groups=groups)


def test_more_folds_than_units_of_a_class_with_groups():
    X, y = oracles.blobs(m=10)
    result = tlpo.kfold(LogisticRegression(), X, y, n_splits=10, groups=np.arange(10))
    assert result.scores == pytest.approx(tlpo.leave_one_out(LogisticRegression(), X, y).scores)


def test_positive_and_params_count():
    X, y = oracles.blobs(m=20)
    options = {"n_splits": 4, "random_state": 0}
    plain = tlpo.kfold(LogisticRegression(), X, y, **options)
    turned = tlpo.kfold(LogisticRegression(), X, y, positive=0, **options)
    assert turned.scores == pytest.approx(-plain.scores)
    heavy = {"sample_weight": np.where(np.arange(20) < 10, 100.0, 1e-3)}
    weighted = tlpo.kfold(LogisticRegression(), X, y, params=heavy, **options)
    assert not np.allclose(weighted.scores, plain.scores)


def test_bad_options():
    X, y = oracles.blobs(m=12)
    for n_splits in (1, 13, 2.5):
        with pytest.raises(tlpo.InputError) as caught:
            tlpo.kfold(LogisticRegression(), X, y, n_splits=n_splits)
        assert str(caught.value) == (
            "n_splits must be a whole number, at least 2 and at most 12, the number of units.\n"
            f"You passed n_splits={n_splits!r}.\n"
            "For example n_splits=10."
        )
    with pytest.raises(tlpo.InputError, match="pooling must be one of 'pooled', 'averaged'"):
        tlpo.kfold(LogisticRegression(), X, y, pooling="mean")


def test_a_fold_that_empties_a_class():
    X, y = oracles.blobs(m=12, n_positive=2)
    groups = np.where(y == 1, 100, np.arange(12))
    with pytest.raises(tlpo.InputError, match="out group 100 leaves no unit of class 1 to train"):
        tlpo.kfold(LogisticRegression(), X, y, n_splits=4, groups=groups, random_state=0)
