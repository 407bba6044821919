"""Comparison of fixed scores: DeLong's tests, against loops over pairs."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import oracles
import tlpo


def markers(m=40, levels=None, seed=1):
    rng = np.random.default_rng(seed)
    y = (np.arange(m) % 5 < 2).astype(int)
    noise = rng.normal(size=(3, m))
    values = [noise[0] + y, 0.6 * noise[0] + 0.8 * noise[1] + 0.7 * y, noise[2] + 0.3 * y]
    return [v if levels is None else np.round(levels * v / 4) for v in values], y


@pytest.mark.parametrize("levels", [None, 3])
def test_same_units_against_loops(levels):
    (a, b, _), y = markers(levels=levels)
    result = tlpo.compare(tlpo.assess(a, y), tlpo.assess(b, y))
    own, other = oracles.covariance_of_aucs(a, a, y), oracles.covariance_of_aucs(b, b, y)
    together = oracles.covariance_of_aucs(a, b, y)
    error = (own + other - 2 * together) ** 0.5
    difference = oracles.auc(a, y) - oracles.auc(b, y)
    assert result.paired
    assert result.variance == pytest.approx(own + other - 2 * together)
    assert result.statistic == pytest.approx(difference / error)
    assert result.p_value == pytest.approx(2 * norm.sf(abs(difference) / error))
    limits = difference - 1.959964 * error, difference + 1.959964 * error
    assert (result.low, result.high) == pytest.approx(limits, abs=1e-6)


def test_different_units_against_loops():
    (a, b, _), y = markers()
    kept = slice(0, 31)
    result = tlpo.compare(tlpo.assess(a, y), tlpo.assess(b[kept], y[kept]))
    own = oracles.covariance_of_aucs(a, a, y)
    other = oracles.covariance_of_aucs(b[kept], b[kept], y[kept])
    difference = oracles.auc(a, y) - oracles.auc(b[kept], y[kept])
    df = (own + other) ** 2 / (own**2 / 39 + other**2 / 30)
    assert not result.paired
    assert result.variance == pytest.approx(own + other)
    assert result.degrees_of_freedom == pytest.approx(df)
    assert result.statistic == pytest.approx(difference / (own + other) ** 0.5)
    assert result.p_value == pytest.approx(2 * student.sf(abs(result.statistic), df))
    assert result.notes == ("Compared as different units: 40 units and 31.",)


def test_units_are_told_apart_by_labels_and_names():
    (a, b, _), y = markers()
    first = tlpo.assess(pd.Series(a), y)
    assert tlpo.compare(first, tlpo.assess(b, y)).paired
    assert not tlpo.compare(first, tlpo.assess(b, y), paired=False).paired
    moved = tlpo.assess(pd.Series(b, index=np.arange(40) + 1), y)
    assert tlpo.compare(first, moved).notes == (
        "Compared as different units: 40 of 40 unit names differ.",
    )
    other = tlpo.assess(b, np.roll(y, 1))
    assert not tlpo.compare(first, other).paired
    with pytest.raises(tlpo.InputError) as error:
        tlpo.compare(first, other, paired=True)
    assert str(error.value) == (
        "A paired comparison needs both scores of the same units.\n"
        f"You passed {np.sum(y != np.roll(y, 1))} of 40 labels differ.\n"
        "Put the units in the same order, or pass paired=False for different units."
    )


def test_only_units_with_both_scores_count():
    (a, b, _), y = markers()
    a[:3], b[2:6] = np.nan, np.nan
    result = tlpo.compare(tlpo.assess(a, y), tlpo.assess(b, y))
    kept = slice(6, None)
    expected = tlpo.compare(tlpo.assess(a[kept], y[kept]), tlpo.assess(b[kept], y[kept]))
    assert result.p_value == expected.p_value
    assert result.notes == ("The 34 of 40 units that have both scores count.",)
    a[y == 1] = np.nan
    a[6 + int(np.argmax(y[6:]))] = 1.0
    b[y == 1] = np.where(np.isnan(a[y == 1]), 1.0, np.nan)
    with pytest.raises(tlpo.InputError, match="No unit of one class has both scores"):
        tlpo.compare(tlpo.assess(a, y), tlpo.assess(b, y))


def test_groups_count_as_units():
    (a, b, _), y = markers(30)
    alone = tlpo.compare(tlpo.assess(a, y), tlpo.assess(b, y))
    groups = np.repeat(np.arange(30), 3)
    copies = [tlpo.assess(np.repeat(v, 3), np.repeat(y, 3), groups=groups) for v in (a, b)]
    assert tlpo.compare(*copies).statistic == pytest.approx(alone.statistic, rel=0.03)


def test_a_score_compared_with_itself_does_not_differ():
    (a, _, _), y = markers()
    one = tlpo.assess(a, y)
    result = tlpo.compare(one, tlpo.assess(np.exp(a), y))
    assert (result.difference, result.statistic, result.p_value) == (0.0, 0.0, 1.0)


def test_perfect_separation_is_not_certainty():
    (a, _, _), y = markers(20)
    perfect = tlpo.assess(y + 0.01 * a, y)
    weak = tlpo.assess(a, y)
    result = tlpo.compare(perfect, weak)
    assert result.aucs[0] == 1.0
    assert result.high > 1.0 - result.aucs[1] - 1e-12
    assert result.notes[-1].startswith("score separates the classes or is constant, so DeLong's")
    both = tlpo.compare(perfect, tlpo.assess(y + 0.01 * np.roll(a, 3), y))
    assert (both.difference, both.p_value) == (0.0, 1.0)
    assert both.low < -0.05 < 0.05 < both.high


def test_several_are_adjusted_by_holm():
    values, y = markers()
    assessed = [tlpo.assess(v, y) for v in values]
    result = tlpo.compare(*assessed, names=["a", "b", "c"])
    frame = result.to_frame()
    assert frame[["first", "second"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert (frame["p_value_holm"] >= frame["p_value"]).all()
    assert frame["p_value_holm"].min() == pytest.approx(min(1, 3 * frame["p_value"].min()))
    named = tlpo.compare(tlpo.assess(pd.Series(values[0], name="s100b"), y), assessed[1])
    assert named.names == ("s100b", "score")
    assert "on the same units" in repr(named)
    assert "different units" in repr(tlpo.compare(*assessed[:2], paired=False))


def test_trained_models_and_fixed_scores_do_not_mix():
    (a, _, _), y = markers()
    t = tlpo.tournament(tlpo.RLS(), a[:, None], y)
    with pytest.raises(tlpo.InputError) as error:
        tlpo.compare(tlpo.assess(a, y), t)
    assert str(error.value) == (
        "A model that was trained on these units cannot be compared with a fixed score.\n"
        "You passed FixedScores, Tournament.\n"
        "Play a tournament over the score alone, as a model with one feature, and compare the "
        "tournaments."
    )
    with pytest.raises(tlpo.InputError, match="Only fixed scores can be compared on different"):
        tlpo.compare(t, t, paired=False)


def test_constant_scores_differ_by_an_interval():
    y = np.arange(20) % 2
    result = tlpo.compare(tlpo.assess(np.zeros(20), y), tlpo.assess(np.ones(20), y))
    assert result.difference == 0
    assert result.high - result.low > 0.4


def test_few_groups_have_students_t():
    (a, b, _), y = markers(40)
    groups = np.arange(40) // 5
    alone = tlpo.compare(tlpo.assess(a, y), tlpo.assess(b, y))
    grouped = tlpo.compare(*(tlpo.assess(x, y, groups=groups) for x in (a, b)))
    assert alone.degrees_of_freedom == np.inf
    assert grouped.degrees_of_freedom == 7
