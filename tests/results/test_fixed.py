"""ROC analysis of a score that was fixed beforehand.

Published results are those of R's pROC 1.19 for the grade wfns in its data set aSAH: five grades,
72 patients with a good and 41 with a poor outcome. Everything else is compared with loops.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, norm
from scipy.stats import t as student
from sklearn.metrics import average_precision_score

import oracles
import tlpo

GOOD, POOR = (37, 20, 3, 8, 4), (2, 12, 1, 8, 18)


@pytest.fixture(scope="module")
def wfns():
    values = [g for counts in (GOOD, POOR) for g, k in enumerate(counts, 1) for _ in range(k)]
    return tlpo.assess(pd.Series(values, name="wfns"), ["Good"] * 72 + ["Poor"] * 41)


def sample(m=24, levels=None, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(m) % 3 == 0).astype(int)
    x = rng.normal(size=m) + y
    return (x if levels is None else np.round(x * levels / 4)), y


def test_auc_and_interval_against_proc(wfns):
    assert wfns.auc == pytest.approx(0.823678861788618, abs=1e-12)
    assert tuple(wfns.auc_interval(method="delong")) == pytest.approx((0.7485, 0.8988), abs=5e-5)


@pytest.mark.parametrize(
    ("rate", "limits", "plain", "corrected"),
    [
        ("specificity", (0.9, 1.0), 0.0334417344173442, 0.649693339038653),
        ("specificity", (0.8, 0.9), 0.0598373983739837, 0.763749402199904),
        ("specificity", (0.0, 0.5), 0.488134475939354, 0.952537903757416),
        ("sensitivity", (0.9, 1.0), 0.0400999322493225, 0.68473648552275),
        ("sensitivity", (0.8, 0.9), 0.0609953703703703, 0.770561002178649),
        ("sensitivity", (0.0, 0.5), 0.483358739837398, 0.933434959349593),
        ("specificity", (0.0, 1.0), 0.823678861788618, 0.823678861788618),
    ],
)
def test_partial_auc_against_proc(wfns, rate, limits, plain, corrected):
    for is_corrected, expected in ((False, plain), (True, corrected)):
        given = {rate: limits, "corrected": is_corrected}
        assert wfns.partial_auc(**given) == pytest.approx(expected, abs=1e-12)
        interval = wfns.partial_auc_interval(**given)
        assert interval.estimate == pytest.approx(expected, abs=1e-12)
        assert interval.low < expected < interval.high


def test_cutoffs_are_those_of_proc(wfns):
    fpr, tpr, thresholds = wfns.roc_curve()
    assert thresholds.tolist() == [np.inf, 4.5, 3.5, 2.5, 1.5, -np.inf]
    assert tpr == pytest.approx([0, 18 / 41, 26 / 41, 27 / 41, 39 / 41, 1])
    assert 1 - fpr == pytest.approx([1, 68 / 72, 60 / 72, 57 / 72, 37 / 72, 0])
    best = wfns.operating_point("youden")
    assert (best["criterion"], best["threshold"]) == ("wfns ≥ 3.5", 3.5)
    assert (best["tp"], best["fp"], best["fn"], best["tn"]) == (26, 12, 15, 60)
    assert wfns.operating_point("closest")["threshold"] == 2.5


@pytest.mark.parametrize("levels", [None, 3, 8])
def test_variance_against_loops_over_pairs(levels):
    x, y = sample(levels=levels)
    a = tlpo.assess(x, y)
    assert a.auc == pytest.approx(oracles.auc(x, y))
    variance = oracles.covariance_of_aucs(x, x, y)
    assert a.standard_error**2 == pytest.approx(variance)
    low, high = a.auc_interval(0.9, "delong")
    assert high - low == pytest.approx(min(1, a.auc + 1.6448536 * variance**0.5) - low)
    assert low == pytest.approx(a.auc - 1.6448536 * variance**0.5)


@pytest.mark.parametrize("levels", [None, 4])
def test_grouped_variance_against_loops_over_groups(levels):
    x, y = sample(30, levels)
    groups = np.arange(30) // 3
    a = tlpo.assess(x, y, groups=[f"patient {g}" for g in groups])
    variance = oracles.clustered_variance(x, y, groups)
    assert a.standard_error**2 == pytest.approx(variance)
    alone = tlpo.assess(x, y)
    assert a.auc == alone.auc
    factor = max(1.0, variance / alone.standard_error**2)
    assert a._rate_factor(0.95)[1] == pytest.approx(factor)


def test_copies_of_units_in_groups_add_no_information():
    x, y = sample(36)
    alone = tlpo.assess(x, y)
    copies = tlpo.assess(np.repeat(x, 4), np.repeat(y, 4), groups=np.repeat(np.arange(36), 4))
    assert copies.standard_error == pytest.approx(alone.standard_error, rel=0.02)
    for method in ("score", "newcombe", "bootstrap"):
        widths = [
            np.diff(list(one.auc_interval(method=method, random_state=0)))[0]
            for one in (alone, copies)
        ]
        assert widths[1] == pytest.approx(widths[0], rel=0.12)
    assert copies.p_value == pytest.approx(alone.p_value, rel=0.5)
    naive = tlpo.assess(np.repeat(x, 4), np.repeat(y, 4))
    assert naive.standard_error < 0.6 * copies.standard_error


def test_score_interval_is_newcombes_with_delongs_variance():
    x, y = sample(40, 4)
    a = tlpo.assess(x, y)
    score, newcombe = a.auc_interval(method="score"), a.auc_interval(method="newcombe")
    assert a.auc_interval().method == "delong"
    assert score.phi == max(1.0, a.standard_error**2 / newcombe.variance)
    assert score.low <= newcombe.low < a.auc < newcombe.high <= score.high


@pytest.mark.parametrize("method", ["score", "newcombe"])
def test_perfect_separation_has_an_interval(method):
    a = tlpo.assess(np.arange(20.0), np.arange(20) >= 10)
    low, high = a.auc_interval(method=method)
    assert (a.auc, high) == (1.0, 1.0)
    assert 0.75 < low < 0.85
    assert tuple(a.auc_interval(method="delong")) == tuple(a.auc_interval(method="score"))
    assert a.partial_auc_interval(specificity=(0.9, 1)).low < 0.09
    assert a.precision_recall().low < 0.9


def test_bootstrap_agrees_with_delong_in_a_large_sample():
    x, y = sample(600)
    a = tlpo.assess(x, y)
    bootstrap = a.auc_interval(method="bootstrap", n_resamples=4000, random_state=0)
    assert tuple(bootstrap) == pytest.approx(tuple(a.auc_interval(method="delong")), abs=0.004)


def test_two_units():
    a = tlpo.assess([1, 2], [0, 1])
    assert a.auc == 1.0
    low, high = a.auc_interval()
    assert 0 < low < 0.3
    assert high == 1.0
    assert a.p_value == 1.0
    assert tlpo.assess([1, 1], [0, 1]).auc == 0.5
    assert "AUC" in repr(a)


def test_constant_score_says_nothing():
    a = tlpo.assess([3] * 12, [0, 1] * 6)
    assert a.auc == 0.5
    assert a.p_value == 1.0
    low, high = a.auc_interval()
    assert low < 0.5 < high
    assert a.sensitivity_at(0.9) == 0.0
    assert a.roc_curve().thresholds.tolist() == [np.inf, -np.inf]


def test_p_value_is_that_of_mann_and_whitney():
    x, y = sample(40, 4)
    expected = mannwhitneyu(x[y == 1], x[y == 0]).pvalue
    assert tlpo.assess(x, y).p_value == pytest.approx(expected)
    # Every unit a group of its own: only the correction for continuity is missing.
    alone = tlpo.assess(x, y, groups=np.arange(40)).p_value
    plain = mannwhitneyu(x[y == 1], x[y == 0], use_continuity=False).pvalue
    assert alone == pytest.approx(plain)


def test_small_values_may_be_positive(wfns):
    x, y = sample()
    up, down = tlpo.assess(-x, y), tlpo.assess(x, y, larger_is_positive=False)
    assert (down.auc, down.p_value) == (up.auc, up.p_value)
    assert tuple(down.auc_interval()) == tuple(up.auc_interval())
    point = down.operating_point(sensitivity=0.5)
    assert point["criterion"].startswith("score ≤ ")
    is_positive = x <= point["threshold"]
    assert point["tp"] == np.sum(is_positive & (y == 1))
    assert point["fp"] == np.sum(is_positive & (y == 0))
    assert down.operating_point(cutoff=0.25)["tp"] == np.sum((x <= 0.25) & (y == 1))


def test_a_bad_direction_is_said_and_never_turned(wfns):
    x, y = sample()
    a = tlpo.assess(-x, y)
    assert a.auc < 0.5
    assert a._notes() == (
        "The AUC is below ½: the other way round (larger_is_positive=False) it would be "
        f"{1 - a.auc:.4f}. Turn it only if that was the direction beforehand.",
    )
    assert wfns._notes() == ()


def test_missing_scores_are_counted_and_left_out():
    x, y = sample()
    holes = x.copy()
    holes[[0, 5, 7]] = np.nan
    a = tlpo.assess(holes, y)
    known = ~np.isnan(holes)
    assert a.n_missing == 3
    assert a.auc == pytest.approx(oracles.auc(x[known], y[known]))
    lost = int(y[[0, 5, 7]].sum())
    assert a._notes()[0] == (
        f"3 of 24 units have no score and take no part ({lost} positive, {3 - lost} negative)."
    )
    assert "3 of 24 units have no score" in repr(a)


def test_points_at_a_rate_are_the_best_that_keep_it():
    x, y = sample(60)
    a = tlpo.assess(x, y)
    table = a.operating_points()
    point = a.operating_point(specificity=0.8)
    kept = table[table["specificity"] >= 0.8]
    assert point["sensitivity"] == kept["sensitivity"].max() == a.sensitivity_at(0.8)
    point = a.operating_point(sensitivity=0.8)
    assert point["specificity"] == a.specificity_at(0.8)
    assert table["criterion"].iloc[[0, -1]].tolist() == ["never", "always"]
    assert point["sensitivity_low"] < point["sensitivity"] < point["sensitivity_high"]


def test_every_threshold_separates_the_values_beside_it():
    x = np.array([1.0, np.nextafter(1.0, 2.0), 3.0, -1e300, 1e300, 0.0])
    a = tlpo.assess(x, [0, 1, 1, 0, 1, 0])
    for row in a.operating_points().iloc[1:-1].itertuples():
        above = x >= row.threshold
        assert row.tp == above[[1, 2, 4]].sum()
        assert row.fp == above[[0, 3, 5]].sum()


def test_a_cutoff_includes_its_own_value(wfns):
    point = wfns.operating_point(cutoff=3, prevalence=0.1)
    assert point["criterion"] == "wfns ≥ 3"
    assert (point["tp"], point["fn"], point["fp"], point["tn"]) == (27, 14, 15, 57)
    assert point["sensitivity"] == 27 / 41
    ill, well = 0.1 * 27 / 41, 0.9 * 15 / 72
    assert point["ppv"] == pytest.approx(ill / (ill + well))
    same = wfns.operating_point(sensitivity=27 / 41)
    assert point["sensitivity"] == same["sensitivity"]


def test_a_cutoff_chosen_on_the_units_has_wider_limits_than_one_fixed_beforehand(wfns):
    fixed, chosen = wfns.operating_point(cutoff=3), wfns.operating_point(sensitivity=27 / 41)
    z2 = norm.ppf(0.975) ** 2
    for point, factor in ((fixed, z2), (chosen, 1.5 * z2)):
        for rate, share, n in (("sensitivity", 27 / 41, 41), ("specificity", 57 / 72, 72)):
            for end in ("low", "high"):
                limit = point[f"{rate}_{end}"]
                # Wilson's limits, inflated.
                assert (share - limit) ** 2 == pytest.approx(factor * limit * (1 - limit) / n)
    assert chosen["ppv_low"] < fixed["ppv_low"]
    table = wfns.operating_points(confidence_level=0.95)
    row = table[table["threshold"] == chosen["threshold"]].iloc[0]
    assert row["sensitivity_low"] == chosen["sensitivity_low"]


def test_subgroups_are_assessed_by_themselves():
    x, y = sample(60)
    x[3] = np.nan
    group = np.array(["a", "b", "c"], dtype=object)[np.arange(60) % 3]
    group[:4] = "few"
    table = tlpo.assess(x, y).by(group)
    inside = group == "b"
    alone = tlpo.assess(x[inside], y[inside])
    assert table.loc["b", "auc"] == alone.auc
    assert table.loc["b", ["low", "high"]].tolist() == list(alone.auc_interval())
    assert table.loc["few", "units"] == 3
    assert table.loc["few", "note"] == "too small: an AUC needs 3 units of each class"
    assert np.isnan(table.loc["few", "auc"])


@pytest.mark.parametrize("levels", [None, 4])
def test_average_precision_against_scikit_learn(levels):
    x, y = sample(50, levels)
    pr = tlpo.assess(x, y).precision_recall()
    assert pr.average_precision == pytest.approx(average_precision_score(y, x))
    assert pr.prevalence == y.mean()
    assert pr.low < pr.average_precision < pr.high
    for row in pr.to_frame().itertuples():
        above = x >= row.threshold
        assert row.recall == pytest.approx(above[y == 1].mean())
        assert row.precision == pytest.approx(y[above].mean())


def test_average_precision_at_another_prevalence_against_copies():
    x, y = sample(30)
    a = tlpo.assess(x, y).precision_recall(prevalence=10 / 210)
    copies = np.where(y == 1, 1, 10)  # 10 positives, 200 negatives
    expected = average_precision_score(np.repeat(y, copies), np.repeat(x, copies))
    assert a.average_precision == pytest.approx(expected)


def test_readings_have_limits():
    x, y = sample(60)
    a = tlpo.assess(x, y)
    at = a.sensitivity_interval(0.9)
    assert at.low < at.estimate == a.sensitivity_at(0.9) < at.high
    band = a.roc_band()
    assert (band.low <= band.high).all()
    assert a.specificity_interval(0.9).estimate == a.specificity_at(0.9)


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ({}, "rule=None, sensitivity=None, specificity=None, cutoff=None"),
        (
            {"rule": "youden", "cutoff": 2},
            "rule='youden', sensitivity=None, specificity=None, cutoff=2",
        ),
    ],
)
def test_one_point_at_a_time(wfns, given, passed):
    with pytest.raises(tlpo.InputError) as error:
        wfns.operating_point(**given)
    assert str(error.value) == (
        "operating_point needs one rule, rate or cut-off.\n"
        f"You passed {passed}.\n"
        "For example operating_point('youden') or operating_point(specificity=0.9)."
    )
    with pytest.raises(tlpo.InputError, match="rule must be one of 'youden', 'closest'"):
        wfns.operating_point("best")
    with pytest.raises(tlpo.InputError, match="method must be one of 'delong'"):
        wfns.auc_interval(method="placement-jackknife")


def test_probabilities_of_fixed_probabilities():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=80)
    p[3] = np.nan
    y = rng.random(80) < np.nan_to_num(p, nan=0.5)
    found = tlpo.assess(p, y).probabilities
    known = ~np.isnan(p)
    assert found.brier().estimate == pytest.approx(np.mean((p[known] - y[known]) ** 2))
    assert 0.3 < found.slope().estimate < 3
    with pytest.raises(tlpo.InputError, match=r"from 0\..* to 19.*\nPass probabilities"):
        tlpo.assess(20 * p, y).probabilities  # noqa: B018
    with pytest.raises(tlpo.InputError, match="small ones speak for it"):
        tlpo.assess(p, y, larger_is_positive=False).probabilities  # noqa: B018


@pytest.mark.parametrize(
    "method", ["delong", "delong-logit", "score", "newcombe", "bootstrap", None]
)
@pytest.mark.parametrize("groups", [None, np.arange(12) // 2])
@pytest.mark.parametrize(
    "scores", [np.arange(12.0), -np.arange(12.0), np.zeros(12)], ids=["1", "0", "constant"]
)
def test_no_interval_has_no_width(scores, groups, method):
    a = tlpo.assess(scores, np.arange(12) >= 6, groups=groups)
    low, high = a.auc_interval(method=method, random_state=0)
    assert high - low > 0.2
    assert low <= a.auc <= high
    point = a.operating_point(cutoff=5.5)
    for rate in ("sensitivity", "specificity"):
        assert point[f"{rate}_high"] - point[f"{rate}_low"] > 0.2
    partial = a.partial_auc_interval(specificity=(0.5, 1))
    assert partial.high - partial.low > 0.1


def test_groups_are_the_units_where_nothing_spreads():
    y = np.arange(60) >= 30
    alone = tlpo.assess(np.arange(12.0), np.arange(12) >= 6)
    grouped = tlpo.assess(np.arange(60.0), y, groups=np.arange(60) // 5)
    rows = tlpo.assess(np.arange(60.0), y)
    # Twelve groups of five know what twelve units know, and Student's quantile adds a little.
    assert grouped.auc_interval().low < alone.auc_interval().low < rows.auc_interval().low
    assert grouped.auc_interval(method="newcombe").phi == 5.0
    assert grouped._rate_factor(0.95)[1] == 5.0


def test_a_class_of_one_unit_shows_no_spread():
    a = tlpo.assess(np.arange(40.0), np.arange(40) == 30)
    interval = a.auc_interval()
    assert interval.method == "score"
    assert interval.high - interval.low > 0.6
    assert interval.notes == (
        "A class has a single unit, which shows no spread: this is the score interval instead.",
    )


def test_few_groups_have_students_quantile():
    x, y = sample(30)
    groups = np.arange(30) % 6
    a = tlpo.assess(x, y, groups=groups)
    interval = a.auc_interval()
    df = interval.degrees_of_freedom
    assert df == 5
    half = student.ppf(0.975, df) * oracles.clustered_variance(x, y, groups) ** 0.5
    assert interval.low == pytest.approx(max(0.0, a.auc - half))
    assert interval.notes[0] == "Intervals rest on 6 groups with positives and 6 with negatives."
    assert tlpo.assess(x, y).auc_interval().degrees_of_freedom is None
    assert a._rate_factor(0.95)[0] > tlpo.assess(x, y)._rate_factor(0.95)[0]


@pytest.mark.parametrize(
    ("groups", "counts"),
    [
        (np.zeros(12), (1, 1)),
        (np.arange(12) >= 6, (1, 1)),
        (np.minimum(np.arange(12), 6), (1, 6)),
    ],
)
def test_one_group_in_a_class_is_refused(groups, counts):
    with pytest.raises(tlpo.InputError) as error:
        tlpo.assess(np.arange(12) % 5, np.arange(12) >= 6, groups=groups)
    assert str(error.value) == (
        "Each class needs units from at least 2 groups.\n"
        f"You passed 6 positives from {counts[0]} and 6 negatives from {counts[1]}.\n"
        "Units of one group cannot show how far others would differ: add groups, or leave them "
        "out if units are independent."
    )


def test_a_subgroup_of_one_group_per_class_has_no_interval():
    x, y = np.arange(24.0) % 7, np.arange(24) % 2
    groups = np.where(np.arange(24) < 12, np.arange(24) % 2, np.arange(24))
    table = tlpo.assess(x, y, groups=groups).by(np.arange(24) < 12)
    assert np.isnan(table.loc[True, "low"])
    assert table.loc[True, "note"] == "too small: an interval needs 2 groups with each class"
    assert table.loc[False, "low"] < table.loc[False, "high"]
