"""Survival models of every kind, and the other estimates of their concordance, against loops."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sksurv.ensemble import GradientBoostingSurvivalAnalysis
from sksurv.linear_model import CoxPHSurvivalAnalysis, IPCRidge
from sksurv.metrics import concordance_index_censored
from sksurv.svm import FastSurvivalSVM

import survival_oracles as by_loops
import tlpo
from oracles import noise_of_pairs
from survival_oracles import patients, y_of
from tlpo.games.response import predicts_risk, respond_with_risk
from tlpo.roc.order import Order


def harrell(time, event, scores):
    """C of scores, by scikit-survival."""
    return concordance_index_censored(np.asarray(event), np.asarray(time), np.asarray(scores))[0]


class Feature(tlpo.Cox):
    """Learns nothing: the first feature is the risk."""

    def fit(self, X, y):
        self.events_ = int(y["event"].sum())
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


class Recorder(tlpo.Cox):
    """Remembers which times it was fitted on."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        Recorder.seen.append(y["time"].tolist())
        return super().fit(X, y)


def recorded(m, act):
    """Return what an evaluation of the recorder returns, and the units of every fit of it."""
    X, time, event = patients(m, seed=7)
    assert np.unique(time).size == m
    Recorder.seen.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = act(Recorder(), X, y_of(time, event))
    place = {t: k for k, t in enumerate(time)}
    return found, [[place[t] for t in fit] for fit in Recorder.seen], X, time, event


# --- models that predict times instead of risk


def svm(rank_ratio):
    return FastSurvivalSVM(rank_ratio=rank_ratio, max_iter=200, tol=1e-6, random_state=0)


unconverged = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
TIMES_INSTEAD = {
    "IPCRidge": IPCRidge(alpha=1.0),
    "svm of times": svm(0.3),
    "boosted times": GradientBoostingSurvivalAnalysis(
        loss="ipcwls", n_estimators=5, max_depth=1, random_state=0
    ),
}
RISK = {
    "svm of ranks": svm(1.0),
    "boosted hazards": GradientBoostingSurvivalAnalysis(
        n_estimators=5, max_depth=1, random_state=0
    ),
}


def wrapped(name, around):
    model = (TIMES_INSTEAD | RISK)[name]
    if around.startswith("search"):
        key = "learning_rate" if "boosted" in name else "alpha"
        model = GridSearchCV(model, {key: [0.1]}, cv=2, error_score="raise")
    return make_pipeline(StandardScaler(), model) if around.endswith("pipeline") else model


def strong(m=12):
    """Times above 1, because scikit-survival refuses logarithms below 0, and much signal."""
    X, time, event = patients(m, seed=4, signal=3.0, censored=0.2)
    return X, 100 * time, event


@unconverged
@pytest.mark.parametrize(
    ("name", "around"),
    [
        *((name, "plain") for name in (*TIMES_INSTEAD, *RISK)),
        ("IPCRidge", "pipeline"),
        ("boosted times", "search"),
        ("svm of times", "search in a pipeline"),
    ],
)
def test_risk_is_the_larger_the_earlier_the_event(name, around):
    X, time, event = strong()
    model, y = wrapped(name, around), y_of(time, event)
    fitted = clone(model).fit(X, y)
    sign = -1.0 if name in TIMES_INSTEAD else 1.0
    assert predicts_risk(fitted) == (sign > 0)
    assert respond_with_risk(fitted, X) == pytest.approx(sign * fitted.predict(X))
    assert harrell(time, event, respond_with_risk(fitted, X)) > 0.65
    found = tlpo.leave_one_out(model, X, y)
    train = np.arange(1, 12)
    first = clone(model).fit(X[train], y[train]).predict(X[:1])
    assert found.scores[:1] == pytest.approx(sign * first)


