"""Survival forests: games against scikit-survival's own forests with the same bags and seeds."""

import itertools
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from tlpo.engines.forest.bags import TreeSequence
from tlpo.engines.forest.growing import SURVIVAL_FORESTS, why_not_grown
from tlpo.engines.forest.hazards import EventTimes
from tlpo.engines.forest.survival import SurvivalForest
from tlpo.execution.journal import read_journal
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

pytest.importorskip("sksurv")
from sksurv.ensemble import ExtraSurvivalTrees, RandomSurvivalForest
from sksurv.util import Surv

M, N = 18, 4


def data(kind="plain", m=M, seed=1):
    """Times that depend on the first feature, about a third of them censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, N))
    time = rng.exponential(np.exp(-1.5 * X[:, 0]))
    event = rng.uniform(size=m) < 0.7
    if kind == "tied":  # some times of one event, some of two, some of more
        time = np.ceil(np.sqrt(time) * 4)
    if kind == "half at first":
        time = np.maximum(time, np.median(time))
    if kind == "few events":
        event = np.argsort(np.argsort(time)) < 5
    if kind == "missing":
        X[rng.uniform(size=X.shape) < 0.15] = np.nan
    if kind == "duplicates":
        X[m // 2 :] = X[: m - m // 2]
    if kind == "sparse":
        X[np.abs(X) < 0.5] = 0.0
        X = sparse.csr_matrix(X)
    return X, Surv.from_arrays(event, time)


def known(contest, n_left_out=2):
    """Return the trees of a contest that was played."""
    return contest._make(SurvivalForest)._known[n_left_out]


class Seeds(np.random.RandomState):
    """Hands out known seeds, one tree after another."""

    def __init__(self, seeds):
        super().__init__(0)
        self.seeds = iter(seeds)

    def randint(self, *_, **__):
        return next(self.seeds)


@contextmanager
def forced(bags):
    """Make forests draw the bag that belongs to the seed of a tree."""
    with patch(
        "sklearn.ensemble._forest._generate_sample_indices", lambda seed, *_, **__: bags[seed]
    ):
        yield


def by_scikit_survival(estimator, X, y, trees, held_out):
    """Fit scikit-survival's forest to a training set, with the bags of the judges."""
    train = np.setdiff1d(np.arange(len(y)), held_out)
    bags = {}
    for number in trees.judges(held_out):
        bag, rng = trees.sequence.bag(number)
        bags[int(rng.integers(np.iinfo(np.int32).max))] = np.searchsorted(train, bag)
    forest = clone(estimator).set_params(random_state=Seeds(bags))
    with forced(bags):
        return forest.fit(X[train], y[train]).predict(X[held_out])


CASES = {
    "plain": (RandomSurvivalForest(4, random_state=0), "plain"),
    "ties": (RandomSurvivalForest(4, random_state=1), "tied"),
    "few events": (RandomSurvivalForest(4, random_state=0), "few events"),
    "extra trees": (ExtraSurvivalTrees(4, random_state=0), "tied"),
    "missing": (RandomSurvivalForest(4, max_features=None, random_state=0), "missing"),
    "missing, extra": (ExtraSurvivalTrees(4, random_state=0), "missing"),
    "sparse": (RandomSurvivalForest(4, random_state=0), "sparse"),
    "duplicates": (RandomSurvivalForest(4, random_state=0), "duplicates"),
    "low memory": (RandomSurvivalForest(4, low_memory=True, random_state=0), "tied"),
    "small bags": (RandomSurvivalForest(4, max_samples=0.75, random_state=0), "tied"),
    "bags of few": (RandomSurvivalForest(4, max_samples=3, random_state=0), "few events"),
    "bags of one time": (RandomSurvivalForest(4, max_samples=3, random_state=0), "half at first"),
    "stumps": (RandomSurvivalForest(4, max_depth=1, random_state=0), "tied"),
    "best first": (
        RandomSurvivalForest(4, max_leaf_nodes=3, min_samples_leaf=1, random_state=0),
        "plain",
    ),
    # 0.125 of 16 units is 2, of 18 it is 2.25
    "shares": (
        RandomSurvivalForest(
            4, min_samples_leaf=0.125, min_samples_split=0.3, max_features=0.5, random_state=0
        ),
        "plain",
    ),
    "weight of leaves": (
        RandomSurvivalForest(
            4, min_samples_leaf=1, min_weight_fraction_leaf=0.125, n_jobs=2, random_state=0
        ),
        "tied",
    ),
}


