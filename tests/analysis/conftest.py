"""Analyses that several tests of reports share."""

import pytest

from analysis.analyses import ANALYSES, KINDS, one_of_each
from tlpo.document.write import json_of


@pytest.fixture(scope="module", params=one_of_each(ANALYSES))
def analysis(request):
    return ANALYSES[request.param]()


@pytest.fixture(scope="module", params=one_of_each([*ANALYSES, *KINDS]))
def any_analysis(request):
    return (ANALYSES | KINDS)[request.param]()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "result.json"
    path.write_text(json_of(ANALYSES["one model"]()))
    return path
