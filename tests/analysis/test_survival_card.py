"""Cards of saved models of times to an event: the shape, and what must agree within one."""

import jsonschema
import msgspec
import numpy as np
import pytest

from analysis.followed import followed, saved
from tlpo.analysis.card import card_digest
from tlpo.analysis.json_values import say_misfit
from tlpo.analysis.model_file import load_model, score
from tlpo.analysis.options import Options
from tlpo.analysis.shapes import SurvivalCard
from tlpo.analysis.survival_card import find_survival_card_fault, order_in_development


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("card") / "model.skops"
    return path, *saved(path)


@pytest.fixture
def card(made):
    return msgspec.to_builtins(load_model(str(made[0]))[1])


def find_fault(card):
    """Return what is wrong with the JSON of a card, or None."""
    try:
        return find_survival_card_fault(msgspec.convert(card, SurvivalCard))
    except msgspec.ValidationError as error:
        return say_misfit(error)


def test_a_card_follows_its_schema(card):
    schema = msgspec.json.schema(SurvivalCard)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(card, schema)
    own = schema["$defs"]["SurvivalCard"]
    assert set(card) == set(own["properties"]) == set(own["required"]) | {"decimal"}
    assert find_fault(card) is None


def test_the_card_says_where_the_model_comes_from(made):
    path, _, _, s, _ = made
    card = load_model(str(path))[1]
    table = followed(40)
    assert (card.target, card.time.name) == ("died", "months")
    assert (card.event_value, card.codes) == (None, {"no": False, "yes": True})
    assert card.coding == "'yes' is the event"
    assert (card.data.n_units, card.data.n_events) == (40, (table["died"] == "yes").sum())
    assert card.data.last_time == table["months"].max()
    assert card.time.median == table["months"].median()
    assert (card.concordance.estimate, card.times) == (s.concordance, [5, 12])
    assert [one.auc.estimate for one in card.at] == [s.auc_at(5), s.auc_at(12)]
    assert card.versions.scikit_survival is None
    assert [column.name for column in card.columns] == ["crp", "stage"]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_limits_of_any_level_are_those_of_the_result(made, level):
    path, _, _, s, _ = made
    card = load_model(str(path))[1]
    found = order_in_development(card.concordance, level)
    assert (found.low, found.high) == pytest.approx(tuple(s.concordance_interval(level)))
    for one in card.at:
        found = order_in_development(one.auc, level)
        assert (found.low, found.high) == pytest.approx(tuple(s.auc_at_interval(one.time, level)))


def test_limits_of_rounds_are_those_of_the_result(tmp_path):
    _, _, s, _ = saved(tmp_path / "m.skops", options=Options(rounds=12, at=(5,)))
    card = load_model(str(tmp_path / "m.skops"))[1]
    found = order_in_development(card.concordance, 0.8)
    assert (found.low, found.high) == pytest.approx(tuple(s.concordance_interval(0.8)))
    # What needs the games of every pair is not there.
    assert (card.at, card.cuts, card.times) == ([], [], [5])


def test_cuts_divide_held_out_scores_into_thirds(made):
    path, _, _, s, _ = made
    card = load_model(str(path))[1]
    held_out = np.nanmean(s.predictions, axis=1)
    counts = np.bincount(np.searchsorted(card.cuts, held_out))
    assert sorted(counts) == [13, 13, 14]


def test_survival_follows_from_the_baseline(made):
    """Of any patient it is that of the baseline, to the power of the hazard ratio."""
    path, model, sample, _, _ = made
    fitted, card = load_model(str(path))
    risk = score(fitted, card, sample.X)
    X = fitted[:-1].transform(model.features(sample))
    survival = fitted[-1].predict_survival(X, card.times)
    ratio = np.exp(risk - card.baseline.score)
    assert np.array(card.baseline.survival) ** ratio[:, None] == pytest.approx(survival)


