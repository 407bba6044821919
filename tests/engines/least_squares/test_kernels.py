"""Compiled kernels against their NumPy twins, and how they are kept."""

import numpy as np
import pytest

from engines.least_squares import twins
from tlpo.engines.least_squares import kernels
from tlpo.engines.least_squares.blocks import Predicted
from tlpo.engines.least_squares.hat import Design
from tlpo.games import response


def hat(m=23, k=4, seed=0, doubled=True, n_levels=2):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(m, k))
    if doubled:
        Z[1] = Z[0]
    Q = Z @ np.linalg.inv(np.linalg.cholesky(Z.T @ Z + np.eye(k))).T
    y = np.where(rng.uniform(size=m) < 0.5, 1.0, -1.0)
    if n_levels > 2:
        y = rng.integers(0, n_levels, m) / n_levels
    H = Q @ Q.T
    a = 1 - np.diag(H)
    return Q, H, a, H @ y - np.diag(H) * y, y, rng


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_levels", [2, 5, 1000])
def test_play_rows_against_twin(ordered, weighted, n_levels):
    _, H, a, u, y, rng = hat(n_levels=n_levels)
    level = levels(y)
    m = len(y)
    g = rng.uniform(0.5, 2, m) if weighted else np.ones(m)
    wins, doubts = np.zeros((m, 3), dtype=np.int32), np.zeros((50, 2), dtype=np.intp)
    ties = n_doubts = 0
    for first, middle, last in ((0, 4, 9), (9, 9, 20), (20, 22, m)):  # blocks, each in two parts
        rows = np.ascontiguousarray(H[first:last, first:])
        for low, high in ((first, middle), (middle, last)):
            same = (a, u, y, g, level, ordered, 1e-15, 0.0)
            t, d = kernels.play_rows(rows, 1.0, first, low, high, *same, wins, doubts)
            ties, n_doubts = ties + t, n_doubts + d
    expected, expected_ties = twins.play(H, a, u, y, g, level, ordered)
    assert np.array_equal(wins, expected)
    assert ties == expected_ties
    assert n_doubts == 0
    assert (ties > 0) == (not weighted and (not ordered or y[0] != y[1]))


def levels(y):
    return np.unique(y, return_inverse=True)[1]


def test_play_rows_writes_down_doubtful_games():
    _, H, a, u, y, _ = hat()
    m = len(y)
    same = (a, u, y, np.ones(m), levels(y), False)
    wins, doubts = np.zeros((m, 3), dtype=np.int32), np.zeros((3, 2), dtype=np.intp)
    # errors so large that every game is doubtful: all are ties, the first three are kept
    ties, n = kernels.play_rows(-H, -1.0, 0, 0, m, *same, 1e3, 0.0, wins, doubts)
    assert n == ties == m * (m - 1) // 2
    assert doubts.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert wins.sum() == m * (m - 1)
    # determinants so small that nothing is determined
    wins[:] = 0
    ties, n = kernels.play_rows(-H, -1.0, 0, 0, m, *same, 0.0, 10.0, wins, doubts)
    assert n == ties == m * (m - 1) // 2


def test_predict_rows_against_twin():
    _, H, a, u, y, _ = hat()
    table = np.zeros((len(y), len(y)))
    kernels.predict_rows(np.ascontiguousarray(H[:9]), 1.0, 0, a, u, y, table)
    kernels.predict_rows(np.ascontiguousarray(-H[9:, 9:]), -1.0, 9, a, u, y, table)
    assert table == pytest.approx(twins.predictions(H, a, u, y), nan_ok=True)


def test_predict_pair_without_freedom_has_no_answer():
    assert kernels.predict_pair(0.5, 0.5, 0.5, 0.1, 0.1, 1.0, 1.0) == (0.0, 0.0, np.inf)


@pytest.mark.parametrize("n", [1, 3, 4, 7, 12])
def test_dot_against_numpy(n):
    x, y = np.random.default_rng(n).normal(size=(2, n))
    assert kernels.dot(x, y) == pytest.approx(x @ y)


