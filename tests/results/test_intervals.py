from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import tlpo
from estimators import Answers, FixedFunction, Fussy
from oracles import blobs, delong_covariance, held_out_predictions, placement_jackknife
from tlpo.roc.methods import METHODS


def scores_tournament(scores, y):
    """A tournament of a function that never changes."""
    return tlpo.tournament(FixedFunction(), np.asarray(scores, dtype=float)[:, None], y)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "estimator",
    [tlpo.RLS(), tlpo.InverseDistanceKNN(), LogisticRegression(), GaussianNB()],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize(("m", "n_positive"), [(26, 13), (24, 5)])
def test_default_interval_against_steps(estimator, m, n_positive):
    X, y = blobs(m, 4, n_positive, shift=0.5, seed=m)
    t = tlpo.tournament(estimator, X, y)
    interval = t.auc_interval()
    if min(n_positive, m - n_positive) <= 10:
        df = interval.degrees_of_freedom
        wins = t.standings.wins
        rows, columns = wins[y == 1, 0] / (m - n_positive), wins[y == 0, 1] / n_positive
        parts = np.var(rows, ddof=1) / n_positive, np.var(columns, ddof=1) / (m - n_positive)
        freedom = parts[0] ** 2 / (n_positive - 1) + parts[1] ** 2 / (m - n_positive - 1)
        assert df == pytest.approx(sum(parts) ** 2 / freedom)
        quantile = student.ppf(0.975, df)
    else:
        assert interval.degrees_of_freedom is None
        quantile = norm.ppf(0.975)
    F = held_out_predictions(estimator, X, y)
    limits, phi, place, jack = placement_jackknife(F, y, quantile)
    assert tuple(interval) == pytest.approx(limits, abs=1e-5)
    assert interval.phi == pytest.approx(phi)
    assert interval.placement_variance == pytest.approx(place)
    assert interval.jackknife_variance == pytest.approx(jack)
    assert interval.estimate == t.auc
    assert interval.method == "placement-jackknife"


def test_delong_of_a_fixed_function_is_delong():
    """What no model learned from is DeLong's own case."""
    rng = np.random.default_rng(0)
    y = (np.arange(113) < 41).astype(int)
    marker = np.clip(np.round(rng.normal(2 + 1.2 * y, 1.2)), 1, 5)
    t = scores_tournament(marker, y)
    (auc, _), cov = delong_covariance(marker, marker, y)
    half = norm.ppf(0.975) * np.sqrt(cov[0][0])
    assert tuple(t.auc_interval(method="delong")) == pytest.approx((auc - half, auc + half))


def test_methods_differ_where_they_should():
    X, y = blobs(30, 10, shift=0.4, seed=3)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    width = {}
    for method in METHODS:
        interval = t.auc_interval(method=method, random_state=0)
        assert interval.method == method
        assert 0 <= interval.low < interval.estimate < interval.high <= 1
        width[method] = interval.high - interval.low
    assert width["newcombe"] < width["placement-jackknife"]
    assert t.auc_interval(method="inflated").phi == 2
    assert t.auc_interval(method="newcombe").phi == 1
    assert t.auc_interval(method="delong").phi is None
    wider = t.auc_interval(0.99)
    narrow = t.auc_interval(0.5)
    assert wider.low < narrow.low < narrow.high < wider.high


def test_every_method_is_about_the_auc():
    X, y = blobs(20, 10, shift=0.4, seed=1)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    assert t.auc == t.lpo_auc != t.tlpo_auc
    for method in METHODS:
        assert t.auc_interval(method=method).estimate == t.auc


def test_bootstrap_is_seeded():
    X, y = blobs(20, 10, shift=0.4, seed=1)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    one, two, other = (tuple(t.auc_interval(method="bootstrap", random_state=s)) for s in (1, 1, 2))
    assert one == two != other


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("scores", "auc"),
    [
        (np.arange(20.0), 1.0),
        (-np.arange(20.0), 0.0),
        (np.zeros(20), 0.5),
    ],
    ids=["perfect", "all wrong", "all ties"],
)
def test_ends_and_ties_are_finite(method, scores, auc):
    t = scores_tournament(scores, np.arange(20) >= 10)
    low, high = t.auc_interval(method=method)
    assert 0 <= low <= auc <= high <= 1
    if method in ("placement-jackknife", "inflated", "newcombe"):
        assert 0.1 < high - low < 0.8


