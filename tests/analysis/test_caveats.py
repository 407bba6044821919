"""Remarks that depend on few predictors, or on models that learn nothing."""

import ast
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tables import answer

ROOT = Path(__file__).parents[2]
NUMBERS = np.random.default_rng(2).normal(size=(40, 2)).round(2)


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def table(n_features):
    frame = pd.DataFrame(NUMBERS[:, :n_features], columns=["bmi", "age"][:n_features])
    return frame.assign(outcome=["yes", "no"] * 20)


def test_one_predictor_needs_no_model():
    found = answer(table(1))
    assert "'bmi' is the only predictor" in found.text
    assert "run the analysis again as tlpo marker with --marker bmi." in found.text
    assert "the only predictor" not in answer(table(2)).text


def test_a_direction_that_flips_is_one_remark():
    """The AUC of the predictor by itself is counted by hand."""
    found = answer(table(1))
    bmi, ill = NUMBERS[:, 0], np.arange(40) % 2 == 0
    gaps = bmi[ill][:, None] - bmi[~ill]
    own = np.mean((gaps > 0) + 0.5 * (gaps == 0))
    assert "leaving out two patients flips it, which gives rls the AUC of " in found.text
    assert (
        "By itself, as a marker, 'bmi' has an AUC of "
        f"{max(own, 1 - own):.3f} in the better direction. If that was known beforehand, run the "
        "analysis again as tlpo marker with --marker bmi."
    ) in found.text
    assert "far below ½" not in found.text


def test_far_below_chance_nothing_was_learned():
    frame = table(1)
    found = answer(frame.assign(twice=2 * frame["bmi"]))
    assert "is far below ½. That is no evidence for the opposite." in found.text
    assert "unstable" not in found.text


def test_nothing_is_said_about_a_model_that_learns():
    frame = table(2)
    frame["bmi"] += 2.0 * (frame["outcome"] == "yes")
    found = answer(frame)
    assert "far below" not in found.text


# ----- the list in the docs


def texts(node):
    """Return what an expression may be, if it is one text or a choice of two."""
    if isinstance(node, ast.IfExp):
        return [*texts(node.body), *texts(node.orelse)]
    return [node.value]


def test_every_remark_is_listed_in_the_docs():
    """Codes in the source, by its syntax, against the first column of the tables."""
    codes = [
        code
        for path in (ROOT / "src" / "tlpo" / "analysis").glob("*caveats.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "Remark"
        for code in texts(node.args[0])
    ]
    assert len(codes) > 40
    page = (ROOT / "docs" / "remarks.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(codes)
    # Elsewhere none is made, so that none is forgotten.
    others = [
        path.name
        for path in (ROOT / "src" / "tlpo").rglob("*.py")
        if not path.name.endswith("caveats.py")
        and re.search(r'(?<!>>> remark = )\bRemark\("', path.read_text(encoding="utf-8"))
    ]
    assert others == []
