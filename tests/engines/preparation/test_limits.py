"""Limits to scales against the scales of every pair."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from engines.agreement import KINDS, make
from engines.prepared import SCALERS, behind
from tlpo.engines.preparation.limits import limits_of
from tlpo.games.schedule import all_pairs


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("kind", KINDS)
def test_scales_of_all_pairs_of_usual_units(kind, scaler):
    X, y = make(kind, 120, 4, 40, 0.5, seed=1)
    X[3] *= 30.0
    columns = behind(scaler, KNeighborsClassifier(), X, y).columns.conditioned(shift_matters=False)
    limits = limits_of(columns)
    if limits is None:
        assert kind in ("binary", "integers", "constant column", "all equal")
        return
    assert limits.is_unusual.sum() <= 20
    pairs = all_pairs(120)
    pairs = pairs[~limits.is_unusual[pairs].any(axis=1)]
    fitted = columns.fit_without(pairs)
    ratio = limits.full / fitted.scale
    for unit in pairs.T:
        least, most = limits.ratios(unit)
        assert np.all((least <= ratio) & (ratio <= most))
    assert fitted.growth.max() <= limits.growth
    if kind == "plain":
        least, most = limits.ratios(np.flatnonzero(~limits.is_unusual))
        assert np.max(most / least) < 1.5


def test_columns_with_gaps_have_no_limits():
    X, y = make("plain", 60, 3, 20, 0.5, seed=2)
    X[4, 1] = np.nan
    assert limits_of(behind("deviation", KNeighborsClassifier(), X, y, fill="mean").columns) is None
