"""AUCs of resampled units, against resampling them one by one."""

import numpy as np
import pytest

from tlpo.roc.curve import wmw_auc
from tlpo.roc.placements import placements_of_scores
from tlpo.roc.resample import resampled_aucs


def test_mean_and_spread_of_many_resamples():
    rng = np.random.default_rng(0)
    is_positive = np.arange(80) % 2 == 0
    scores = np.round(rng.normal(size=80) + is_positive, 1)
    aucs = resampled_aucs(scores, is_positive, None, 6000, rng)
    assert aucs.size == 6000
    variance = placements_of_scores(scores, is_positive).variance.total
    assert aucs.mean() == pytest.approx(wmw_auc(scores, is_positive), abs=0.004)
    assert aucs.std() == pytest.approx(variance**0.5, rel=0.05)


def test_whole_groups_are_drawn():
    rng = np.random.default_rng(0)
    is_positive = np.array([True, True, False, False])
    scores = np.array([3.0, 0.0, 2.0, 1.0])
    aucs = resampled_aucs(scores, is_positive, np.array([5, 9, 5, 9]), 400, rng)
    # Group 5 alone: 1; group 9 alone: 0; both: ½. About half of the draws hold both.
    assert set(aucs.tolist()) == {0.0, 0.5, 1.0}
    assert np.mean(aucs == 0.5) == pytest.approx(0.5, abs=0.1)
    apart = resampled_aucs(scores, is_positive, np.array([1, 1, 2, 2]), 400, rng)
    assert apart.size < 250  # the others lack a class
