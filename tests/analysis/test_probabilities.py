"""What a report says about probabilities, against those of the tournament itself."""

import msgspec
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import tlpo
from tables import patients
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.analysis.probabilities import MOST_POINTS, describe, describe_probabilities
from tlpo.document.parts import MEASURES
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def played(model, group=None):
    sample = build_sample(patients(24)[["age", "marker", "outcome"]], Specification("outcome"))
    return tlpo.tournament(make_model(model, sample).estimator, sample.X.to_numpy(), sample.y)


def test_measures_are_those_of_the_tournament():
    t = played("logistic")
    found, why = describe_probabilities(t, Options(confidence_level=0.9))
    assert why is None
    for name, *_ in MEASURES:
        measure = getattr(t.probabilities, name)(0.9)
        stated = msgspec.structs.astuple(getattr(found, name))
        assert stated == (measure.estimate, measure.low, measure.high)
    table = t.probabilities.net_benefit(confidence_level=0.9)
    assert found.net_benefit.high == table["high"].tolist()
    assert found.remarks == list(t.probabilities.remarks)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("ridge", "RidgeClassifier has no predict_proba"),
        ("svm", "SVC has no predict_proba"),
    ],
)
def test_models_without_probabilities_say_why(model, why):
    assert describe_probabilities(played(model), Options()) == (None, why)


def test_a_long_curve_is_thinned_to_points_of_it():
    rng = np.random.default_rng(0)
    p = expit(2 * rng.normal(size=3000))
    # Labels that follow the probabilities closely, so that the curve has many steps.
    y = rng.random(p.size) < p
    found = tlpo.Probabilities(p, y)
    whole = pd.DataFrame(found.calibration_curve(random_state=3)._asdict())
    thin = pd.DataFrame(msgspec.structs.asdict(describe(found, 0.95, 3).curve))
    assert len(thin) <= MOST_POINTS + 2
    merged = thin.merge(whole, how="left", indicator=True)
    assert (merged["_merge"] == "both").all()
    assert thin["predicted"].iloc[[0, -1]].tolist() == whole["predicted"].iloc[[0, -1]].tolist()
