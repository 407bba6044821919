"""What a user can say on the page about columns, values, labels and groups, each to its answer."""

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import tlpo
from app.paging import (
    ask,
    only,
    run,
    run_shown_python,
    serious,
    upload,
    without_commands,
)
from tlpo.analysis.models import make_model
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

pytestmark = pytest.mark.long


def table(m=48, seed=0):
    """Patients of two centres that number their own, with codes and values that mean missing."""
    rng = np.random.default_rng(seed)
    ill = rng.permutation(np.arange(m) % 2)
    found = pd.DataFrame(
        {
            "centre": np.repeat(["north", "south"], m // 2),
            "patient": np.tile(np.repeat(np.arange(1, m // 4 + 1), 2), 2),
            "age": rng.integers(30, 80, m),
            "marker": (rng.normal(size=m) + ill).round(3),
            "race": rng.integers(1, 4, m),
            "loss": (rng.normal(size=m) + ill).round(1),
            "months": rng.integers(1, 60, m),
            "status": rng.integers(1, 3, m),
            "outcome": np.where(ill, "yes", "no"),
        }
    )
    found.loc[[1, 2, 5], "age"] = 999
    found.loc[0, "outcome"] = found.loc[0, "outcome"].title()
    return found


@pytest.fixture
def opened(page, tmp_path):
    path = tmp_path / "patients.csv"
    table().to_csv(path, index=False)
    upload(page, path)
    return page


def auc(spec, act=None):
    """Return what ridge gets, from Python."""
    sample = build_sample(table(), spec)
    model = make_model("ridge", sample)
    act = act or (lambda *a, **k: tlpo.tournament(*a, positive=sample.labels.positive, **k))
    return act(model.estimator, model.features(sample), sample.y, groups=sample.groups)


def figure(page):
    return page.locator(".auc .figure")


def switch_off(page, *names):
    for name in names:
        page.get_by_label(f"Use {name}", exact=True).uncheck()
        expect(page.get_by_label(f"Use {name}", exact=True)).not_to_be_checked()


def test_a_column_of_codes_values_that_mean_missing_and_two_columns_of_groups(
    opened, tmp_path, monkeypatch
):
    page = opened
    switch_off(page, "loss", "months", "status")
    ask(page, "outcome")
    only(page, "ridge")
    run(page)
    remarks = page.locator(".warnings")
    expect(remarks).to_contain_text("'race' has the values 1, 2, 3 and was used as a number")
    expect(remarks).to_contain_text("999 in 'age' looks like a code for a missing value")
    expect(remarks).to_contain_text("'patient' has the same values at different 'centre'")
    assert without_commands(page).count("--") == 0
    drawn = page.get_by_role("link", name=re.compile("Figures"))
    for button, flag in (
        ("Run again with 999 in 'age' as missing", "--missing age=999"),
        ("Run again with 'race' as a category", "--categorical race"),
        (
            "Run again with 'centre' and 'patient' together as the group",
            "--group centre --group patient",
        ),
    ):
        expect(drawn).to_be_visible()
        remarks.get_by_role("button", name=button).click()
        expect(page.locator("#command")).to_contain_text(flag)
    expect(remarks).not_to_contain_text("straight line")
    expect(remarks).not_to_contain_text("missing value")
    # The controls show it.
    expect(page.get_by_label("Kind of race").locator("option:checked")).to_have_text("categories")
    page.get_by_text("More options").click()
    expect(page.get_by_label("Values that mean missing")).to_have_value("age=999")
    assert page.locator("#group_also option:checked").inner_text() == "patient"
    drop = ("loss", "months", "status")
    spec = Specification(
        "outcome",
        drop=drop,
        group=("centre", "patient"),
        missing=("age=999",),
        categorical=["race"],
    )
    expected = auc(spec)
    expect(figure(page)).to_have_text([f"{expected.auc:.3f}"])
    assert run_shown_python(page, tmp_path, monkeypatch)["ridge"].auc == expected.auc
    # By hand: a number after all, and another value.
    expect(drawn).to_be_visible()
    page.get_by_label("Kind of race").select_option(label="a number")
    page.get_by_label("Values that mean missing").fill("999, race=3")
    page.get_by_label("Values that mean missing").press("Tab")
    page.wait_for_timeout(1000)  # until it is being looked at
    run(page)
    expect(page.locator("#command")).to_contain_text("--missing 999 --missing race=3")
    expect(page.locator("#command")).to_contain_text("--numeric race")
    expect(drawn).to_be_visible()
    page.get_by_label("Values that mean missing").fill("888")
    page.get_by_label("Values that mean missing").press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("missing values: ['888']; no column has it.")
    assert serious(page) == []


def test_a_number_is_cut_and_rows_subgroups_and_permutations(opened, tmp_path, monkeypatch):
    page = opened
    switch_off(page, "outcome", "months", "status", "patient")
    page.get_by_label("Outcome", exact=True).select_option(label="loss")
    expect(page.locator("#ordered-outcome")).to_be_visible()
    page.get_by_text("More options").click()
    page.get_by_label("Two classes of a number").select_option(label="at least the limit, or less")
    limit = page.get_by_label("Limit between them")
    limit.fill("half")
    limit.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("The limit must be a number")
    limit.fill("0.5")
    limit.press("Tab")
    expect(page.get_by_text("Which label counts as positive?")).to_be_visible()
    page.get_by_label("Values that mean missing").fill("999")
    page.get_by_label("Only rows that meet all of these").fill("age>=18\nrace!=3")
    page.get_by_label("Report the AUC within subgroups of").select_option(label="centre")
    page.get_by_label("Permutations of a test").fill("99")
    page.get_by_label("Draw smoothed (binormal) ROC curves too").check()
    page.get_by_label("What a row is").fill("lesions")
    page.get_by_label("What a row is").press("Tab")
    only(page, "ridge")
    page.wait_for_timeout(1000)
    run(page)
    command = page.locator("#command")
    expect(command).to_contain_text("--target 'loss >= 0.5'")
    expect(command).to_contain_text("--rows 'age>=18' --rows 'race!=3' --by centre")
    expect(command).to_contain_text("--permutations 99")
    expect(command).to_contain_text("--smooth")
    expect(command).to_contain_text("--unit lesions")
    drop = ("outcome", "months", "status", "patient")
    rows = ("age>=18", "race!=3")
    expected = auc(Specification("loss >= 0.5", drop=drop, missing=("999",), rows=rows))
    expect(figure(page)).to_have_text([f"{expected.auc:.3f}"])
    expect(page.locator(".lead")).to_contain_text("a random lesion")
    area = f"Smoothed area: {expected.smooth_curve().auc:.3f}, not the AUC to report."
    expect(page.locator("#smooth-area")).to_have_text(area)
    expect(page.locator("svg .smooth")).to_have_count(1)
    assert run_shown_python(page, tmp_path, monkeypatch)["ridge"].auc == expected.auc
    page.get_by_text("The whole report").click()
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("north")
    expect(page.get_by_role("link", name=re.compile("Figures"))).to_be_visible()
    # Without the limit it is a number again.
    page.get_by_label("Two classes of a number").select_option(label="none")
    expect(page.locator("#ordered-outcome")).to_be_visible()


def test_the_value_that_is_the_event(opened, tmp_path, monkeypatch):
    page = opened
    switch_off(page, "outcome", "loss", "patient", "centre")
    page.get_by_label("Outcome", exact=True).select_option(label="status")
    page.get_by_label("Time to it, or to the last visit").select_option(label="months")
    value = page.get_by_label("Value that is the event")
    expect(page.locator("#ordered-outcome")).to_contain_text("2 is the event")
    value.select_option(label="1")
    expect(page.locator("#ordered-outcome")).to_contain_text("1 is the event")
    only(page, "cox")
    run(page)
    expect(page.locator("#command")).to_contain_text("--time months --event 'status == 1'")
    frame = table()
    drop = ("outcome", "loss", "patient", "centre")
    sample = build_sample(frame, Specification("status == 1", time="months", drop=drop))
    model = make_model("cox", sample)
    expected = tlpo.survival(model.estimator, model.features(sample), sample.y).concordance
    expect(figure(page)).to_have_text([f"{expected:.3f}"])
    assert run_shown_python(page, tmp_path, monkeypatch)["cox"].concordance == expected


def test_the_other_decimal_mark_and_rounds(page, tmp_path, monkeypatch):
    path = tmp_path / "patients.csv"
    frame = table()[["age", "marker", "outcome"]]
    frame["cost"] = [f"{1 + k % 8},{100 + 7 * k:03d}" for k in range(48)]
    frame.to_csv(path, index=False)
    upload(page, path)
    ask(page, "outcome")
    only(page, "ridge")
    page.get_by_text("More options").click()
    page.get_by_label("Rounds, for slow models").fill("12")
    page.get_by_label("Rounds, for slow models").press("Tab")
    page.wait_for_timeout(1000)
    run(page)
    expect(page.locator("#command")).to_contain_text("--rounds 12")
    remarks = page.locator(".warnings")
    expect(remarks).to_contain_text("'No' was taken for 'no' (1 row)")
    expect(page.get_by_role("link", name=re.compile("Figures"))).to_be_visible()
    remarks.get_by_role("button", name="Run again with a comma as the decimal mark").click()
    expect(page.locator("#command")).to_contain_text("--decimal ,")
    expect(remarks).not_to_contain_text("separator of thousands")
    expect(page.get_by_label("Decimal sign").locator("option:checked")).to_have_text("comma, 1,5")
    expect(page.get_by_role("link", name=re.compile("Figures"))).to_be_visible()
    assert "rounds=12" in page.locator("#python").text_content()
    assert run_shown_python(page, tmp_path, monkeypatch)["ridge"].auc > 0


def test_parameters_of_a_model(page, tmp_path, monkeypatch):
    frame = table()[["age", "marker", "outcome"]]
    frame.to_csv(tmp_path / "patients.csv", index=False)
    upload(page, tmp_path / "patients.csv")
    ask(page, "outcome")
    typed = page.get_by_label("Parameters of ridge", exact=True)
    expect(typed).to_be_hidden()
    only(page, "ridge")
    typed.fill("alpha=much")
    typed.press("Tab")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("alpha")
    typed.fill("alpha=50")
    typed.press("Tab")
    page.wait_for_timeout(500)
    run(page)
    expect(page.locator("#command")).to_contain_text("--model ridge:alpha=50")
    sample = build_sample(frame, Specification("outcome"))
    model = make_model("ridge:alpha=50", sample)
    expected = tlpo.leave_pair_out(model.estimator, model.features(sample), sample.y).auc
    expect(figure(page)).to_have_text([f"{expected:.3f}"])
    assert run_shown_python(page, tmp_path, monkeypatch)["ridge:alpha=50"].auc == expected
    assert serious(page) == []