@unconverged
@pytest.mark.exhaustive
@pytest.mark.parametrize("around", ["plain", "pipeline", "search", "search in a pipeline"])
@pytest.mark.parametrize("name", [*TIMES_INSTEAD, *RISK])
def test_games_against_refits_of_models_of_times_and_of_risk(name, around):
    (X, time, event), model = strong(), wrapped(name, around)
    found = tlpo.survival(model, X, time, event)
    sign = -1.0 if name in TIMES_INSTEAD else 1.0
    F = by_loops.held_out_risk(model, X, time, event, sign)
    np.testing.assert_allclose(found.predictions, F, rtol=1e-9)
    expected = by_loops.share(F, by_loops.ordered_pairs(time, event))
    assert found.concordance == pytest.approx(expected)
    assert found.concordance > 0.65  # the sign is right


@unconverged
def test_games_of_a_model_of_times_against_refits():
    X, time, event = strong()
    found = tlpo.survival(IPCRidge(), X, time, event)
    F = by_loops.held_out_risk(IPCRidge(), X, time, event, -1.0)
    np.testing.assert_allclose(found.predictions, F, rtol=1e-9)
    assert found.concordance > 0.65


@unconverged
def test_a_search_between_both_asks_the_one_it_chose():
    X, time, event = strong(20)
    for ratios in ([1.0, 0.1], [0.1, 1.0], [0.0], [1.0]):
        search = GridSearchCV(svm(0.5), {"rank_ratio": ratios}, cv=2)
        fitted = search.fit(X, y_of(time, event))
        assert predicts_risk(fitted) == (fitted.best_params_["rank_ratio"] == 1.0)
        assert harrell(time, event, respond_with_risk(fitted, X)) > 0.65


# --- what is refused


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("Ridge", Ridge()),
        ("LogisticRegression", LogisticRegression()),
        ("RandomForestClassifier", RandomForestClassifier()),
        ("LinearRegression", make_pipeline(StandardScaler(), LinearRegression())),
        ("Ridge", GridSearchCV(Ridge(), {"alpha": [1.0]})),
        ("RLS", tlpo.RLS()),
    ],
)
def test_models_that_know_nothing_of_censoring(name, model):
    X, time, event = patients()
    for play in (
        lambda: tlpo.survival(model, X, time, event),
        lambda: tlpo.leave_one_out(model, X, y_of(time, event)),
    ):
        with pytest.raises(tlpo.InputError) as caught:
            play()
        assert str(caught.value) == (
            "A model of times to an event must know which of them are censored.\n"
            f"You passed {name}, which does not.\n"
            "Use tlpo.Cox(), or a model of scikit-survival."
        )


def test_times_are_neither_classes_nor_numbers():
    X, time, event = patients()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.tournament(LogisticRegression(), X, y_of(time, event))
    assert str(caught.value) == (
        "y has times to an event, and censored is not negative.\n"
        "You passed an array of times and events to tlpo.tournament.\n"
        "Use tlpo.survival."
    )
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.concordance(Ridge(), X, y_of(time, event))
    assert str(caught.value) == (
        "y has times to an event.\n"
        "You passed an array of times and events to tlpo.concordance.\n"
        "Use tlpo.survival."
    )


def test_times_need_events_once():
    X, time, event = patients()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.survival(tlpo.Cox(), X, time)
    assert str(caught.value) == (
        "Whether units had the event must be known: event is missing.\n"
        "You passed only time.\n"
        "Pass time and event, or one array of both, such as scikit-survival's y."
    )
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.survival(tlpo.Cox(), X, y_of(time, event), event)
    assert str(caught.value) == (
        "time has events already.\n"
        "You passed both.\n"
        "Pass time and event, or one array of both, such as scikit-survival's y."
    )


def test_one_array_or_two_are_the_same():
    X, time, event = patients()
    two = tlpo.survival(tlpo.Cox(), X, time, event)
    one = tlpo.survival(tlpo.Cox(), X, y_of(time, event))
    words = tlpo.survival(tlpo.Cox(), X, time, np.where(event, "dead", "alive"))
    assert one.standings.wins.tolist() == words.standings.wins.tolist()
    assert one.standings.wins.tolist() == two.standings.wins.tolist()
    assert (one.outcome.coding, words.outcome.coding) == ("", "'dead' is the event")


