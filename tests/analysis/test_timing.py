"""What is said beforehand about engines that do not refit, against what they take."""

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tables import patients
from tlpo.analysis import forecast as forecasts
from tlpo.analysis import timing
from tlpo.analysis.forecast import Cost, forecast, say_forecast, say_left_out
from tlpo.analysis.load import decode, to_json
from tlpo.analysis.models import MODELS, make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.remarks import flags_for
from tlpo.analysis.summarize import summarize
from tlpo.analysis.timing import pace, time_pieces
from tlpo.errors import EngineError
from tlpo.games.contest import Contest, ContestOptions
from tlpo.games.schedule import Schedule
from tlpo.schemes.evaluate import evaluate_contest
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


class Clock:
    """A clock that only pieces of work advance."""

    def __init__(self, monkeypatch):
        self.now, self.done = 0.0, []
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)

    def work(self, seconds, count):
        self.done.append(count)
        self.now += seconds * count


@pytest.mark.parametrize("seconds", [1e-6, 1e-3, 0.15, 3.0, 40.0])
def test_the_pace_of_pieces_by_a_clock(seconds, monkeypatch):
    clock = Clock(monkeypatch)
    assert pace(partial(clock.work, seconds), 1_000_000) == pytest.approx(seconds)
    # Neither too few to measure nor far more than are needed.
    assert clock.now >= 0.2
    assert clock.now < max(4.0, 3 * clock.done[0] * seconds)


def test_compiling_is_not_counted_however_long_it_takes(monkeypatch):
    clock = Clock(monkeypatch)

    def act(count):
        clock.work(0.01 if clock.done else 60.0, count)

    assert pace(act, 200) == pytest.approx(0.01)


def test_no_more_pieces_are_timed_than_there_are(monkeypatch):
    clock = Clock(monkeypatch)
    assert pace(partial(clock.work, 1e-6), 7) == pytest.approx(1e-6)
    assert max(clock.done) == 7


def processor_time(act):
    """Neither waiting nor other processes count; all threads do."""
    started = time.process_time()
    result = act()
    return time.process_time() - started, result


def forecast_and_actual(model, m, n, monkeypatch):
    """Seconds of the processor, as forecast and as taken."""
    monkeypatch.setattr(timing.time, "perf_counter", time.process_time)
    X, y = make_classification(m, n, n_informative=3, n_redundant=0, random_state=0)
    contest = Contest(model, X, y)
    pieces = time_pieces(contest, m * (m - 1) // 2, 10, 200)
    monkeypatch.undo()
    games, played = processor_time(partial(play_tournament, contest))
    interval, _ = processor_time(played.auc_interval)
    schemes = ("loo", "kfold-averaged", "harrell")
    others, _ = processor_time(lambda: evaluate_contest(contest, schemes, random_state=0))
    return pieces, games + interval + others


def test_engines_that_play_each_game_are_timed_on_a_few(monkeypatch):
    model = make_pipeline(StandardScaler(), SVC())
    monkeypatch.setattr(timing, "QUICK", 0.0)
    pieces, actual = forecast_and_actual(model, 80, 5, monkeypatch)
    assert pieces.interval == 0.0
    assert 0.2 < sum(pieces) / actual < 5.0


def test_engines_that_decide_ranges_are_timed_on_a_part(monkeypatch):
    model = make_pipeline(StandardScaler(), GaussianNB())
    monkeypatch.setattr(timing, "PART", 300)
    pieces, actual = forecast_and_actual(model, 900, 5, monkeypatch)
    assert pieces.games > 0
    assert 0.2 < sum(pieces) / actual < 5.0


def test_games_that_share_their_models_are_forecast_by_the_fits_they_are_worth(monkeypatch):
    """By the time of a few games, 40 times as long: these need models that others share."""
    model = RandomForestClassifier(30, random_state=0)
    pieces, actual = forecast_and_actual(model, 90, 5, monkeypatch)
    assert pieces.interval == 0.0
    assert 0.2 < sum(pieces) / actual < 5.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "m"),
    [
        *((name, 3_000) for name in ("ridge", "knn", "bayes", "lda")),
        *((name, 20_000) for name in ("ridge", "bayes", "lda")),
    ],
)
def test_forecasts_are_within_a_factor_of_two(name, m, monkeypatch):
    model = make_pipeline(StandardScaler(), MODELS[name].make())
    pieces, actual = forecast_and_actual(model, m, 10, monkeypatch)
    assert 0.5 < sum(pieces) / actual < 2.0


