"""Analyses that several tests of reports share."""

import pytest

from analysis.analyses import ANALYSES, KINDS
from tlpo.document.write import json_of

# One analysis of each kind; the others are for the exhaustive tests.
PLAIN = (
    *("one model", "ties", "groups", "probabilities", "three models"),
    *("numbers", "survival", "markers of numbers", "marker", "validation"),
    *("markers of times", "validation of times"),
)


def _params(names):
    return [
        pytest.param(name, marks=() if name in PLAIN else pytest.mark.exhaustive) for name in names
    ]


@pytest.fixture(scope="module", params=_params(ANALYSES))
def analysis(request):
    return ANALYSES[request.param]()


@pytest.fixture(scope="module", params=_params([*ANALYSES, *KINDS]))
def any_analysis(request):
    return (ANALYSES | KINDS)[request.param]()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "result.json"
    path.write_text(json_of(ANALYSES["one model"]()))
    return path
