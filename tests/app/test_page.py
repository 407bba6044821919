"""The page from end to end, in Debian's Chromium, which ``scripts/install-browser`` installs."""

import json
import re
import time
import zipfile

import docx
import numpy as np
import pandas as pd
import pyreadstat
import pytest
from playwright.sync_api import expect
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tlpo
from app.paging import (
    ask,
    only,
    run,
    run_shown_python,
    serious,
    shown,
    upload,
    without_commands,
)
from tables import patients
from tlpo.analysis.models import make_model, make_runs
from tlpo.analysis.options import Options, OutputFiles
from tlpo.commands.run import run_command
from tlpo.document.parts import cutoff
from tlpo.schemes.tournament import play_tournament
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Reading, Specification
from tlpo.tables.read import read_table

EVIL = "<img src=x onerror=\"document.title='owned'\">"


def without_times(text):
    summary = json.loads(text)
    for model in summary["models"]:
        del model["seconds"]
    return summary


def table_of(page, kind, tmp_path, frame):
    """Write a table as people in Germany, Finland or an SPSS department have it."""
    path = tmp_path / f"patients.{kind}"
    if kind == "csv":
        frame.to_csv(path, sep=";", decimal=",", index=False)
    elif kind == "xlsx":
        with pd.ExcelWriter(path) as book:
            pd.DataFrame({"note": ["see the other sheet"]}).to_excel(book, sheet_name="read me")
            frame.to_excel(book, sheet_name="data", index=False)
    else:
        pyreadstat.write_sav(frame.assign(smoker=frame["smoker"].astype(float)), str(path))
    return path


@pytest.mark.exhaustive
def test_from_a_table_to_files(page, tmp_path):
    frame = patients(24).drop(columns="site")
    frame["weight"] = np.linspace(50.5, 90.25, 24).round(2)
    path = table_of(page, "csv", tmp_path, frame)
    upload(page, path)

    # 1. Read as it is meant; the preview follows what is changed.
    first = page.locator("#table_found tbody tr").first.locator("td")
    assert first.nth(2).inner_text() == str(frame["marker"].iloc[0])
    page.get_by_label("Decimal sign").select_option(label="point, 1.5")
    expect(first.nth(2)).to_have_text(str(frame["marker"].iloc[0]).replace(".", ","))
    page.get_by_label("Decimal sign").select_option(label="detected")
    expect(first.nth(2)).to_have_text(str(frame["marker"].iloc[0]))
    expect(shown(page, "patient")).to_contain_text("every text is different")
    expect(shown(page, "clinic")).to_contain_text("it is constant")
    assert not page.get_by_label("Use clinic").is_checked()
    page.get_by_label("Use weight").uncheck()
    expect(shown(page, "weight")).to_contain_text("as you wish")
    # What is shown anew keeps the focus.
    expect(page.get_by_label("Use weight")).to_be_focused()

    # 2. The positive label is guessed aloud.
    ask(page, "outcome")
    expect(page.locator("#question_understood")).to_contain_text(
        "yes counts as positive: 'no' reads as negative."
    )
    only(page, "rls", "knn")

    # 3, 4. Run, and read the answer.
    run(page)
    sample = build_sample(read_table(str(path)), Specification("outcome", drop=["weight"]))
    played = {
        name: play_tournament(make_runs(sample, [make_model(name, sample)], Options())[0].contest)
        for name in ("rls", "knn")
    }
    expect(page.locator(".auc")).to_have_count(2)
    expect(page.locator(".auc .figure").first).to_have_text(f"{played['rls'].auc:.3f}")
    check_points(page, played)

    # 5. Every file is that of the command.
    expect(page.get_by_role("link", name=re.compile("Figures"))).to_be_visible()
    check_files(page, path, tmp_path)

    # A reload loses nothing.
    address = page.url
    page.reload()
    assert page.url == address
    expect(page.locator(".auc .figure").first).to_have_text(f"{played['rls'].auc:.3f}")
    assert not page.get_by_label("Use weight").is_checked()
    assert (
        page.get_by_label("Outcome", exact=True).locator("option:checked").inner_text() == "outcome"
    )

    # For everybody's eyes, on any screen.
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert serious(page) == []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def check_points(page, played):
    """Move slider and prevalence, and compare with the API."""
    slider = page.get_by_label("Operating point")
    for k, (name, t) in enumerate(played.items()):
        page.get_by_label("Model", exact=True).select_option(label=name)
        expect(slider).to_have_attribute("max", str(t.roc_curve().fpr.size - 1))
        for prevalence, position in ((50, 2), (2, 4)):
            page.get_by_label("Prevalence where the test will be used (%)").fill(str(prevalence))
            slider.fill(str(position))
            expected = t.operating_points(prevalence / 100, 0.95).iloc[position]
            criterion = expected["criterion"].replace("score", "wins")
            said = cutoff({"rls": "score", "knn": "probability"}[name], expected["cutoff"])
            expect(page.locator("#point-criterion")).to_have_text(
                f"Positive if {criterion}. A new patient, scored by the model of all patients: "
                f"{said}."
            )
            for rate in ("sensitivity", "specificity", "ppv", "npv"):
                value = expected[rate]
                limits = [expected[f"{rate}_low"], expected[f"{rate}_high"]]
                expect(page.locator(f"#point-{rate}")).to_have_text(share(value))
                expect(page.locator(f"#point-{rate}-limits")).to_have_text(
                    " to ".join(map(share, limits))
                )
            if k == 0:
                for count in ("tp", "fp", "fn", "tn"):
                    expect(page.locator(f"#point-{count}")).to_have_text(f"{expected[count]:.0f}")
            else:
                expect(page.locator("#answer_point")).to_contain_text("counts no patients")
    # The other slider of the prevalence moves the field.
    page.get_by_label("Prevalence (%)", exact=True).fill("20")
    expect(page.get_by_label("Prevalence where the test will be used (%)")).to_have_value("20")


