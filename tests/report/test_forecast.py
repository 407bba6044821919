import pytest
from sklearn.linear_model import LogisticRegression

import tlpo
from report.tables import patients
from tlpo.report.forecast import Cost, forecast, say_forecast
from tlpo.report.models import Model, enter, make_model
from tlpo.report.options import Options, Question
from tlpo.report.summarize import N_FOLDS, N_RESAMPLES
from tlpo.report.understand import understand


def test_a_long_run_is_announced():
    lines = say_forecast([Cost("forest", 499_500, 499_500.0)], cores=2)
    assert lines[0] == "forest: 499500 fits, about 69 h."
    assert "tlpo.quicksort" in lines[1]
    assert len(say_forecast([Cost("svm", 10, 0.1)], cores=1)) == 1
    assert say_forecast([], cores=1) == []


class Contrary(LogisticRegression):
    def fit(self, X, y):
        raise ArithmeticError("not with these\ncolumns")


def entrants(*models):
    sample = understand(patients(14)[["age", "marker", "outcome"]], Question("outcome"))
    made = [make_model(m, sample) if isinstance(m, str) else m for m in models]
    return enter(sample, made, Options())


def test_only_models_that_are_refitted_are_forecast():
    (svm,) = forecast(entrants("rls", "logistic", "svm", "bayes"))
    others = 14 + N_FOLDS + N_RESAMPLES  # leave-one-out, folds, resamples
    assert (svm.name, svm.fits) == ("svm", 14 * 13 // 2 + others)
    assert svm.seconds > 0


class Mute(LogisticRegression):
    def decision_function(self, X):
        raise ArithmeticError("no answer")


def test_games_that_fail_are_not_forecast():
    assert forecast(entrants(Model("mine", Mute(), "mine"))) == []


def test_a_model_that_cannot_be_fitted_is_named():
    with pytest.raises(tlpo.InputError) as caught:
        forecast(entrants(Model("mine", Contrary(), "mine")))
    assert str(caught.value) == (
        "The model 'mine' cannot be fitted to the table.\n"
        "ArithmeticError: not with these\n"
        "Check its parameters, or leave out the columns it cannot use."
    )
