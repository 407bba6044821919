"""Games of the larger forest against a loop over its bags, and everything around them."""

import itertools
import pickle
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import estimators
import oracles
import tlpo
from tlpo.engines.base import Predictions
from tlpo.engines.forest.bags import TreeSequence
from tlpo.engines.forest.engine import Forest
from tlpo.engines.least_squares.families import BEFORE_1_9
from tlpo.engines.trees.settings import is_followed
from tlpo.execution.journal import read_journal
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule, all_pairs

PLAYED = [
    RandomForestClassifier(7, random_state=2),
    RandomForestRegressor(7, random_state=2),
    ExtraTreesClassifier(7, bootstrap=True, random_state=2),
    BaggingClassifier(SVC(kernel="linear"), 7, random_state=2),
    BaggingRegressor(n_estimators=7, max_features=0.5, random_state=2),
]
BLOBS = oracles.blobs(m=14, shift=0.8, seed=3)


def known(contest, n_left_out=2):
    """Return the trees of a contest that was played."""
    return contest._make(Forest)._known[n_left_out]


def play_by_loop(contest, tree, targets, column, held_out):
    """Fit the judges of one held-out set on its training set alone, by the public interface."""
    X = np.asarray(contest.problem.X)
    train = np.setdiff1d(np.arange(len(X)), held_out)
    sequence = known(contest, len(held_out)).sequence
    answers = []
    for number in itertools.count():
        bag, rng = sequence.bag(number)
        if set(bag) & set(held_out):
            continue
        counts = np.bincount(bag, minlength=len(X))[train]
        model = tree.set_params(random_state=int(rng.integers(np.iinfo(np.int32).max)))
        model.fit(X[train].astype(np.float32), targets[train], sample_weight=counts)
        rows = X[held_out].astype(np.float32)
        answers.append(model.predict(rows) if column is None else model.predict_proba(rows)[:, 1])
        if len(answers) == contest.estimator.n_estimators:
            break
    return np.mean(answers, axis=0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["plain", "few positives", "duplicates"])
@pytest.mark.parametrize("is_classifier", [True, False])
def test_games_against_a_loop_over_bags(is_classifier, kind):
    """Among 3 positive units of 12 some bags have none: such a tree is sure of the other class."""
    X, y = oracles.blobs(m=12, n_positive=3 if kind == "few positives" else None, seed=1)
    if kind == "duplicates":
        X[6:] = X[:6]
    forest = (
        RandomForestClassifier(5, random_state=0)
        if is_classifier
        else RandomForestRegressor(5, random_state=0, max_features=2)
    )
    contest = Contest(forest, X, y)
    F = contest.play(Schedule()).predictions.full()
    tree = (
        DecisionTreeClassifier(max_features="sqrt")
        if is_classifier
        else DecisionTreeRegressor(max_features=2)
    )
    targets = y if is_classifier else contest.problem.target
    for i, j in itertools.combinations(range(12), 2):
        expected = play_by_loop(contest, tree, targets, 1 if is_classifier else None, [i, j])
        assert [F[i, j], F[j, i]] == pytest.approx(expected, abs=1e-14)
    answered = contest.hold_out([np.array([i]) for i in range(12)], "leave-one-out")
    for i, response in enumerate(answered.responses):
        expected = play_by_loop(contest, tree, targets, 1 if is_classifier else None, [i])
        assert response == pytest.approx(expected, abs=1e-14)
    assert answered.engine == "forest"
    if kind == "duplicates":
        assert all(F[i, i + 6] == F[i + 6, i] for i in range(6))
    if kind == "few positives" and is_classifier:
        trees = known(contest)
        empty = [n for n in np.flatnonzero(trees.is_grown) if not y[trees.sequence.bag(n)[0]].any()]
        assert len(empty) > 1
        assert np.nanmax(trees.answers[:, empty]) == 0