def share(value):
    """Write a share with three digits; what is not quite 0 or 1 is not written so."""
    text = f"{value:.3f}"
    if value < 1 and text == "1.000":
        return "0.999"
    return "0.001" if value > 0 and text == "0.000" else text


def check_files(page, path, tmp_path):
    names = [
        *("report.html", "report.docx", "result.json", "patients.csv", "answer.md", "figures.zip")
    ]
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    for name, link in zip(names, page.locator("#downloads li a").all(), strict=True):
        with page.expect_download() as download:
            link.click()
        assert download.value.suggested_filename == name
        download.value.save_as(mine / name)
    run_command(
        str(path),
        Specification("outcome", drop=["weight"]),
        OutputFiles(
            html=theirs / "report.html",
            json=theirs / "result.json",
            csv=theirs / "patients.csv",
            md=theirs / "answer.md",
            figures=theirs / "figures",
        ),
        models=["rls", "knn"],
        reading=Reading(),
        options=Options(),
        quiet=True,
    )
    assert without_times((mine / "result.json").read_text()) == without_times(
        (theirs / "result.json").read_text()
    )
    for name in ("report.html", "patients.csv", "answer.md"):
        assert (mine / name).read_text() == (theirs / name).read_text()
    word = docx.Document(str(mine / "report.docx"))
    assert "patients.csv" in word.paragraphs[0].text
    assert len(word.inline_shapes) == len(list((theirs / "figures").glob("*.png")))
    with zipfile.ZipFile(mine / "figures.zip") as archive:
        assert {"roc.png", "roc.svg", "roc.pdf", "games-2.png"} < set(archive.namelist())
        assert archive.read("roc.png").startswith(b"\x89PNG")
    # The report on the page is that file, and runs nothing.
    page.get_by_text("The whole report").click()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", level=1)).to_contain_text("patients.csv")
    assert page.locator("iframe").get_attribute("sandbox") == "allow-same-origin"
    # The same again, to copy.
    page.get_by_role("button", name="Copy: Command line").click()
    expect(page.get_by_role("button", name="Copy: Command line")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == (
        "tlpo run patients.csv --target outcome --drop weight --model rls --model knn "
        "--html report.html --json result.json"
    )
    asked = "tlpo.read_table('patients.csv', target='outcome', drop=['weight'])"
    expect(page.locator("#python")).to_contain_text(asked)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["xlsx", "sav"])
