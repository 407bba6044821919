import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression

import oracles
import tlpo
from estimators import FixedFunction, Fussy
from oracles import blobs, delong_covariance, games_without, held_out_predictions
from tlpo.roc.difference import holm


def two(m=20, n_positive=8, seed=0):
    X, y = blobs(m, 5, n_positive, shift=0.5, seed=seed)
    ridge, knn = tlpo.RLS(), tlpo.InverseDistanceKNN()
    return X, y, tlpo.tournament(ridge, X, y), tlpo.tournament(knn, X, y)


def test_compare_against_steps():
    X, y, a, b = two()
    result = tlpo.compare(a, b)
    alone = [t.auc_interval() for t in (a, b)]
    positives, negatives = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    p, n = len(positives), len(negatives)
    tables = [held_out_predictions(e, X, y) for e in (tlpo.RLS(), tlpo.InverseDistanceKNN())]
    U = [np.heaviside(F - F.T, 0.5)[np.ix_(positives, negatives)] for F in tables]
    gap = U[0] - U[1]
    parts = (
        np.var(gap.mean(axis=1), ddof=1) / p,
        np.var(gap.mean(axis=0), ddof=1) / n,
    )
    without = np.array([[games_without(F, y, k) for k in range(20)] for F in tables])
    moved = without[0] - without[1]
    jack = sum(
        (len(u) - 1) / len(u) * np.sum((moved[u] - moved[u].mean()) ** 2)
        for u in (positives, negatives)
    )
    # What is left of a game when its row and its column are known.
    left = gap - gap.mean(axis=1)[:, None] - gap.mean(axis=0) + gap.mean()
    noise = np.sum(left**2) / ((p - 1) * (n - 1)) / (p * n)
    most = max(2.0, *(np.sqrt(own.jackknife_variance / own.placement_variance) for own in alone))
    factor = np.sqrt(jack / sum(parts))
    assert factor > 1
    variance = (sum(parts) - noise) * min(factor, most)
    df = sum(parts) ** 2 / (parts[0] ** 2 / (p - 1) + parts[1] ** 2 / (n - 1))
    half = student.ppf(0.975, df) * np.sqrt(variance)
    assert result.difference == pytest.approx(gap.mean())
    assert (result.low, result.high) == pytest.approx((gap.mean() - half, gap.mean() + half))
    assert result.degrees_of_freedom == pytest.approx(df)
    expected = 2 * student.sf(abs(gap.mean()) / np.sqrt(variance), df)
    assert result.p_value == pytest.approx(expected)
    (one, other), cov = delong_covariance(a.scores, b.scores, y)
    z = (one - other) / np.sqrt(cov[0][0] + cov[1][1] - 2 * cov[0][1])
    assert result.delong.z == pytest.approx(z)
    assert "rejects too often" in repr(result)


def test_delong_of_markers_is_delong():
    rng = np.random.default_rng(1)
    y = (np.arange(113) < 41).astype(int)
    first = rng.exponential(0.2 + 0.2 * y)
    second = np.clip(np.round(rng.normal(2 + 1.5 * y, 1.2)), 1, 5)
    a, b = (tlpo.tournament(FixedFunction(), s[:, None], y) for s in (first, second))
    (one, other), cov = delong_covariance(first, second, y)
    z = (one - other) / np.sqrt(cov[0][0] + cov[1][1] - 2 * cov[0][1])
    assert tlpo.compare(a, b).delong.z == pytest.approx(z)


def test_the_other_way_round():
    _, _, a, b = two()
    forth, back = tlpo.compare(a, b), tlpo.compare(b, a)
    assert forth.difference == -back.difference
    assert (forth.low, forth.high) == (-back.high, -back.low)
    assert forth.p_value == back.p_value
    assert forth.names == ("RLS", "InverseDistanceKNN") == back.names[::-1]


def test_a_model_with_itself():
    _, _, a, _ = two()
    result = tlpo.compare(a, a)
    assert (result.difference, result.low, result.high, result.p_value) == (0, 0, 0, 1)
    assert result.names == ("RLS", "RLS (2)")


def test_a_difference_without_spread_is_not_certain():
    y = np.arange(30) % 2
    perfect = tlpo.tournament(FixedFunction(), y[:, None].astype(float), y)
    useless = tlpo.tournament(FixedFunction(), np.zeros((30, 1)), y)
    result = tlpo.compare(perfect, useless)
    assert result.difference == 0.5
    assert 0 < result.low < 0.5 < result.high < 1
    assert 1e-6 < result.p_value < 0.05


def test_two_perfect_models_may_still_differ():
    y = np.arange(30) >= 15
    first, second = (
        tlpo.tournament(FixedFunction(), scores[:, None], y)
        for scores in (np.arange(30.0), np.arange(30.0) ** 2)
    )
    assert first.lpo_auc == second.lpo_auc == 1
    result = tlpo.compare(first, second)
    assert (result.difference, result.p_value) == (0, 1)
    assert result.high == -result.low > 0.1
    assert tlpo.compare(first, first).high == 0


