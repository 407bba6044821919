import numpy as np

import oracles
import tlpo


def test_dots_show_every_score():
    t = tlpo.tournament(tlpo.RLS(), *oracles.blobs(m=24, shift=0.6, seed=2))
    display = tlpo.ScoreDisplay.from_result(t).plot()
    drawn = np.concatenate([dots.get_xdata() for dots in display.dots_])
    assert sorted(drawn) == sorted(t.scores)
    assert len({tuple(xy) for dots in display.dots_ for xy in dots.get_xydata()}) == 24
    assert display.frame()["score"].tolist() == t.scores.tolist()