def test_other_kinds_of_files_and_hostile_names(page, kind, tmp_path):
    frame = patients(16).drop(columns="clinic")
    if kind == "xlsx":
        frame = frame.rename(columns={"marker": EVIL, "site": "__proto__"})
        frame["outcome"] = np.where(frame["outcome"] == "yes", EVIL, "no")
    path = table_of(page, kind, tmp_path, frame)
    if kind == "xlsx":
        path = path.rename(tmp_path / f"{EVIL.replace('/', '')}.xlsx")
    upload(page, path)
    if kind == "xlsx":
        page.get_by_label("Sheet", exact=True).select_option(label="data")
    expect(shown(page, "age")).to_contain_text("automatic: a number")
    assert page.locator("#table_columns tbody tr").count() == frame.shape[1]
    ask(page, "outcome")
    page.get_by_label("no (8 rows)").check()
    expect(page.locator("#question_understood")).to_contain_text(
        "no counts as positive: as requested."
    )
    if kind == "xlsx":
        only(page, "ridge")
        run(page)
        expect(page.locator("#command")).to_contain_text("--sheet data")
        expect(page.locator("#command")).to_contain_text("--save-model model.skops")
        with page.expect_download() as download:
            page.get_by_role("link", name="The model").click()
        assert zipfile.is_zipfile(download.value.path())
        expect(page.locator(".lead").first).to_contain_text(EVIL)
        expect(page.get_by_text("The whole report")).to_be_visible()
    assert page.title() == "tlpo"
    assert page.locator("main img").count() == 0
    if kind == "sav":
        # The outcome cannot be a column of many names: the package's own words.
        page.get_by_label("Outcome", exact=True).select_option(label="patient")
        alert = page.get_by_role("alert").filter(has_text="exactly two labels")
        expect(alert.locator("p")).to_have_count(3)
        expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()


@pytest.mark.long
def test_a_run_is_cancelled_and_resumed_by_keyboard_alone(page, context, tmp_path):
    path = tmp_path / "patients.csv"
    patients(300)[["age", "marker", "outcome"]].to_csv(path, index=False)
    upload(page, path)
    page.get_by_label("Outcome", exact=True).focus()
    page.keyboard.type("outcome")
    expect(page.get_by_text("Which label counts as positive?")).to_be_visible()
    # The constant model is refitted and takes minutes: its games are not done before they are
    # cancelled.
    for name in ("glm", "constant"):
        page.locator(f"#model-{name}").focus()
        page.keyboard.press("Space")
        expect(page.locator(f"#model-{name}")).to_be_checked(checked=name == "constant")
        expect(page.locator(f"#model-{name}")).to_be_focused()
        if name == "glm":
            expect(page.locator("#run_state")).to_contain_text("Choose at least one model.")
    expect(page.locator("#run_state")).to_contain_text("Ready.")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    label = page.locator("#run_progress label")
    expect(label).to_have_text(re.compile(r"Games: [1-9]\d*"))
    done = games(label)
    # The page stays usable meanwhile; another tab has an analysis of its own.
    with context.expect_page() as opened:
        page.get_by_role("link", name="Begin another analysis").click()
    other = opened.value
    expect(other.get_by_text("First choose a table.")).to_be_visible()
    assert other.url != page.url
    other.close()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.get_by_role("button", name="Cancel").press("Enter")
    started = time.monotonic()
    expect(page.locator("#run_state")).to_contain_text("What was finished is kept")
    assert time.monotonic() - started < 10  # two seconds, unless the machine is very busy
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(label).to_have_text(re.compile(r"Games: \d+"))
    assert games(label) >= done
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.locator("#run_state")).to_contain_text("What was finished is kept")


