import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import estimators
import oracles
import tlpo


def test_frame_keeps_the_names_of_the_units():
    X, y = oracles.blobs(m=8)
    named = pd.DataFrame(X, index=[f"patient {k}" for k in range(8)])
    t = tlpo.tournament(
        LogisticRegression(), named, np.where(y == 1, "ill", "well"), positive="ill"
    )
    frame = t.to_frame()
    assert frame.index[3] == "patient 3"
    assert frame.loc["patient 3", "score"] == t.scores[3]
    assert (frame["label"] == np.where(y == 1, "ill", "well")).all()
    assert frame["rank"].tolist() == rankdata(-t.scores).tolist()
    wins = frame["wins_against_negatives"] + frame["wins_against_positives"]
    assert (wins == frame["score"]).all()
    assert tlpo.tournament(LogisticRegression(), X, y).to_frame().index.name == "unit"


def test_repr_reads_well():
    X, y = oracles.blobs(m=8)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    t = tlpo.tournament(pipeline, X, y, engine="refit")
    lines = repr(t).splitlines()
    assert lines[0] == "Tournament of 8 units, 4 positive (1) and 4 negative (0)"
    assert lines[1] == "  estimator    StandardScaler → LogisticRegression"
    low, high = t.auc_interval()
    shown = f"{low:.4f} to {high:.4f}, 95 % interval; leave-pair-out"
    assert lines[2] == f"  AUC          {t.auc:.4f} ({shown})"
    assert lines[3] == "  curve        tournament, no games tie"
    assert lines[4].startswith(f"  consistency  ξ = {t.consistency:.3f} (")
    assert lines[5].startswith("  played       28 games, 28 fits, ")
    assert lines[5].endswith("s, engine refit")


# A fixed function of six units. Positives 5, 3 and 1, negatives 4, 3 and 0: the two with 3 tie.
VALUES = np.array([5.0, 4.0, 3.0, 3.0, 1.0, 0.0])
IS_POSITIVE = np.array([True, False, True, False, True, False])


def six_units(**options):
    return tlpo.tournament(estimators.FixedFunction(), VALUES[:, None], IS_POSITIVE, **options)


def test_six_units_by_hand():
    t = six_units()
    assert t.scores.tolist() == [5.0, 4.0, 2.5, 2.5, 1.0, 0.0]
    # 5 beats three negatives, 3 beats one and ties with one, 1 beats one: 5½ of 9.
    assert t.lpo_auc == pytest.approx(5.5 / 9)
    assert t.n_ties == 1
    # Without ties 2S − 5 would be ±5, ±3, ±1, with squares of 70; the tie makes two of them 0.
    assert t.circular_triads == (70 - 68) / 8
    assert t.consistency == 1 - 0.25 / 8


def test_win_matrix_by_hand():
    t = six_units()
    nan = np.nan
    np.testing.assert_array_equal(
        t.win_matrix(),
        [
            [nan, 1.0, 1.0, 1.0, 1.0, 1.0],
            [0.0, nan, 1.0, 1.0, 1.0, 1.0],
            [0.0, 0.0, nan, 0.5, 1.0, 1.0],
            [0.0, 0.0, 0.5, nan, 1.0, 1.0],
            [0.0, 0.0, 0.0, 0.0, nan, 1.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, nan],
        ],
    )
    np.testing.assert_array_equal(
        t._games_between(IS_POSITIVE, ~IS_POSITIVE), [[1, 1, 1], [0, 0.5, 1], [0, 0, 1]]
    )


@pytest.mark.parametrize("predictions", [True, False])
def test_evidence_by_hand(predictions):
    evidence = six_units(predictions=predictions)._evidence
    assert evidence.auc == pytest.approx(5.5 / 9)
    assert evidence.placements.positive == pytest.approx([1, 1 / 2, 1 / 3])
    assert evidence.placements.negative == pytest.approx([1 / 3, 1 / 2, 1])
    assert (evidence.without_each is not None) == predictions


def test_without_predictions_there_is_no_table():
    t = six_units(predictions=False)
    every = np.ones(6, dtype=bool)
    assert t.predictions is None
    assert t.win_matrix() is None
    assert t._games_between(every, every) is None
    assert t.scores.tolist() == six_units().scores.tolist()


def test_placements_of_scores_by_hand():
    placed = six_units()._score_placements
    assert placed.positive == pytest.approx([1, 1 / 2, 1 / 3])
    assert placed.negative == pytest.approx([1 / 3, 1 / 2, 1])
    assert placed.groups is None


def test_a_unit_that_could_not_be_ranked_has_no_placement():
    X, y = oracles.blobs(m=10)
    lost = np.flatnonzero(y == 1)[1]
    t = tlpo.tournament(estimators.Fussy(needs=(X[lost, 0],)), X, y, on_error="skip")
    placed = t._score_placements
    assert np.isnan(placed.positive).tolist() == [False, True, False, False, False]
    assert not np.isnan(placed.negative).any()
    assert np.isnan(t._evidence.placements.positive).tolist() == [False, True, False, False, False]
    assert np.isnan(t.win_matrix()[lost]).all()


def test_groups_are_divided_by_class():
    X, y = oracles.blobs(m=12)
    names = np.array(list("abcdefabcdef"))
    t = tlpo.tournament(tlpo.RLS(), X, y, groups=names)
    positive, negative = t._by_class
    letters = np.array(list("abcdef"))
    assert letters[positive].tolist() == names[y == 1].tolist()
    assert letters[negative].tolist() == names[y == 0].tolist()
    assert six_units()._by_class is None