@pytest.mark.parametrize("estimator", PLAYED, ids=repr)
def test_results_follow_from_the_games(estimator):
    X, y = BLOBS
    t = tlpo.tournament(estimator, X, y)
    assert t.engine == "forest"
    assert t.diagnostics.why_not_faster is None
    assert t.diagnostics.pairs_played == 91
    F = t.predictions
    difference = F - F.T
    wins = np.where(np.abs(difference) < 1e-12, 0.5, difference > 0)
    np.fill_diagonal(wins, 0)
    assert np.array_equal(t.scores, wins.sum(axis=1))
    assert t.auc == pytest.approx(wins[np.ix_(y == 1, y == 0)].mean())
    assert tlpo.leave_pair_out(estimator, X, y).auc == t.auc


@pytest.mark.parametrize("n_trees", [1, 7, 8])
def test_halves_make_up_the_predictions(n_trees):
    X, y = oracles.blobs(14, 3, 6)
    t = tlpo.tournament(RandomForestClassifier(n_trees, random_state=0), X, y)
    halves = t._table.halves
    if n_trees == 1:
        assert halves is None
        return
    share = (n_trees // 2) / n_trees
    together = share * halves[0] + (1 - share) * halves[1]
    np.testing.assert_allclose(together, t.predictions, rtol=1e-12)
    assert not np.allclose(halves[0], halves[1], equal_nan=True)
    again = pickle.loads(pickle.dumps(t))
    for one, other in zip(halves, again._table.halves, strict=True):
        np.testing.assert_array_equal(one, other)


def test_intervals_are_free_of_the_noise_of_trees():
    """The jackknife variances of all trees, and of either half, computed as for any model."""
    X, y = oracles.blobs(24, 3, 12, seed=2)
    t = tlpo.tournament(RandomForestClassifier(20, random_state=0), X, y)

    def jackknife(F):
        own = replace(t, _table=Predictions.of_table(F, 1.0))
        return own.auc_interval().jackknife_variance

    full, halves = jackknife(t.predictions), [jackknife(F) for F in t._table.halves]
    expected = 2 * full - np.mean(halves)
    interval = t.auc_interval()
    assert interval.placement_variance < expected < full
    assert interval.jackknife_variance == pytest.approx(expected)
    subgroup = t.by(np.zeros(24)).iloc[0]
    assert (subgroup["low"], subgroup["high"]) == pytest.approx(tuple(interval))


def test_halves_of_numbers_and_of_several_classes():
    X, _ = oracles.blobs(14, 3, 6)
    c = tlpo.concordance(RandomForestRegressor(4, random_state=0), X, X[:, 0])
    np.testing.assert_allclose(
        np.mean(c._table.halves, axis=0) * c.outcome.unit, c.predictions, rtol=1e-12
    )
    k = tlpo.multiclass(RandomForestClassifier(4, random_state=0), X, np.arange(14) % 3)
    for played in k.each:
        found = np.mean(played.predictions.halves, axis=0)
        np.testing.assert_allclose(found, played.predictions.full(), rtol=1e-12, atol=1e-15)


def extrapolated(jackknife, tables, halves):
    """Twice the jackknife variance of all trees, less the mean of those of either half."""
    full = jackknife(tables)
    expected = 2 * full - np.mean([jackknife(half) for half in halves])
    assert expected < full
    return expected


def test_intervals_of_numbers_are_free_of_the_noise_of_trees():
    X, _ = oracles.blobs(36, 3, 18, seed=2)
    y = X[:, 0] + np.random.default_rng(0).normal(size=36)
    c = tlpo.concordance(RandomForestRegressor(20, random_state=0), X, y)
    ridge = tlpo.concordance(tlpo.RLS(), X, y)

    def alone(F):
        return replace(c, _table=Predictions.of_table(F))

    tables = c._table.full(), c._table.halves
    expected = extrapolated(lambda F: alone(F).concordance_interval().jackknife_variance, *tables)
    interval = c.concordance_interval()
    assert interval.placement_variance < expected
    assert interval.jackknife_variance == pytest.approx(expected)
    apart = extrapolated(lambda F: tlpo.compare(alone(F), ridge).jackknife_variance, *tables)
    for pair in ((c, ridge), (ridge, c)):
        assert tlpo.compare(*pair).jackknife_variance == pytest.approx(apart)


def test_intervals_of_several_classes_are_free_of_the_noise_of_trees():
    X, _ = oracles.blobs(24, 3, 12, seed=2)
    t = tlpo.multiclass(RandomForestClassifier(20, random_state=0), X, np.arange(24) % 3)

    def jackknife(tables):
        each = tuple(
            replace(played, predictions=Predictions.of_table(F, 1.0))
            for played, F in zip(t.each, tables, strict=True)
        )
        return replace(t, each=each).auc_interval().jackknife_variance

    predictions = [played.predictions for played in t.each]
    halves = [[table.halves[k] for table in predictions] for k in (0, 1)]
    expected = extrapolated(jackknife, [table.full() for table in predictions], halves)
    assert t.auc_interval().jackknife_variance == pytest.approx(expected)


def test_intervals_of_times_are_free_of_the_noise_of_trees():
    ensemble = pytest.importorskip("sksurv.ensemble")
    X, _ = oracles.blobs(36, 3, 18, seed=2)
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=36) * np.exp(-X[:, 0]), rng.random(36) < 0.8
    s = tlpo.survival(ensemble.RandomSurvivalForest(20, random_state=0), X, time, event)

    def alone(F):
        return replace(s, _table=Predictions.of_table(F, s._table.ceiling))

    tables = s._table.full(), s._table.halves
    for measure in ("concordance_interval", "uno_interval"):
        expected = extrapolated(
            lambda F, ask=measure: getattr(alone(F), ask)().jackknife_variance, *tables
        )
        assert getattr(s, measure)().jackknife_variance == pytest.approx(expected)


