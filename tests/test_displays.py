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
    display = tlpo.RocDisplay.from_tournament(tlpo.tournament(tlpo.RLS(), X, y)).plot(ax=ax)
    assert display.ax_ is ax
    assert ax.get_xlabel() == "1 − specificity"
    assert display.lines_[0].get_label().startswith("TLPO (AUC ")
    assert pytest.approx(1) == display.lines_[0].get_ydata()[-1]