def assert_as_scikit_survival(estimator, kind, pairs):
    X, y = data(kind)
    contest = Contest(estimator, X, y, ContestOptions(engine="forest"))
    F = contest.play(Schedule()).predictions.full()
    trees = known(contest)
    for pair in pairs:
        i, j = pair
        expected = by_scikit_survival(estimator, X, y, trees, pair)
        assert [F[i, j], F[j, i]] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    return F


@pytest.mark.parametrize("case", CASES)
def test_games_against_scikit_survival(case):
    estimator, kind = CASES[case]
    y = data(kind)[1]
    rng = np.random.default_rng(1)
    pairs = [sorted(rng.choice(M, 2, replace=False).tolist()) for _ in range(5)]
    if kind == "tied":  # two units with the only events of a time, and one of three
        for count in (2, 3):
            times, counts = np.unique(y["time"][y["event"]], return_counts=True)
            some = np.flatnonzero((y["time"] == times[counts == count][0]) & y["event"])
            pairs.append(some[:2].tolist())
    assert_as_scikit_survival(estimator, kind, pairs)


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", CASES)
def test_all_games_against_scikit_survival(case):
    estimator, kind = CASES[case]
    pairs = [list(pair) for pair in itertools.combinations(range(M), 2)]
    F = assert_as_scikit_survival(estimator, kind, pairs)
    if kind == "duplicates":
        assert all(F[i, i + M // 2] == F[i + M // 2, i] for i in range(M // 2))


@pytest.mark.parametrize("kind", ["plain", "tied"])
def test_leave_one_out_against_scikit_survival(kind):
    X, y = data(kind)
    forest = RandomSurvivalForest(4, random_state=0)
    contest = Contest(forest, X, y)
    answered = contest.hold_out([np.array([i]) for i in range(M)], "leave-one-out")
    assert answered.engine == "forest"
    for i in (0, 5, 11):
        expected = by_scikit_survival(forest, X, y, known(contest, 1), [i])
        assert answered.responses[i] == pytest.approx(expected, rel=1e-12)


def test_times_matter_that_no_bag_holds():
    """Why a tree's sum over all event times is not what a forest without a pair answers."""
    X, y = data()
    contest = Contest(RandomSurvivalForest(4, random_state=0), X, y)
    F = contest.play(Schedule()).predictions.full()
    trees = known(contest)
    off = []
    for i, j in itertools.combinations(range(M), 2):
        whole = trees.answers[np.ix_([i, j], trees.judges([i, j]))].mean(axis=1)
        off.append((whole[0] - F[i, j]) - (whole[1] - F[j, i]))
    assert np.max(np.abs(off)) > 0.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["plain", "tied"])
def test_mean_responses_against_refitting(kind):
    """Responses for six pairs, over 400 seeds: no mean may be off by 4.5 standard errors.

    For 12 responses that happens by chance once in 12 000 times.
    """
    X, y = data(kind, m=12)
    pairs = np.array([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]])
    found = {"forest": [], "refit": []}
    for seed in range(400):
        forest = RandomSurvivalForest(2, random_state=seed)
        for engine, responses in found.items():
            contest = Contest(forest, X, y, ContestOptions(engine=engine))
            F = contest.play(Schedule(listed=pairs)).predictions.full()
            responses.append([F[pairs[:, 0], pairs[:, 1]], F[pairs[:, 1], pairs[:, 0]]])
    a, b = (np.array(responses).reshape(400, -1) for responses in found.values())
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / 400)
    assert np.all(error < 0.1 * b.mean(axis=0))  # it would be seen
    assert np.max(np.abs(a.mean(axis=0) - b.mean(axis=0)) / error) < 4.5


# --- whose times are lost


@pytest.mark.parametrize("seed", range(4))
def test_lost_times_against_sets(seed):
    rng = np.random.default_rng(seed)
    time, event = rng.integers(7, size=14).astype(float), rng.uniform(size=14) < 0.6
    times = EventTimes(time, event)
    everywhere = set(time[event])
    for size in (1, 2):
        sets = np.array(list(itertools.combinations(range(14), size)))
        for units, lost in zip(sets, times.are_lost(sets), strict=True):
            is_left = np.ones(14, dtype=bool)
            is_left[units] = False
            expected = everywhere - set(time[event & is_left])
            assert sorted(time[units[lost]]) == sorted(expected)


# --- who plays