def games(label):
    return int(re.search(r"Games: (\d+)", label.inner_text())[1])


@pytest.mark.long
def test_a_marker_below_a_header_further_down(page, tmp_path):
    frame = patients(24)[["marker", "age", "outcome"]]
    path = tmp_path / "patients.csv"
    path.write_text("a,b,c\n1,2,3\n" + frame.to_csv(index=False))
    upload(page, path)
    caption = page.locator("#table_found caption")
    expect(caption).to_contain_text("26 rows")
    page.get_by_label("Header row").fill("0")
    expect(page.get_by_role("alert")).to_contain_text("the header row must be")
    page.get_by_label("Header row").fill("3")
    expect(caption).to_contain_text("24 rows")
    expect(page.get_by_label("Header row")).to_have_value("3")
    page.get_by_label("Header row").fill("")
    expect(caption).to_contain_text("26 rows")
    page.get_by_label("Header row").fill("3")
    expect(caption).to_contain_text("24 rows")

    ask(page, "outcome")
    page.get_by_label("A marker I measured").check()
    expect(page.locator("#run_state")).to_contain_text("Choose at least one marker.")
    column = page.get_by_label("Column of numbers")
    assert column.locator("option").all_inner_texts()[1:] == ["marker", "age"]
    for name in ("age", "marker"):
        column.select_option(label=name)
        page.get_by_role("button", name="Add the marker").click()
        expect(page.get_by_role("button", name=f"Remove {name}")).to_be_visible()
    page.get_by_role("button", name="Remove age").press("Enter")
    expect(page.get_by_role("button", name="Remove age")).to_have_count(0)
    expect(column).to_be_focused()
    page.get_by_label("Values of marker that speak").select_option(label="smaller values")
    page.get_by_label("Cut-off of marker").fill("-0.5")
    page.get_by_label("Cut-off of marker").press("Tab")
    page.get_by_text("More options").click()
    page.get_by_label("Draw smoothed (binormal) ROC curves too").check()
    page.get_by_label("Prevalence where it will be used").fill("20")
    page.get_by_label("Prevalence where it will be used").press("Tab")
    page.wait_for_timeout(1000)
    run(page)
    judged = tlpo.assess(
        frame["marker"], frame["outcome"], positive="yes", larger_is_positive=False
    )
    expect(page.locator(".auc .figure")).to_have_text([f"{judged.auc:.3f}"])
    interval = judged.auc_interval()
    expect(page.locator(".auc")).to_contain_text(f"{interval.low:.3f} to {interval.high:.3f}")
    expect(page.locator(".lead")).to_contain_text("has a smaller marker than one with outcome")
    assert page.get_by_label("Operating point").count() == 0
    assert page.locator("#command").inner_text() == (
        "tlpo marker patients.csv --target outcome --header-row 3 --marker marker "
        "--smaller-is-positive marker --cutoff=-0.5 --prevalence 0.2 --smooth --html report.html "
        "--json result.json"
    )
    page.get_by_text("The whole report").click()
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("Cut-off -0.5, as given")
    area = f"{judged.smooth_curve().auc:.3f}"
    cell = page.frame_locator("iframe").get_by_role("cell", name=area, exact=True)
    expect(cell).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("link", name="Every cut-off").click()
    assert download.value.suggested_filename == "cutoffs.csv"
    page.reload()
    expect(page.get_by_label("Cut-off of marker")).to_have_value("-0.5")
    assert serious(page) == []


