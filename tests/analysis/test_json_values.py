import pytest

import tlpo
from analysis.summaries import SUMMARIES
from tlpo.analysis.json_values import plain
from tlpo.document.render import to_html


def test_undefined_and_infinite_numbers_are_shown_as_such():
    """ξ without all games is undefined, and so is the score of a unit without any; 1/0 is not."""
    gaps = SUMMARIES["missing games"]()["models"][0]
    assert gaps["consistency"] is None
    assert gaps["scores"][0] is None
    assert gaps["games"][0] == "." * 13
    summary = SUMMARIES["infinite ratios"]()
    point = summary["models"][0]["operating_points"][0]
    assert point["lr_positive"] == "Infinity"
    assert "∞" in to_html(summary)
    assert summary["models"][0]["curve"]["thresholds"][-1] == "-Infinity"
    with pytest.raises(TypeError, match="Tournament has no place in a summary"):
        plain({"t": tlpo.tournament(tlpo.RLS(), [[k] for k in range(6)], [0, 1] * 3)})
