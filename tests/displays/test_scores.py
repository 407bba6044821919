from io import BytesIO

import numpy as np
from matplotlib.figure import Figure

import oracles
import tlpo


def test_dots_show_every_score():
    t = tlpo.tournament(tlpo.RLS(), *oracles.blobs(m=24, shift=0.6, seed=2))
    display = tlpo.ScoreDisplay.from_result(t).plot()
    drawn = np.concatenate([dots.get_xdata() for dots in display.dots_])
    assert sorted(drawn) == sorted(t.scores)
    assert len({tuple(xy) for dots in display.dots_ for xy in dots.get_xydata()}) == 24
    assert display.frame()["score"].tolist() == t.scores.tolist()


def test_a_picture_of_thousands_of_units_stays_small():
    def size_of(m):
        figure = Figure(figsize=(4.6, 2.5))
        values = np.random.default_rng(0).random(m)
        tlpo.ScoreDisplay(values, np.arange(m) % 50 == 0, ("a", "b")).plot(ax=figure.subplots())
        content = BytesIO()
        figure.savefig(content, format="svg", dpi=200)
        return len(content.getvalue())

    assert size_of(1000) > 100_000  # every dot is drawn
    assert size_of(20_000) < 200_000
