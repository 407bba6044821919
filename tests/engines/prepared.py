"""Pipelines taken apart by hand: fills and scales of every column, as scikit-learn's."""

from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from engines.agreement import assert_close
from tlpo.engines.preparation.columns import Centre, Columns, Fill, Scale
from tlpo.engines.preparation.prepared import Prepared, unprepared
from tlpo.engines.refit import Refit
from tlpo.execution.options import Execution
from tlpo.games.schedule import Schedule
from tlpo.problem.problem import make_problem

SCALERS = {
    "deviation": (StandardScaler(), Centre.MEAN, Scale.DEVIATION),
    "not centred": (StandardScaler(with_mean=False), Centre.NOTHING, Scale.DEVIATION),
    "range": (MinMaxScaler(), Centre.MINIMUM, Scale.RANGE),
    "quantiles": (RobustScaler(), Centre.MEDIAN, Scale.QUANTILES),
}
FILLS = {"mean": Fill.MEAN, "median": Fill.MEDIAN}


def behind(scaler, model, X, y, fill=None, **options):
    """Return a model behind an imputer, if ``fill`` is given, and a scaler."""
    step, centre, scale = SCALERS[scaler]
    columns = Columns.of_matrix(X)
    n = columns.n_columns
    columns = replace(
        columns,
        centre=np.full(n, int(centre)),
        scale=np.full(n, int(scale)),
        quantiles=np.repeat([[0.25], [0.75]], n, axis=1),
        fill=np.full(n, int(FILLS.get(fill, Fill.NOTHING))),
    )
    steps = [] if fill is None else [SimpleImputer(strategy=fill)]
    problem = make_problem(X, y, **options)
    whole = make_pipeline(*steps, clone(step), model)
    return Prepared(whole=whole, given=problem, model=model, problem=problem, columns=columns)


def assert_plays_like_refits(engine, prepared, most_refits=1.0, pairs="all"):
    """Every game and prediction as by refitting; returns how many games were refitted."""
    assert engine.why_not(prepared) is None
    fast = engine(prepared).play(Schedule(pairs), Execution())
    slow = Refit(unprepared(prepared.whole, prepared.given)).play(Schedule(pairs), Execution())
    assert np.array_equal(fast.standings.wins, slow.standings.wins)
    assert fast.standings.n_ties == slow.standings.n_ties
    assert_close(fast.predictions.full(), slow.predictions.full())
    refitted = fast.diagnostics.fits - 1
    assert refitted <= most_refits * slow.standings.n_games
    return refitted


def assert_holds_out_like_refits(engine, prepared, tests, rel=1e-9):
    """Responses for held-out sets as by refitting; returns how many were refitted."""
    fast = engine(prepared).hold_out(tests, Execution())
    slow = Refit(unprepared(prepared.whole, prepared.given)).hold_out(tests, Execution())
    for one, other in zip(fast.responses, slow.responses, strict=True):
        np.testing.assert_allclose(one, other, rtol=rel, atol=1e-12)
    return fast.diagnostics.fits - 1