def test_what_probabilities_and_decisions_may_reach():
    for estimator, ceiling in zip(PLAYED, (1.0, np.inf, 1.0, np.inf, np.inf), strict=True):
        assert tlpo.tournament(estimator, *BLOBS)._table.ceiling == ceiling


@pytest.mark.exhaustive
@pytest.mark.parametrize("estimator", PLAYED, ids=repr)
def test_same_bits_for_any_number_of_jobs(estimator, monkeypatch):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.01)
    alone = tlpo.tournament(estimator, *BLOBS)
    again = tlpo.tournament(estimator, *BLOBS, n_jobs=2)
    assert np.array_equal(alone.predictions, again.predictions, equal_nan=True)
    assert alone.diagnostics.fits == again.diagnostics.fits
    assert alone.diagnostics.warnings == again.diagnostics.warnings


@pytest.mark.exhaustive
def test_seeds():
    def predictions(random_state):
        forest = RandomForestClassifier(5, random_state=random_state)
        return tlpo.tournament(forest, *BLOBS).predictions[np.triu_indices(14, 1)]

    assert np.array_equal(predictions(1), predictions(1))
    assert not np.array_equal(predictions(1), predictions(2))
    state = np.random.RandomState(4)  # cloned for every fit, so never advanced
    assert np.array_equal(predictions(state), predictions(state))
    np.random.seed(8)
    first, second = predictions(None), predictions(None)
    assert not np.array_equal(first, second)
    np.random.seed(8)
    assert np.array_equal(predictions(None), first)


def test_containers_do_not_matter():
    X, y = BLOBS
    names = np.where(y == 1, "well", "ill")
    for estimator in (PLAYED[0], PLAYED[3]):
        plain = tlpo.tournament(estimator, X, y)
        frame = tlpo.tournament(
            estimator, pd.DataFrame(X, columns=list("abc")), pd.Series(names), positive="well"
        )
        csr = tlpo.tournament(estimator, sparse.csr_matrix(X), y)
        swapped = tlpo.tournament(estimator, X, names, positive="ill")
        assert frame.engine == csr.engine == swapped.engine == "forest"
        assert np.array_equal(plain.predictions, frame.predictions, equal_nan=True)
        np.testing.assert_allclose(csr.predictions, plain.predictions, atol=1e-9)
        assert np.array_equal(swapped.scores, 13 - plain.scores)


