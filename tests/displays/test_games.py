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
