import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import estimators
import oracles
import tlpo


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB(), tlpo.RLS()])
def test_leave_one_out_against_naive_loop(estimator):
    X, y = oracles.blobs(m=14, n_positive=2)
    loo = tlpo.leave_one_out(estimator, X, y, engine="refit")
    scores = oracles.leave_one_out_scores(estimator, X, y)
    assert loo.scores == pytest.approx(scores, rel=1e-12)
    assert loo.auc == pytest.approx(oracles.auc(scores, y))
    assert np.trapezoid(loo.roc_curve().tpr, loo.roc_curve().fpr) == pytest.approx(loo.auc)
    assert loo.diagnostics.fits == 14
    assert "pooled AUC" in repr(loo)


def test_leave_one_out_against_scikit_learn():
    X, y = oracles.blobs(m=12)
    ours = tlpo.leave_one_out(SVC(), X, y).scores
    theirs = cross_val_predict(SVC(), X, y, cv=LeaveOneOut(), method="decision_function")
    assert ours == pytest.approx(theirs)


def test_groups_are_held_out_together():
    X, y = oracles.blobs(m=12)
    groups = np.arange(12) // 2
    loo = tlpo.leave_one_out(SVC(), X, y, groups=groups)
    for i in range(12):
        train = np.flatnonzero(groups != groups[i])
        expected = oracles.predict(SVC(), X, y, train, [i])
        assert loo.scores[i] == expected[0]
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.leave_one_out(SVC(), X, y, groups=np.where(y == 1, "w", "v"))
    assert str(caught.value).startswith(
        f"Leaving out group {'w' if y[0] == 1 else 'v'!r} leaves no unit of class {y[0]}"
    )


def test_a_failing_fit_names_the_units():
    X, y = oracles.blobs(m=8)
    X[:, 0] = np.arange(8)
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.leave_one_out(estimators.Fussy(needs=(3,)), X, y)
    assert str(caught.value) == (
        "The estimator failed in a fit that predicts unit 3.\n"
        "Fussy: ArithmeticError: cannot do without 3\n"
        "Fix the cause: this estimate needs every fit."
    )