def test_quick_models_are_not_timed():
    X, y = make_classification(100, 4, random_state=0)
    assert time_pieces(Contest(GaussianNB(), X, y), 4950, 10, 200) is None


def test_several_classes_are_not_forecast():
    X, y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=0)
    contest = Contest(GaussianNB(), X, y, ContestOptions(several=True))
    assert time_pieces(contest, 4005, 10, 200) is None


def runs(*names):
    sample = build_sample(patients(40)[["age", "marker", "outcome"]], Specification("outcome"))
    return sample, make_runs(sample, [make_model(name, sample) for name in names], Options())


def test_engines_are_announced_if_they_take_a_while(monkeypatch):
    _, both = runs("bayes", "svm")
    assert forecast(both, Options()) == []
    pieces = timing.Pieces(20.0, 5.0, 1.0, 1.0, 3.0)
    monkeypatch.setattr(forecasts, "time_pieces", lambda *_: pieces)
    bayes, svm = forecast(both, Options())
    assert (bayes.seconds, bayes.fits, bayes.is_refitted) == (30.0, 780, False)
    assert say_forecast([bayes], cores=8) == ["bayes: about 30 s, without refitting."]
    # Of bayes all games are quick or none; of svm fewer games take less.
    assert bayes.fits_of_rounds == bayes.fits
    assert svm.lasts(1, svm.fits_of_rounds) == pytest.approx(5.0 + 25.0 * 400 / 780)
    both = say_forecast([bayes, svm, Cost("lsqr", 900, 100.0, 9, 9)], cores=2, word=flags_for)
    assert both[:2] == [
        "lsqr: 900 fits, about 50 s.",
        "bayes, svm: about 1.0 min, without refitting.",
    ]
    assert both[2].startswith("Quicker: with --rounds 20 ")
    assert say_forecast([replace(bayes, seconds=9.0, schemes={})], cores=1) == []


def test_schemes_that_take_longer_than_the_games_are_left_out():
    schemes = {"loo": 599.0, "kfold-averaged": 900.0, "harrell": 7200.0}
    cost = Cost("forest", 100, 8699.0 + 800.0, 100, 100, is_refitted=False, schemes=schemes)
    assert cost.left_out == {"kfold-averaged": 900.0, "harrell": 7200.0}
    assert cost.lasts(4) == 800.0 + 599.0
    assert say_left_out(cost) == [
        "forest: K-fold is left out; it would take about 15 min.",
        "forest: the bootstrap is left out; it would take about 2.0 h.",
    ]
    assert replace(cost, seconds=99_999.0).left_out == {}


@pytest.mark.parametrize(
    "too_long", [{"harrell": 7200.0}, {"loo": 700.0, "kfold-averaged": 900.0, "harrell": 7200.0}]
)
def test_a_report_says_what_was_left_out(too_long):
    sample, one = runs("bayes")
    whole = summarize(sample, one, Options())
    found = summarize(sample, one, Options(), left_out={"bayes": too_long})
    assert decode(to_json(found, [])).models[0].schemes == found.models[0].schemes
    names = {*too_long, *(["kfold-pooled"] if "kfold-averaged" in too_long else [])}
    for kept, row in zip(whole.models[0].schemes, found.models[0].schemes, strict=True):
        if row.scheme in names:
            assert row.auc is None
            assert row.note.startswith("left out: it would take about ")
        else:
            assert row == kept
    assert (found.models[0].auc.loo is None) == ("loo" in too_long)


def test_what_an_engine_declines_is_forecast_as_refitted():
    """A column twice: discriminant analysis drops one, and no closed form tells how."""
    table = patients(40)[["age", "marker", "outcome"]]
    table["twice"] = 2.0 * table["age"]
    sample = build_sample(table, Specification("outcome"))
    one = make_runs(sample, [make_model("lda", sample)], Options())
    assert one[0].contest.has_exact_engine
    (cost,) = forecast(one, Options())
    assert cost.is_refitted
    assert cost.fits > 780


def test_a_part_is_never_refitted():
    X, y = make_classification(60, 4, n_informative=2, n_redundant=2, random_state=0)
    contest = Contest(LinearDiscriminantAnalysis(), X, y)
    assert contest.has_exact_engine
    with pytest.raises(EngineError):
        contest.aside(np.arange(40)).play(Schedule())