def test_trees_are_grown_once_and_only_if_needed():
    contest = Contest(RandomForestClassifier(10, random_state=0), *BLOBS)
    i, j = np.flatnonzero(BLOBS[1] == 1)[0], np.flatnonzero(BLOBS[1] == 0)[-1]
    one = contest.play(Schedule(listed=np.array([[i, j]])))
    assert one.diagnostics.fits == 10  # as many as refitting would grow
    assert one.outcome.shape == (1,)
    whole = contest.play(Schedule())
    assert whole.diagnostics.fits == known(contest).is_grown.sum() - 10
    opposite = contest.play(Schedule("ordered"))
    assert opposite.diagnostics.fits == 0
    fresh = Contest(RandomForestClassifier(10, random_state=0), *BLOBS).play(Schedule())
    assert np.array_equal(whole.predictions.full(), fresh.predictions.full(), equal_nan=True)
    assert one.predictions.full()[i, j] == fresh.predictions.full()[i, j]
    # every tree is needed by some pair
    trees = known(contest)
    pairs = itertools.combinations(range(14), 2)
    used = np.unique(np.concatenate([trees.judges(list(pair)) for pair in pairs]))
    assert np.array_equal(used, np.flatnonzero(trees.is_grown))


@pytest.mark.exhaustive
def test_schemes_that_ask_step_by_step():
    X, y = BLOBS
    forest = RandomForestClassifier(9, random_state=1)
    t = tlpo.tournament(forest, X, y)
    F, rounds = t.predictions, tlpo.tournament(forest, X, y, rounds=4, random_state=0)
    some = ~np.isnan(rounds.predictions)
    assert some.sum() == 14 * 4
    assert np.array_equal(rounds.predictions[some], F[some])
    sort = tlpo.quicksort(forest, X, y, n_sorts=2, random_state=0)
    assert sort.diagnostics.fits <= t.diagnostics.fits
    test = tlpo.permutation_test(forest, X, y, n_permutations=3, random_state=0)
    assert test.engine == "forest"
    assert test.observed == t.tlpo_auc


def test_the_result_says_what_it_is():
    t = tlpo.tournament(RandomForestClassifier(7, random_state=2), *BLOBS)
    assert t.diagnostics.warnings == (
        f"One forest of {t.diagnostics.fits} trees played all games: exact in distribution, but "
        "another draw than refitting with this random_state would give.",
    )
    # So many units that no bag lacks a class.
    t = tlpo.tournament(BaggingClassifier(SVC(kernel="linear"), 5), *oracles.blobs(m=60))
    assert t.diagnostics.warnings == (
        f"One ensemble of {t.diagnostics.fits} models played all games: exact in distribution.",
    )
    loo = tlpo.leave_one_out(RandomForestClassifier(7), *BLOBS)
    assert loo.engine == "forest"
    assert loo.diagnostics.warnings == (
        f"One forest of {loo.diagnostics.fits} trees judged all units: exact in distribution.",
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"groups": np.arange(14) // 2},
            "Bags that leave out two whole groups by chance are too rare to share trees.",
        ),
        (
            {"exclude": lambda i, j: [(i + 1) % 14]},
            "Bags that leave out all that exclude names are too rare to share trees.",
        ),
        (
            {"params": {"sample_weight": np.ones(14)}},
            "RandomForestClassifier with the fit arguments sample_weight is not covered.",
        ),
    ],
)
def test_where_trees_cannot_be_shared(options, sentence):
    forest = RandomForestClassifier(2, random_state=0)
    t = tlpo.tournament(forest, *BLOBS, **options, rounds=2, random_state=0)
    if "params" in options or not is_followed():
        assert t.engine == "refit"
        assert sentence in t.diagnostics.why_not_faster
    else:
        assert t.engine == "forests"
    with pytest.raises(tlpo.EngineError, match=sentence):
        tlpo.tournament(forest, *BLOBS, **options, engine="forest")