@pytest.mark.long
def test_the_button_of_a_remark_runs_again_without_the_column(page, tmp_path):
    frame = patients(48)[["age", "marker", "outcome"]]
    ill = frame["outcome"] == "yes"
    frame["outcome"] = np.where(ill, "beta", "alpha")
    frame["bwt"] = np.where(ill, 3000.0, 2000.0) + np.arange(48)
    frame["person"] = [f"P{101 + k // 2}" for k in range(48)]
    frame["doctor"] = [f"Zadeh{k % 3}" for k in range(48)]
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    upload(page, path)
    ask(page, "outcome")
    only(page, "ridge")
    run(page)
    figure = page.locator(".auc .figure")
    expect(figure).to_have_text("1.000")
    remarks = page.locator(".warnings")
    expect(remarks).to_contain_text("'bwt' alone separates the classes (AUC 1.000); without it")
    assert remarks.get_by_role("button").all_inner_texts() == [
        "Run again with 'alpha' as the positive label",
        "Run again without 'bwt'",
        "Run again without 'doctor'",
        "Run again with 'doctor' as a category",
        "Run again with 'person' as the group",
    ]
    assert without_commands(page).count("--") == 0
    drawn = page.get_by_role("link", name=re.compile("Figures"))
    expect(drawn).to_be_visible()
    remarks.get_by_role("button", name="Run again without 'bwt'").click()
    expect(figure).not_to_have_text("1.000")
    expect(page.locator("#command")).to_contain_text("--drop bwt")
    expect(remarks).not_to_contain_text("bwt")
    expect(page.get_by_label("Use bwt")).not_to_be_checked()
    expect(drawn).to_be_visible()
    remarks.get_by_role("button", name="Run again with 'person' as the group").click()
    expect(page.locator("#command")).to_contain_text("--group person")
    expect(remarks).not_to_contain_text("person")
    # The form shows it, so that the next change does not undo it.
    group = page.get_by_label("Rows that belong together")
    expect(group.locator("option:checked")).to_have_text("person")
    assert without_commands(page).count("--") == 0
    expect(drawn).to_be_visible()
    page.get_by_text("More options").click()
    page.get_by_label("Missing values").select_option(label="leave such rows out")
    page.wait_for_timeout(1000)  # until it is being looked at
    run(page)
    expect(page.locator("#command")).to_contain_text("--drop bwt --group person --missing drop")
    expect(drawn).to_be_visible()
    assert serious(page) == []


def test_nothing_pales_while_it_is_renewed(page):
    opacity = """() => Array.from(document.querySelectorAll(".shiny-html-output"), (output) => {
        output.classList.add("recalculating");
        return getComputedStyle(output).getPropertyValue("--_shiny-fade-opacity");
    })"""
    found = page.evaluate(opacity)
    assert found
    assert set(found) == {"1"}


def test_a_bad_file_is_explained(page, tmp_path):
    path = tmp_path / "broken.xlsx"
    path.write_bytes(b"PK\x03\x04 not a workbook")
    page.get_by_label("A table with one row per patient").set_input_files(path)
    alert = page.get_by_role("alert").filter(has_text="broken.xlsx")
    expect(alert.locator("p")).to_have_count(3)
    expect(alert).not_to_contain_text("table-")
    expect(page.locator("#question_form")).to_contain_text("First choose a table.")