@pytest.mark.parametrize(
    ("time", "event", "said"),
    [
        ([1, 2, 3, 4, 5, 6], [1, 1, 0, 0, 0, 0], "6 units, 2 events, times from 1 to 6"),
        ([1, 2, 3, 4, 5, 6], [0, 0, 1, 0, 1, 1], "6 units, 3 events, times from 1 to 6"),
    ],
)
def test_too_few_events(time, event, said):
    X = np.arange(6.0)[:, None]
    for play in (tlpo.survival, lambda m, X, t, e: tlpo.leave_pair_out(m, X, y_of(t, e))):
        with pytest.raises(tlpo.InputError) as caught:
            play(tlpo.Cox(), X, np.array(time, dtype=float), np.array(event, dtype=bool))
        assert str(caught.value) == (
            "Too few units had the event: leaving out two units must leave one to train on that "
            f"another outlived.\nYou passed {said}.\n"
            "Collect at least 3 units that had the event and were outlived by others."
        )


def test_groups_that_leave_no_events():
    X, time, _ = patients(12)
    event = np.arange(12) < 4
    time = np.where(event, 1.0 + np.arange(12), 20.0 + np.arange(12))
    groups = np.arange(12) // 2
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.survival(tlpo.Cox(), X, time, event, groups=groups)
    assert str(caught.value) == (
        "Leaving out the pair (0, 2) and the units that go with it leaves no unit that outlived "
        "one with the event to train on.\nYou passed 12 units, 4 events, times from 1 to 31; 8 "
        "units would be left.\nUse smaller groups, or pass on_error='skip' to leave such games out "
        "and count them."
    )
    skipped = tlpo.survival(tlpo.Cox(), X, time, event, groups=groups, on_error="skip")
    assert skipped.diagnostics.pairs_failed == 4
    assert skipped.diagnostics.failures == {
        "no unit that outlived one with the event would be left to train on": 4
    }
    assert "Games are missing" in skipped.concordance_interval().notes[0]
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.leave_one_out(tlpo.Cox(), X, y_of(time, event), groups=(~event).astype(int))
    assert str(caught.value) == (
        "Leaving out group 0 leaves no unit that outlived one with the event to train on.\n"
        "You passed 12 units, 4 events, times from 1 to 31.\n"
        "Use smaller held-out sets, or collect more units that had the event."
    )


# --- other games


def test_leave_pair_out_plays_only_ordered_pairs():
    X, time, event = patients(20, n_times=8)
    y = y_of(time, event)
    found, whole = tlpo.leave_pair_out(tlpo.Cox(), X, y), tlpo.survival(tlpo.Cox(), X, y)
    assert isinstance(found, tlpo.Survival)
    assert found.concordance == whole.concordance
    assert found.diagnostics.pairs_played == whole.n_ordered
    assert found.concordance_interval().method == "inflated"
    assert found.concordance_interval().notes == (
        "Games between peers were not played, so the variance of independent scores was doubled "
        "instead of estimated; survival() estimates it.",
    )
    with pytest.raises(tlpo.InputError) as caught:
        found.by(np.arange(20) % 2)
    assert str(caught.value) == (
        "Subgroups need the games of every pair.\nYou passed a result without them.\n"
        "Call tlpo.survival without rounds, and with predictions=True."
    )
    assert found.uno() == pytest.approx(whole.uno())
    site = np.arange(20) % 2
    matched = tlpo.leave_pair_out(tlpo.Cox(), X, y, match=site)
    pairs = [(i, j) for i, j in by_loops.ordered_pairs(time, event) if site[i] == site[j]]
    assert matched.concordance == pytest.approx(by_loops.share(whole.predictions, pairs))
    assert matched.matched.n_pairs == matched.n_ordered == len(pairs)
    with pytest.raises(tlpo.InputError, match="No unit matches one with another outcome"):
        tlpo.leave_pair_out(tlpo.Cox(), X, y, match=np.arange(20))


