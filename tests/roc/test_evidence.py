"""What games say about an AUC, counted by hand for four units."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from tlpo.roc.evidence import GameEvidence, measure_games
from tlpo.roc.intervals import score_interval
from tlpo.roc.placements import Placements

# Positives 3 and 1, negatives 2 and 0, scored by a function that never changes.
SCORES = np.array([3.0, 1.0, 2.0, 0.0])
IS_POSITIVE = np.array([True, True, False, False])
U = np.array([[1.0, 1.0], [0.0, 1.0]])
F = np.where(np.eye(4, dtype=bool), np.nan, SCORES[:, None])
# ¾ · ¼ / 4 · (1 + 1 · ¼ / 1¼ + 1 · ¾ / 1¾)
MODEL = 3 / 64 * (1 + 1 / 5 + 3 / 7)


def four_units():
    return measure_games(U, F, IS_POSITIVE, None)


def test_four_units_by_hand():
    evidence = four_units()
    assert evidence.auc == 0.75
    assert evidence.counts == (2, 2)
    assert evidence.placements.positive.tolist() == [1.0, 0.5]
    assert evidence.placements.negative.tolist() == [0.5, 1.0]
    assert evidence.placement_variance == 1 / 8
    # Without 3 the AUC is ½, without 1 it is 1; without 2 it is 1, without 0 it is ½.
    assert evidence.without_each.tolist() == [0.5, 1.0, 1.0, 0.5]
    # In each class (2 − 1)/2 · (1/16 + 1/16).
    assert evidence.jackknife_variance == pytest.approx(1 / 8)
    # (1/8)² / (2 · (1/16)²)
    assert evidence.degrees_of_freedom == pytest.approx(2)
    assert evidence.is_small
    assert evidence.phi() == evidence.seen == pytest.approx(1 / 8 / MODEL)
    quantile = student.ppf(0.975, 2)
    expected = score_interval(0.75, 2, 2, evidence.phi(), quantile)
    assert evidence.limits(0.95) == pytest.approx(expected)


def test_without_predictions_the_variance_is_doubled():
    evidence = replace(four_units(), without_each=None)
    assert evidence.jackknife_variance is None
    assert evidence.phi() == 2.0
    assert evidence.seen == pytest.approx(2 * (1 / 8) / MODEL)


def test_a_perfect_ranking_shows_no_variance():
    scores = np.array([3.0, 2.0, 1.0, 0.0])
    table = np.where(np.eye(4, dtype=bool), np.nan, scores[:, None])
    evidence = measure_games(np.ones((2, 2)), table, IS_POSITIVE, None)
    assert (evidence.auc, evidence.phi(), evidence.seen) == (1.0, 1.0, 0.0)


def test_groups_increase_the_variance_of_the_placements():
    # Twins among the positives: their deviations ±¼ add up, so 1/48 becomes 1/16.
    placements = Placements(
        np.array([1.0, 1.0, 0.5, 0.5]),
        np.array([0.5, 1.0, 0.5, 1.0]),
        (np.array([0, 0, 1, 1]), np.array([2, 3, 4, 5])),
    )
    evidence = GameEvidence(0.75, placements, None, [])
    assert evidence.design_effect == pytest.approx((1 / 16 + 1 / 48) / (2 / 48))
    assert evidence.phi() == pytest.approx(4)
    alone = GameEvidence(0.75, placements._replace(groups=None), None, [])
    assert alone.design_effect == 1.0


def test_games_that_were_not_played_do_not_count():
    games, table = U.copy(), F.copy()
    games[0] = np.nan  # unit 0 met nobody
    table[0], table[:, 0] = np.nan, np.nan
    evidence = measure_games(games, table, IS_POSITIVE, None)
    assert evidence.auc == 0.5
    assert evidence.counts == (1, 2)
    # Of unit 0 nothing is known, and without unit 1 no positive is left.
    assert np.isnan(evidence.without_each).tolist() == [True, True, False, False]
    assert evidence.without_each[2:].tolist() == [1.0, 0.0]
    assert np.isnan(measure_games(games * np.nan, table, IS_POSITIVE, None).auc)


def test_units_outside_a_subgroup_are_strata_of_their_own():
    inside = np.array([True, True, True, False])
    evidence = measure_games(U[:, :1], F, IS_POSITIVE, None, inside)
    assert evidence.auc == 0.5
    members = sorted(np.flatnonzero(stratum).tolist() for stratum in evidence.strata)
    assert members == [[0, 1], [2], [3]]


def test_groups_form_strata_by_the_classes_they_hold():
    is_positive = np.array([True, True, False, False, True, False])
    groups = np.array([0, 1, 2, 3, 4, 4])  # the last holds both classes
    scores = np.array([3.0, 1.0, 2.0, 0.0, 5.0, 4.0])
    table = np.where(np.eye(6, dtype=bool), np.nan, scores[:, None])
    games = (scores[is_positive][:, None] > scores[~is_positive]).astype(float)
    evidence = measure_games(games, table, is_positive, groups)
    members = sorted(np.flatnonzero(stratum).tolist() for stratum in evidence.strata)
    assert members == [[0, 1], [2, 3], [4]]
    # Units 0 and 1 against 2 and 3 as above: 3 of 4; without group 0, 1 and 4 meet 2, 3 and 5.
    assert evidence.without_each[4] == 0.75
    assert evidence.without_each[0] == pytest.approx(4 / 6)
    assert evidence.placements.sizes == (3, 3)