def test_sort_units_against_twin():
    _, _, a, u, y, _ = hat()
    order = np.argsort(u / a)
    rows = np.full((8, y.size), np.nan)
    for start, stop in ((0, 9), (9, y.size)):
        kernels.sort_units(start, stop, order, a, u, y, rows)
    np.testing.assert_allclose(rows, twins.sorted_units(order, a, u, y), rtol=1e-14)


@pytest.mark.parametrize("constant", [None, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_gather_rows_against_the_design(constant, weighted):
    rng = np.random.default_rng(4)
    X, mean, scale = rng.normal(size=(20, 3)), rng.normal(size=3), rng.uniform(1, 2, 20)
    order = rng.permutation(20)
    design = Design(X, mean, constant, scale if weighted else None)
    Z = np.full((20, design.n_columns), np.nan)
    for start, stop in ((0, 13), (13, 20)):
        kernels.gather_rows(start, stop, order, X, mean, constant or 0.0, scale[: 20 * weighted], Z)
    assert np.array_equal(Z, design.rows(order))


@pytest.mark.parametrize("size", [1e-3, 0.1, 1.0, 100.0])
def test_find_ends_against_twin(size):
    """Bounds differ widely between neighbours, and some units have none."""
    rng = np.random.default_rng(3)
    m = 400
    p = np.sort(np.round(rng.normal(size=m), 2))  # with ties
    v, w, r = rng.exponential(size, size=(3, m))
    t = rng.uniform(0, 0.5, m)
    t[[7, 200]] = 2.5
    most = np.array([v.max(), w.max(), t.max(), r.max()])
    end = np.full(m, -1)
    for start, stop in ((0, 150), (150, m)):
        kernels.find_ends(start, stop, p, v, w, t, r, most, 1e-9, end)
    assert np.array_equal(end, twins.ends(p, v, w, t, r, 1e-9))
    assert end[7] == end[200] == m


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("n_levels", [2, 5, 1000])
def test_play_near_against_twin(ordered, everything, n_levels):
    """Starting from the order of p and playing the open games gives what playing all gives."""
    Q, _, a, u, y, _ = hat(m=60, k=3, seed=1, n_levels=n_levels)
    order = np.argsort(u / a, kind="stable")
    Q, a, u, y = Q[order], a[order], u[order], y[order]
    p, m, level = u / a, len(y), levels(y)
    r, q = np.abs(y - p), np.sqrt(1 - a)
    v, w, t = q * r, q / a, (1 - a) / a
    change, doubts = np.zeros((m, 3), dtype=np.int32), np.zeros((5, 2), dtype=np.intp)
    end = np.full(m, m)
    slack = 1e9 if everything else 1e-11
    evaluated, ties, n_doubts = kernels.play_near(
        0, m, end, Q, p, v, w, t, r, a, u, y, level, slack, ordered, 1e-15, change, doubts
    )
    before = [level[:i] for i in range(m)]
    later = 2 * np.array(
        [
            [np.sum(own < level[i]), np.sum(own > level[i]), np.sum(own == level[i])]
            for i, own in enumerate(before)
        ]
    )
    if ordered:
        later[:, 2] = 0
    expected, expected_ties = twins.play(Q @ Q.T, a, u, y, np.ones(m), level, ordered)
    assert np.array_equal(later + change, expected)
    assert ties == expected_ties
    assert n_doubts == 0
    games = np.sum(level[:, None] > level) if ordered else m * (m - 1) // 2
    assert evaluated == games if everything else evaluated < games


def both_results(f_i, f_j):
    """One game by the compiled rule and by that of `tlpo.games.response`, in halves."""
    compiled = kernels.half_wins(float(f_i), float(f_j))
    return compiled, 2 * response.outcomes(np.array([f_i]), np.array([f_j]))[0]


EDGES = [
    (0.0, 0.0),
    (-0.0, 0.0),
    (1.0, 1.0),
    (-1.0, 1.0),
    (1e300, 1e300),
    (1e300, -1e300),
    (1e308, -1e308),  # the difference overflows
    (1e-300, -1e-300),  # both within the absolute tolerance of zero
    (1e-300, 1e300),
    (0.0, 0.99e-13),
    (0.0, 1.01e-13),
    (-0.99e-13, 0.0),
    (-1.01e-13, 0.0),
    (0.6e-13, -0.6e-13),
    (1e300, 1e300 * (1 - 0.99e-12)),
    (1e300, 1e300 * (1 - 1.01e-12)),
    (-1e5, -1e5 * (1 - 0.99e-12)),
    (-1e5, -1e5 * (1 - 1.01e-12)),
    (0.1, 0.1 + 0.99e-13),
    (0.1, 0.1 + 1.01e-13),
]


@pytest.mark.parametrize(("f_i", "f_j"), EDGES)
def test_tie_rule_at_its_edges_against_response(f_i, f_j):
    compiled, plain = both_results(f_i, f_j)
    assert compiled == plain == twins.half_wins(f_i, f_j)
    back, _ = both_results(f_j, f_i)
    assert compiled + back == 2
    width = response.tie_width(np.maximum(abs(f_i), abs(f_j)))
    assert kernels.tie_width(f_i, f_j) == kernels.tie_width(f_j, f_i) == width


def test_the_edges_hold_ties_wins_and_losses():
    # 0 and −0, 1 and 1, 1e300 and 1e300, ±1e-300, and the six that are 1 % inside.
    assert [both_results(*edge)[0] for edge in EDGES].count(1) == 10
    assert both_results(1e308, -1e308)[0] == 2
    assert both_results(0.0, 1.01e-13)[0] == 0


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("error", [1e-14, 0.3e-12, 5e-12, np.inf, np.nan])
def test_doubtful_is_what_the_error_could_turn(size, error):
    """Also from a tie into a win: not only what is closer than the error."""
    rng = np.random.default_rng(0)
    f = size * (1.0 + 10.0 ** rng.uniform(-17, -10, size=(500, 2)))
    f[:50, 1] = f[:50, 0] + response.tie_width(f[:50, 0])
    error = error * size
    if np.isfinite(error):
        above, below = (response.outcomes(f[:, 0] + e, f[:, 1]) for e in (error, -error))
        expected = above != below
        assert expected[:50].all()
    else:
        expected = np.ones(500, dtype=bool)
    compiled = [kernels.is_doubtful(*pair, error) for pair in f]
    plain = Predicted(f, f, np.full(500, error)).is_doubtful
    # Sums round: at the very edge either will do.
    assert np.count_nonzero(compiled != expected) <= 2
    assert np.array_equal(compiled, plain)


@pytest.mark.parametrize("seed", range(5))
def test_tie_rule_at_random_against_response(seed):
    """Any two numbers, and numbers up to two widths apart; the very edge has a test of its own."""
    rng = np.random.default_rng(seed)
    results = set()
    for _ in range(2000):
        f_i = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-300, 300)
        f_j = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-300, 300)
        compiled, plain = both_results(f_i, f_j)
        assert compiled == plain, (f_i, f_j)
        f_i = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-20, 20)
        share = rng.choice([-1, 1]) * rng.choice([rng.uniform(0, 0.999), rng.uniform(1.001, 2)])
        f_j = f_i + share * kernels.tie_width(f_i, f_i)
        compiled, plain = both_results(f_i, f_j)
        assert compiled == plain, (f_i, f_j)
        results.add(compiled)
    assert results == {0, 1, 2}


@pytest.mark.parametrize(
    ("f_i", "f_j"),
    [(2785.6246220729463, 2785.6246220701605), (-5.92105577647792e-07, -5.92105677647792e-07)],
)
def test_tie_rule_at_the_last_digit_against_response(f_i, f_j):
    compiled, plain = both_results(f_i, f_j)
    assert compiled == plain