def test_rounds_are_a_part_of_the_games():
    X, time, event = patients(24)
    whole = tlpo.survival(tlpo.Cox(), X, time, event)
    s = tlpo.survival(tlpo.Cox(), X, time, event, rounds=11, random_state=3)
    wins, every = s.win_matrix(), whole.win_matrix()
    met = ~np.isnan(wins)
    assert met.sum(axis=1).tolist() == [11] * 24
    assert wins[met].tolist() == every[met].tolist()
    pairs = [(i, j) for i, j in by_loops.ordered_pairs(time, event) if met[i, j]]
    assert s.concordance == pytest.approx(np.mean([wins[pair] for pair in pairs]))
    assert s.scores == pytest.approx(np.nansum(wins, axis=1) * 23 / 11)
    again = tlpo.survival(tlpo.Cox(), X, time, event, rounds=11, random_state=3)
    assert again.scores.tolist() == s.scores.tolist()


def test_a_buffer_changes_nothing_but_who_trains():
    X, time, event = patients(14, seed=2)
    where = np.arange(14.0)
    options = {"exclude": tlpo.Buffer(where, radius=1)}
    fast = tlpo.survival(tlpo.Cox(), X, time, event, **options)
    slow = tlpo.survival(tlpo.Cox(), X, time, event, engine="refit", **options)
    F = by_loops.held_out_risk(
        *(tlpo.Cox(), X, time, event),
        train_on=lambda k, i, j: min(abs(k - i), abs(k - j)) > 1,
    )
    assert (fast.engine, slow.engine) == ("cox", "refit")
    assert fast.scores.tolist() == slow.scores.tolist() == by_loops.wins_of(F).tolist()
    np.testing.assert_allclose(fast.predictions, F, atol=1e-7)


def test_a_journal_resumes_and_shards_join(tmp_path, monkeypatch):
    X, time, event = patients(10, censored=0.2)
    y, model, run = y_of(time, event), CoxPHSurvivalAnalysis(alpha=1.0), tmp_path / "run.tlpo"
    whole = tlpo.survival(model, X, y, engine="refit")
    shards = [
        tlpo.play_shard(model, X, y, shard=f"{k}/3", journal=run, engine="refit") for k in (1, 2, 3)
    ]
    tlpo.merge(run, shards)

    def fit(*_):
        raise AssertionError("played again")

    with monkeypatch.context() as patch:
        patch.setattr(CoxPHSurvivalAnalysis, "fit", fit)
        joined = tlpo.survival(model, X, time, event, engine="refit", journal=run)
    assert joined.standings.wins.tolist() == whole.standings.wins.tolist()
    np.testing.assert_array_equal(joined.predictions, whole.predictions)
    assert joined.diagnostics.fits == 45
    turned = event.copy()
    turned[np.flatnonzero(event)[-1]] = False
    for other in ((time + np.arange(10), event), (time, turned)):
        with pytest.raises(tlpo.JournalError):
            tlpo.survival(model, X, *other, engine="refit", journal=run)


def test_there_is_nothing_to_divide_into_shards(tmp_path):
    X, time, event = patients()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.play_shard(tlpo.Cox(), X, y_of(time, event), shard="1/2", journal=tmp_path / "j")
    assert str(caught.value) == (
        "There is nothing to divide into shards.\n"
        "You passed Cox, which engine 'cox' plays without refitting.\n"
        "Call survival, or pass engine='refit'."
    )


# --- other estimates


