"""Several classes: input that is refused, games that fail, and ends of the scale."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import tlpo
from estimators import Fussy

RNG = np.random.default_rng(0)
CODE = np.arange(18) % 3
Y = np.array(["a", "b", "c"])[CODE]
X = RNG.normal(size=(18, 3)) + CODE[:, None]
P = RNG.random((18, 3))
FEW = np.array(["a"] * 8 + ["b"] * 8 + ["c"] * 2)
MISSING = np.array([None, *Y[1:]], dtype=object)


def message(act, *given, kind=tlpo.InputError, **options):
    with pytest.raises(kind) as caught:
        act(*given, **options)
    return str(caught.value)


@pytest.mark.parametrize("count", [1, 2])
def test_a_class_of_too_few_units(count):
    y = np.where(np.arange(18) < count, "z", np.where(CODE == 0, "a", "b"))
    assert message(tlpo.multiclass, GaussianNB(), X, y) == (
        "Class 'z' has too few units: leaving out two of them must leave one to train on.\n"
        f"You passed {count} of class 'z' among 18 units.\n"
        "Collect at least 3 units of each class."
    )


@pytest.mark.parametrize(
    ("y", "passed"),
    [
        (["a"] * 18, "1 among 18 units: 'a'"),
        (
            np.arange(18).astype(str),
            "18 among 18 units: '0', '1', '10', '11', '12', '13', … (18 in ",
        ),
    ],
)
def test_no_classes(y, passed):
    found = message(tlpo.multiclass, GaussianNB(), X, y)
    assert found.startswith("y must contain at least two classes, each of three units or more.\n")
    assert f"\nYou passed {passed}" in found


@pytest.mark.parametrize("y", [MISSING, np.where(CODE == 0, np.nan, CODE)])
def test_missing_labels(y):
    count = 1 if y is MISSING else 6
    assert f"You passed 18 labels, {count} of them missing (index 0" in message(
        tlpo.multiclass, GaussianNB(), X, y
    )


def test_rows_and_labels_of_different_number():
    assert message(tlpo.multiclass, GaussianNB(), X[:-1], Y) == (
        "X and y must describe the same units.\n"
        "You passed 17 rows of X and 18 labels.\n"
        "Check that neither was filtered without the other."
    )


@pytest.mark.parametrize("act", [tlpo.multiclass, tlpo.evaluate, tlpo.permutation_test])
@pytest.mark.parametrize("y", [np.linspace(0, 1, 36), np.arange(36) % 12])
def test_numbers_are_not_classes(act, y):
    assert message(act, GaussianNB(), np.tile(X, (2, 1)), y) == (
        "y has too many different numbers to be classes.\n"
        f"You passed {np.unique(y).size} different numbers among 36 units.\n"
        "If the larger should win, use tlpo.concordance (in other functions, order=True); if they "
        "name classes, convert them to text with y.astype(str)."
    )


def test_as_text_they_are():
    y = (np.arange(36) % 12).astype(str)
    assert len(tlpo.multiclass(GaussianNB(), np.tile(X, (2, 1)), y).pairs) == 66


def test_times_are_not_classes():
    times = tlpo.time_to_event(np.arange(1.0, 19.0), np.ones(18, dtype=bool))
    assert message(tlpo.multiclass, tlpo.Cox(), X, times) == (
        "y has times to an event, which are not classes.\n"
        "You passed an array of times and events to tlpo.multiclass.\n"
        "Use tlpo.survival."
    )


@pytest.mark.parametrize("act", [tlpo.tournament, tlpo.leave_pair_out])
def test_schemes_of_two_classes_name_the_one_of_several(act):
    assert message(act, GaussianNB(), X, Y) == (
        "y must contain exactly two classes.\nYou passed 3: 'a', 'b', 'c'.\n"
        "For several classes use tlpo.multiclass, and tlpo.evaluate for leave-one-out, folds and "
        "bootstraps; for numbers and grades, where the larger should win, tlpo.concordance."
    )


def test_a_statistic_of_two_classes():
    assert message(tlpo.permutation_test, GaussianNB(), X, Y, statistic="tlpo") == (
        "Several classes have one statistic, Hand and Till's M.\n"
        "You passed statistic='tlpo' and y with more than two labels.\n"
        "Leave out statistic."
    )


@pytest.mark.parametrize("scores", [P[:, 0], P[:, :2], np.column_stack([P, P])])
def test_scores_of_another_number_of_classes(scores):
    assert message(tlpo.assess, scores, Y) == (
        "Several classes need a score for each.\n"
        f"You passed scores of shape {scores.shape} and 3 labels: 'a', 'b', 'c'.\n"
        "Pass a column for every class, in the order of the sorted labels. If the larger label "
        "should have the larger score, pass order=True or the grades from lowest to highest."
    )


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_scores_that_are_not_finite(value):
    scores = P.copy()
    scores[[3, 5], 1] = value
    assert message(tlpo.assess, scores, Y) == (
        "Scores of several classes must be finite.\n"
        "You passed scores that are missing or infinite (index 3, 5).\n"
        "Drop these units from scores and y."
    )


def test_other_bad_scores():
    assert message(tlpo.assess, P[:-1], Y) == (
        "scores and y must describe the same units.\n"
        "You passed 17 rows of scores and 18 labels.\n"
        "Check that neither was filtered without the other."
    )
    assert message(tlpo.assess, P.astype(str) + "x", Y).startswith("scores must be numbers.\n")
    assert message(tlpo.assess, P, Y, larger_is_positive=False) == (
        "Of several classes, the larger score always speaks for its class.\n"
        "You passed larger_is_positive=False.\nLeave it out, and pass minus the scores."
    )
    assert message(tlpo.assess, P, np.where(FEW == "c", ["b", "c"] * 9, FEW)).startswith(
        "Each class needs at least two units.\nYou passed 1 of class 'c' among 18 units.\n"
    )
    assert message(tlpo.assess, P, Y, groups=np.where(Y == "b", 0, np.arange(18))).startswith(
        "Each class needs units from at least 2 groups.\nYou passed 6 units of class 'b' from 1.\n"
    )


def test_two_units_of_a_class_are_enough_for_fixed_scores():
    found = tlpo.assess(P, FEW)
    low, high = found.auc_interval()
    assert 0 < low < found.auc < high < 1


# --- the ends of the scale


def test_equal_responses_are_a_half():
    k = tlpo.multiclass(DummyClassifier(), X, Y)
    low, high = k.auc_interval()
    assert k.auc == 0.5
    assert 0.1 < low < 0.3
    assert low + high == pytest.approx(1.0)
    assert (k.pairs["auc"] == 0.5).all()


@pytest.mark.parametrize("predictions", [True, False])
def test_a_perfect_model_has_an_interval(predictions):
    k = tlpo.multiclass(GaussianNB(), 0.01 * X + 10 * CODE[:, None], Y, predictions=predictions)
    assert k.auc == 1.0
    if predictions:
        low, high = k.auc_interval()
    else:
        with pytest.warns(UserWarning, match="doubled instead of estimated"):
            low, high = k.auc_interval()
    assert high == 1.0
    assert 0.3 < low < 0.8
    assert (k.pairs["low"] < 0.9).all()


def test_fixed_scores_at_the_ends():
    perfect, equal = tlpo.assess(np.eye(3)[CODE], Y), tlpo.assess(np.ones((18, 3)), Y)
    assert (perfect.auc, equal.auc) == (1.0, 0.5)
    assert perfect.auc_interval().low < 0.9
    assert equal.auc_interval().low < 0.3


# --- games that fail


def shares_of(k, idle):
    """Shares by loops over the games between units that finished some."""
    shares = np.full((3, 3), np.nan)
    for a in range(3):
        F = k.each[a].predictions.full()
        for b in set(range(3)) - {a}:
            games = [
                np.heaviside(F[i, j] - F[j, i], 0.5)
                for i in np.flatnonzero(a == CODE)
                for j in np.flatnonzero(b == CODE)
                if i not in idle and j not in idle
            ]
            shares[a, b] = np.mean(games)
    return shares


@pytest.mark.parametrize("idle", [[0], [0, 1, 5], list(range(9))])
def test_m_rests_on_games_that_were_finished(idle):
    k = tlpo.multiclass(Fussy(needs=tuple(X[idle, 0])), X, Y, on_error="skip")
    shares = shares_of(k, idle)
    assert k.shares.to_numpy() == pytest.approx(shares, nan_ok=True)
    assert k.auc == pytest.approx(np.nanmean(shares))
    assert k.diagnostics.pairs_failed == 153 - (18 - len(idle)) * (17 - len(idle)) // 2
    played = np.setdiff1d(np.arange(18), idle)
    assert np.isnan(k.responses[idle]).all()
    assert np.isfinite(k.responses[played]).all()
    assert k.confusion.to_numpy().sum() == played.size
    assert k.to_frame()["predicted"].isna().sum() == len(idle)
    interval = k.auc_interval()
    assert interval.low < k.auc < interval.high
    assert interval.degrees_of_freedom == np.bincount(CODE[played]).min() - 1
    assert "Games are missing" in interval.notes[0]
    assert "not defined, games are missing" in repr(k)


def test_the_interval_of_finished_games_is_that_of_the_units_that_played():
    """A model that needs units 0, 1, 2 to train on, against one that brings them along."""
    k = tlpo.multiclass(Fussy(needs=tuple(X[:3, 0])), X, Y, on_error="skip")

    class Helped(LogisticRegression):
        def fit(self, features, labels):
            return super().fit(np.vstack([X[:3], features]), np.append(Y[:3], labels))

    alone = tlpo.multiclass(Helped(), X[3:], Y[3:])
    assert k.auc == alone.auc
    assert tuple(k.auc_interval()) == pytest.approx(tuple(alone.auc_interval()), rel=0.02)


def test_classes_that_never_met_have_no_m():
    needs = tuple(X[Y == "a", 0])
    found = message(tlpo.multiclass, Fussy(needs=needs), X, Y, on_error="skip", kind=tlpo.GameError)
    assert found.startswith(
        "No game between classes 'a' and 'b' could be played; 87 failed.\n"
        "The causes, with counts:\n  17 × ArithmeticError: cannot do without "
    )


def test_games_that_would_leave_no_unit_of_a_class_are_counted():
    groups = np.where((Y == "c") & (np.arange(18) < 9), 99, np.arange(18))
    groups[(Y == "c") & (np.arange(18) >= 9)] = 98
    options = {"groups": groups, "engine": "refit"}
    assert message(tlpo.multiclass, GaussianNB(), X, Y, **options).startswith(
        "Leaving out the pair (2, 11) and the units that go with it leaves no unit of class 'c' to "
    )
    k = tlpo.multiclass(GaussianNB(), X, Y, on_error="skip", **options)
    assert k.diagnostics.failures == {"no unit of some class would be left to train on": 9}
    assert k.diagnostics.warnings[0] == (
        "9 of 153 games would leave no unit of some class to train on; estimates rest on 144."
    )


# --- interrupts


def test_an_interrupted_run_resumes(tmp_path, monkeypatch):
    fitted, fit, journal = [], SVC.fit, tmp_path / "run.tlpo"

    def interrupted(self, *data):
        fitted.append(1)
        if len(fitted) == 100:
            raise KeyboardInterrupt
        return fit(self, *data)

    with monkeypatch.context() as patch:
        patch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.0)
        patch.setattr(SVC, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tlpo.multiclass(SVC(), X, Y, journal=journal, n_jobs=1)
        k = tlpo.multiclass(SVC(), X, Y, journal=journal, n_jobs=1)
    assert 153 < len(fitted) < 200
    assert k.scores.tolist() == tlpo.multiclass(SVC(), X, Y).scores.tolist()


def test_a_journal_of_grades_is_not_one_of_classes(tmp_path):
    tlpo.concordance(LogisticRegression(), X, CODE, journal=tmp_path / "run.tlpo")
    found = message(
        *(tlpo.multiclass, LogisticRegression(), X, CODE),
        journal=tmp_path / "run.tlpo",
        kind=tlpo.JournalError,
    )
    assert "several classes" in found


# --- why a model is refitted


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (
            LogisticRegression(),
            "LogisticRegression is played without refitting only for two classes.",
        ),
        (SVC(), "SVC is played without refitting only for two classes."),
    ],
)
def test_the_diagnostics_say_why_a_model_is_refitted(model, why):
    k = tlpo.multiclass(model, X, Y)
    assert (k.engine, k.diagnostics.why_not_faster) == ("refit", why)
    assert not k.diagnostics.warnings


def test_an_engine_of_two_classes_is_refused_with_that_reason():
    given = (tlpo.multiclass, LogisticRegression(), X, Y)
    assert message(*given, engine="logistic", kind=tlpo.EngineError) == (
        "Engine 'logistic' does not apply.\n"
        "LogisticRegression is played without refitting only for two classes.\n"
        "Use engine='auto', which uses an exact engine or refits."
    )


def test_the_reason_of_an_engine_that_plays_classes_apart_is_kept():
    model = KNeighborsClassifier(weights=np.ones_like)
    two = tlpo.tournament(model, X, CODE > 0)
    k = tlpo.multiclass(model, X, Y)
    assert k.engine == two.engine == "refit"
    assert k.diagnostics.why_not_faster == two.diagnostics.why_not_faster
