import numpy as np

import tlpo


def test_net_benefit_display_draws_what_it_stores():
    from matplotlib.figure import Figure

    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 60)
    found = tlpo.Probabilities(p, rng.random(60) < p)
    ax = Figure().subplots()
    display = tlpo.NetBenefitDisplay.from_result(found, thresholds=[0.2, 0.5]).plot(ax=ax)
    table = found.net_benefit([0.2, 0.5])
    assert display.line_.get_ydata().tolist() == table["model"].tolist()
    assert display.all_.get_ydata().tolist() == table["all"].tolist()
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["model", "95% limits, pointwise", "treat all", "treat none"]
    assert display.frame().equals(table)
    assert display.ax_ is ax