def test_perfect_separation_is_not_certainty():
    t = scores_tournament(np.arange(30.0), np.arange(30) >= 15)
    low, high = t.auc_interval()
    assert high == 1
    assert 0.75 < low < 0.9
    assert tuple(t.auc_interval(method="delong")) == (1.0, 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_class_of_three(method):
    X, y = blobs(20, 3, n_positive=3, shift=1.0, seed=2)
    low, high = tlpo.tournament(tlpo.RLS(), X, y).auc_interval(method=method)
    assert 0 <= low < high <= 1


def test_without_predictions_the_variance_is_doubled_and_said_so():
    X, y = blobs(30, 3, seed=0)
    t = tlpo.tournament(tlpo.RLS(), X, y, predictions=False)
    with pytest.warns(UserWarning, match="was not kept"):
        interval = t.auc_interval()
    assert (interval.method, interval.phi) == ("inflated", 2.0)
    assert interval.jackknife_variance is None
    assert "predictions=True" in repr(interval)
    kept = tlpo.tournament(tlpo.RLS(), X, y)
    assert tuple(interval) == tuple(kept.auc_interval(method="inflated"))
    assert interval.placement_variance == kept.auc_interval().placement_variance
    with pytest.warns(UserWarning, match="was not kept"):
        t.sensitivity_interval(0.9)
    with pytest.raises(tlpo.InputError, match="The bootstrap needs the table of games"):
        t.auc_interval(method="bootstrap")


def test_missing_games_are_left_out():
    X, y = blobs(20, 3, seed=4)
    t = tlpo.tournament(Fussy(needs=(X[0, 0], X[5, 0])), X, y, on_error="skip")
    assert t.diagnostics.pairs_failed == 37
    interval = t.auc_interval()
    # Two units never played: what is left is the tournament of the others, with their tables.
    kept = np.delete(np.arange(20), [0, 5])
    F = t.predictions[np.ix_(kept, kept)]
    limits, phi, place, jack = placement_jackknife(
        F, y[kept], student.ppf(0.975, interval.degrees_of_freedom)
    )
    assert tuple(interval) == pytest.approx(limits, abs=1e-5)
    assert interval.phi == pytest.approx(phi)
    assert interval.placement_variance == pytest.approx(place)
    assert interval.jackknife_variance == pytest.approx(jack)
    assert "Games are missing" in repr(interval)
    for method in METHODS:
        assert t.auc_interval(method=method).estimate == t.auc


def test_groups_are_what_is_independent():
    X, y = blobs(16, 3, shift=0.5, seed=1)
    twins = np.repeat(np.arange(16), 2)
    t = tlpo.tournament(tlpo.RLS(), np.repeat(X, 2, axis=0), np.repeat(y, 2), groups=twins)
    interval, forgot = t.auc_interval(), replace(t, groups=None).auc_interval()
    # Eight groups of each class, sixteen units: Student's quantile goes by groups.
    assert interval.degrees_of_freedom is not None
    assert forgot.degrees_of_freedom is None
    assert interval.placement_variance > 1.8 * forgot.placement_variance
    assert interval.high - interval.low > forgot.high - forgot.low
    assert interval.phi > forgot.phi
    inflated = t.auc_interval(method="inflated")
    assert inflated.phi > 3.5


def test_the_interval_of_leave_pair_out_doubles_the_variance():
    """As a tournament's does that kept no predictions: the games within classes are not there."""
    X, y = blobs(20, 3, seed=0)
    lpo = tlpo.leave_pair_out(tlpo.RLS(), X, y)
    found = lpo.auc_interval(0.9)
    same = tlpo.tournament(tlpo.RLS(), X, y).auc_interval(0.9, method="inflated")
    assert (found.low, found.high) == pytest.approx((same.low, same.high))
    assert found.estimate == lpo.auc
    assert "Games within the classes were not played" in repr(found)


def test_certain_ends():
    X, y = blobs(20, 3, seed=0)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    assert tuple(t.sensitivity_interval(0)) == (1, 1)
    assert tuple(t.specificity_interval(0)) == (1, 1)
    for prevalence in (0.0, 1.0):
        table = t.operating_points(prevalence, 0.95)
        inner = table.iloc[1:-1]
        assert (inner["ppv_low"] == prevalence).all()
        assert (inner["npv_high"] == 1 - prevalence).all()
    perfect = scores_tournament(np.arange(10.0), np.arange(10) >= 5)
    assert perfect.auc_interval(1e-9).high == 1


def test_a_tied_marker_has_the_jackknife_of_its_placements():
    """Rounding in a shift must not decide a game between equal predictions."""
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    t = scores_tournament(np.round(rng.normal(y, 1), 1) * 1.1, y)
    assert t.n_ties > 5
    interval = t.auc_interval()
    assert interval.jackknife_variance == pytest.approx(interval.placement_variance)
    constant = tlpo.tournament(Answers(), np.full((31, 1), 1 / 3), np.arange(31) % 2)
    assert constant.auc_interval().jackknife_variance == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"confidence_level": 95},
            "confidence_level must be strictly between 0 and 1.\n"
            "You passed confidence_level=95.\nFor example confidence_level=0.95 for 95 %.",
        ),
    ],
)
def test_wrong_options(options, message):
    t = scores_tournament(np.arange(8.0), np.arange(8) % 2)
    with pytest.raises(tlpo.InputError) as caught:
        t.auc_interval(**options)
    assert str(caught.value) == message
    with pytest.raises(tlpo.InputError, match="method must be one of 'placement-jackknife'"):
        t.auc_interval(method="wald")


