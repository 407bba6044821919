import numpy as np
import pytest
from sklearn.linear_model import Ridge

import tlpo


@pytest.fixture(scope="module")
def played():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    return tlpo.concordance(Ridge(), X, np.round(X[:, 0] + rng.normal(size=30), 1))


def test_a_line_for_every_pair_ranked_the_wrong_way(played):
    display = played.plot(name="ridge")
    wins, y = played.win_matrix(), played.outcome.y
    wrong = {(i, j) for i in range(30) for j in range(30) if y[i] > y[j] and wins[i, j] == 0}
    assert {tuple(pair) for pair in display.lost.tolist()} == wrong
    assert len(display.lines_.get_segments()) == len(wrong)
    assert display.dots_.get_xdata().tolist() == y.tolist()
    assert display.dots_.get_ydata().tolist() == played.scores.tolist()
    frame = display.frame()
    assert frame["lost_wrongly"].sum() == frame["won_wrongly"].sum() == len(wrong)
    assert f"{len(wrong)} of {played.n_ordered}" in display.ax_.get_title()


def test_grades_are_named_and_do_not_hide_each_other():
    rng = np.random.default_rng(1)
    X, grade = rng.normal(size=(24, 2)), np.array(["$low", "high"] * 12)
    c = tlpo.concordance(Ridge(), X, grade, order=["$low", "high"])
    display = c.plot()
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == [r"\$low", "high"]
    x = display.dots_.get_xdata()
    assert np.abs(x - c.outcome.y).max() <= 0.12
    assert np.unique(x).size == 24


def test_without_predictions_there_is_no_picture():
    X, y = np.random.default_rng(0).normal(size=(10, 2)), np.arange(10.0)
    with pytest.raises(tlpo.InputError) as caught:
        tlpo.concordance(Ridge(), X, y, predictions=False).plot()
    assert str(caught.value) == (
        "The picture needs to know who won every game.\n"
        "You passed a result that kept no held-out predictions.\n"
        "Play with predictions=True."
    )


def test_estimates_side_by_side_say_what_they_are(played):
    table = tlpo.evaluate(
        Ridge(),
        np.random.default_rng(0).normal(size=(12, 2)),
        np.arange(12.0),
        order=True,
        schemes=("lpo", "loo"),
    )
    display = tlpo.SchemesDisplay.from_result(table, tuple(played.concordance_interval())).plot()
    assert display.ax_.get_xlabel() == "concordance"
    assert list(display.frame().columns) == ["scheme", "concordance"]
