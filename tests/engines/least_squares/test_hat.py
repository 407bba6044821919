import numpy as np
import pytest

import tlpo
from engines.agreement import make
from tlpo.engines.least_squares import engine as least_squares
from tlpo.engines.least_squares.hat import Factor


def test_h_is_never_stored_when_units_outnumber_features(monkeypatch):
    """The blocks of H that are played are narrow, and the decomposition keeps m × n numbers."""
    X, y = make("plain", 2000, 5, 800, 0.0, seed=13)
    largest = []
    original = Factor.row_blocks

    def watched(self, entries):
        for start, rows in original(self, entries):
            largest.append(rows.size)
            yield start, rows

    monkeypatch.setattr(Factor, "row_blocks", watched)
    monkeypatch.setattr(least_squares, "CERTIFY_FROM", 10**9)
    tlpo.tournament(tlpo.RLS(), X, y)
    assert max(largest) <= least_squares.ROWS_ENTRIES < 2000**2


@pytest.mark.parametrize("rounds", ["refine", "plain", "qr"])
def test_every_way_to_decompose_gives_the_same_hat(rounds, monkeypatch):
    from tlpo.engines.least_squares import hat

    X, y = make("plain", 60, 5, 30, 0.5, seed=14)
    X[:, 4] = X[:, 3] + 1e-3 * X[:, 4]
    signs = np.where(y == 1, 1.0, -1.0)
    expected = hat.factorise(X, signs, 0.1, "free")
    monkeypatch.setattr(hat, "QR_ENTRIES", 0)
    monkeypatch.setattr(hat, "BLOCK", 7)
    monkeypatch.setattr(hat, "REFINE_BEYOND", 1.0 if rounds == "refine" else 1e30)
    monkeypatch.setattr(hat, "QR_BEYOND", 1.0 if rounds == "qr" else 1e30)
    other = hat.factorise(X, signs, 0.1, "free")
    assert other.a == pytest.approx(expected.a, abs=1e-9)
    assert other.u == pytest.approx(expected.u, abs=1e-9)
    units = np.array([3, 50, 7])
    assert other.block(units) == pytest.approx(expected.block(units), abs=1e-9)