def test_leave_one_out_against_a_loop():
    X, time, event = patients(20, n_times=8)
    y, scores = y_of(time, event), []
    for i in range(20):
        train = np.delete(np.arange(20), i)
        scores.append(tlpo.Cox().fit(X[train], y[train]).predict(X[[i]])[0])
    found = tlpo.leave_one_out(tlpo.Cox(), X, y)
    assert found.scores == pytest.approx(scores, abs=1e-7)
    assert found.concordance == pytest.approx(harrell(time, event, scores))
    # A model that predicts times ranks the other way round, and so does its score.
    of_times = tlpo.leave_one_out(IPCRidge(), X, y)
    own = [
        IPCRidge().fit(X[train], y[train]).predict(X[[i]])[0]
        for i in range(20)
        for train in [np.delete(np.arange(20), i)]
    ]
    assert of_times.scores == pytest.approx(-np.array(own))
    assert of_times.concordance == pytest.approx(harrell(time, event, -np.array(own)))


def test_kfold_against_its_folds():
    def act(model, X, y):
        return tlpo.kfold(model, X, y, n_splits=4, random_state=0, engine="refit")

    found, fits, X, time, event = recorded(20, act)
    y, scores, tested = y_of(time, event), np.full(20, np.nan), []
    for train in fits[:4]:
        test = sorted(set(range(20)) - set(train))
        scores[test] = tlpo.Cox().fit(X[train], y[train]).predict(X[test])
        tested.append(test)
    assert sorted(np.concatenate(tested).tolist()) == list(range(20))
    # Events are spread evenly.
    assert np.ptp([event[test].sum() for test in tested]) <= 1
    assert found.scores == pytest.approx(scores, abs=1e-7)
    assert found.concordance == pytest.approx(harrell(time, event, scores))
    averaged = tlpo.kfold(
        tlpo.Cox(), X, y, n_splits=4, random_state=0, pooling="averaged", engine="refit"
    )
    inside = [
        by_loops.share(scores[test], by_loops.ordered_pairs(time[test], event[test]))
        for test in tested
    ]
    assert sorted(averaged.repeats) == pytest.approx(sorted(inside))
    assert averaged.concordance == pytest.approx(np.mean(inside))
    fast = tlpo.kfold(tlpo.Cox(), X, y, n_splits=4, random_state=0)
    assert fast.concordance == pytest.approx(found.concordance)


@pytest.mark.parametrize("kind", ["harrell", "632", "632+"])
def test_bootstrap_against_its_resamples(kind):
    def act(model, X, y):
        return tlpo.bootstrap(model, X, y, kind=kind, n_resamples=8, random_state=1)

    found, fits, X, time, event = recorded(20, act)
    y, everyone = y_of(time, event), np.arange(20)
    assert len(set(fits[0])) == 20
    drawn = fits[1:9]
    apparent = harrell(time, event, tlpo.Cox().fit(X, y).predict(X))
    assert found.parts["apparent"] == pytest.approx(apparent)

    def of(risk, units):
        pairs = by_loops.ordered_pairs(time[units], event[units])
        return by_loops.share(risk[units], pairs) if pairs else np.nan

    risks = [tlpo.Cox().fit(X[units], y[units]).predict(X) for units in drawn]
    if kind == "harrell":
        gaps = [of(r, u) - of(r, everyone) for r, u in zip(risks, drawn, strict=True)]
        assert found.parts["optimism"] == pytest.approx(np.mean(gaps))
        assert found.concordance == pytest.approx(apparent - np.mean(gaps))
        return
    outside = [np.setdiff1d(everyone, units) for units in drawn]
    oob = np.nanmean([of(r, u) for r, u in zip(risks, outside, strict=True)])
    assert found.parts["out-of-bag"] == pytest.approx(oob)
    rate = (apparent - oob) / (apparent - 0.5) if kind == "632+" and oob < apparent else 0.0
    weight = 0.632 / (1 - 0.368 * min(1.0, rate))
    assert found.concordance == pytest.approx(
        (1 - weight) * apparent + weight * (max(oob, 0.5) if kind == "632+" else oob)
    )


