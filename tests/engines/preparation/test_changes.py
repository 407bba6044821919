import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from engines.ranges.problems import KINDS, SCALERS, table
from tlpo.engines.preparation.changes import ScaleChanges
from tlpo.engines.preparation.steps import prepare
from tlpo.games.schedule import all_pairs
from tlpo.problem.problem import make_problem


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_changes_of_squared_scales_against_fits(kind, scaler):
    X, y = table(kind, seed=3)
    columns = prepare(make_pipeline(scaler, Ridge()), make_problem(X, y)).columns
    if columns is None:  # nothing changes
        return
    columns = columns.conditioned(shift_matters=False)
    changes = ScaleChanges(columns)
    if changes.jumps:
        return
    m = columns.n_units
    found = changes.without(np.arange(m))
    near = np.flatnonzero(~found.is_influential)
    pairs = np.concatenate([all_pairs(m)[:: m // 3], all_pairs(12), _extremes(columns)])
    pairs = pairs[np.isin(pairs, near).all(axis=1)]
    assert len(pairs) > 50 or kind == "rare categories"
    square = columns.fit_on(np.arange(m)).scale[0] ** 2
    alone = [columns.fit_on(np.delete(np.arange(m), k)).scale[0] ** 2 - square for k in range(12)]
    own = np.flatnonzero(~found.is_influential[:12])
    np.testing.assert_allclose(found.alone[own], np.array(alone)[own], atol=1e-12)
    for i, j in pairs[:: max(1, len(pairs) // 300)]:
        both = columns.fit_on(np.delete(np.arange(m), [i, j])).scale[0] ** 2 - square
        rest = both - found.alone[i] - found.alone[j]
        assert np.all(np.abs(both) <= found.whole[i] + found.whole[j] + 1e-12 * square)
        assert np.all(np.abs(rest) <= found.rest[i] + found.rest[j] + 1e-12 * square)


def _extremes(columns):
    """Pairs of units that are among the smallest or the largest of a column."""
    order = np.argsort(columns.values, axis=0)
    ends = np.concatenate([order[:4], order[-4:]])
    return np.sort(np.concatenate([ends[all_pairs(8)][:, :, f] for f in range(ends.shape[1])]))
