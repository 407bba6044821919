"""Pictures of times to an event: what they draw is what was computed."""

import numpy as np
import pytest

import tlpo
from survival_oracles import ordered_pairs, patients


@pytest.fixture(scope="module")
def played():
    X, time, event = patients(30, seed=1, n_times=12)
    return tlpo.survival(tlpo.Cox(), X, time, event)


def test_a_step_for_every_event_and_a_tick_for_everyone_censored(played):
    display = played.plot_survival()
    groups = played.risk_groups()
    assert len(display.lines_) == 3
    for line, curve in zip(display.lines_, groups.curves, strict=True):
        x, y = line.get_data()
        assert x.tolist() == [0.0, *curve.time]
        assert y.tolist() == [1.0, *curve.survival]
        assert line.get_drawstyle() == "steps-post"
    ticks = [line for line in display.ax_.lines if line.get_marker() == "|"]
    for line, curve in zip(ticks, groups.curves, strict=True):
        assert line.get_xdata().tolist() == curve.time[curve.censored > 0].tolist()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [
        *("low", "medium", "high")
    ]
    p_value = groups.test.p_value
    said = "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.2g}"
    assert display.ax_.get_title() == f"log-rank test of equal survival: {said}"
    assert display.figure_ is display.ax_.figure


def test_numbers_at_risk_are_those_still_followed(played):
    display = played.plot_survival(n_groups=2)
    time, member = played.outcome.time, played.risk_groups(2).member
    shown = [text for text in display.ax_.texts if text.get_text().isdigit()]
    heights = sorted({text.xyann[1] for text in shown}, reverse=True)
    assert len(heights) == 2
    for text in shown:
        inside = member == heights.index(text.xyann[1])
        assert int(text.get_text()) == np.sum(time[inside] >= text.xy[0])
    assert {text.xy[0] for text in shown} >= {0.0}
    words = [text.get_text() for text in display.ax_.texts if not text.get_text().isdigit()]
    assert words == ["at risk", "low", "high"]


def test_the_frame_has_the_steps(played):
    frame = played.plot_survival().frame()
    assert frame.columns.tolist() == [
        *("group", "time", "survival", "at_risk", "events", "censored")
    ]
    for name, curve in zip(played.risk_groups().names, played.risk_groups().curves, strict=True):
        own = frame[frame["group"] == name]
        assert own["survival"].tolist() == curve.survival.tolist()
        assert own["events"].sum() + own["censored"].sum() == own["at_risk"].iloc[0]
    sizes = ", ".join(f"{name} 10 units" for name in ("low", "medium", "high"))
    assert repr(played.plot_survival()) == f"SurvivalDisplay({sizes})"


def test_given_axes_and_a_label_that_is_no_formula():
    from matplotlib.figure import Figure

    y = tlpo.time_to_event([5, 2, 9, 4, 3], [1, 1, 0, 0, 1])
    groups, ax = tlpo.assess([3, 5, 1, 4, 2], y).risk_groups(2), Figure().subplots()
    display = tlpo.SurvivalDisplay(["$low", "high"], groups.curves, None, "days$")
    assert display.plot(ax).ax_ is ax
    assert ax.get_xlabel() == r"days\$"
    assert ax.get_title() == ""
    assert ax.get_legend().get_texts()[0].get_text() == r"\$low"
    assert (
        tlpo.SurvivalDisplay(["a", "b"], groups.curves, 1e-9)
        .plot()
        .ax_.get_title()
        .endswith("p < 0.0001")
    )
    assert groups.plot(Figure().subplots()).p_value == groups.test.p_value


def test_wins_against_time_with_hollow_dots_for_censored_units(played):
    display = played.plot(name="cox")
    time, event, wins = played.outcome.time, played.outcome.event, played.win_matrix()
    wrong = {(i, j) for i, j in ordered_pairs(time, event) if wins[i, j] == 0}
    assert {tuple(pair) for pair in display.lost.tolist()} == wrong
    assert len(display.lines_.get_segments()) == len(wrong)
    assert f"{len(wrong)} of {played.n_ordered}" in display.ax_.get_title()
    full, hollow = display.ax_.lines
    assert full.get_xdata().tolist() == time[event].tolist()
    assert full.get_ydata().tolist() == played.scores[event].tolist()
    assert hollow.get_xdata().tolist() == time[~event].tolist()
    assert hollow.get_markerfacecolor() == "white"
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["event", "censored"]
    assert display.ax_.get_xlabel() == "time"
    frame = display.frame()
    assert frame["outcome"].tolist() == time.tolist()
    assert frame["lost_wrongly"].sum() == frame["won_wrongly"].sum() == len(wrong)


def test_without_censoring_nobody_is_hollow():
    X, time, _ = patients(12)
    display = tlpo.survival(tlpo.Cox(), X, time, np.ones(12, dtype=bool)).plot()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["event"]
    wins = np.full((2, 2), np.nan)
    games = tlpo.ConcordanceDisplay.from_games(
        wins, np.array([1.0, 2.0]), np.zeros(2), event=np.array([False, False])
    )
    assert [text.get_text() for text in games.plot().ax_.get_legend().get_texts()] == ["censored"]


def test_without_predictions_there_is_no_picture():
    s = tlpo.survival(tlpo.Cox(), *patients(12), predictions=False)
    with pytest.raises(tlpo.InputError, match="The picture needs to know who won every game"):
        s.plot()
    assert len(s.plot_survival(n_groups=2).lines_) == 2
