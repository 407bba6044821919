"""What users do on the page."""

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import expect

# Other work may share the machine.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)


def upload(page, path):
    page.get_by_label("A table with one row per patient").set_input_files(path)
    expect(page.locator("#table_found caption")).to_contain_text(f"{path.name}:")


def shown(page, name):
    """Return a row of the table of columns."""
    return page.locator("#table_columns tbody tr").filter(
        has=page.get_by_role("rowheader", name=name)
    )


def ask(page, outcome):
    page.get_by_label("Outcome", exact=True).select_option(label=outcome)
    expect(page.get_by_text("Which label counts as positive?")).to_be_visible()


def only(page, *models):
    """Choose some models."""
    for card in page.locator("[data-model]").all():
        name = card.get_attribute("data-model")
        page.locator(f"#model-{name}").set_checked(name in models)
        expect(page.locator(f"#model-{name}")).to_be_checked(checked=name in models)


def run(page):
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("link", name="See the answer")).to_be_visible()


def serious(page):
    found = Axe().run(page)["violations"]
    return [(v["id"], v["nodes"]) for v in found if v["impact"] in ("serious", "critical")]


def run_shown_python(page, folder, monkeypatch):
    """Run what the page offers to copy, and return its results."""
    monkeypatch.chdir(folder)
    found = {}
    exec(page.locator("#python").text_content(), found)
    return found["results"]


def without_commands(page):
    """Return all text of the page but what can be copied to a command line."""
    shown = page.locator("main").inner_text()
    for part in page.locator("pre").all_inner_texts():
        shown = shown.replace(part, "")
    return shown
