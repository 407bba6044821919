import numpy as np
import pytest

from tlpo.roc.curve import roc_curve
from tlpo.roc.operating_points import operating_points


def test_a_two_by_two_table_by_hand():
    # above the threshold 2: three positives and one negative of 4 + 5 units
    scores = np.array([5.0, 4.0, 3.0, 1.0, 3.0, 2.0, 1.0, 0.0, 0.0])
    is_positive = np.array([True] * 4 + [False] * 5)
    table = operating_points(roc_curve(scores, is_positive), 4, 5, prevalence=0.1)
    row = {name: column[table["threshold"] == 2.0].item() for name, column in table.items()}
    assert [row[name] for name in ("tp", "fp", "fn", "tn")] == [3, 1, 1, 4]
    assert row["sensitivity"] == 3 / 4
    assert row["specificity"] == 4 / 5
    assert row["lr_positive"] == pytest.approx(0.75 / 0.2)
    assert row["lr_negative"] == pytest.approx(0.25 / 0.8)
    assert row["youden"] == pytest.approx(0.55)
    # 1000 people, 100 ill: 75 found, 180 false alarms; 25 missed, 720 cleared
    assert row["ppv"] == pytest.approx(75 / 255)
    assert row["npv"] == pytest.approx(720 / 745)
    # Without a prevalence, that of the units themselves.
    own = operating_points(roc_curve(scores, is_positive), 4, 5)
    (at,) = np.flatnonzero(own["threshold"] == 2.0)
    assert own["ppv"][at] == pytest.approx(3 / 4)
    assert own["npv"][at] == pytest.approx(4 / 5)


def test_the_ends_are_undefined_not_wrong():
    table = operating_points(roc_curve(np.array([1.0, 0.0]), np.array([True, False])), 1, 1)
    assert np.isnan(table["ppv"][0])
    assert np.isnan(table["lr_positive"][0])
    assert table["lr_positive"][1] == np.inf
    assert np.isnan(table["npv"][-1])
    assert np.isnan(table["lr_negative"][-1])
    assert "ppv_at_prevalence" not in table
