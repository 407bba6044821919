import numpy as np
import pytest

import tlpo
from engines.agreement import make
from engines.least_squares.learners import ESTIMATORS
from tlpo.engines.least_squares import certified
from tlpo.engines.least_squares import engine as least_squares


@pytest.mark.parametrize("m", [200, 1000])
@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("name", ["rls", "ridge", "ridge-no-intercept", "ols", "lda-svd"])
def test_certified_games_against_all_games(name, shift, m, monkeypatch):
    X, y = make("plain", m, 5, m // 3, shift, seed=6)
    X[5] = X[6]
    X[7] *= 30  # a unit with leverage
    monkeypatch.setattr(certified, "_is_cheaper_in_blocks", lambda *_: False)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 100)
    estimator, engine = ESTIMATORS[name](1.0), "least-squares"
    pruned = tlpo.tournament(estimator, X, y, engine=engine)
    pair = tlpo.leave_pair_out(estimator, X, y, engine=engine)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 10**9)
    full = tlpo.tournament(estimator, X, y, engine=engine)
    assert np.array_equal(pruned.standings.wins, full.standings.wins)
    assert pruned.n_ties == full.n_ties >= 1
    assert pair.auc == full.lpo_auc
    assert full.diagnostics.games_evaluated == m * (m - 1) // 2
    assert pruned.diagnostics.games_evaluated < full.diagnostics.games_evaluated


def test_certified_games_against_all_games_at_5000_units(monkeypatch):
    X, y = make("plain", 5000, 8, 2000, 0.4, seed=7)
    pruned = tlpo.tournament(tlpo.RLS(), X, y)
    assert pruned.diagnostics.games_evaluated < 100 * 5000
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 10**9)
    full = tlpo.tournament(tlpo.RLS(), X, y)
    assert np.array_equal(pruned.standings.wins, full.standings.wins)
    assert pruned.n_ties == full.n_ties
