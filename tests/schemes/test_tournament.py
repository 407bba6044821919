import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import estimators
import oracles
import tlpo
from tlpo.standings import max_circular_triads


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(3, 5), st.integers(3, 5), st.booleans())
def test_properties_of_any_tournament(seed, n_positive, n_negative, rounded):
    m = n_positive + n_negative
    X, y = oracles.blobs(m=m, n=2, n_positive=n_positive, seed=seed)
    X = np.round(X) if rounded else X
    tree = DecisionTreeClassifier(random_state=0)
    t = tlpo.tournament(tree, X, y)
    assert t.scores.sum() == m * (m - 1) / 2
    assert (t.circular_triads == 0) == (sorted(t.scores) == list(range(m)))
    if t.circular_triads == 0:
        assert t.auc == pytest.approx(t.lpo_auc, abs=1e-14)
    named = tlpo.tournament(tree, X, np.where(y == 1, "y", "n"))
    assert np.array_equal(named.scores, t.scores)


def test_row_order_does_not_matter():
    X, y = oracles.blobs(m=12)
    order = np.random.default_rng(0).permutation(12)
    t = tlpo.tournament(tlpo.RLS(), X, y, engine="refit")
    shuffled = tlpo.tournament(tlpo.RLS(), X[order], y[order], engine="refit")
    assert np.array_equal(shuffled.scores, t.scores[order])


def test_a_fixed_function_gives_its_own_auc():
    X, y = oracles.blobs(m=15)
    t = tlpo.tournament(estimators.FixedFunction(), X, y)
    assert t.consistency == 1
    assert t.circular_triads == 0
    assert t.auc == t.lpo_auc == pytest.approx(oracles.auc(X[:, 0], y))
    assert np.array_equal(np.argsort(t.scores), np.argsort(X[:, 0]))


def test_the_inverse_frequencies_learner():
    X, y = oracles.blobs(m=14, n_positive=5)
    learner = estimators.InverseFrequencies()
    assert tlpo.leave_one_out(learner, X, y).auc == 1.0
    t = tlpo.tournament(learner, X, y)
    assert (t.auc, t.lpo_auc, t.n_ties) == (0.5, 0.5, 14 * 13 // 2)


def test_a_constant_classifier_is_worth_half():
    X, y = oracles.blobs(m=10)
    dummy = DummyClassifier(strategy="prior")
    assert tlpo.leave_one_out(dummy, X, y).auc == 0.0
    t = tlpo.tournament(dummy, X, y)
    assert (t.auc, t.lpo_auc, t.n_ties) == (0.5, 0.5, 45)
    assert np.all(t.scores == 4.5)


def test_random_learner_is_as_inconsistent_as_theory_says():
    """E ξ = 3/(m + 2) for even m; 0.09375 at m = 30, within 4 Monte-Carlo errors."""
    rng = np.random.RandomState(0)
    X, y = np.zeros((30, 1)), np.arange(30) % 2
    consistency = []
    state = np.random.get_state()
    np.random.seed(rng.randint(2**31))
    try:
        for _ in range(60):
            t = tlpo.tournament(estimators.RandomLearner(), X, y)
            consistency.append(t.consistency)
    finally:
        np.random.set_state(state)
    error = np.std(consistency, ddof=1) / np.sqrt(60)
    assert error < 0.008
    assert abs(np.mean(consistency) - 3 / 32) < 4 * error


def test_everything_follows_from_the_scores():
    X, y = oracles.blobs(m=20, seed=3)
    t = tlpo.tournament(LogisticRegression(), X, y)
    fpr, tpr, thresholds = t.roc_curve()
    assert np.trapezoid(tpr, fpr) == pytest.approx(t.auc)
    for x, s, limit in zip(fpr, tpr, thresholds, strict=True):
        assert (x, s) == pytest.approx(oracles.rates(t.scores, y, limit))
    assert t.sensitivity_at(specificity=0.9) == max(tpr[fpr <= 0.1 + 1e-9])
    assert t.specificity_at(sensitivity=0.9) == max(1 - fpr[tpr >= 0.9])
    assert t.partial_auc(specificity=(0, 1)) == pytest.approx(t.auc)
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
        "ppv_at_prevalence",
        "npv_at_prevalence",
    ]
    assert table["criterion"].iloc[-1] == "score > -inf"
    assert (table["tp"] + table["fn"] == 6).all()
    half = t.operating_points(prevalence=0.5)  # the share in this sample
    assert np.allclose(half["ppv"], half["ppv_at_prevalence"], equal_nan=True)
    assert "ppv_at_prevalence" not in t.operating_points()


def test_criteria_are_exact():
    X, y = oracles.blobs(m=12, seed=3)
    table = tlpo.leave_one_out(tlpo.RLS(), X * 1e3, y).operating_points()
    thresholds = [float(text.removeprefix("score > ")) for text in table["criterion"]]
    assert thresholds == table["threshold"].tolist()


class Steps(LogisticRegression):
    def __init__(self, steps=5):
        super().__init__()
        self.steps = steps


def test_an_attribute_called_steps_is_no_pipeline():
    X, y = oracles.blobs(m=8)
    assert tlpo.tournament(Steps(), X, y).estimator_name == "Steps"


def test_frame_keeps_the_names_of_the_units():
    X, y = oracles.blobs(m=8)
    named = pd.DataFrame(X, index=[f"patient {k}" for k in range(8)])
    t = tlpo.tournament(
        LogisticRegression(), named, np.where(y == 1, "ill", "well"), positive="ill"
    )
    frame = t.to_frame()
    assert frame.index[3] == "patient 3"
    assert frame.loc["patient 3", "score"] == t.scores[3]
    assert (frame["label"] == np.where(y == 1, "ill", "well")).all()
    assert frame["rank"].tolist() == rankdata(-t.scores).tolist()
    wins = frame["wins_against_negatives"] + frame["wins_against_positives"]
    assert (wins == frame["score"]).all()
    assert tlpo.tournament(LogisticRegression(), X, y).to_frame().index.name == "unit"


def test_repr_reads_well():
    X, y = oracles.blobs(m=8)
    t = tlpo.tournament(make_pipeline(StandardScaler(), LogisticRegression()), X, y)
    lines = repr(t).splitlines()
    assert lines[0] == "Tournament of 8 units, 4 positive (1) and 4 negative (0)"
    assert lines[1] == "  estimator    StandardScaler → LogisticRegression"
    assert lines[2] == f"  AUC          {t.auc:.4f} (leave-pair-out)"
    assert lines[3] == "  curve        tournament, no games tie"
    assert lines[4].startswith(f"  consistency  ξ = {t.consistency:.3f} (")
    assert lines[5].startswith("  played       28 games, 28 fits, ")
    assert lines[5].endswith("s, engine refit")


def test_notebook_html_is_escaped():
    X, y = oracles.blobs(m=8)
    nasty = np.where(y == 1, "<script>alert(1)</script>", "&amp")
    shown = tlpo.tournament(LogisticRegression(), X, nasty)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "&amp;amp" in shown


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
