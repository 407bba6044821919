"""Which curve a tournament shows, why, and what follows it."""

import pickle

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

import oracles
import tlpo
from tlpo.results import curves
from tlpo.roc.pooled import anchor, area, pooled_curve


def tied(**options):
    X, y = oracles.blobs(m=40, n=4, shift=0.5, seed=1)
    return tlpo.tournament(KNeighborsClassifier(3), X, y, **options)


def test_ties_choose_the_curve():
    X, y = oracles.blobs(m=40, n=4, shift=0.5, seed=1)
    plain = tlpo.tournament(tlpo.RLS(), X, y)
    assert (plain.curve, plain.curve.why) == ("tournament", "no games tie")
    assert plain.roc_curve().thresholds[0] == plain.scores.max()
    t = tied()
    share = t.n_ties / 780
    assert share > 0.1
    assert (t.curve, t.curve.why) == ("leave-pair-out", f"{share:.0%} of games tie")
    assert f"curve        leave-pair-out, {share:.0%} of games tie" in repr(t)
    X[1] = X[0]
    few = tlpo.tournament(tlpo.RLS(), X, y)
    assert (few.n_ties, few.curve, few.curve.why) == (1, "tournament", "less than 1% of games tie")


def test_the_limit_is_a_share_of_games(monkeypatch):
    t = tied()
    monkeypatch.setattr(curves, "MANY_TIES", t.n_ties / 780)
    assert tied().curve == "tournament"
    monkeypatch.setattr(curves, "MANY_TIES", (t.n_ties - 1) / 780)
    assert tied().curve == "leave-pair-out"


def test_everything_follows_the_curve():
    t = tied()
    expected = anchor(pooled_curve(t.predictions, t.labels.is_positive), t.auc)
    fpr, tpr, _ = t.roc_curve()
    assert np.array_equal(fpr, expected.fpr)
    assert np.array_equal(tpr, expected.tpr)
    assert area(t.roc_curve()) == pytest.approx(t.auc)
    assert t.partial_auc(specificity=(0, 1)) == pytest.approx(t.auc)
    assert t.sensitivity_at(0.5) == max(tpr[fpr <= 0.5])
    band = t.roc_band()
    assert (band.low <= band.high).all()
    interval = t.sensitivity_interval(0.5)
    # Few rates are attained, so it is read between them.
    assert interval.estimate == t.sensitivity_at(0.5, interpolate=True) != t.sensitivity_at(0.5)
    assert interval.low <= interval.estimate <= interval.high
    assert interval.notes[0].endswith("so the curve was read between its points.")
    attained = t.sensitivity_interval(0.5, interpolate=False)
    assert attained.estimate == t.sensitivity_at(0.5)
    assert attained.notes[0].endswith("Leave out interpolate=False, or use operating_point.")
    at = np.searchsorted(band.fpr, 0.5)
    assert band.low[at] <= interval.estimate <= band.high[at]
    table = t.operating_points(prevalence=0.1, confidence_level=0.95)
    assert not {"tp", "fp", "fn", "tn"} & set(table.columns)
    written = table["criterion"].str.removeprefix("prediction > ")
    for threshold, short in zip(table["threshold"], written.astype(float), strict=True):
        np.testing.assert_array_equal(t.predictions > threshold, t.predictions > short)
    assert written.str.len().median() <= 6  # −0.123
    assert (table["sensitivity_low"] <= table["sensitivity"] + 1e-12).all()
    # what belongs to the tournament stays
    assert t.scores.sum() == 780
    assert t.tlpo_auc == pytest.approx(oracles.auc(t.scores, t.labels.is_positive))
    assert t.tlpo_auc != t.auc


def test_one_may_insist():
    wins = tied(curve="tournament")
    assert (wins.curve, wins.curve.why) == ("tournament", "as asked for")
    assert {"tp", "fp", "fn", "tn"} <= set(wins.operating_points().columns)
    assert area(wins.roc_curve()) == pytest.approx(wins.tlpo_auc)
    X, y = oracles.blobs(m=20)
    pooled = tlpo.tournament(tlpo.RLS(), X, y, curve="leave-pair-out")
    assert area(pooled.roc_curve()) == pytest.approx(pooled.auc)
    with pytest.raises(tlpo.InputError, match="curve must be one of 'auto', 'tournament'"):
        tied(curve="smooth")
    with pytest.raises(tlpo.InputError) as caught:
        tied(curve="leave-pair-out", predictions=False)
    assert str(caught.value) == (
        "The leave-pair-out curve needs the table of held-out predictions.\n"
        "You passed curve='leave-pair-out' and predictions=False.\n"
        "Leave out one of the two."
    )


def test_without_predictions_it_says_so():
    t = tied(predictions=False)
    assert t.curve == "tournament"
    assert t.curve.why.endswith("of games tie, but held-out predictions were not kept")


def test_the_choice_survives_pickling():
    t = pickle.loads(pickle.dumps(tied()))
    assert (t.curve, t.curve.why) == (tied().curve, tied().curve.why)
    again = pickle.loads(pickle.dumps(t.curve))
    assert (again, again.why) == (t.curve, t.curve.why)


def test_noise_and_nearest_neighbours():
    """1-NN on noise, 60 samples of 40 units: only the tournament sees signal."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    played = [
        tlpo.tournament(KNeighborsClassifier(1), rng.normal(size=(40, 4)), y) for _ in range(60)
    ]
    error = np.std([t.auc for t in played], ddof=1) / np.sqrt(60)
    assert error < 0.015
    assert abs(np.mean([t.auc for t in played]) - 0.5) < 4 * error
    assert np.mean([t.tlpo_auc for t in played]) > 0.5 + 6 * error
