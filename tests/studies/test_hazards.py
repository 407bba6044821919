"""Exponential times: what is true of scores of them, against sampling and closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from studies.hazards import Hazards, PairMeasure, censored_at
from tlpo.roc.curve import wmw_auc
from tlpo.roc.order import concordance_of_scores, levels_of_times

KINDS = {
    "at random": censored_at(0.5, 1.0),
    "high risk earlier": censored_at(0.6, 2.0, 1.0),
    "at one time": censored_at(0.3, 1.0, at_end=True),
    "rounded": Hazards(1.0, lost=0.8, gamma=-1.0, step=0.4),
}
R = 0.7


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_share_of_events_against_a_sample(kind):
    """20 000 units: a share is known to 0.0035."""
    hazards, rng = KINDS[kind], np.random.default_rng(0)
    z = rng.normal(size=20_000)
    time, event = hazards.draw(z, rng.random(z.size), rng)
    assert event.mean() == pytest.approx(hazards.share_of_events(), abs=0.015)
    half = hazards.time_of(0.5)
    if not hazards.step:
        assert np.mean(time[event] <= half) == pytest.approx(0.5, abs=0.02)


def test_censoring_has_the_share_asked_for():
    for at_end in (False, True):
        hazards = censored_at(0.35, 1.5, at_end=at_end)
        assert hazards.share_of_events() == pytest.approx(0.65, abs=1e-9)
    assert math.isinf(censored_at(0.35, 1.5).end)
    assert censored_at(0.35, 1.5, at_end=True).lost == 0.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", list(KINDS))
def test_truths_against_samples(kind):
    """Twelve samples of 2 000 units; means within four of their errors, about 0.002 each."""
    hazards, rng = KINDS[kind], np.random.default_rng(1)
    t, tau = hazards.time_of(0.5), hazards.time_of(0.8)
    if step := hazards.step:
        t, tau = 2 * step, 3.5 * step
    expected = [
        PairMeasure(weight).of_correlation(R)
        for weight in (
            hazards.harrell,
            hazards.uno(tau),
            hazards.uno(math.inf),
            hazards.case_and_control(t),
        )
    ]
    found = []
    for _ in range(12):
        z, u = rng.normal(size=(2, 2000))
        u = R * z + math.sqrt(1 - R * R) * u
        quantile = rng.random(z.size)
        time, event = hazards.draw(z, quantile, rng)
        uncensored, _ = Hazards(hazards.beta, step=step).draw(z, quantile, rng)
        level = levels_of_times(uncensored, np.ones(z.size, dtype=bool))
        found.append(
            (
                concordance_of_scores(u, levels_of_times(time, event), event),
                concordance_of_scores(u, level, uncensored < tau),
                concordance_of_scores(u, level, uncensored <= hazards.end),
                wmw_auc(u, uncensored <= t),
            )
        )
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(12)
    assert np.all(np.abs(mean - expected) <= 4 * error)


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_the_best_score_against_one_integral(beta):
    """Uncensored, the larger of two hazards comes first with probability 1/(1 + exp(−β|d|))."""
    expected, _ = quad(
        lambda d: 2 * norm.pdf(d, scale=math.sqrt(2)) / (1 + math.exp(-beta * d)), 0, 20
    )
    found = PairMeasure(Hazards(beta).uno(math.inf))
    assert found.of_correlation(1.0) == pytest.approx(expected, abs=1e-7)
    assert found.of_correlation(-1.0) == pytest.approx(1 - expected, abs=1e-7)
    assert found.of_correlation(0.0) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(("gamma", "step"), [(0.0, 0.0), (1.0, 0.0), (0.0, 0.4)])
def test_without_signal_every_score_is_worth_a_half(gamma, step):
    hazards = Hazards(0.0, lost=1.0, gamma=gamma, step=step)
    for weight in (hazards.harrell, hazards.uno(1.0), hazards.case_and_control(0.4)):
        assert PairMeasure(weight).of_correlation(0.8) == pytest.approx(0.5, abs=1e-12)


def test_rounding_to_small_steps_changes_little():
    fine, coarse = Hazards(1.0, lost=1.0), Hazards(1.0, lost=1.0, step=1e-6)
    for name in ("harrell", "uno"):
        pair = [
            PairMeasure(h.harrell if name == "harrell" else h.uno(0.5)).of_correlation(R)
            for h in (fine, coarse)
        ]
        assert pair[0] == pytest.approx(pair[1], abs=1e-5)
