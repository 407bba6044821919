import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import estimators
import oracles
import tlpo
from tlpo.games.standings import max_circular_triads


def test_everything_follows_from_the_scores():
    X, y = oracles.blobs(m=20, seed=3)
    t = tlpo.tournament(LogisticRegression(), X, y)
    fpr, tpr, thresholds = t.roc_curve()
    assert np.trapezoid(tpr, fpr) == pytest.approx(t.tlpo_auc)
    for x, s, limit in zip(fpr, tpr, thresholds, strict=True):
        assert (x, s) == pytest.approx(oracles.rates(t.scores, y, limit))
    assert t.sensitivity_at(specificity=0.9) == max(tpr[fpr <= 0.1 + 1e-9])
    assert t.specificity_at(sensitivity=0.9) == max(1 - fpr[tpr >= 0.9])
    assert t.partial_auc(specificity=(0, 1)) == pytest.approx(t.tlpo_auc)
    c = 20 * 19 * 39 / 12 - np.sum(t.scores**2) / 2
    assert t.circular_triads == pytest.approx(c)
    assert t.consistency == pytest.approx(1 - c / max_circular_triads(20))


def test_operating_points_table():
    X, y = oracles.blobs(m=12, seed=3)
    t = tlpo.tournament(LogisticRegression(), X, y)
    table = t.operating_points(prevalence=0.2)
    assert list(table.columns) == [
        "criterion",
        "threshold",
        "cutoff",
        "sensitivity",
        "specificity",
        "ppv",
        "npv",
        "lr_positive",
        "lr_negative",
        "youden",
        "tp",
        "fp",
        "fn",
        "tn",
    ]
    assert table["criterion"].iloc[-1] == "score > -inf"
    assert (table["tp"] + table["fn"] == 6).all()
    half = t.operating_points(prevalence=0.5)  # the share in this sample
    assert np.allclose(half["ppv"], t.operating_points()["ppv"], equal_nan=True)
    with np.errstate(invalid="ignore"):
        counted = half["tp"] / (half["tp"] + half["fp"])
    assert np.allclose(half["ppv"], counted, equal_nan=True)


def test_criteria_divide_as_thresholds():
    X, y = oracles.blobs(m=12, seed=3)
    found = tlpo.leave_one_out(tlpo.RLS(), X * 1e3, y)
    table = found.operating_points()
    written = [float(text.removeprefix("score > ")) for text in table["criterion"]]
    for short, threshold in zip(written, table["threshold"], strict=True):
        assert np.array_equal(found.scores > short, found.scores > threshold)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda t: t.sensitivity_at(90), "specificity must be between 0 and 1.\nYou passed spec"),
        (lambda t: t.specificity_at(-0.1), "sensitivity must be between 0 and 1."),
        (lambda t: t.operating_points(prevalence=12), "prevalence must be between 0 and 1."),
        (lambda t: t.sensitivity_at("0.9"), "specificity must be between 0 and 1."),
        (lambda t: t.partial_auc(), "partial_auc needs one range"),
        (lambda t: t.partial_auc(specificity=0.9), "partial_auc needs one range"),
        (lambda t: t.partial_auc(specificity=(0.9, 0.8)), "partial_auc needs one range"),
        (
            lambda t: t.partial_auc(specificity=(0, 1), sensitivity=(0, 1)),
            "partial_auc needs one range",
        ),
    ],
)
def test_bad_levels_are_refused(call, expected):
    X, y = oracles.blobs(m=8)
    t = tlpo.tournament(estimators.FixedFunction(), X, y)
    with pytest.raises(tlpo.InputError) as caught:
        call(t)
    assert str(caught.value).startswith(expected)
