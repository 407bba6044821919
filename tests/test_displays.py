import numpy as np
import pytest

import oracles
import tlpo


def test_roc_display_draws_what_it_stores():
    X, y = oracles.blobs(m=12)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    loo = tlpo.leave_one_out(tlpo.RLS(), X, y)
    display = tlpo.RocDisplay.from_results({"TLPO": t, "LOO": loo}).plot()
    assert len(display.lines_) == 2
    fpr, tpr = display.lines_[0].get_data()
    assert np.array_equal(fpr, t.roc_curve().fpr)
    assert np.array_equal(tpr, t.roc_curve().tpr)
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == [f"TLPO (AUC {t.auc:.3f})", f"LOO (AUC {loo.auc:.3f})", "chance"]
    frame = display.frame()
    assert frame["curve"].unique().tolist() == ["TLPO", "LOO"]
    assert frame.loc[frame["curve"] == "TLPO", "tpr"].tolist() == t.roc_curve().tpr.tolist()
    assert display.figure_ is display.ax_.figure


def test_one_tournament_on_given_axes():
    from matplotlib.figure import Figure

    X, y = oracles.blobs(m=12)
    ax = Figure().subplots()
    display = tlpo.RocDisplay.from_result(tlpo.tournament(tlpo.RLS(), X, y)).plot(ax=ax)
    assert display.ax_ is ax
    assert ax.get_xlabel() == "1 − specificity"
    assert display.lines_[0].get_label().startswith("RLS (AUC ")
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[1:] == ["95% limits, pointwise", "chance"]
    assert pytest.approx(1) == display.lines_[0].get_ydata()[-1]


def test_band_is_drawn_and_tabulated():
    X, y = oracles.blobs(m=20)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    display = tlpo.RocDisplay.from_result(t, confidence_level=0.8).plot()
    band = t.roc_band(0.8)
    corners = display.bands_[0].get_paths()[0].vertices.tolist()
    assert all([fpr, low] in corners for fpr, low in zip(band.fpr, band.low, strict=True))
    assert all([fpr, high] in corners for fpr, high in zip(band.fpr, band.high, strict=True))
    frame = display.frame()
    drawn = frame[frame["low"].notna()]
    assert drawn["low"].tolist() == band.low.tolist()
    assert drawn["high"].tolist() == band.high.tolist()
    assert tlpo.RocDisplay.from_result(t, confidence_level=None).plot().bands_ == []


def two_results():
    X, y = oracles.blobs(m=24, shift=0.6, seed=2)
    return tlpo.tournament(tlpo.RLS(), X, y), tlpo.evaluate(
        tlpo.RLS(), X, y, schemes=("tlpo", "loo", "harrell"), n_resamples=20, random_state=0
    )


def test_operating_point_is_marked():
    t, _ = two_results()
    display = tlpo.RocDisplay.from_result(t, specificity=0.8).plot()
    points = [line for line in display.ax_.lines if line.get_marker() == "o"]
    ((x, y),) = points[0].get_xydata()
    assert y == t.sensitivity_at(0.8)
    assert x <= 0.2 + 1e-9


def test_win_matrix_is_ordered_and_complete():
    t, _ = two_results()
    display = tlpo.TournamentDisplay.from_result(t).plot()
    shown = np.asarray(display.image_.get_array())
    wins = np.nansum(display.games, axis=1)
    assert (np.diff(wins) <= 0).all()
    assert wins.tolist() == sorted(t.scores, reverse=True)
    assert np.isnan(np.diag(display.games)).all()
    assert shown[0, 1] == 2 * display.games[0, 1]
    assert display.frame().index.tolist() == display.names
    assert display.is_positive.sum() == 12
    bare = tlpo.tournament(tlpo.RLS(), *oracles.blobs(m=12), predictions=False)
    with pytest.raises(tlpo.InputError, match="The games were not kept"):
        tlpo.TournamentDisplay.from_result(bare)


