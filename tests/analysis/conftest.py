"""Summaries that several tests of reports share."""

import pytest

from analysis.summaries import SUMMARIES
from tlpo.document.render import to_json


@pytest.fixture(scope="module", params=SUMMARIES)
def summary(request):
    return SUMMARIES[request.param]()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "result.json"
    path.write_text(to_json(SUMMARIES["one model"]()))
    return path
