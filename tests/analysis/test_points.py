import numpy as np
import pytest

from analysis.analyses import analysis_of
from tables import patients
from tlpo.analysis.json_values import number
from tlpo.analysis.models import make_model, make_runs
from tlpo.analysis.options import Options
from tlpo.analysis.points import points_at
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

RATES = ("sensitivity", "specificity", "ppv", "npv")


@pytest.mark.exhaustive
@pytest.mark.parametrize("prevalence", [0.02, 0.5])
@pytest.mark.parametrize("name", ["rls", "knn"])  # the tournament's curve, and that of ties
def test_points_against_the_tournament(name, prevalence):
    table, options = patients(24).drop(columns="site"), Options(confidence_level=0.9)
    analysis = analysis_of(name, table=table, options=options)
    sample = build_sample(table, Specification("outcome"))
    (entrant,) = make_runs(sample, [make_model(name, sample)], options)
    t = play_tournament(entrant.contest)
    assert (t.curve == "tournament") == (name == "rls")
    expected = t.operating_points(prevalence, 0.9)
    found = points_at(analysis, analysis.models[0], prevalence)
    assert len(found) == len(expected)
    for point, (_, row) in zip(found, expected.iterrows(), strict=True):
        for rate in RATES:
            for end in ("", "_low", "_high"):
                key = f"{rate}{end}"
                np.testing.assert_allclose(number(getattr(point, key)), row[key], atol=1e-12)
        assert number(point.cutoff) == row["cutoff"]
        words = {"score > -inf": "always", "prediction > -inf": "always"}
        said = words.get(row["criterion"], row["criterion"].replace("score", "wins"))
        assert point.criterion == said
        for count in ("tp", "fp", "fn", "tn"):
            assert getattr(point, count) == (row[count] if name == "rls" else None)
    assert found[-1].criterion == "always"


@pytest.mark.parametrize("name", ["rls", "knn"])
def test_the_slider_has_the_limits_of_the_report(name):
    analysis = analysis_of(name, table=patients(24).drop(columns="site"))
    model = analysis.models[0]
    share = analysis.n_positive / analysis.n_units
    every = {point.threshold: point for point in points_at(analysis, model, share)}
    for own in model.operating_points:
        point = every[own.threshold]
        for rate in RATES:
            for end in ("", "_low", "_high"):
                mine, its = (number(getattr(p, f"{rate}{end}")) for p in (own, point))
                np.testing.assert_allclose(mine, its, atol=1e-9)
    read, own = model.sensitivity_at[0], model.operating_points[0]
    assert (read.sensitivity, read.low, read.high) == (
        own.sensitivity,
        own.sensitivity_low,
        own.sensitivity_high,
    )
