"""The best of several: step by step against plain loops, and what is refused."""

import numpy as np
import pytest
from scipy.stats import norm

import oracles
import tlpo
from tlpo.roc.intervals import score_interval


def markers(k, m=40, seed=0, signal=0.4):
    X, y = oracles.blobs(m=m, n=k, shift=signal, seed=seed)
    return [tlpo.tournament(tlpo.RLS(), X[:, [j]], y) for j in range(k)], y


def test_correction_against_steps():
    played, y = markers(4)
    choice = tlpo.choose(*played, names=list("abcd"))
    aucs = np.array([t.auc for t in played])
    best = int(np.argmax(aucs))
    assert choice.winner == "abcd"[best]
    assert choice.uncorrected == aucs[best]
    V, rows, columns = [], [], []
    for t in played:
        U = t._games_between(y == 1, y == 0)
        rows.append(U.mean(axis=1))
        columns.append(U.mean(axis=0))
        interval = t.auc_interval()
        V.append(np.sqrt(interval.placement_variance * interval.jackknife_variance))
    C = np.cov(rows) / len(rows[0]) + np.cov(columns) / len(columns[0])
    R = C / np.sqrt(np.outer(np.diag(C), np.diag(C)))
    rng = np.random.default_rng(1)
    e = rng.multivariate_normal(np.zeros(4), R * np.sqrt(np.outer(V, V)), size=200_000)
    first = np.argmax(aucs + e, axis=1)
    optimism = e[np.arange(len(e)), first].mean()
    assert choice.optimism == pytest.approx(optimism, abs=0.002)  # 20 000 draws, SD about 0.08
    assert choice.auc == pytest.approx(choice.uncorrected - choice.optimism)
    phi = played[best].auc_interval().phi
    low, high = score_interval(choice.auc, 20, 20, phi, norm.ppf(0.975))
    c = np.quantile((e / np.sqrt(V)).max(axis=1), 0.975)
    simultaneous, _ = score_interval(aucs[best], 20, 20, phi, c)
    assert choice.high == pytest.approx(high)
    assert choice.low == pytest.approx(min(low, simultaneous), abs=0.005)
    assert tuple(choice) == (choice.low, choice.high)


def test_one_model_twice_is_not_flattered():
    (t, _), _ = markers(2)
    choice = tlpo.choose(t, t)
    assert choice.optimism == pytest.approx(0, abs=0.002)
    assert choice.winner == "RLS"
    assert [c.name for c in choice.candidates] == ["RLS", "RLS (2)"]


def test_more_candidates_flatter_more():
    played, _ = markers(12, signal=0.0)
    few, many = tlpo.choose(*played[:2]), tlpo.choose(*played)
    assert many.optimism > few.optimism > 0
    assert many.low < many.auc < many.high


def test_it_is_seeded_and_shows_itself():
    played, _ = markers(3)
    one, two = tlpo.choose(*played), tlpo.choose(*played)
    assert one == two
    other = tlpo.choose(*played, random_state=1)
    assert other.optimism != one.optimism
    assert other.optimism == pytest.approx(one.optimism, abs=0.004)
    text = repr(one)
    assert text.startswith("Best of 3 models: RLS")
    assert f"AUC          {one.auc:.4f} (95 % interval {one.low:.4f} to {one.high:.4f})" in text
    table = one.to_frame()
    assert table.columns.tolist() == ["model", "auc", "low", "high", "chosen"]
    assert table["auc"].is_monotonic_decreasing
    assert table["chosen"].tolist() == [True, False, False]


@pytest.mark.parametrize("options", [{"predictions": False}, {"rounds": 10, "random_state": 0}])
@pytest.mark.filterwarnings("ignore:The table of held-out predictions")
def test_without_all_games(options):
    X, y = oracles.blobs(m=40, n=2, shift=0.4)
    played = [tlpo.tournament(tlpo.RLS(), X[:, [j]], y, **options) for j in range(2)]
    choice = tlpo.choose(*played)
    assert choice.low < choice.auc < choice.uncorrected < choice.high


def test_perfect_models():
    X, y = oracles.blobs(m=20, n=2, shift=20.0)
    played = [tlpo.tournament(tlpo.RLS(), X[:, [j]], y) for j in range(2)]
    choice = tlpo.choose(*played)
    assert choice.uncorrected == 1
    assert 0.5 < choice.low < choice.auc <= choice.high <= 1


def test_what_is_refused():
    played, _ = markers(2)
    other, _ = markers(2, m=30)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.choose(played[0], other[1])
    assert str(caught.value) == (
        "Only tournaments over the same units can be compared.\n"
        "You passed 40 units in tournament 1 and 30 in tournament 2.\n"
        "Play both over the same rows of X and y, in the same order."
    )
    with pytest.raises(tlpo.InputError, match="choose needs two or more tournaments"):
        tlpo.choose(played[0], 3)
    with pytest.raises(tlpo.InputError, match="names must have one name per tournament"):
        tlpo.choose(*played, names=["a"])
    with pytest.raises(tlpo.InputError, match="confidence_level must be strictly"):
        tlpo.choose(*played, confidence_level=1.0)
