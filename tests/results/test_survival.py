"""Survival, against plain loops over refits, and its intervals, step by step."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student
from sksurv.datasets import load_veterans_lung_cancer
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import concordance_index_censored

import survival_oracles as by_loops
import tlpo
from tlpo.roc.order import Order, independent_variance

# Own Cox regression, that of scikit-survival, and how close their tables must be.
MODELS = {
    "own": (tlpo.Cox(1.0), 1e-7),
    "Breslow": (tlpo.Cox(0.5, ties="breslow"), 1e-7),
    "scikit-survival": (CoxPHSurvivalAnalysis(alpha=1.0, ties="efron"), 1e-7),
}
NORMAL = norm.ppf(0.975)


def agrees(model, tolerance, sample, **options):
    """Check every estimate of a model against refits of it."""
    X, time, event = sample
    s = tlpo.survival(model, X, time, event, **options)
    F = by_loops.held_out_risk(model, X, time, event)
    pairs = by_loops.ordered_pairs(time, event)
    np.testing.assert_allclose(s.predictions, F, atol=tolerance)
    assert s.n_ordered == s.outcome.n_ordered == len(pairs)
    assert s.n_events == event.sum()
    assert s.concordance == pytest.approx(by_loops.share(F, pairs), abs=1e-12)
    wins = by_loops.wins_of(F)
    assert s.scores.tolist() == wins.tolist()
    assert s.standings.wins[:, 0].sum() == pytest.approx(s.concordance * len(pairs))
    assert s.standings.wins.sum(axis=1).tolist() == wins.tolist()
    assert s.uno() == pytest.approx(by_loops.uno(F, time, event), abs=1e-12)
    late = np.quantile(time, 0.7)
    if late > time[event].min():
        assert s.uno(late) == pytest.approx(by_loops.uno(F, time, event, late), abs=1e-12)
    for t in np.quantile(time[event], [0.3, 0.6]):
        if t >= time.max():
            continue
        assert s.auc_at(t) == pytest.approx(by_loops.auc_at(F, time, event, t), abs=1e-12)
        curve = s.roc_curve_at(t)
        for fpr, tpr, cut in zip(curve.fpr, curve.tpr, curve.thresholds, strict=True):
            expected = by_loops.rates_at(wins, time, event, t, cut)
            assert (fpr, tpr) == pytest.approx(expected, abs=1e-12)
        assert {curve.fpr[-1], curve.tpr[-1]} == {1.0}
        for specificity in (0.5, 0.9):
            expected = by_loops.sensitivity_at(wins, time, event, t, specificity)
            found = s.sensitivity_at(specificity=specificity, time=t)
            assert found == pytest.approx(expected, abs=1e-12)
    return s


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("engine", ["refit", "auto"])
def test_against_refits_of_every_pair(name, engine):
    s = agrees(*MODELS[name], by_loops.patients(12, seed=1, n_times=6), engine=engine)
    assert s.engine == {"refit": "refit", "auto": "cox"}[engine]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("name", MODELS)
def test_against_refits_of_many_samples(name, seed):
    shape = {"m": 12 + seed % 9, "n_times": (None, 4, 9)[seed % 3], "censored": 0.2 + seed % 4 / 5}
    sample = by_loops.patients(seed=seed, **shape)
    for engine in ("refit", "auto"):
        agrees(*MODELS[name], sample, engine=engine)


def test_six_patients_by_hand():
    """The model passes its feature on: whoever has more of it is at higher risk."""
    X, time = [[3.0], [9.0], [1.0], [2.0], [4.0], [5.0]], [1, 2, 2, 4, 6, 7]
    s = tlpo.survival(Feature(), X, time, [1, 1, 0, 1, 0, 0])
    # 0 should beat all, and beats 2 and 3. 1 beats 2, 3, 4 and 5. 3 loses to 4 and 5.
    assert s.n_ordered == 11
    assert s.concordance == pytest.approx(6 / 11)
    assert s.scores.tolist() == [2.0, 5.0, 0.0, 1.0, 3.0, 4.0]
    assert s.predictions[0].tolist()[1:] == [3.0] * 5
    # Of the four still followed after the event at 2, one leaves: 3 stands for 4/3.
    assert s.uno() == pytest.approx(6 / (9 + 2 * 16 / 9))
    assert s.uno(4) == pytest.approx(6 / 9)
    # At 2: cases 0 and 1, controls 3, 4 and 5. At 4, 3 is a case.
    assert s.auc_at(2) == pytest.approx(4 / 6)
    assert s.auc_at(4) == pytest.approx(2 / (2 * (1 + 1 + 4 / 3)))
    assert s.sensitivity_at(specificity=0.5, time=2) == 0.5
    assert s.follow_up.time.tolist() == [1, 2, 4, 6, 7]
    assert s.follow_up.survival.tolist() == pytest.approx([1, 3 / 4, 3 / 4, 3 / 8, 0])
    assert s.follow_up.median == 6
    frame = s.to_frame()
    assert frame.columns.tolist() == [
        *("time", "event", "score", "rank"),
        *("wins_expected", "wins_unexpected", "wins_against_peers"),
    ]
    assert frame["time"].tolist() == time
    assert frame["event"].tolist() == [True, True, False, True, False, False]
    assert frame["rank"].tolist() == [4, 1, 6, 5, 3, 2]
    assert frame["wins_expected"].tolist() == [2, 4, 0, 0, 0, 0]
    # 1 beat 0; 4 and 5 beat 0 and 3.
    assert frame["wins_unexpected"].tolist() == [0, 1, 0, 0, 2, 2]
    assert frame["wins_against_peers"].tolist() == [0, 0, 0, 1, 1, 2]


class Feature(tlpo.Cox):
    """Learns nothing."""

    def fit(self, X, y):
        self.events_ = int(y["event"].sum())
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def test_a_fixed_ranking_has_the_concordance_of_scikit_survival():
    for seed in range(5):
        X, time, event = by_loops.patients(40, seed=seed, n_times=12)
        X = X.round(1)
        s = tlpo.survival(Feature(), X, time, event)
        expected, concordant, discordant, tied, _ = concordance_index_censored(event, time, X[:, 0])
        assert s.concordance == pytest.approx(expected, abs=1e-12)
        assert s.n_ordered == concordant + discordant + tied


# --- the veterans, whose numbers are known


def veterans():
    X, y = load_veterans_lung_cancer()
    names = ["Age_in_years", "Karnofsky_score", "Months_from_Diagnosis"]
    X, y = X[names].to_numpy(float)[:70], y[:70]
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.mark.parametrize(
    ("ties", "concordance", "printed", "limits"),
    [
        ("breslow", 0.627556, (0.516455, 0.721890), (0.517896, 0.722968)),
        ("efron", 0.626222, (0.514941, 0.720845), (0.516384, 0.721928)),
    ],
)
@pytest.mark.parametrize("kind", [tlpo.Cox, CoxPHSurvivalAnalysis])
def test_veterans_against_numbers_from_refits(kind, ties, concordance, printed, limits):
    """C and ``printed`` come from a program of its own that refitted scikit-survival's model.

    It had the factors of games that share a winner and of those that share a loser exchanged.
    """
    X, y = veterans()
    s = tlpo.survival(kind(alpha=1.0, ties=ties), X, y)
    assert (s.n_events, s.n_ordered) == (65, 2250)
    assert s.concordance == pytest.approx(concordance, abs=1e-6)
    found = s.concordance_interval()
    assert tuple(found) == pytest.approx(limits, abs=1e-6)
    assert found.degrees_of_freedom is None
    c = by_loops.weights_of(y["Survival_in_days"], y["Status"])
    ends, _, place, jack = by_loops.placement_jackknife(s.predictions, c, NORMAL, as_printed=True)
    assert ends == pytest.approx(printed, abs=1e-6)
    assert (found.placement_variance, found.jackknife_variance) == pytest.approx((place, jack))
    ends, phi, _, _ = by_loops.placement_jackknife(s.predictions, c, NORMAL)
    assert tuple(found) == pytest.approx(ends, abs=1e-9)
    assert found.phi == pytest.approx(phi)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_veterans_are_played_as_refits_play_them(ties):
    X, y = veterans()
    model = CoxPHSurvivalAnalysis(alpha=1.0, ties=ties)
    fast, slow = (tlpo.survival(model, X, y, engine=engine) for engine in ("cox", "refit"))
    assert fast.standings.wins.tolist() == slow.standings.wins.tolist()
    assert tuple(fast.concordance_interval()) == pytest.approx(
        tuple(slow.concordance_interval()), abs=1e-9
    )


# --- intervals


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_times", [None, 8])
def test_intervals_against_their_definition(seed, n_times):
    X, time, event = by_loops.patients(30, seed=seed, n_times=n_times)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    t = float(np.quantile(time[event], 0.3, method="lower"))
    cases, controls, weight = by_loops.cases_and_controls(time, event, t)
    against = [(i, j) for i in cases for j in controls]
    squared = [by_loops.still_followed(time, event, own) ** -2.0 for own in time]
    for found, c in (
        (s.concordance_interval(), by_loops.weights_of(time, event)),
        (s.uno_interval(), by_loops.weights_of(time, event, weight=squared)),
        (s.auc_at_interval(t), by_loops.weights_of(time, event, against, weight)),
    ):
        ends, phi, place, jack = by_loops.placement_jackknife(s.predictions, c, NORMAL)
        assert tuple(found) == pytest.approx(ends, abs=1e-9)
        assert found.phi == pytest.approx(phi)
        assert found.placement_variance == pytest.approx(place)
        assert found.jackknife_variance == pytest.approx(jack)
        assert found.degrees_of_freedom is None
        assert found.method == "placement-jackknife"
    wide, narrow = (s.uno_interval(confidence_level=level) for level in (0.99, 0.8))
    assert wide.low < narrow.low < s.uno() < narrow.high < wide.high
    assert s.uno_interval().what == "Uno's concordance"
    assert s.auc_at_interval(t).what == f"AUC at {t:.6g}"


def test_few_events_get_students_quantile():
    X, time, event = by_loops.patients(24, seed=3)
    event = event & (np.cumsum(event) <= 6)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    found = s.concordance_interval()
    assert found.degrees_of_freedom == 5.0
    own = student.ppf(0.975, 5) ** 2 * found.phi
    own *= independent_variance(found.low, Order.of_times(time, event).counts)
    assert (s.concordance - found.low) ** 2 == pytest.approx(own, rel=1e-6)
    assert s.uno_interval().degrees_of_freedom is None
    assert s.auc_at_interval(float(np.median(time[event]))).degrees_of_freedom is None


def test_without_predictions_the_variance_is_doubled():
    X, time, event = by_loops.patients(30)
    s = tlpo.survival(tlpo.Cox(), X, time, event, predictions=False)
    with pytest.warns(UserWarning, match="was not kept"):
        found = s.concordance_interval()
    whole = tlpo.survival(tlpo.Cox(), X, time, event)
    assert (found.method, found.phi) == ("inflated", 2.0)
    assert found.placement_variance == pytest.approx(
        whole.concordance_interval().placement_variance
    )
    assert s.concordance == whole.concordance
    assert "Uno" not in repr(s)


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.uno(),
        lambda s: s.uno_interval(),
        lambda s: s.auc_at(0.5),
        lambda s: s.auc_at_interval(0.5),
    ],
)
@pytest.mark.parametrize("options", [{"predictions": False}, {"rounds": 10, "random_state": 0}])
def test_what_needs_the_games_of_every_pair(ask, options):
    s = tlpo.survival(tlpo.Cox(), *by_loops.patients(30), **options)
    with pytest.raises(tlpo.InputError) as caught:
        ask(s)
    assert str(caught.value) == (
        "This needs the games of every pair.\n"
        "You passed a result without them.\n"
        "Call tlpo.survival without rounds, and with predictions=True."
    )
    # The ranking is there all the same.
    assert 0 <= s.sensitivity_at(specificity=0.5, time=0.5) <= 1
    assert len(s.risk_groups().curves) == 3


def test_rounds_add_the_variance_of_the_draw():
    X, time, event = by_loops.patients(40)
    s = tlpo.survival(tlpo.Cox(), X, time, event, rounds=10, random_state=0)
    found = s.concordance_interval()
    added = (1 - 10 / 39) * s.concordance * (1 - s.concordance) / s.n_ordered
    own = independent_variance(s.concordance, Order.of_times(time, event).counts)
    assert found.phi == pytest.approx(2.0 + added / own)
    assert "every unit met 10 of 39 others" in repr(s)
    with pytest.raises(tlpo.InputError, match="Subgroups need the games of every pair"):
        s.by(np.arange(40) % 2)


# --- groups and subgroups


def test_groups_are_left_out_together_and_add_up():
    X, time, event = by_loops.patients(24, seed=5)
    groups = np.arange(24) // 3
    s = tlpo.survival(tlpo.Cox(), X, time, event, groups=groups)
    F = by_loops.held_out_risk(
        *(tlpo.Cox(), X, time, event),
        train_on=lambda k, i, j: groups[k] not in (groups[i], groups[j]),
    )
    np.testing.assert_allclose(s.predictions, F, atol=1e-7)
    assert s.scores.tolist() == by_loops.wins_of(F).tolist()
    pairs = by_loops.ordered_pairs(time, event)
    U = {(i, j): by_loops.heaviside(F[i, j], F[j, i]) for i, j in pairs}
    C = np.mean(list(U.values()))
    psi = [sum(u - C for pair, u in U.items() if k in pair) for k in range(24)]
    sums = np.reshape(psi, (8, 3)).sum(axis=1)
    found = s.concordance_interval()
    assert found.placement_variance == pytest.approx(8 / 7 * np.sum(sums**2) / len(pairs) ** 2)
    assert found.degrees_of_freedom == np.unique(groups[event]).size - 1
    t = float(np.median(time[event]))
    cases = event & (time <= t)
    assert s.auc_at_interval(t).degrees_of_freedom == np.unique(groups[cases]).size - 1
    order, games = s._ordered_games()
    without = order.without_groups(games, s.predictions, groups)
    spread = 7 / 8 * np.sum((without - without.mean()) ** 2)
    assert found.jackknife_variance == pytest.approx(spread)


def test_subgroups_compare_only_their_own_units():
    X, time, event = by_loops.patients(40, seed=2, n_times=20)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    sex = np.repeat(["men", "women", None], [20, 17, 3])
    table, F = s.by(sex), s.predictions
    for name, inside in (("men", range(20)), ("women", range(20, 37))):
        pairs = [g for g in by_loops.ordered_pairs(time, event) if set(g) <= set(inside)]
        row = table.loc[name]
        assert row["concordance"] == pytest.approx(by_loops.share(F, pairs))
        assert (row["units"], row["ordered"]) == (len(inside), len(pairs))
        assert row["low"] < row["concordance"] < row["high"]
        n_events = int(event[inside].sum())
        small = f"small: {n_events} have had the event" if n_events <= 10 else ""
        assert row["note"] == small
    assert table.iloc[-1]["note"] == "too small: 3 units must have had the event"


# --- what is refused


@pytest.mark.parametrize("time", [0, -1, np.inf, np.nan, True, "a"])
def test_times_that_are_none(time):
    s = tlpo.survival(tlpo.Cox(), *by_loops.patients())
    shown = repr(time)
    for ask, name in ((s.auc_at, "time"), (s.roc_curve_at, "time"), (s.uno, "tau")):
        with pytest.raises(tlpo.InputError) as caught:
            ask(time)
        assert str(caught.value) == (
            f"{name} must be a time above 0.\nYou passed {name}={shown}.\n"
            "Use the unit of the times in the data."
        )


def test_times_without_cases_or_controls():
    X, time, event = by_loops.patients(20, n_times=9)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    first, last = float(time[event].min()), float(time.max())
    for t in (first - 0.1, last, last + 1):
        for ask in (s.auc_at, s.auc_at_interval, s.roc_curve_at):
            with pytest.raises(tlpo.InputError) as caught:
                ask(t)
            assert str(caught.value) == (
                "time must be a time by which some units had the event and others were followed "
                f"without it.\nYou passed time={t!r}.\n"
                f"Pass a time from {first:.6g} to before {last:.6g}."
            )
    assert 0 <= s.auc_at(first) <= 1
    with pytest.raises(tlpo.InputError) as caught:
        s.uno(first)
    assert str(caught.value) == (
        f"No unit that another outlived had the event before tau.\nYou passed tau={first!r}; there "
        f"are {s.outcome.count}.\nPass a later time."
    )


@pytest.mark.parametrize("name", ["auc_interval", "auc", "somers_d", "curve"])
def test_what_times_do_not_have(name):
    s = tlpo.survival(tlpo.Cox(), *by_loops.patients())
    assert not hasattr(s, name)


# --- what it says


def test_repr_and_html_have_both_concordances():
    X, time, event = by_loops.patients(20)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    low, high = s.concordance_interval()
    said = repr(s)
    assert said.startswith(f"Survival of 20 units, {event.sum()} events, times from ")
    assert f"concordance  {s.concordance:.4f} ({low:.4f} to {high:.4f}, 95 % interval)" in said
    assert f"Uno's        {s.uno():.4f}" in said
    assert f"{s.n_ordered} ordered, {190 - s.n_ordered} between peers" in said
    assert "Uno&#x27;s" in s._repr_html_()


def test_units_keep_their_names():
    X, time, event = by_loops.patients(12)
    names = [f"P{k}" for k in range(12)]
    frame = pd.DataFrame(X, index=names)
    s = tlpo.survival(tlpo.Cox(), frame, time, event)
    assert s.to_frame().index.tolist() == names
    named = tlpo.survival(tlpo.Cox(), X, pd.Series(time, index=names), event)
    assert named.to_frame().index.tolist() == names
    assert tlpo.survival(tlpo.Cox(), X, time, event).to_frame().index.tolist() == list(range(12))


def test_results_survive_a_pickle():
    X, time, event = by_loops.patients(20)
    s = tlpo.survival(tlpo.Cox(), X, time, event)
    again = pickle.loads(pickle.dumps(s))
    assert tuple(again.concordance_interval()) == tuple(s.concordance_interval())
    assert (again.uno(), again.auc_at(0.5)) == (s.uno(), s.auc_at(0.5))
    assert again.risk_groups().member.tolist() == s.risk_groups().member.tolist()
