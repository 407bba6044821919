"""Cards of saved models: the shape, and what must agree within one."""

import json

import jsonschema
import msgspec
import pytest

from analysis import model_edits
from analysis.test_model_file import saved
from tlpo.analysis.card import card_digest, find_card_fault
from tlpo.analysis.json_values import say_misfit
from tlpo.analysis.model_file import CARD, load_model
from tlpo.analysis.shapes import Card


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("card") / "model.skops"
    saved(path, "rls", columns=("age", "marker", "site", "outcome"))
    return path


@pytest.fixture
def card(path):
    return msgspec.to_builtins(load_model(str(path))[1])


def find_fault(card):
    """Return what is wrong with the JSON of a card, or None."""
    try:
        return find_card_fault(msgspec.convert(card, Card))
    except msgspec.ValidationError as error:
        return say_misfit(error)


def test_a_card_follows_its_schema(card):
    schema = msgspec.json.schema(Card)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(card, schema)
    assert find_fault(card) is None


def test_every_key_is_required_but_one_that_earlier_versions_lack(card):
    schema = msgspec.json.schema(Card)["$defs"]["Card"]
    assert set(card) == set(schema["properties"])
    assert set(card) - {"decimal"} == set(schema["required"])


def test_a_card_of_an_earlier_version_is_read(card):
    del card["decimal"]
    assert find_fault(card) is None


def test_what_the_schema_refuses_is_found(path):
    validator = jsonschema.Draft202012Validator(msgspec.json.schema(Card))
    n_refused = 0
    for what, members in model_edits.card_edits(model_edits.opened(path)):
        try:
            edited = json.loads(members[CARD])
        except (ValueError, RecursionError):
            continue
        if not validator.is_valid(edited):
            n_refused += 1
            assert find_fault(edited) is not None, what
    assert n_refused > 100


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda c: c.update(positive=c["negative"]),
            "'positive' and 'negative' are the same label",
        ),
        (lambda c: c.update(target="age"), "two columns have the same name"),
        (lambda c: c.update(classes={"no": ["no"]}), "'classes' are not the two labels"),
        (
            lambda c: c.update(classes={c["positive"]: ["a"], c["negative"]: ["a", "b"]}),
            "'classes' have a label twice",
        ),
        (
            lambda c: c.update(classes={c["positive"]: [], c["negative"]: []}),
            "'classes' have a label twice",
        ),
        (lambda c: c["columns"][0].update(q05=1e6), "'columns[0]' has quantiles out of order"),
        (
            lambda c: c["columns"][2].update(categories=["a", "a"]),
            "'columns[2].categories' has one twice",
        ),
        (lambda c: c["columns"][2].update(categories=[]), "'columns[2].categories' is empty"),
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
            lambda c: c["columns"][0].update(n_missing=99),
            "a column has more missing values than there are units",
        ),
        (
            lambda c: c["auc"].update(high=1.0),
            "'auc' has other limits than its estimate and counts give",
        ),
        (
            lambda c: c["auc"].update(degrees_of_freedom=1e-300),
            "'auc' has other limits than its estimate and counts give",
        ),
        (lambda c: c["auc"].update(rate_phi=1e300), "'auc' has limits that cannot be computed"),
        (
            lambda c: c["cutoffs"][1]["specificity"].update(low=0.0),
            "'cutoffs[1].specificity' has other limits than its estimate and counts give",
        ),
        (
            lambda c: c["cutoffs"][0].update(at_least=1.0),
            "'cutoffs[0]' does not reach the rate that it was chosen for",
        ),
        (
            lambda c: c["cutoffs"][0].update(chosen_for=None),
            "'cutoffs[0]' was chosen for a rate that it does not name",
        ),
        (
            lambda c: c.update(scale="probability") or c["cutoffs"][0].update(threshold=1.5),
            "'cutoffs[0].threshold' is not a probability",
        ),
        (lambda c: c["auc"].update(estimate=7), "'auc.estimate': expected `float` <= 1.0"),
        (
            lambda c: c["auc"].update(phi=float("inf")),
            "'auc.phi': expected `float` <= 1.7976931348623157e+308",
        ),
    ],
)
def test_what_cannot_be_true_is_found(card, change, fault):
    change(card)
    assert find_fault(card) == fault


def test_the_digest_is_of_all_but_itself(card):
    whole = msgspec.convert(card, Card)
    assert card_digest(whole) == whole.digest
    assert card_digest(msgspec.structs.replace(whole, digest="0" * 64)) == whole.digest
    assert card_digest(msgspec.structs.replace(whole, name="other")) != whole.digest