def test_sorts_rank_as_the_games_do():
    X, time, event = patients(20)
    found = tlpo.quicksort(Feature(), X, y_of(time, event), n_sorts=2, random_state=0)
    # Without circles there is one order only.
    assert found.repeats.tolist() == pytest.approx([harrell(time, event, X[:, 0])] * 2)
    games = tlpo.survival(tlpo.Cox(), X, time, event)
    sorts = tlpo.quicksort(tlpo.Cox(), X, y_of(time, event), n_sorts=3, random_state=0)
    assert sorts.concordance == pytest.approx(games.concordance, abs=0.03)


def test_evaluate_has_all_in_one_table():
    X, time, event = patients(20)
    y, options = y_of(time, event), {"random_state": 0, "n_resamples": 5, "n_sorts": 2}
    table = tlpo.evaluate(tlpo.Cox(), X, y, **options)
    assert list(table.index) == [
        *("lpo", "loo", "kfold-pooled", "kfold-averaged", "harrell", "632", "632+", "quicksort")
    ]
    assert table.loc["lpo", "concordance"] == tlpo.survival(tlpo.Cox(), X, y).concordance
    assert table.loc["loo", "concordance"] == tlpo.leave_one_out(tlpo.Cox(), X, y).concordance
    for scheme, own in (
        ("kfold-pooled", tlpo.kfold(tlpo.Cox(), X, y, random_state=0)),
        ("harrell", tlpo.bootstrap(tlpo.Cox(), X, y, n_resamples=5, random_state=0)),
        ("quicksort", tlpo.quicksort(tlpo.Cox(), X, y, n_sorts=2, random_state=0)),
    ):
        assert table.loc[scheme, "concordance"] == pytest.approx(own.concordance), scheme
    with pytest.raises(tlpo.InputError, match="'tlpo'"):
        tlpo.evaluate(tlpo.Cox(), X, y, schemes=["tlpo"])


# --- tests


@pytest.mark.parametrize("grouped", [False, True])
def test_permutations_against_survival_of_their_own(grouped):
    X, time, event = patients(12, n_times=7)
    y, groups = y_of(time, event), np.arange(12) // 3 if grouped else None
    test = tlpo.permutation_test(
        tlpo.Cox(), X, y, n_permutations=5, random_state=1, groups=groups, on_error="skip"
    )
    seeds = np.random.SeedSequence(1)
    for b, found in enumerate(test.null_distribution):
        rng = np.random.default_rng(np.random.SeedSequence(seeds.entropy, spawn_key=(b,)))
        if grouped:
            drawn = np.empty(12, dtype=int)
            drawn[np.lexsort((rng.random(12), groups))] = np.arange(12)
        else:
            drawn = rng.permutation(12)
        # A time and its event stay together.
        own = tlpo.survival(tlpo.Cox(), X, y[drawn], groups=groups, on_error="skip")
        assert found == pytest.approx(own.concordance)
    observed = tlpo.survival(tlpo.Cox(), X, y, groups=groups, on_error="skip").concordance
    assert test.observed == observed
    assert test.statistic == "concordance"
    assert test.exchanged == ("units within groups" if grouped else "units")
    p_value = (1 + np.sum(test.null_distribution >= observed)) / 6
    assert test.p_value == pytest.approx(p_value)


def test_a_statistic_is_that_of_classes():
    X, time, event = patients()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.permutation_test(tlpo.Cox(), X, y_of(time, event), statistic="lpo")
    assert str(caught.value) == (
        "Numbers, grades and times have one statistic, the concordance.\n"
        "You passed statistic='lpo'.\nLeave out statistic."
    )


