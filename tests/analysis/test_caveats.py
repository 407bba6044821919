"""Remarks that depend on few predictors, or on models that learn nothing."""

import numpy as np
import pandas as pd
import pytest

from tables import answer

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


def test_far_below_chance_nothing_was_learned():
    found = answer(table(1))
    assert "is far below ½. That is no evidence for the opposite." in found.text
    assert "unstable" not in found.text


def test_nothing_is_said_about_a_model_that_learns():
    frame = table(2)
    frame["bmi"] += 2.0 * (frame["outcome"] == "yes")
    found = answer(frame)
    assert "far below" not in found.text
