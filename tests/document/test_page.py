"""The report in a real browser: Debian's Chromium, which ``scripts/install-browser`` installs."""

import json
import re
import shutil
from base64 import b64decode
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from tables import patients
from tlpo.analysis.models import make_model, make_runs
from tlpo.analysis.options import Options, OutputFiles
from tlpo.analysis.summarize import summarize
from tlpo.document.write import write
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
EVIL = "<script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    table = patients(20).rename(columns={"marker": EVIL})
    table["outcome"] = np.where(table["outcome"] == "yes", f"ill{EVIL}", "well")
    sample = build_sample(table.drop(columns="site"), Specification("outcome"))
    models = [make_model(name, sample) for name in ("rls", "logistic")]
    path = folder / "report.html"
    options = Options()
    write(
        summarize(sample, make_runs(sample, models, options), options, source=EVIL),
        OutputFiles(html=path),
    )
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    assert chromium, "run scripts/install-browser"
    assert driver, "run scripts/install-browser"
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    yield found
    found.quit()


@pytest.fixture
def opened(browser, page):
    browser.set_window_size(1200, 900)
    for kind in ("browser", "performance"):
        browser.get_log(kind)  # what the browser did before
    browser.get(page.as_uri())
    return browser


def test_nothing_goes_wrong_and_nothing_leaves_the_page(opened, page):
    assert opened.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    urls = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert page.as_uri() in urls
    others = {url for url in urls if not url.startswith(("data:", page.as_uri()))}
    assert others == set()


def test_outside_text_is_shown_not_run(opened):
    assert opened.title == f"Predicting outcome ({EVIL}): how well do the models discriminate?"
    assert opened.find_elements(By.TAG_NAME, "script") == []
    body = opened.find_element(By.TAG_NAME, "body").text
    assert EVIL in body
    assert f"ill{EVIL}" in body


def test_all_figures_are_visible(opened):
    pictures = opened.find_elements(By.TAG_NAME, "img")
    assert len(pictures) == 9
    for picture in pictures:
        assert opened.execute_script("return arguments[0].naturalWidth", picture) > 100
        assert picture.is_displayed()
        assert picture.get_attribute("alt")


def test_text_is_there_and_links_lead_somewhere(opened):
    headings = [h.text for h in opened.find_elements(By.TAG_NAME, "h2")]
    assert headings == [
        *("Answer", "ROC curve", "Operating points", "Each model"),
        *(
            "Without each feature",
            "Comparison",
            "If you report only the best",
            "Sample",
            "Sample size",
            "Methods",
        ),
        "Checklists",
    ]
    for link in opened.find_elements(By.CSS_SELECTOR, "nav a"):
        target = link.get_attribute("href").split("#")[1]
        assert opened.find_element(By.ID, target).is_displayed()
    assert "almost unbiased" in opened.find_element(By.TAG_NAME, "body").text


def test_screen_readers_find_their_way(opened):
    assert opened.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"
    assert len(opened.find_elements(By.TAG_NAME, "h1")) == 1
    for table in opened.find_elements(By.TAG_NAME, "table"):
        assert table.find_elements(By.TAG_NAME, "caption")
        assert table.find_elements(By.CSS_SELECTOR, "th[scope]")
    opened.execute_script("document.querySelector('a.skip').focus()")
    assert opened.find_element(By.CSS_SELECTOR, "a.skip").location["x"] >= 0


# Words of names in tables that stand on two lines, unless they are long.
BROKEN = """
const broken = [];
for (const cell of document.querySelectorAll("table.wraps th")) {
  const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    for (const word of walk.currentNode.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(walk.currentNode, word.index);
      range.setEnd(walk.currentNode, word.index + word[0].length);
      const lines = new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top)));
      if (word[0].length <= 20 && lines.size > 1) broken.push(word[0]);
    }
  }
}
return broken;
"""


def test_no_name_is_broken_inside_a_word(browser, page):
    browser.set_window_size(700, 900)
    browser.get(page.as_uri())
    assert browser.execute_script("return document.querySelectorAll('table.wraps th').length") > 5
    assert browser.execute_script(BROKEN) == []


@pytest.mark.parametrize("width", [390, 1200])
def test_fits_a_phone_and_a_desk(browser, page, width, tmp_path):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.get(page.as_uri())
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    path = tmp_path / "shot.png"
    browser.save_screenshot(str(path))
    assert path.stat().st_size > 10_000
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_operating_points_fit_a_phone_without_scrolling(browser, page):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": True},
    )
    browser.get(page.as_uri())
    tables = browser.find_elements(By.CSS_SELECTOR, "#points table")
    assert len(tables) == 2
    for table in tables:
        assert table.rect["x"] + table.rect["width"] <= 390
        assert float(table.value_of_css_property("font-size").removesuffix("px")) >= 12
        for cell in table.find_elements(By.CSS_SELECTOR, "td, th"):
            wide, inside = browser.execute_script(
                "return [arguments[0].scrollWidth, arguments[0].clientWidth]", cell
            )
            assert wide <= inside + 1
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def paper(n_features, m, seed=0):
    rng = np.random.default_rng(seed)
    ill = np.arange(m) % 3 == 0
    X = rng.normal(size=(m, n_features))
    X[:, :2] += ill[:, None]
    table = pd.DataFrame(X, columns=[f"marker_{k}" for k in range(n_features)])
    constant = {f"batch_{k}": "A" for k in range(8)}
    return table.assign(**constant, relapse=np.where(ill, "yes", "no"))


def n_printed(browser, path, without=None):
    browser.get(path.as_uri())
    if without is not None:
        browser.execute_script("document.querySelector(arguments[0]).remove()", without)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", b64decode(printed["data"])))


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("n_features", "m", "names", "most"),
    [(30, 100, ("logistic", "ridge"), 8), (5000, 40, ("rls", "bayes"), 7)],
)
def test_it_prints_on_few_pages(browser, tmp_path, n_features, m, names, most):
    sample = build_sample(paper(n_features, m), Specification("relapse"))
    models = [make_model(name, sample) for name in names]
    options = Options()
    analysis = summarize(sample, make_runs(sample, models, options), options, source="paper.csv")
    assert [note for note in analysis.sample.notes if "constant" in note] == [
        "Columns 'batch_0', 'batch_1', 'batch_2', 'batch_3', 'batch_4', 'batch_5', 'batch_6', "
        "'batch_7' were not used: they are constant."
    ]
    write(analysis, OutputFiles(html=tmp_path / "r.html"))
    assert 3 < n_printed(browser, tmp_path / "r.html", without="#checklist") <= most
    # All items of two checklists.
    assert n_printed(browser, tmp_path / "r.html") <= most + 3


def test_dark_mode_and_print(browser, page):
    def background():
        return browser.execute_script("return getComputedStyle(document.body).backgroundColor")

    shades = {}
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        browser.get(page.as_uri())
        shades[scheme] = background()
    assert shades["light"] == "rgb(255, 255, 255)"
    assert shades["dark"] != shades["light"]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    assert len(printed["data"]) > 20_000


def test_the_demo_leaves_the_same_report(opened, tmp_path, capsys):
    from tlpo.commands.demo import run_demo

    run_demo(tmp_path, n_units=12)
    assert "Report:" in capsys.readouterr().out
    opened.get(Path(tmp_path / "report.html").as_uri())
    title = opened.find_element(By.TAG_NAME, "h1").text
    assert title == "Predicting diagnosis (demo.csv): how well do the models discriminate?"
    assert opened.get_log("browser") == []