def test_the_difference_of_two_models_against_a_loop():
    X, time, event = patients(40, seed=3, n_times=25)
    a, b, c = (tlpo.survival(tlpo.Cox(alpha), X, time, event) for alpha in (0.1, 10.0, 1000.0))
    b = tlpo.survival(tlpo.Cox(), X[:, 1:], time, event)
    found = tlpo.compare(a, b, names=["all", "some"])
    pairs = by_loops.ordered_pairs(time, event)
    F, G = a.predictions, b.predictions
    apart = {
        (i, j): by_loops.heaviside(F[i, j], F[j, i]) - by_loops.heaviside(G[i, j], G[j, i])
        for i, j in pairs
    }
    difference = np.mean(list(apart.values()))
    assert found.difference == pytest.approx(difference)
    psi = [sum(d - difference for pair, d in apart.items() if k in pair) for k in range(40)]
    placement = 40 / 39 * np.sum(np.square(psi)) / len(pairs) ** 2
    assert found.placement_variance == pytest.approx(placement)
    order = Order.of_times(time, event)
    U, V = (s.win_matrix()[order.winner, order.loser] for s in (a, b))
    without = order.without_each(U, F) - order.without_each(V, G)
    jackknife = 39 / 40 * np.sum((without - without.mean()) ** 2)
    assert found.jackknife_variance == pytest.approx(jackknife)
    moves = {pair: (d - difference) / len(pairs) for pair, d in apart.items()}
    noise = noise_of_pairs(moves, range(40))
    factors = [x._evidence.jackknife_variance / x._evidence.placement_variance for x in (a, b)]
    factor = min(np.sqrt(jackknife / placement), max(2.0, *np.sqrt(factors)))
    assert noise < placement / 2
    error = np.sqrt((placement - noise) * max(1.0, factor))
    half = student.ppf(0.975, 39) * error
    assert (found.low, found.high) == pytest.approx((difference - half, difference + half))
    assert found.p_value == pytest.approx(2 * student.sf(abs(difference) / error, 39))
    best = tlpo.choose(a, b, c, names=list("abc"))
    values = [s.concordance for s in (a, b, c)]
    assert best.winner == "abc"[int(np.argmax(values))]
    assert best.uncorrected == max(values)
    assert best.auc == pytest.approx(max(values) - best.optimism)


def test_only_the_same_times_and_events_are_compared():
    X, time, event = patients(20)
    a = tlpo.survival(tlpo.Cox(), X, time, event)
    turned = event.copy()
    turned[np.flatnonzero(~event)[0]] = True
    for other in ((time[::-1].copy(), event), (time, turned)):
        with pytest.raises(tlpo.InputError, match="Only results over the same units"):
            tlpo.compare(a, tlpo.survival(tlpo.Cox(), X, *other))
    with pytest.raises(tlpo.InputError, match="Only results of one kind"):
        tlpo.compare(a, tlpo.concordance(Ridge(), X, time))
    same = tlpo.compare(a, tlpo.survival(tlpo.Cox(), X, time, event))
    assert (same.difference, same.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_an_event_that_looks_reversed_is_noted(is_reversed):
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(20, 2)), np.minimum(rng.exponential(size=20), 1.0)
    event = ((time < 1.0) & (rng.random(20) < 0.6)) != is_reversed
    n_last = np.count_nonzero(time == 1.0)
    shown = repr(tlpo.survival(tlpo.Cox(), X, time, event))
    note = f"all {n_last} followed longest count as events: is the event reversed?"
    assert n_last >= 3
    assert (note in shown) == is_reversed


@pytest.mark.parametrize(
    ("name", "is_asked"), [("censored", True), ("OS_censoring", True), ("died", False)]
)
def test_a_name_that_may_mean_the_opposite_is_noted(name, is_asked):
    X, time = np.arange(12.0)[:, None], np.arange(12) + 1.0
    event = pd.Series(np.arange(12) % 2, name=name)
    note = f"the name {name!r} may mean the opposite: is the event reversed?"
    assert (note in repr(tlpo.survival(tlpo.Cox(), X, time, event))) == is_asked
    said = event.map({0: "no", 1: "yes"})  # says which value is the event
    assert note not in repr(tlpo.survival(tlpo.Cox(), X, time, said))