@pytest.mark.exhaustive
def test_large_bags_and_folds_are_refitted():
    X, y = BLOBS
    leaves = {"max_leaf_nodes": 3}  # are not compiled
    if not BEFORE_1_9:  # which refuses bags of more draws than units
        t = tlpo.tournament(RandomForestClassifier(2, max_samples=70, **leaves), X, y)
        assert t.engine == "refit"
        assert t.diagnostics.why_not_faster.startswith(
            "Bags of 70 draws from 14 units leave out given units too rarely to share trees."
        )
    extra = ExtraTreesClassifier(2, bootstrap=True, **leaves)
    folds = tlpo.kfold(extra, X, y, n_splits=3, pooling="averaged")
    assert folds.diagnostics.why_not_faster.startswith(
        "Bags that leave out a whole fold by chance are too rare to share."
    )
    assert tlpo.tournament(PLAYED[0], X, y, engine="refit").engine == "refit"


class Subclass(RandomForestClassifier):
    """May override anything."""


def test_subclasses_are_refitted():
    t = tlpo.tournament(Subclass(2), *BLOBS)
    assert (t.engine, t.diagnostics.why_not_faster) == ("refit", "No exact engine plays Subclass.")


# --- failures

FEW = oracles.blobs(m=13, n_positive=3, seed=5)


def test_games_fail_as_their_judges_do():
    """A support vector machine needs both classes in its bag."""
    X, y = FEW
    estimator = BaggingClassifier(SVC(kernel="linear"), 4, random_state=1)
    contest = Contest(estimator, X, y, ContestOptions(on_error="skip"))
    played = contest.play(Schedule())
    F = played.predictions.full()
    trees, n_failed = known(contest), 0
    for i, j in itertools.combinations(range(13), 2):
        bags = [trees.sequence.bag(n)[0] for n in trees.judges([i, j])]
        has_failed = any(np.unique(y[bag]).size == 1 for bag in bags)
        assert np.isnan(F[i, j]) == np.isnan(F[j, i]) == has_failed
        n_failed += has_failed
    cause = (
        "ValueError: Invalid input - all samples with positive weights belong to the same class."
    )
    assert 0 < n_failed < 78
    assert played.diagnostics.failures == {cause: n_failed}
    assert played.diagnostics.pairs_played == 78 - n_failed
    assert played.diagnostics.warnings[0] == (
        f"{n_failed} of 78 games failed; estimates rest on {78 - n_failed}."
    )
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.tournament(estimator, X, y)
    first = next(n for n in trees.needed(all_pairs(13)) if n in trees.causes)
    pair = next(p for p in itertools.combinations(range(13), 2) if first in trees.judges(list(p)))
    assert str(caught.value) == (
        f"The estimator failed on the pair ({pair[0]}, {pair[1]}).\n"
        f"BaggingClassifier: {cause}\n"
        "Fix the cause, or pass on_error='skip' to leave such games out and count them."
    )
    with pytest.raises(tlpo.GameError, match="every comparison is needed"):
        tlpo.quicksort(estimator, X, y, n_sorts=3, random_state=0)


def test_leave_one_out_needs_every_fit():
    X, y = FEW
    estimator = BaggingClassifier(SVC(kernel="linear"), 20, random_state=1)
    with pytest.raises(tlpo.GameError) as caught:
        tlpo.leave_one_out(estimator, X, y)
    problem, passed, remedy = str(caught.value).split("\n")
    assert problem.startswith("The estimator failed in a fit that predicts unit ")
    assert passed.startswith("BaggingClassifier: ValueError: Invalid input")
    assert remedy == "Fix the cause: this estimate needs every fit."


class Answers(estimators.Answers):
    """As bagging wants it."""

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def test_answers_that_are_no_numbers():
    X, y = BLOBS
    worst = int(np.argmax(X[:, 0]))
    estimator = BaggingClassifier(Answers(limit=np.sort(X[:, 0])[-2]), 3, random_state=0)
    t = tlpo.tournament(estimator, X, y, on_error="skip")
    assert t.engine == "forest"
    assert np.isnan(t.predictions[worst]).all()
    assert t.diagnostics.failures == {f"decision_function returned nan for unit {worst}": 13}
    assert t.diagnostics.warnings[:2] == (
        "13 of 91 games failed; estimates rest on 78.",
        f"Unit {worst} finished no game and could not be ranked.",
    )


