import numpy as np
import pytest

import oracles
import tlpo


def test_win_matrix_is_ordered_and_complete():
    t = tlpo.tournament(tlpo.RLS(), *oracles.blobs(m=24, shift=0.6, seed=2))
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


def test_edges_have_the_colours_of_the_classes():
    t = tlpo.tournament(tlpo.RLS(), *oracles.blobs(m=24, shift=0.6, seed=2))
    display = tlpo.TournamentDisplay.from_result(t).plot()
    bars = display.ax_.collections[0]
    colours = [tuple(colour) for colour in bars.get_facecolors()]
    assert len(set(colours)) == 2
    for axis in (0, 1):
        found = []
        for unit in range(24):
            point = (-1.0, unit) if axis else (unit, -1.0)
            inside = [path.contains_point(point) for path in bars.get_paths()]
            assert sum(inside) == 1
            found.append(colours[inside.index(True)])
        assert [colour == found[0] for colour in found] == [
            positive == display.is_positive[0] for positive in display.is_positive
        ]
