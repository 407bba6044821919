import pytest

import tlpo
from analysis.analyses import ANALYSES
from tlpo.analysis.json_values import json_value
from tlpo.document.html import to_html
from tlpo.document.make import make_document


def test_undefined_and_infinite_numbers_are_shown_as_such():
    """ξ without all games is undefined, and so is the score of a unit without any; 1/0 is not."""
    (gaps,) = ANALYSES["missing games"]().models
    assert gaps.consistency is None
    assert gaps.scores[0] is None
    assert gaps.games[0] == "." * 13
    analysis = ANALYSES["infinite ratios"]()
    (model,) = analysis.models
    assert model.operating_points[0].lr_positive == "Infinity"
    assert "∞" in to_html(make_document(analysis))
    assert model.curve.thresholds[-1] == "-Infinity"
    with pytest.raises(TypeError, match="Tournament has no place in an analysis"):
        json_value({"t": tlpo.tournament(tlpo.RLS(), [[k] for k in range(6)], [0, 1] * 3)})
