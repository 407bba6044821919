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


def test_operating_point_is_marked():
    t = tlpo.tournament(tlpo.RLS(), *oracles.blobs(m=24, shift=0.6, seed=2))
    display = tlpo.RocDisplay.from_result(t, specificity=0.8).plot()
    points = [line for line in display.ax_.lines if line.get_marker() == "o"]
    ((x, y),) = points[0].get_xydata()
    assert y == t.sensitivity_at(0.8)
    assert x <= 0.2 + 1e-9


def test_smooth_curves_are_drawn_with_the_others_and_tabulated():
    X, y = oracles.blobs(m=20)
    t, loo = tlpo.tournament(tlpo.RLS(), X, y), tlpo.leave_one_out(tlpo.RLS(), X, y)
    display = tlpo.RocDisplay.from_results({"TLPO": t, "LOO": loo}, smooth=True).plot()
    smooth = [t.smooth_curve(), loo.smooth_curve()]
    for line, curve in zip(display.smooth_, smooth, strict=True):
        assert np.array_equal(line.get_xydata(), np.transpose(curve.points()))
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend[2:4] == [
        f"TLPO, smoothed (area {smooth[0].auc:.3f})",
        f"LOO, smoothed (area {smooth[1].auc:.3f})",
    ]
    frame = display.frame().query("curve == 'LOO' and smooth.notna()")
    assert frame["smooth"].tolist() == smooth[1].points()[1].tolist()
    alone = t.plot(smooth=True)
    assert alone.smooth_[0].get_label() == f"smoothed (area {smooth[0].auc:.3f})"
    assert t.plot().smooth_ == []


def test_a_curve_with_too_few_points_is_not_smoothed():
    perfect = tlpo.assess([1, 2, 3, 4], [0, 0, 1, 1])
    with pytest.raises(tlpo.InputError) as raised:
        perfect.plot(smooth=True)
    assert str(raised.value) == (
        "The ROC curve cannot be smoothed: it has too few points.\n"
        "A smooth curve needs two points with different sensitivities and specificities, all "
        "strictly between 0 and 1.\n"
        "Show the curve as it is."
    )


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
