"""What a newcomer meets first: the names, the demonstration, the README."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import tlpo

ROOT = Path(__file__).parents[1]


def test_every_public_name_resolves():
    for name in tlpo.__all__:
        found = getattr(tlpo, name)
        assert callable(found)
        assert found.__name__.rpartition(".")[2] == name
    assert set(tlpo.__all__) < set(dir(tlpo))
    with pytest.raises(AttributeError, match="No tlpo attribute nothing"):
        _ = tlpo.nothing


def test_importing_is_quick():
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "numba", "jinja2")
    code = f"import sys, tlpo; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "page",
    [
        *("README.md", "CONTRIBUTING.md", "docs/how_it_works.md"),
        *("docs/inference.md", "docs/ties.md", "docs/markers.md"),
    ],
)
def test_examples_in_the_documents_run(page):
    failures, tried = doctest.testfile(
        str(ROOT / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0
    assert tried > 0 or page == "docs/how_it_works.md"
