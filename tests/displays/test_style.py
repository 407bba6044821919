import numpy as np

import oracles
import tlpo


def test_labels_are_not_read_as_formulas():
    X, y = oracles.blobs(m=12)
    t = tlpo.tournament(tlpo.RLS(), X, np.where(y == 1, "$\\frac{$", "b"), positive="$\\frac{$")
    figure = tlpo.ScoreDisplay.from_result(t).plot().figure_
    figure.canvas.draw()
    tlpo.RocDisplay.from_results({"$\\frac{$": t}).plot().figure_.canvas.draw()


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