def test_sensitivity_and_specificity_are_mirror_images():
    X, y = blobs(30, 3, n_positive=12, seed=1)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    other = tlpo.tournament(tlpo.RLS(), -X, 1 - y)
    for share in (0.0, 0.5, 0.9, 1.0):
        se, sp = t.sensitivity_interval(share), other.specificity_interval(share)
        assert se.estimate == t.sensitivity_at(share)
        assert se.low <= se.estimate <= se.high
        if share in (0.5, 0.9):  # exact mirror up to the convention on steps
            assert tuple(se) == pytest.approx(tuple(sp))
    assert t.sensitivity_interval(0.9, interpolate=True).estimate == t.sensitivity_at(
        0.9, interpolate=True
    )
    assert "sensitivity at specificity 0.9" in repr(t.sensitivity_interval(0.9)).lower()


def test_band_holds_the_curve_and_rises():
    X, y = blobs(40, 3, n_positive=15, shift=0.5, seed=1)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    band = t.roc_band()
    assert band.fpr.tolist() == (np.arange(26) / 25).tolist()
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert (band.low[0], band.low[-1], band.high[-1]) == (0, 1, 1)
    tpr = np.array([t.sensitivity_at(1 - fpr) for fpr in band.fpr[1:-1]])
    assert (band.low[1:-1] <= tpr).all()
    assert (tpr <= band.high[1:-1]).all()
    low, high = t.sensitivity_interval(0.6)
    assert band.low[10] >= low - 1e-12
    assert band.high[10] <= high + 1e-12


def test_operating_points_with_limits():
    X, y = blobs(40, 3, n_positive=15, shift=0.5, seed=1)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    table = t.operating_points(prevalence=0.1, confidence_level=0.95)
    plain = t.operating_points(prevalence=0.1)
    assert table[plain.columns].equals(plain)
    for name in ("sensitivity", "specificity", "ppv", "npv", "lr_positive", "lr_negative"):
        estimate, low, high = (table[name + end] for end in ("", "_low", "_high"))
        known = estimate.notna()
        # halves are added to the counts of ratios, so that limits need not hold 0 and 1 exactly
        inner = (
            known & (table["tp"] > 0) & (table["fp"] > 0) & (table["fn"] > 0) & (table["tn"] > 0)
        )
        assert inner.sum() > 5
        assert (low[inner] <= estimate[inner]).all()
        assert (estimate[inner] <= high[inner]).all()
        place = table.columns.get_loc(name)
        assert table.columns[place + 1 : place + 3].tolist() == [f"{name}_low", f"{name}_high"]
    last = table.iloc[-1]
    assert (last["sensitivity_low"], last["sensitivity_high"]) == (1, 1)
    assert (last["ppv_low"], last["ppv_high"]) == (0.1, 0.1)


def test_interval_shows_itself():
    X, y = blobs(20, 3, seed=0)
    interval = tlpo.tournament(tlpo.RLS(), X, y).auc_interval()
    text = repr(interval)
    assert text.startswith("AUC: 0.")
    for word in ("95 % interval", "placement-jackknife", "φ", "Student's", "jackknife"):
        assert word in text
    assert "<table>" in interval._repr_html_()
