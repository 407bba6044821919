"""Verdicts on the paper's findings, from tables that are committed or made up."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tlpo.experiments import findings
from tlpo.experiments.reproduce import Tables

PAPER = Path(__file__).parents[2] / "docs" / "paper"
NAMES = ("auc", "consistency", "sensitivity", "pool", "pool_sensitivity")


@pytest.fixture(scope="module")
def committed():
    frames = {name: pd.read_csv(PAPER / f"{name}.csv") for name in NAMES}
    random = json.loads((PAPER / "random_consistency.json").read_text())
    return Tables(**frames, random_consistency=(random["mean"], random["se"]))


def rows(text):
    return [line for line in text.splitlines() if line.startswith("|")]


def test_the_committed_findings_follow_from_the_committed_tables(committed):
    found = rows(findings.summarise(committed))
    assert found == rows((PAPER / "summary.md").read_text())
    assert len(found) == 2 + len(findings.FINDINGS)


def test_a_table_that_says_otherwise_is_not_agreed_with(committed):
    auc = committed.auc.copy()
    lpo = (auc["scheme"] == "lpo") & (auc["learner"] == "ridge") & (auc["signal"] == 0)
    auc.loc[lpo, "mean"] += 0.1
    before = rows(findings.summarise(committed))
    after = rows(findings.summarise(replace(committed, auc=auc)))
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    assert any(
        "LPO and TLPO of ridge are close to unbiased" in row and row.endswith("**does not** |")
        for row in changed
    )


@pytest.mark.parametrize(("mean", "agrees"), [(0.094, True), (0.0955, False), (0.092, False)])
def test_the_random_learner_against_theory(committed, mean, agrees):
    # Exactly 3/32 = 0.09375; four standard errors are 0.0012.
    tables = replace(committed, random_consistency=(mean, 0.0003))
    assert findings._random(tables).agrees is agrees


def test_what_was_not_measured_is_left_out(committed):
    without = replace(
        committed, pool=committed.pool[:0], random_consistency=None, seconds={"signal": 2.0}
    )
    text = findings.summarise(without)
    needing = [f for f in findings.FINDINGS if {"pool", "random"} & set(f.needs)]
    assert len(needing) > 3
    assert len(rows(text)) == 2 + len(findings.FINDINGS) - len(needing)
    assert "The pool" not in text
    assert text.endswith("Time: 2 s (signal 2 s).\n")


def test_few_repetitions_are_said(committed):
    few = replace(committed, auc=committed.auc.assign(repetitions=findings.ENOUGH - 1))
    said = "chance decides some of these verdicts"
    assert said in findings.summarise(few)
    assert said not in findings.summarise(committed)