def test_games_that_only_one_finished_do_not_count():
    X, y = blobs(20, 3, seed=4)
    whole = tlpo.tournament(LogisticRegression(), X, y)
    skipped = tlpo.tournament(Fussy(needs=(X[0, 0], X[5, 0])), X, y, on_error="skip")
    assert skipped.diagnostics.pairs_failed
    result = tlpo.compare(whole, skipped)
    assert result.difference == 0
    assert result.low <= 0 <= result.high
    assert result.p_value == 1
    assert "games that both finished count" in repr(result)
    bare = tlpo.tournament(tlpo.RLS(), X, y, predictions=False)
    assert "without held-out predictions it is not known which" in refused(bare, skipped)


def test_without_predictions_the_variance_is_doubled_and_said_so():
    X, y, a, _ = two()
    b = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y, predictions=False)
    result = tlpo.compare(a, b)
    assert result.jackknife_variance is None
    assert result.variance == 2 * result.placement_variance
    assert "predictions=True" in repr(result)


def test_several_models_in_one_table():
    X, y, a, b = two()
    c = tlpo.tournament(tlpo.RLS(100.0), X, y)
    result = tlpo.compare(a, b, c, names=["ridge", "knn", "stiff"])
    frame = result.to_frame()
    assert frame[["first", "second"]].to_numpy().tolist() == [
        ["ridge", "knn"],
        ["ridge", "stiff"],
        ["knn", "stiff"],
    ]
    assert frame["p_value"].tolist() == [
        tlpo.compare(*pair).p_value for pair in ((a, b), (a, c), (b, c))
    ]
    np.testing.assert_array_equal(frame["p_value_holm"], holm(frame["p_value"].to_numpy()))
    assert "ridge − stiff" in repr(result)


def test_names_are_escaped_in_a_notebook():
    _, _, a, b = two()
    shown = tlpo.compare(a, b, names=["<script>", "x"])._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def refused(*tournaments, **options):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.compare(*tournaments, **options)
    return str(caught.value)


def test_refuses_what_was_not_played_over_the_same_units():
    X, y, a, _ = two()
    end = "Play both over the same rows of X and y, in the same order."
    start = "Only tournaments over the same units can be compared."
    fewer = tlpo.tournament(tlpo.RLS(), X[:-1], y[:-1])
    assert refused(a, fewer) == (
        f"{start}\nYou passed 20 units in tournament 1 and 19 in tournament 2.\n{end}"
    )
    swapped = y.copy()
    first, second = np.flatnonzero(y == 1)[0], np.flatnonzero(y == 0)[0]
    swapped[[first, second]] = 0, 1
    differ = ", ".join(str(k) for k in sorted((first, second)))
    other = tlpo.tournament(tlpo.RLS(), X, swapped)
    assert refused(a, a, other) == (
        f"{start}\nYou passed different labels in tournaments 1 and 3 for 2 units: {differ}.\n{end}"
    )
    turned = tlpo.tournament(tlpo.RLS(), X, y, positive=0)
    assert "the positive label 1 (the other is 0) in tournament 1 and 0 (the" in refused(a, turned)
    named = [
        tlpo.tournament(tlpo.RLS(), pd.DataFrame(X, index=[f"{k}{i}" for i in range(20)]), y)
        for k in "ab"
    ]
    assert "unit 0 is 'a0' and 'b0'" in refused(*named)
    assert tlpo.compare(a, named[0]).difference == 0


def test_refuses_other_things():
    _, _, a, b = two()
    assert refused(a, 3) == (
        "compare needs two or more tournaments.\nYou passed Tournament, int.\n"
        "Pass what tlpo.tournament returned, for example compare(a, b)."
    )
    assert "one name per tournament" in refused(a, b, names=["x"])
    assert "confidence_level must be strictly" in refused(a, b, confidence_level=1)


def test_two_models_are_compared_over_the_games_of_both():
    X, y = oracles.blobs(m=40)
    same = {"rounds": 10, "random_state": 0}
    ridge = tlpo.tournament(tlpo.RLS(), X, y, **same)
    knn = tlpo.tournament(tlpo.InverseDistanceKNN(), X, y, **same)
    result = tlpo.compare(ridge, knn)
    assert result.difference == pytest.approx(ridge.lpo_auc - knn.lpo_auc)
    assert result.variance == 2 * result.placement_variance
    n_games = int(ridge.standings.games[y == 1, 0].sum())
    assert result.notes == (
        f"The {n_games} of 400 games that both finished count.",
        "Not every pair has met, so the variance of the placements was doubled instead of "
        "estimated.",
    )
