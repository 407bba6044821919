"""Games decided by where the solver stops: they are those of following it through every game."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from tlpo.engines import by_sets
from tlpo.engines.logistic import engine as logistic
from tlpo.engines.logistic import stopped_games
from tlpo.engines.logistic.known_path import Known, Training
from tlpo.engines.logistic.nearby_paths import is_firm
from tlpo.engines.preparation.prepared import Prepared
from tlpo.execution.fits import Fit
from tlpo.execution.options import Execution
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule

WITHOUT_TABLE = Execution(keep_predictions=False)
NOBODY = np.empty(0, dtype=np.intp)
SETTINGS = {
    "scaled": (StandardScaler(), {}),
    "bare": (None, {}),
    "range": (MinMaxScaler(), {}),
    "quantiles": (RobustScaler(), {}),
    "balanced": (StandardScaler(), {"class_weight": "balanced"}),
    "weighted": (StandardScaler(), {"class_weight": {0: 1.0, 1: 5.0}}),
    "no intercept": (None, {"fit_intercept": False}),
    "no penalty": (StandardScaler(), {"C": np.inf}),
    "small tolerance": (StandardScaler(), {"tol": 1e-5}),
    "large tolerance": (StandardScaler(), {"tol": 1e-3}),
}


def make(seed, m=450, n=3, n_positive=20, kind="normal"):
    rng = np.random.default_rng(seed)
    y = (np.arange(m) < n_positive).astype(int)
    X = rng.normal(size=(m, n)) + 0.8 * y[:, None]
    if kind == "tails":
        X = X + 0.1 * X**3
    elif kind == "rounded":
        X = np.round(2.0 * X) / 2.0
    elif kind == "indicators":
        X[:, 1:] = X[:, 1:] > 1.0
    elif kind == "twins":
        X[m // 2 :] = X[: m - m // 2]
    order = rng.permutation(m)
    return X[order], y[order]


def engine_of(setting, X, y, **params):
    scaler, own = SETTINGS[setting]
    model = LogisticRegression(**own)
    estimator = model if scaler is None else make_pipeline(scaler, model)
    return logistic.Logistic(
        Contest(estimator, X, y, ContestOptions(params=params or None)).prepared
    )


def training_of(engine):
    reference = engine._reference(0, 2)
    own = engine.columns, engine._rows, engine._target, reference.weight, engine._alpha
    return Training(*own, engine.objective.tol, engine.objective.max_iter)


@pytest.fixture(autouse=True)
def by_path(monkeypatch):
    """Small tables are bounded by the path as well."""
    monkeypatch.setattr(logistic, "FEW", -1)
    monkeypatch.setattr(stopped_games, "SPECIAL_COST", 0.0)


def play_both(setting, X, y, monkeypatch, pairs, **params):
    found = []
    for least in (0, 10**6):
        monkeypatch.setattr(by_sets, "RANGES_FROM", least)
        engine = engine_of(setting, X, y, **params)
        found.append(engine.play(Schedule(pairs), WITHOUT_TABLE))
        assert bool(engine._stops) == (least == 0)
    return found


def assert_same(fast, slow):
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert np.array_equal(fast.standings.games, slow.standings.games)
    assert fast.standings.n_ties == slow.standings.n_ties


@pytest.mark.parametrize("setting", ["scaled", "bare", "balanced"])
def test_ordered_games_against_following_every_game(setting, monkeypatch):
    X, y = make(1)
    assert_same(*play_both(setting, X, y, monkeypatch, "ordered"))


def test_all_games_against_following_every_game(monkeypatch):
    X, y = make(2, m=200, n=2, n_positive=12)
    assert_same(*play_both("scaled", X, y, monkeypatch, "all"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["normal", "tails", "rounded", "indicators", "twins"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_any_table_against_following_every_game(setting, kind, monkeypatch):
    for seed in range(2):
        X, y = make(seed, m=400, n_positive=(8, 40)[seed], kind=kind)
        assert_same(*play_both(setting, X, y, monkeypatch, "ordered"))
    X, y = make(7, m=150, n_positive=10, kind=kind)
    assert_same(*play_both(setting, X, y, monkeypatch, "all"))


def test_sample_weights_against_following_every_game(monkeypatch):
    X, y = make(3)
    weight = np.random.default_rng(3).uniform(0.5, 2.0, size=len(y))
    assert_same(*play_both("bare", X, y, monkeypatch, "ordered", sample_weight=weight))


@pytest.mark.parametrize("setting", ["scaled", "bare", "no intercept"])
def test_known_paths_stop_where_the_estimator_does(setting):
    engine = engine_of(setting, *make(4))
    known = Known(training_of(engine), NOBODY)
    rows = known.units().X
    assert np.abs(rows @ (known.theta - engine._stop)).max() < 1e-9
    assert len(known.points.value) > known.points.stop
    assert known.points.decision[known.points.stop, 0] <= 0


@pytest.mark.parametrize("setting", ["scaled", "bare", "range", "no intercept"])
def test_paths_near_a_known_one_against_the_paths_themselves(setting):
    engine = engine_of(setting, *make(5, m=2000))
    known = Known(training_of(engine), NOBODY)
    units, others = known.units(), np.flatnonzero(engine.problem.y == 0)[:40]
    near = known.follow_near(units, others, 1.5, True, WITHOUT_TABLE)
    assert near.is_near.sum() > 30
    for at in np.flatnonzero(near.is_near):
        own = Known(known.training, others[[at]])
        gap, expected = (
            (a - b) @ theta
            for theta, (a, b) in (
                (known.theta + near.moved[at], units.X[[0, 1]]),
                (own.theta, own.units().X[[0, 1]]),
            )
        )
        assert abs(gap - expected) <= near.size[at] ** 2 + 1e-10


def test_a_unit_that_is_put_back_leaves_the_path_without_the_other():
    engine = engine_of("scaled", *make(6, m=1000))
    training, others = training_of(engine), np.arange(20, 40)
    known = Known(training, np.array([3]))
    other = Known(training, np.array([3, 7]), back=7)
    one, two = (
        own.follow_near(own.units(), others, 1.5, True, WITHOUT_TABLE) for own in (known, other)
    )
    assert (one.is_near & two.is_near).sum() > 10
    for at in np.flatnonzero(one.is_near & two.is_near):
        gap = [
            (own.units().X[0] - own.units().X[1]) @ (own.theta + near.moved[at])
            for own, near in ((known, one), (other, two))
        ]
        assert abs(gap[0] - gap[1]) < 1e-4


@pytest.mark.parametrize(
    ("known", "own", "times", "may_stop", "expected"),
    [
        (1.0, 0.8, 3.0, False, True),
        (1.0, 0.6, 3.0, False, False),  # three times as far it would be negative
        (1.0, -0.5, 1.5, False, False),
        (1.0, -0.5, 1.5, True, True),  # ends earlier, for certain
        (1.0, -0.1, 1.5, True, False),
    ],
)
def test_decisions_by_hand(known, own, times, may_stop, expected):
    changed = [np.array([number, 0.0, 0.0, 0.0, 0.0]) for number in (known, own)]
    assert is_firm(*changed, times, may_stop) == expected


@pytest.mark.parametrize("setting", ["scaled", "balanced"])
def test_predictions_against_following_every_pair(setting, monkeypatch):
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    X, y = make(10, m=500)
    engine = engine_of(setting, X, y)
    engine.play(Schedule("all"), WITHOUT_TABLE)
    pairs = np.random.default_rng(0).permutation(500)[:400].reshape(-1, 2)
    followed = engine.answer_again(pairs, WITHOUT_TABLE).response
    engine._followed.clear()
    found = engine.predict_pairs(pairs, WITHOUT_TABLE)
    assert np.abs(found - followed).max() < 0.05
    assert np.median(np.abs(found - followed)) < 1e-3


@pytest.mark.parametrize("pairs", ["all", "ordered"])
@pytest.mark.parametrize("setting", ["scaled", "balanced"])
def test_table_of_predictions_against_following_every_game(setting, pairs, monkeypatch):
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    X, y = make(12, m=150, n_positive=15)
    engine = engine_of(setting, X, y)
    F = engine.play(Schedule(pairs), Execution()).predictions.full()
    games = Schedule(pairs).games(engine.problem.outcome)
    assert engine._stops
    first, second = games.T
    is_game = np.zeros(F.shape, dtype=bool)
    is_game[first, second] = is_game[second, first] = True
    assert np.array_equal(np.isfinite(F), is_game)
    followed = engine.answer_again(games, WITHOUT_TABLE).response
    found = np.column_stack([F[first, second], F[second, first]])
    assert np.array_equal(found[:, 0] > found[:, 1], followed[:, 0] > followed[:, 1])
    assert np.quantile(np.abs(found - followed), 0.99) < 0.05


@pytest.mark.parametrize("setting", ["scaled", "bare", "balanced"])
def test_leave_one_out_against_following_every_model(setting, monkeypatch):
    X, y = make(8, m=500)
    engine = engine_of(setting, X, y)
    everyone = np.arange(len(y))[:, None]
    near = engine.answer(everyone, WITHOUT_TABLE)
    followed = engine.answer_again(everyone, WITHOUT_TABLE)
    assert engine._prefers_path
    assert np.isfinite(near.error).all()
    assert np.all(np.abs(near.response - followed.response) <= near.error + followed.error)
    assert np.median(near.error) < 1e-2
    # Answered by Newton's method, they are off by the tolerance.
    monkeypatch.setattr(logistic, "SINGLES_FROM", 10**6)
    solved = engine.answer(everyone, WITHOUT_TABLE)
    assert np.median(solved.error) > 10.0 * np.median(near.error)


def test_resamples_against_fits():
    X, y = make(9)
    engine = engine_of("scaled", X, y)
    rng, everyone = np.random.default_rng(0), np.arange(len(y))
    for _ in range(5):
        drawn = rng.choice(everyone, len(y))
        (found,) = engine.respond([Fit(drawn, everyone)])
        model = make_pipeline(*SETTINGS["scaled"][:1], LogisticRegression())
        expected = model.fit(X[drawn], y[drawn]).decision_function(X)
        assert found == pytest.approx(expected, abs=1e-8)


def test_games_that_change_a_fixed_step_are_refitted_whatever_a_closer_look_says(monkeypatch):
    X, y = make(11, m=200, n_positive=12)
    odd = int(np.flatnonzero(y == 0)[0])
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    monkeypatch.setattr(Prepared, "may_change", lambda *_: np.arange(len(y)) == odd)
    monkeypatch.setattr(Prepared, "are_exceptions", lambda _, sets, *__: (sets == odd).any(axis=1))
    engine = engine_of("scaled", X, y)
    played = engine.play(Schedule("ordered"), WITHOUT_TABLE)
    assert engine._stops
    assert played.diagnostics.fits == 1 + 12


def test_tables_with_too_many_special_units_are_left_to_the_solution(monkeypatch):
    monkeypatch.setattr(stopped_games, "SPECIAL_COST", np.inf)
    monkeypatch.setattr(by_sets, "RANGES_FROM", 0)
    engine = engine_of("scaled", *make(1))
    engine.play(Schedule("ordered"), WITHOUT_TABLE)
    assert not engine._stops
