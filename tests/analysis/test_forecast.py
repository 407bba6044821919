import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import tlpo
from tables import patients
from tlpo.analysis.forecast import (
    ROUNDS,
    Cost,
    _error_of_rounds,
    forecast,
    games_of_sorts,
    say_forecast,
)
from tlpo.analysis.models import Model, make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.remarks import flags_for, in_words
from tlpo.analysis.summarize import N_FOLDS, N_RESAMPLES, summarize
from tlpo.execution.journal import Journal
from tlpo.games.contest import Contest
from tlpo.schemes.quicksort import sort_units
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def test_a_long_run_is_announced():
    why = "No exact engine plays Forest."
    slow = Cost("forest", 499_500, 499_500.0, 10_000, 36_000, why=why, added_error=0.0123)
    lines = say_forecast([slow], cores=2, word=flags_for)
    assert lines == [
        "forest: 499500 fits, about 69 h.",
        "forest: No exact engine plays Forest. Refitting takes about 69 h; change what is named, "
        "or choose another model.",
        "Quicker: with --rounds 20 (every unit meets 20 others; that adds a standard error of at "
        "most 0.012, and the interval accounts for it), about 1.4 h, or with --sorts 5 (a ranking "
        "and its AUC, no interval), about 5.0 h.",
        "Most of that is 'forest'. With a journal an interrupted run can resume, and shards divide "
        "the work among machines.",
    ]
    assert say_forecast([slow], cores=2) == [*lines[:2], lines[3]]
    assert "with 20 rounds" in say_forecast([slow], cores=2, word=in_words)[2]
    lsqr = "The least-squares engine does not cover solver='lsqr'."
    costs = [Cost("lsqr", 9, 20.5, 1, 1, why=lsqr), Cost("forest", 9, 18.0, 1, 1, why=why)]
    assert say_forecast(costs, cores=2, word=flags_for) == [
        "lsqr, forest: 18 fits, about 19 s.",
        f"lsqr: {lsqr} Refitting takes about 10 s; change what is named, or choose another model.",
    ]
    svm = Cost("svm", 1000, 61.0, 200, 500)
    assert len(say_forecast([svm], cores=1, word=flags_for)) == 2
    assert say_forecast([], cores=1) == []


def test_the_games_of_sorts_against_sorting():
    """The formula is exact for games without contradictions."""
    m, n_sorts = 40, 3
    found = []
    for seed in range(200):
        met = set()

        def outcomes(first, second, met=met):
            met |= {frozenset(pair) for pair in zip(first.tolist(), second.tolist(), strict=True)}
            return (first > second).astype(float)

        sort_units(m, n_sorts, seed, outcomes)
        found.append(len(met))
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - games_of_sorts(m, n_sorts)) < 4 * error


# No engine plays it.
SLOW = "ridge:solver=lsqr"


class Contrary(LogisticRegression):
    def fit(self, X, y):
        raise ArithmeticError("not with these\ncolumns")


def runs(*models):
    sample = build_sample(patients(14)[["age", "marker", "outcome"]], Specification("outcome"))
    made = [make_model(m, sample) if isinstance(m, str) else m for m in models]
    return make_runs(sample, made, Options())


def test_only_models_that_are_refitted_are_forecast():
    (slow,) = forecast(runs("rls", "logistic", SLOW, "svm", "bayes"), Options())
    others = 14 + N_FOLDS + N_RESAMPLES  # leave-one-out, folds, resamples
    assert (slow.name, slow.fits) == (SLOW, 14 * 13 // 2 + others)
    assert slow.seconds > 0
    for options, games in (
        (Options(rounds=10), 14 * 10 // 2),
        (Options(sorts=5), round(games_of_sorts(14, 5))),
        (Options(permutations=9), 14 * 13 // 2 + 10 * 7 * 7),
    ):
        (cost,) = forecast(runs(SLOW), options)
        assert cost.fits == games + others


class Mute(LogisticRegression):
    def decision_function(self, X):
        raise ArithmeticError("no answer")


def test_games_that_fail_are_not_forecast():
    assert forecast(runs(Model("mine", Mute(), "mine")), Options()) == []


def test_a_model_that_cannot_be_fitted_is_named():
    with pytest.raises(tlpo.InputError) as caught:
        forecast(runs(Model("mine", Contrary(), "mine")), Options())
    assert str(caught.value) == (
        "The model 'mine' cannot be fitted to the table.\n"
        "ArithmeticError: not with these\n"
        "Check its parameters, or leave out the columns it cannot use."
    )


def test_what_a_journal_holds_is_not_forecast_again(tmp_path):
    sample = build_sample(patients(14), Specification("outcome", drop=["site"]))
    slow, options = make_model(SLOW, sample), Options()
    whole = forecast(make_runs(sample, [slow], options), options)[0].fits
    with Journal(tmp_path / "run.tlpo") as journal:
        play_tournament(make_runs(sample, [slow], options, journal)[0].contest)
    with Journal(tmp_path / "run.tlpo") as journal:
        (cost,) = forecast(make_runs(sample, [slow], options, journal), options)
        assert (cost.fits, cost.n_done) == (whole - 91, 91)
        said = say_forecast([cost], cores=1)[0]
        assert said.startswith(f"{SLOW}: {whole - 91} fits left (91 are in the journal), about ")
        # Another model has nothing there.
        assert make_runs(sample, [make_model("knn", sample)], options, journal)
        assert journal.under("knn").n_done == 0
        summarize(sample, make_runs(sample, [slow], options, journal), options)
    with Journal(tmp_path / "run.tlpo") as journal:
        assert forecast(make_runs(sample, [slow], options, journal), options) == []


def test_the_error_that_rounds_add():
    """AUCs from rounds are off by less than is said beforehand, but not by much less."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2)) + 0.3 * y[:, None]
    model = KNeighborsClassifier(1)
    said = _error_of_rounds(Contest(model, X, y))
    whole = tlpo.leave_pair_out(model, X, y).auc
    found = [tlpo.tournament(model, X, y, rounds=ROUNDS, random_state=k).auc for k in range(200)]
    error = np.sqrt(np.mean((np.array(found) - whole) ** 2))
    assert 0.4 * said < error < said