def test_dots_show_every_score():
    t, _ = two_results()
    display = tlpo.ScoreDisplay.from_result(t).plot()
    drawn = np.concatenate([dots.get_xdata() for dots in display.dots_])
    assert sorted(drawn) == sorted(t.scores)
    assert len({tuple(xy) for dots in display.dots_ for xy in dots.get_xydata()}) == 24
    assert display.frame()["score"].tolist() == t.scores.tolist()


def test_schemes_side_by_side():
    t, table = two_results()
    display = tlpo.SchemesDisplay.from_result(table, tuple(t.auc_interval())).plot()
    assert display.dots_.get_offsets()[:, 0].tolist() == table["auc"].tolist()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["tournament (TLPO)", "leave-one-out, pooled", "bootstrap (Harrell)"]
    assert display.frame()["scheme"].tolist() == ["tlpo", "loo", "harrell"]


def test_labels_are_not_read_as_formulas():
    X, y = oracles.blobs(m=12)
    t = tlpo.tournament(tlpo.RLS(), X, np.where(y == 1, "$\\frac{$", "b"), positive="$\\frac{$")
    figure = tlpo.ScoreDisplay.from_result(t).plot().figure_
    figure.canvas.draw()
    tlpo.RocDisplay.from_results({"$\\frac{$": t}).plot().figure_.canvas.draw()


def test_a_result_and_an_estimator_draw_themselves():
    X, y = oracles.blobs(m=14)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    own = t.plot()
    from_estimator = tlpo.RocDisplay.from_estimator(tlpo.RLS(), X, y)
    for display in (own, from_estimator):
        assert repr(display) == f"RocDisplay(RLS, AUC {t.auc:.3f})"
        assert np.array_equal(display.lines_[0].get_ydata(), t.roc_curve().tpr)
        assert len(display.bands_) == 1
    other = tlpo.leave_one_out(tlpo.RLS(), X, y).plot(name="pooled")
    assert "pooled, AUC" in repr(other)
    assert other.bands_ == []


def test_reprs_are_short():
    X, y = oracles.blobs(m=14)
    t = tlpo.tournament(tlpo.RLS(), X, y)
    shown = [
        repr(tlpo.TournamentDisplay.from_result(t)),
        repr(tlpo.ScoreDisplay.from_result(t)),
        repr(tlpo.SchemesDisplay({"tlpo": 0.75})),
    ]
    assert shown == [
        f"TournamentDisplay(14 units, ξ = {t.consistency:.3f})",
        "ScoreDisplay(7 × 1, 7 × 0)",
        "SchemesDisplay(tlpo 0.750)",
    ]


def probabilities():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 60)
    return tlpo.Probabilities(p, rng.random(60) < p)


def test_calibration_display_draws_what_it_stores():
    found = probabilities()
    display = tlpo.CalibrationDisplay.from_result(found, confidence_level=0.8).plot()
    curve = found.calibration_curve(0.8)
    predicted, observed = display.line_.get_data()
    assert np.array_equal(predicted, curve.predicted)
    assert np.array_equal(observed, curve.observed)
    corners = display.band_.get_paths()[0].vertices.tolist()
    assert all([x, low] in corners for x, low in zip(curve.predicted, curve.low, strict=True))
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["observed", "80% by chance, if perfect", "perfect"]
    assert display.frame()["high"].tolist() == curve.high.tolist()


def test_net_benefit_display_draws_what_it_stores():
    from matplotlib.figure import Figure

    found = probabilities()
    ax = Figure().subplots()
    display = tlpo.NetBenefitDisplay.from_result(found, thresholds=[0.2, 0.5]).plot(ax=ax)
    table = found.net_benefit([0.2, 0.5])
    assert display.line_.get_ydata().tolist() == table["model"].tolist()
    assert display.all_.get_ydata().tolist() == table["all"].tolist()
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["model", "95% limits, pointwise", "treat all", "treat none"]
    assert display.frame().equals(table)
    assert display.ax_ is ax