def test_who_is_meant():
    X, y = data()
    assert RandomSurvivalForest in SURVIVAL_FORESTS
    assert len(SURVIVAL_FORESTS) == 2
    auto = Contest(RandomSurvivalForest(2, random_state=0), X, y).play(Schedule())
    assert auto.engine == "forest"

    class Subclass(RandomSurvivalForest):
        """May override anything, whatever it is called."""

    Subclass.__module__, Subclass.__name__ = RandomSurvivalForest.__module__, "RandomSurvivalForest"
    assert Subclass not in SURVIVAL_FORESTS
    own = Contest(Subclass(2), X, y).play(Schedule(listed=np.array([[0, 1]])))
    assert own.engine == "refit"
    # Of two classes it is not a model: fits say so.
    with pytest.raises(tlpo.GameError, match="RandomSurvivalForest"):
        tlpo.tournament(RandomSurvivalForest(2), X, np.arange(M) % 2)


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (
            ExtraSurvivalTrees(bootstrap=False),
            "Without bootstrap every tree is grown on all units, so no tree leaves out a pair.",
        ),
        (
            RandomSurvivalForest(warm_start=True),
            "The forest engine does not cover warm_start=True.",
        ),
        (
            RandomSurvivalForest(min_samples_leaf=0),
            "RandomSurvivalForest rejects its parameters: The 'min_samples_leaf' parameter of "
            "RandomSurvivalForest must be an int in the range [1, inf) or a float in the range "
            "(0.0, 0.5]. Got 0 instead.",
        ),
    ],
    ids=repr,
)
def test_what_is_refused(estimator, sentence):
    assert why_not_grown(estimator) == sentence


def test_a_parameter_of_a_later_version_is_refused(monkeypatch):
    names = RandomSurvivalForest._get_param_names()
    monkeypatch.setattr(RandomSurvivalForest, "_get_param_names", lambda: [*names, "novelty"])
    sentence = "The forest engine does not cover the parameter 'novelty' of RandomSurvivalForest."
    assert why_not_grown(RandomSurvivalForest()) == sentence


