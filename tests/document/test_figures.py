import json

import numpy as np

import tlpo
from analysis.summaries import SUMMARIES, summarized
from tables import patients
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.analysis.packed_games import unpack_games
from tlpo.document.figures import draw, write_figures
from tlpo.document.render import to_json
from tlpo.tables.build_sample import understand
from tlpo.tables.options import Question


def test_the_figures_are_those_of_the_tournament():
    sample = understand(patients(14).drop(columns="site"), Question("outcome"))
    models = [make_model("rls", sample)]
    summary = summarized(sample, models, Options())
    t = tlpo.tournament(tlpo.RLS(), sample.X.to_numpy(), sample.y, positive="yes")
    part = summary["models"][0]
    np.testing.assert_array_equal(unpack_games(part["games"]), t.win_matrix())
    roc = tlpo.RocDisplay.from_result(t, name="rls", specificity=0.9)
    matrix = tlpo.TournamentDisplay.from_result(t)
    dots = tlpo.ScoreDisplay.from_result(t)
    drawn = draw(summary)
    for name, display in (("roc", roc), ("games-1", matrix), ("scores-1", dots)):
        (axes,) = drawn[name].axes
        expected = display.plot().ax_
        for ours, theirs in zip(axes.lines, expected.lines, strict=True):
            np.testing.assert_array_equal(ours.get_xydata(), theirs.get_xydata())
        for ours, theirs in zip(axes.collections, expected.collections, strict=True):
            assert np.array_equal(ours.get_paths()[0].vertices, theirs.get_paths()[0].vertices)
        for ours, theirs in zip(axes.images, expected.images, strict=True):
            np.testing.assert_array_equal(ours.get_array().data, theirs.get_array().data)


def test_figures_are_the_same_bytes_each_time(tmp_path):
    summary = SUMMARIES["probabilities"]()
    first = [path.read_bytes() for path in write_figures(summary, tmp_path / "a")]
    again = json.loads(to_json(summary))
    assert [path.read_bytes() for path in write_figures(again, tmp_path / "b")] == first