def test_warnings_of_base_models_are_counted():
    estimator = BaggingClassifier(estimators.Shouting(), 3, random_state=0)
    with pytest.warns(UserWarning, match="no convergence"):
        t = tlpo.tournament(estimator, *BLOBS)
    # one of them by the ensemble that is fitted beforehand
    assert (
        f"{t.diagnostics.fits + 1} times in {t.diagnostics.fits} fits" in t.diagnostics.warnings[0]
    )


# --- long runs


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("random_state", [3, None])
def test_an_interrupted_run_resumes(tmp_path, monkeypatch, random_state):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.001)
    forest = RandomForestClassifier(10, random_state=random_state)
    grow, seeds, n_grown = TreeSequence.grow, set(), 0

    def limited(self, numbers, stop_at_failure):
        nonlocal n_grown
        n_grown += len(numbers)
        seeds.add(self.seed)
        if n_grown > limit:
            raise _Killed
        return grow(self, numbers, stop_at_failure=stop_at_failure)

    monkeypatch.setattr(TreeSequence, "grow", limited)
    path, limit = tmp_path / "run.tlpo", 40
    with pytest.raises(_Killed):
        tlpo.tournament(forest, *BLOBS, journal=path)
    (part,) = read_journal(path)[0].values()
    kept = sum(record.stop - record.start for record in part.records)
    assert 0 < kept <= 40
    n_grown, limit = 0, 10**9
    resumed = tlpo.tournament(forest, *BLOBS, journal=path)
    assert len(seeds) == 1
    assert n_grown == resumed.diagnostics.fits - kept
    limit = 0
    again = tlpo.tournament(forest, *BLOBS, journal=path)
    assert np.array_equal(resumed.predictions, again.predictions, equal_nan=True)
    assert resumed.diagnostics.warnings == again.diagnostics.warnings
    if random_state is not None:
        limit = 10**9
        whole = tlpo.tournament(forest, *BLOBS)
        assert np.array_equal(resumed.predictions, whole.predictions, equal_nan=True)


def test_failures_are_remembered(tmp_path):
    X, y = FEW
    estimator = BaggingClassifier(SVC(kernel="linear"), 4, random_state=1)
    options = {"on_error": "skip", "journal": tmp_path / "j"}
    one, two = (tlpo.tournament(estimator, X, y, **options) for _ in range(2))
    assert one.diagnostics.failures == two.diagnostics.failures
    assert np.array_equal(one.predictions, two.predictions, equal_nan=True)
    assert two.diagnostics.fits == one.diagnostics.fits


def test_what_it_costs_is_known_before_a_tree_is_grown():
    forest = RandomForestClassifier(20, random_state=0)
    contest = Contest(forest, *BLOBS)
    exact = contest.exact_engine(Schedule())
    assert exact.engine == "forest"
    assert not known(contest).is_grown.any()
    assert contest.play(Schedule()).diagnostics.fits == pytest.approx(20 * exact.fits)
    assert 7 < exact.fits < 14
    assert Contest(forest, *BLOBS, ContestOptions(engine="refit")).exact_engine(Schedule()) is None


def test_shards_are_not_needed(tmp_path):
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.play_shard(PLAYED[0], *BLOBS, shard="1/2", journal=tmp_path / "j")
    assert str(caught.value) == (
        "There is nothing to divide into shards.\n"
        "You passed RandomForestClassifier, which engine 'forest' plays without refitting.\n"
        "Call tournament, or pass engine='refit'."
    )


def test_on_threads():
    estimator = BaggingClassifier(KNeighborsClassifier(3), 6, random_state=0)
    alone = tlpo.tournament(estimator, *BLOBS)
    with joblib.parallel_config("threading", n_jobs=2):
        shared = tlpo.tournament(estimator, *BLOBS)
    assert np.array_equal(alone.predictions, shared.predictions, equal_nan=True)