@pytest.mark.parametrize(
    ("estimator", "options", "sentence"),
    [
        (
            RandomSurvivalForest(2),
            {"groups": np.arange(M) // 2},
            "Bags that leave out two whole groups by chance are too rare to share trees.",
        ),
        (
            ExtraSurvivalTrees(2, bootstrap=False),
            {},
            "Without bootstrap every tree is grown on all units, so no tree leaves out a pair.",
        ),
        (
            make_pipeline(StandardScaler(), RandomSurvivalForest(2)),
            {},
            "RandomSurvivalForest behind steps that change with the training set is refitted.",
        ),
    ],
)
def test_what_is_refitted(estimator, options, sentence):
    contest = Contest(estimator, *data(), ContestOptions(**options))
    played = contest.play(Schedule(listed=np.array([[0, 5], [3, 10]])))
    assert played.engine == "refit"
    assert played.diagnostics.why_not_faster == sentence


def test_equal_times_are_refitted():
    """scikit-survival's forests cannot predict if all times are equal."""
    X, y = data()
    y["time"] = np.r_[1.0, 2.0, np.full(M - 2, 3.0)]
    y["event"][:6] = [True, True, True, False, True, False]
    contest = Contest(RandomSurvivalForest(2), X, y)
    played = contest.play(Schedule(listed=np.array([[0, 5], [3, 10]])))
    assert played.engine == "refit"
    assert played.diagnostics.why_not_faster == (
        "Without some pairs all times are equal, and scikit-survival's forests fail."
    )
    with pytest.raises(tlpo.GameError, match="too many indices"):
        contest.play(Schedule(listed=np.array([[0, 1]])))


# --- failures


def test_a_bag_without_events_is_no_failure():
    """Its tree expects no event of anybody, as in scikit-survival's forests."""
    X, y = data("few events")
    forest = RandomSurvivalForest(6, max_samples=4, random_state=0)
    contest = Contest(forest, X, y)
    contest.play(Schedule())
    trees = known(contest)
    empty = [
        number
        for number in np.flatnonzero(trees.is_grown)
        if not y["event"][trees.sequence.bag(number)[0]].any()
    ]
    assert empty
    assert np.nanmax(trees.answers[:, empty]) == 0
    pair = next(
        pair
        for pair in itertools.combinations(range(M), 2)
        if set(empty) & set(trees.judges(list(pair)))
    )
    assert_as_scikit_survival(forest, "few events", [list(pair)])


def test_games_fail_as_their_judges_do(monkeypatch):
    X, y = data()
    forest = RandomSurvivalForest(3, random_state=0)
    untouched = Contest(forest, X, y)
    whole = untouched.play(Schedule()).predictions.full()
    kind = type(known(untouched).sequence.grower)
    grow = kind.grow

    def failing(self, bag, out, rng):
        if np.count_nonzero(bag == 3) == 3:
            raise ArithmeticError("three times unit 3")
        return grow(self, bag, out, rng)

    monkeypatch.setattr(kind, "grow", failing)
    contest = Contest(forest, X, y, ContestOptions(on_error="skip"))
    played = contest.play(Schedule())
    F, trees, n_failed = played.predictions.full(), known(contest), 0
    for i, j in itertools.combinations(range(M), 2):
        bags = [trees.sequence.bag(number)[0] for number in trees.judges([i, j])]
        has_failed = any(np.count_nonzero(bag == 3) == 3 for bag in bags)
        assert np.isnan(F[i, j]) == np.isnan(F[j, i]) == has_failed
        assert has_failed or F[i, j] == whole[i, j]
        n_failed += has_failed
    assert 0 < n_failed < M * (M - 1) // 2
    assert played.diagnostics.failures == {"ArithmeticError: three times unit 3": n_failed}
    with pytest.raises(tlpo.GameError) as caught:
        Contest(forest, X, y).play(Schedule())
    problem, passed, remedy = str(caught.value).split("\n")
    assert problem.startswith("The estimator failed on the pair (")
    assert passed == "RandomSurvivalForest: ArithmeticError: three times unit 3"
    assert remedy == (
        "Fix the cause, or pass on_error='skip' to leave such games out and count them."
    )


def test_what_cannot_be_fitted_is_left_to_refitting():
    X, y = data()
    X[3, 1] = np.inf
    with pytest.raises(tlpo.EngineError, match="Input X contains infinity"):
        Contest(RandomSurvivalForest(2), X, y, ContestOptions(engine="forest")).play(Schedule())


# --- long runs


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("random_state", [3, None])
def test_an_interrupted_run_resumes(tmp_path, monkeypatch, random_state):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.001)
    X, y = data("tied")
    forest = RandomSurvivalForest(5, random_state=random_state)
    grow, n_grown = TreeSequence.grow, 0

    def limited(self, numbers, stop_at_failure):
        nonlocal n_grown
        n_grown += len(numbers)
        if n_grown > limit:
            raise _Killed
        return grow(self, numbers, stop_at_failure=stop_at_failure)

    def play(**options):
        return Contest(forest, X, y, ContestOptions(**options)).play(Schedule())

    monkeypatch.setattr(TreeSequence, "grow", limited)
    path, limit = tmp_path / "run.tlpo", 30
    with pytest.raises(_Killed):
        play(journal=path)
    (part,) = read_journal(path)[0].values()
    kept = sum(record.stop - record.start for record in part.records)
    assert 0 < kept <= 30
    n_grown, limit = 0, 10**9
    resumed = play(journal=path)
    assert n_grown == resumed.diagnostics.fits - kept
    limit = 0
    again = play(journal=path)
    F = resumed.predictions.full()
    assert np.array_equal(F, again.predictions.full(), equal_nan=True)
    if random_state is not None:
        limit = 10**9
        assert np.array_equal(F, play().predictions.full(), equal_nan=True)


def test_trees_are_grown_once_and_take_little_memory():
    X, y = data(m=40)
    contest = Contest(RandomSurvivalForest(20, random_state=0), X, y)
    first, last = np.argmin(np.where(y["event"], y["time"], np.inf)), np.argmax(y["time"])
    one = contest.play(Schedule(listed=np.array([[first, last]])))
    assert one.diagnostics.fits == 20
    whole = contest.play(Schedule())
    trees = known(contest)
    assert whole.diagnostics.fits == trees.is_grown.sum() - 20
    fresh = Contest(RandomSurvivalForest(20, random_state=0), X, y).play(Schedule())
    assert np.array_equal(whole.predictions.full(), fresh.predictions.full(), equal_nan=True)
    held = (trees.is_out, trees.answers, trees.when, trees.hazard, trees.first, trees.last)
    assert sum(a.nbytes for a in held) <= 29 * 40 * trees.is_grown.size


@pytest.mark.exhaustive
def test_same_bits_for_any_number_of_jobs(monkeypatch):
    monkeypatch.setattr("tlpo.execution.run.PROBE_SECONDS", 0.0)
    monkeypatch.setattr("tlpo.execution.run.CHUNK_SECONDS", 0.01)
    forest = RandomSurvivalForest(5, random_state=0)
    alone, shared = (
        Contest(forest, *data("tied"), ContestOptions(n_jobs=n_jobs)).play(Schedule())
        for n_jobs in (1, 2)
    )
    assert np.array_equal(alone.predictions.full(), shared.predictions.full(), equal_nan=True)
    assert alone.diagnostics.fits == shared.diagnostics.fits
