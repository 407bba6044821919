"""Cards of saved models: the schema, and what must agree within one."""

import copy
import json

import jsonschema
import pytest

from analysis import model_edits
from analysis.test_model_file import saved
from tlpo.analysis.card import card_schema, find_card_fault
from tlpo.analysis.model_file import CARD, load_model


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("card") / "model.skops"
    saved(path, "rls", columns=("age", "marker", "site", "outcome"))
    return path


@pytest.fixture
def card(path):
    return copy.deepcopy(load_model(str(path))[1])


def test_a_card_follows_its_schema(card):
    jsonschema.Draft202012Validator.check_schema(card_schema())
    jsonschema.validate(card, card_schema())
    assert find_card_fault(card) is None


def test_every_key_is_in_the_schema(card):
    assert set(card) == set(card_schema()["required"]) == set(card_schema()["properties"])


def test_what_the_schema_refuses_is_found(path):
    validator = jsonschema.Draft202012Validator(card_schema())
    n_refused = 0
    for what, members in model_edits.card_edits(model_edits.opened(path)):
        try:
            edited = json.loads(members[CARD])
        except (ValueError, RecursionError):
            continue
        if not validator.is_valid(edited):
            n_refused += 1
            assert find_card_fault(edited) is not None, what
    assert n_refused > 100


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda c: c.update(positive=c["negative"]),
            "'positive' and 'negative' are the same label",
        ),
        (lambda c: c.update(target="age"), "two columns have the same name"),
        (lambda c: c.update(classes=["no", "often"]), "'classes' are not the two labels"),
        (lambda c: c["columns"][0].update(q05=1e6), "'columns[0]' has quantiles out of order"),
        (
            lambda c: c["columns"][2].update(categories=["a", "a"]),
            "'columns[2].categories' has one twice",
        ),
        (lambda c: c["data"].update(n_units=31), "'data.n_units' is not the sum of the classes"),
        (
            lambda c: c["data"]["rows"].update(digests="0" * 8),
            "'data.rows' does not match the number of units",
        ),
        (
            lambda c: c["data"].update(rows_read=3),
            "'data.rows_read' is less than the number of units",
        ),
        (lambda c: c["auc"].update(n_positive=99), "'auc' counts more units than there are"),
        (
            lambda c: c["auc"].update(high=1.0),
            "'auc' has other limits than its estimate and counts give",
        ),
        (
            lambda c: c["cutoffs"][1]["specificity"].update(low=0.0),
            "'cutoffs[1].specificity' has other limits than its estimate and counts give",
        ),
        (lambda c: c["auc"].update(estimate=7), "'auc.estimate' is out of range"),
        (lambda c: c["auc"].update(phi=float("inf")), "'auc.phi' is out of range"),
    ],
)
def test_what_cannot_be_true_is_found(card, change, fault):
    change(card)
    assert find_card_fault(card) == fault