@pytest.mark.long
def test_a_second_table_stops_the_upload_of_the_first(page, tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    for path in (first, second):
        patients(16).to_csv(path, index=False)
    stopped = []
    page.on("requestfailed", lambda request: stopped.append(request.url.rpartition("=")[2]))
    page.route("**/table?name=first.csv", lambda _: None)  # is never answered
    page.get_by_label("A table with one row per patient").set_input_files(first)
    upload(page, second)
    assert stopped == ["first.csv"]
    expect(page.locator("#upload")).to_be_empty()


def measured(m=24):
    """Patients with a loss in numbers, and the same as grades."""
    frame = patients(m)[["age", "marker"]]
    noise = np.random.default_rng(5).normal(size=m)
    loss = (2 * frame["marker"] + noise).round(1)
    names = np.array(["low", "medium", "high"])[pd.qcut(loss, 3, labels=False).to_numpy()]
    return frame.assign(loss=loss, grade=names)


@pytest.mark.long
def test_a_number_is_ordered_and_reproduced(page, tmp_path, monkeypatch):
    frame, path = measured().drop(columns="grade"), tmp_path / "patients.csv"
    frame["ill"] = np.where(np.arange(24) % 2, "yes", "no")
    frame.to_csv(path, index=False)
    upload(page, path)
    page.get_by_label("Use ill").uncheck()
    # Every kind of outcome has its usual model.
    for outcome, usual in (("loss", "ridge"), ("ill", "logistic"), ("loss", "ridge")):
        page.get_by_label("Outcome", exact=True).select_option(label=outcome)
        for name in ("ridge", "knn", "logistic"):
            expect(page.locator(f"#model-{name}:checked")).to_have_count(int(name == usual))
        expect(page.locator(".cards")).to_contain_text(f"Chosen for this table: {usual}, ")
    expect(page.locator("#ordered-outcome")).to_contain_text(
        "The outcome is 'loss', a number from "
    )
    assert page.get_by_text("Which label counts as positive?").count() == 0
    only(page, "rls")
    run(page)
    c = tlpo.concordance(tlpo.RLS(), frame[["age", "marker"]], frame["loss"])
    interval = c.concordance_interval()
    expect(page.locator(".auc .figure")).to_have_text([f"{c.concordance:.3f}"])
    expect(page.locator(".auc")).to_contain_text(f"{interval.low:.3f} to {interval.high:.3f}")
    expect(page.locator(".lead")).to_contain_text("with different loss in the right order")
    assert page.get_by_label("Operating point").count() == 0
    assert page.locator("#command").inner_text() == (
        "tlpo run patients.csv --target loss --drop ill --model rls --html report.html "
        "--json result.json"
    )
    shown_again = run_shown_python(page, tmp_path, monkeypatch)["rls"]
    assert shown_again.concordance == c.concordance
    page.get_by_text("The whole report").click()
    expect(page.frame_locator("iframe").locator("body")).to_contain_text("Somers' D")
    assert serious(page) == []


@pytest.mark.long
def test_grades_are_typed_with_commas(page, tmp_path, monkeypatch):
    frame, path = measured().drop(columns="loss"), tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    upload(page, path)
    page.get_by_label("Outcome", exact=True).select_option(label="grade")
    ranked = page.get_by_label("Are these grades? Rank them: low < medium < high")
    expect(ranked).not_to_be_checked()
    page.get_by_text("More options").click()
    grades = page.get_by_label("Grades from lowest to highest, with commas")
    grades.fill("low, high")
    grades.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("'grade' also holds 'medium'")
    grades.fill("low, medium,high")
    grades.press("Tab")
    expect(page.locator("#ordered-outcome")).to_have_text(
        "The outcome is 'grade', a grade: low < medium < high."
    )
    expect(ranked).to_be_checked()
    # By a click it is taken back, and asked again without typing.
    page.get_by_label("All of them").check()
    expect(page.locator("#ordered-outcome")).to_have_count(0)
    expect(grades).to_have_value("")
    ranked.check()
    expect(page.locator("#ordered-outcome")).to_be_visible()
    expect(grades).to_have_value("low, medium, high")
    expect(ranked).to_be_focused()
    only(page, "rls")
    run(page)
    place = frame["grade"].map({"low": 0, "medium": 1, "high": 2})
    c = tlpo.concordance(tlpo.RLS(), frame[["age", "marker"]], place)
    expect(page.locator(".auc .figure")).to_have_text([f"{c.concordance:.3f}"])
    assert page.locator("#command").inner_text() == (
        "tlpo run patients.csv --target grade --order low --order medium --order high --model rls "
        "--html report.html --json result.json"
    )
    assert run_shown_python(page, tmp_path, monkeypatch)["rls"].concordance == c.concordance


def flowers():
    """Every third iris."""
    data = load_iris(as_frame=True)
    table = data.data.assign(species=data.target_names[data.target])
    table.columns = ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
    return table.iloc[::3].reset_index(drop=True)


@pytest.mark.long
def test_several_classes_and_what_is_chosen_among_them(page, tmp_path, monkeypatch):
    frame, path = flowers()[["sepal_length", "sepal_width", "species"]], tmp_path / "iris.csv"
    frame.to_csv(path, index=False)
    X, y = frame[["sepal_length", "sepal_width"]], frame["species"]
    upload(page, path)
    page.get_by_label("Outcome", exact=True).select_option(label="species")
    expect(page.locator("#labels")).to_have_text(
        "species has 3 labels: setosa (17 rows), versicolor (17 rows), virginica (16 rows). All of "
        "them are told apart, unless you choose otherwise."
    )
    expect(page.locator("#model-ridge")).to_be_checked()
    assert page.locator("#model-lasso").count() == 0
    only(page, "lda")
    run(page)
    lda = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    k = tlpo.multiclass(lda, X, y)
    expect(page.locator(".auc .figure")).to_have_text([f"{k.auc:.3f}"])
    expect(page.locator(".lead")).to_contain_text("(the AUC of several classes, M;")
    assert page.get_by_label("Operating point").count() == 0
    assert run_shown_python(page, tmp_path, monkeypatch)["lda"].auc == k.auc
    page.get_by_text("The whole report").click()
    body = page.frame_locator("iframe").locator("body")
    expect(body).to_contain_text("Every two classes")
    expect(page.get_by_role("link", name=re.compile("Figures"))).to_be_visible()

    # One against the others, by keyboard: arrows choose, and the list has the focus next.
    page.get_by_label("All of them").focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(page.get_by_label("This class")).to_be_focused()
    page.keyboard.type("virg")
    expect(page.get_by_label("virginica (16 rows)")).to_be_checked()
    run(page)
    t = tlpo.tournament(lda, X, y == "virginica", positive=True)
    expect(page.locator(".auc .figure")).to_have_text([f"{t.auc:.3f}"])
    expect(page.locator("#command")).to_contain_text("--classes virginica --classes rest")
    expect(page.get_by_role("link", name=re.compile("Figures"))).to_be_visible()

    # Two together. What cannot be asked is said, and what was chosen is not lost.
    page.get_by_label("Some of them together").check()
    for label in ("setosa", "virginica", "versicolor"):
        page.get_by_label(f"Class of {label}").select_option(label="class A")
    expect(page.get_by_role("alert")).to_contain_text("Two to 10 classes are told apart.")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    page.get_by_label("Class of versicolor").select_option(label="class B")
    expect(page.get_by_label("setosa,virginica (33 rows)")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Class of versicolor").locator("option:checked")).to_have_text(
        "class B"
    )
    expect(page.get_by_label("setosa,virginica (33 rows)")).to_be_visible()
    assert serious(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    # A marker needs two.
    page.get_by_label("All of them").check()
    page.get_by_label("A marker I measured").check()
    expect(page.get_by_role("alert")).to_contain_text("A marker tells two classes apart.")
    page.get_by_label("Two of them").check()
    expect(page.get_by_label("versicolor (17 rows)")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
def test_a_marker_of_numbers(page, tmp_path, monkeypatch):
    frame, path = measured().drop(columns="grade"), tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    upload(page, path)
    page.get_by_label("Outcome", exact=True).select_option(label="loss")
    expect(page.locator("#ordered-outcome")).to_be_visible()
    page.get_by_label("A marker I measured").check()
    page.get_by_label("Column of numbers").select_option(label="marker")
    page.get_by_role("button", name="Add the marker").click()
    expect(page.get_by_role("button", name="Remove marker")).to_be_visible()
    run(page)
    a = tlpo.assess(frame["marker"], frame["loss"], order=True)
    expect(page.locator(".auc .figure")).to_have_text([f"{a.concordance:.3f}"])
    assert page.locator("#command").inner_text() == (
        "tlpo marker patients.csv --target loss --marker marker --html report.html "
        "--json result.json"
    )
    found = run_shown_python(page, tmp_path, monkeypatch)["marker"]
    assert found.concordance == a.concordance
