"""The other estimates of a concordance, against loops; permutations; fewer games."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import AdaBoostRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import tlpo
from tlpo.roc.order import concordance_of_scores


def sample(m=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return X, np.round(X[:, 0] + rng.normal(size=m), 1)


def share(scores, y):
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j]]
    return np.mean([(scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j]) for i, j in pairs])


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_concordance_of_scores_against_a_loop(digits):
    rng = np.random.default_rng(digits)
    scores, y = rng.normal(size=(2, 30)).round(digits)
    level = rankdata(y, "dense").astype(int) - 1
    assert concordance_of_scores(scores, level) == pytest.approx(share(scores, y))
    assert np.isnan(concordance_of_scores(scores, np.zeros(30, dtype=int)))


def test_leave_one_out_against_a_loop():
    X, y = sample()
    scores = []
    for i in range(20):
        train = np.delete(np.arange(20), i)
        scores.append(Ridge().fit(X[train], y[train]).predict(X[[i]])[0])
    found = tlpo.leave_one_out(Ridge(), X, y, order=True)
    assert found.scores == pytest.approx(scores)
    assert found.concordance == pytest.approx(share(scores, y))
    constant = tlpo.leave_one_out(DummyRegressor(), X, np.arange(20.0), order=True)
    assert constant.concordance == 0.0


@pytest.mark.parametrize("pooling", ["pooled", "averaged"])
def test_kfold_against_its_folds(pooling):
    X, y = sample()
    found = tlpo.kfold(
        Ridge(), X, y, n_splits=5, pooling=pooling, n_repeats=2, random_state=0, order=True
    )
    slow = tlpo.kfold(
        *(Ridge(), X, y),
        n_splits=5,
        pooling=pooling,
        n_repeats=2,
        random_state=0,
        order=True,
        engine="refit",
    )
    assert found.repeats == pytest.approx(slow.repeats)
    assert found.concordance == pytest.approx(np.mean(found.repeats))
    assert found.repeats.size == (2 if pooling == "pooled" else 10)


class Recorder(DummyRegressor):
    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        Recorder.seen.append(y.tolist())
        return super().fit(X, y)


def test_folds_spread_grades_evenly_and_numbers_at_random():
    X, _ = sample(m=20)
    Recorder.seen.clear()
    grades = np.arange(20.0) % 4
    tlpo.kfold(Recorder(), X, grades, n_splits=5, random_state=0, order=True, engine="refit")
    folds = [train for train in Recorder.seen if len(train) == 16]
    assert len(folds) == 5
    assert all(sorted(train) == sorted([0.0, 1.0, 2.0, 3.0] * 4) for train in folds)
    Recorder.seen.clear()
    numbers = np.arange(20.0)
    tlpo.kfold(Recorder(), X, numbers, n_splits=5, random_state=0, order=True, engine="refit")
    tested = [set(numbers) - set(train) for train in Recorder.seen if len(train) == 16]
    assert any(min(np.diff(sorted(fold))) == 1 for fold in tested)


@pytest.mark.parametrize("kind", ["harrell", "632", "632+"])
def test_bootstrap_against_refits(kind):
    X, y = sample()
    options = {"kind": kind, "n_resamples": 15, "random_state": 0, "order": True}
    fast = tlpo.bootstrap(Ridge(), X, y, **options)
    tree = tlpo.bootstrap(DecisionTreeRegressor(max_depth=2, random_state=0), X, y, **options)
    apparent = share(Ridge().fit(X, y).predict(X), y)
    assert fast.parts["apparent"] == pytest.approx(apparent)
    assert 0 <= tree.concordance <= 1
    if kind == "harrell":
        assert fast.concordance == pytest.approx(apparent - fast.parts["optimism"])


def test_quicksort_ranks_as_the_games_do():
    X, y = sample()
    found = tlpo.quicksort(Ridge(), X, y, n_sorts=3, random_state=0, order=True)
    assert found.repeats.size == 3
    assert found.concordance == pytest.approx(tlpo.concordance(Ridge(), X, y).concordance, abs=0.03)


def test_evaluate_has_all_in_one_table():
    X, y = sample()
    table = tlpo.evaluate(Ridge(), X, y, order=True, random_state=0, n_resamples=10, n_sorts=2)
    assert list(table.index) == [
        *("lpo", "loo", "kfold-pooled", "kfold-averaged", "harrell", "632", "632+", "quicksort")
    ]
    assert table.loc["lpo", "concordance"] == tlpo.concordance(Ridge(), X, y).concordance
    loo = tlpo.leave_one_out(Ridge(), X, y, order=True)
    assert table.loc["loo", "concordance"] == loo.concordance
    with pytest.raises(tlpo.InputError, match="'tlpo'"):
        tlpo.evaluate(Ridge(), X, y, order=True, schemes=["tlpo"])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "model", [Ridge(), KNeighborsRegressor(3), DecisionTreeRegressor(max_depth=1, random_state=0)]
)
@pytest.mark.parametrize("grouped", [False, True])
def test_permutations_against_concordances_of_their_own(model, grouped):
    X, y = sample(m=12)
    groups = np.arange(12) // 3 if grouped else None
    test = tlpo.permutation_test(
        model, X, y, order=True, n_permutations=6, random_state=1, groups=groups
    )
    seeds = np.random.SeedSequence(1)
    for b, found in enumerate(test.null_distribution):
        rng = np.random.default_rng(np.random.SeedSequence(seeds.entropy, spawn_key=(b,)))
        if grouped:
            drawn = np.empty(12, dtype=int)
            drawn[np.lexsort((rng.random(12), groups))] = np.arange(12)
        else:
            drawn = rng.permutation(12)
        expected = tlpo.concordance(model, X, y[drawn], groups=groups).concordance
        assert found == pytest.approx(expected)
    assert test.statistic == "concordance"
    assert test.observed == tlpo.concordance(model, X, y, groups=groups).concordance
    assert test.exchanged == ("units within groups" if grouped else "units")


def test_whole_groups_exchange_one_outcome():
    X, _ = sample(m=20)
    groups, y = np.arange(20) // 2, np.repeat(np.arange(10.0), 2)
    test = tlpo.permutation_test(
        Ridge(), X, y, order=True, groups=groups, n_permutations=5, random_state=0
    )
    assert test.exchanged == "groups"


def test_a_statistic_is_that_of_classes():
    X, y = sample()
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.permutation_test(Ridge(), X, y, order=True, statistic="lpo")
    assert str(caught.value) == (
        "Numbers, grades and times have one statistic, the concordance.\n"
        "You passed statistic='lpo' and order=True.\nLeave out statistic."
    )


def test_leave_pair_out_plays_only_ordered_pairs():
    X, y = sample()
    y = np.round(y)
    found = tlpo.leave_pair_out(Ridge(), X, y, order=True)
    whole = tlpo.concordance(Ridge(), X, y)
    assert found.concordance == whole.concordance
    assert found.diagnostics.pairs_played == whole.n_ordered
    assert found.concordance_interval().method == "inflated"
    site = np.arange(20) % 2
    matched = tlpo.leave_pair_out(Ridge(), X, y, order=True, match=site)
    wins = whole.win_matrix()
    pairs = [(i, j) for i in range(20) for j in range(20) if y[i] > y[j] and site[i] == site[j]]
    assert matched.concordance == pytest.approx(np.mean([wins[i, j] for i, j in pairs]))
    assert matched.matched.n_pairs == len(pairs)
    with pytest.raises(tlpo.InputError, match="No unit matches one with another outcome"):
        tlpo.leave_pair_out(Ridge(), X, y, order=True, match=np.arange(20))


def test_a_journal_resumes_and_shards_join(tmp_path):
    X, y = sample(m=10)
    tree = AdaBoostRegressor(n_estimators=2, random_state=0)
    whole = tlpo.concordance(tree, X, y)
    run = tmp_path / "run.tlpo"
    shards = [
        tlpo.play_shard(tree, X, y, order=True, shard=f"{k}/3", journal=run) for k in (1, 2, 3)
    ]
    tlpo.merge(run, shards)
    joined = tlpo.concordance(tree, X, y, journal=run)
    assert joined.standings.wins.tolist() == whole.standings.wins.tolist()
    assert joined.diagnostics.fits == 45
    again = tlpo.concordance(tree, X, y, journal=run)
    assert again.scores.tolist() == whole.scores.tolist()
    with pytest.raises(tlpo.JournalError):
        tlpo.concordance(tree, X, y + np.arange(10), journal=run)


def test_a_buffer_and_jobs_change_nothing_but_who_trains():
    X, y = sample(m=14)
    apart = tlpo.Buffer(np.arange(14.0), radius=1)
    fast = tlpo.concordance(Ridge(), X, y, exclude=apart)
    slow = tlpo.concordance(Ridge(), X, y, exclude=apart, engine="refit", n_jobs=2)
    assert fast.engine == "least-squares"
    assert fast.standings.wins.tolist() == slow.standings.wins.tolist()


@pytest.mark.exhaustive
def test_forests_of_regressors_share_their_trees():
    X, y = sample(m=24)
    forest = RandomForestRegressor(30, random_state=0)
    found = tlpo.concordance(forest, X, y)
    assert found.engine == "forest"
    assert tlpo.concordance(clone(forest), X, y).scores.tolist() == found.scores.tolist()
    refitted = tlpo.concordance(RandomForestRegressor(30, random_state=1), X, y, engine="refit")
    assert found.concordance == pytest.approx(refitted.concordance, abs=0.08)