def test_a_forest_has_survival_but_no_baseline(tmp_path):
    saved(tmp_path / "m.skops", "survival-forest:n_estimators=3")
    card = load_model(str(tmp_path / "m.skops"))[1]
    assert card.baseline is None
    assert len(card.trial_survival[0]) == 2
    assert card.versions.scikit_survival is not None


def test_a_value_that_was_named_is_kept_and_no_other(tmp_path):
    """Other values may be anything, such as causes of death in words."""
    cause = np.where(followed(40)["died"] == "yes", "heart", "Mrs Smith moved")
    table = followed(40).assign(cause=cause)
    saved(tmp_path / "m.skops", table=table, target="cause == Heart")
    card = load_model(str(tmp_path / "m.skops"))[1]
    assert (card.target, card.event_value, card.codes) == ("cause", "Heart", {})
    assert "Smith" not in msgspec.json.encode(card).decode()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda c: c.update(target="months"), "two columns have the same name"),
        (lambda c: c.update(target="crp"), "two columns have the same name"),
        (lambda c: c["columns"][0].update(q05=1e6), "'columns[0]' has quantiles out of order"),
        (lambda c: c["time"].update(median=1e6), "'time' has quantiles out of order"),
        (lambda c: c["data"].update(last_time=0.1), "'time' has quantiles out of order"),
        (lambda c: c["data"].update(n_events=41), "'data' counts more events than units"),
        (lambda c: c.update(codes={}), "'codes' do not say what means the event"),
        (lambda c: c.update(event_value="yes"), "'codes' do not say what means the event"),
        (lambda c: c.update(times=[12, 5]), "'times' do not increase"),
        (lambda c: c["at"].pop(), "'at' has other times"),
        (lambda c: c.update(cuts=c["cuts"][::-1]), "'cuts' do not increase"),
        (
            lambda c: c["concordance"].update(games=1e6),
            "'concordance' counts more pairs than there are",
        ),
        (
            lambda c: c["data"]["rows"].update(digests="0" * 8),
            "'data.rows' does not match the number of units",
        ),
        (
            lambda c: c["data"].update(rows_read=3),
            "'data.rows_read' is less than the number of units",
        ),
        (
            lambda c: c["columns"][0].update(n_missing=99),
            "a column has more missing values than there are units",
        ),
        (
            lambda c: c["concordance"].update(high=1.0),
            "'concordance' has other limits than its estimate and counts give",
        ),
        (
            lambda c: c["concordance"].update(phi=30.0),
            "'concordance' has other limits than its estimate and counts give",
        ),
        (
            lambda c: c["at"][1]["auc"].update(low=0.0),
            "'at[1].auc' has other limits than its estimate and counts give",
        ),
        (lambda c: c["trial_survival"][0].pop(), "'trial_survival' has other times"),
        (lambda c: c["trial_survival"][0].reverse(), "'trial_survival' rises"),
        (lambda c: c.update(trial_survival=None), "'baseline' is that of no survival"),
        (lambda c: c["baseline"]["survival"].pop(), "'baseline' has other times"),
        (
            lambda c: c["baseline"].update(score=9.0),
            "'baseline' gives another survival than 'trial_survival'",
        ),
        (
            lambda c: c["concordance"].update(estimate=7),
            "'concordance.estimate': expected `float` <= 1.0",
        ),
        (lambda c: c.update(format=5), "'format': invalid enum value 5"),
        (lambda c: c["data"].pop("n_events"), "'data': object missing required field `n_events`"),
    ],
)
def test_what_cannot_be_true_is_found(card, change, fault):
    change(card)
    assert find_fault(card) == fault


def test_the_digest_is_of_all_but_itself(card):
    whole = msgspec.convert(card, SurvivalCard)
    assert card_digest(whole) == whole.digest
    assert card_digest(msgspec.structs.replace(whole, digest="0" * 64)) == whole.digest
    assert card_digest(msgspec.structs.replace(whole, cuts=[])) != whole.digest
