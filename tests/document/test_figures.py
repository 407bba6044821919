import re

import numpy as np
import pytest

import tlpo
from analysis.analyses import ANALYSES, KINDS, analysed
from tables import patients
from tlpo.analysis.load import decode
from tlpo.analysis.models import make_model
from tlpo.analysis.options import Options
from tlpo.analysis.packed_games import unpack_games
from tlpo.document.blocks import Figure, walk
from tlpo.document.figures import write_figures
from tlpo.document.make import make_document
from tlpo.document.write import json_of
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def test_the_figures_are_those_of_the_tournament():
    sample = build_sample(patients(14).drop(columns="site"), Specification("outcome"))
    models = [make_model("rls", sample)]
    analysis = analysed(sample, models, Options())
    t = tlpo.tournament(tlpo.RLS(), sample.X.to_numpy(), sample.y, positive="yes")
    (model,) = analysis.models
    np.testing.assert_array_equal(unpack_games(model.games), t.win_matrix())
    roc = tlpo.RocDisplay.from_result(t, name="rls", specificity=0.9)
    matrix = tlpo.TournamentDisplay.from_result(t)
    dots = tlpo.ScoreDisplay.from_result(t)
    blocks = make_document(analysis).figures()
    for name, display in (("roc", roc), ("games-1", matrix), ("scores-1", dots)):
        (axes,) = blocks[name].draw().axes
        expected = display.plot().ax_
        for ours, theirs in zip(axes.lines, expected.lines, strict=True):
            np.testing.assert_array_equal(ours.get_xydata(), theirs.get_xydata())
        for ours, theirs in zip(axes.collections, expected.collections, strict=True):
            assert np.array_equal(ours.get_paths()[0].vertices, theirs.get_paths()[0].vertices)
        for ours, theirs in zip(axes.images, expected.images, strict=True):
            np.testing.assert_array_equal(ours.get_array().data, theirs.get_array().data)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["probabilities", "markers", "validation"])
def test_figures_are_the_same_bytes_each_time(name, tmp_path):
    analysis = (ANALYSES | KINDS)[name]()
    paths = write_figures(make_document(analysis), tmp_path / "a")
    names = list(make_document(analysis).figures())
    assert [path.name for path in paths] == [
        f"{name}.{kind}" for name in names for kind in ("png", "svg", "pdf")
    ]
    again = write_figures(make_document(decode(json_of(analysis))), tmp_path / "b")
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in paths]


def test_names_of_figures_are_files_of_their_own(any_analysis):
    blocks = [
        block
        for section in make_document(any_analysis).sections
        for block in walk(section.blocks)
        if isinstance(block, Figure)
    ]
    names = [block.name for block in blocks]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[a-z]+(-[0-9]+)?", name) for name in names)
