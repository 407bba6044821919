"""The measured tables of the page are those of the committed measurements."""

from pathlib import Path

import pandas as pd
import pytest

from tlpo.experiments import pages
from tlpo.experiments.coverage import measurements
from tlpo.results.intervals import MEASURED

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def measured():
    return pd.read_csv(DOCS / "coverage.csv")


def test_every_declared_setting_was_measured(measured):
    expected = {(m.name, m.repetitions) for m in measurements(2000)}
    found = set(measured[["measurement", "requested"]].itertuples(index=False, name=None))
    assert found == expected


@pytest.mark.parametrize(
    "name", ["intervals", "curve", "groups", "comparisons", "permutations", "how"]
)
def test_page_shows_what_was_measured(name, measured):
    text = (DOCS / "inference.md").read_text(encoding="utf-8")
    shown = text.split(pages.BEGIN.format(name))[1].split(pages.END)[0].strip()
    assert shown == getattr(pages, name)(measured)


def test_page_plans_as_the_package_does():
    text = (DOCS / "inference.md").read_text(encoding="utf-8")
    shown = text.split(pages.BEGIN.format("planning"))[1].split(pages.END)[0].strip()
    assert shown == pages.planning()


def test_tables_are_written_between_the_marks(tmp_path, measured):
    page = tmp_path / "page.md"
    names = ("intervals", "curve", "groups", "comparisons", "permutations", "planning", "how")
    old = "\n".join(
        f"before {name}\n{pages.BEGIN.format(name)}\nold\n{pages.END}" for name in names
    )
    page.write_text(old + "\nafter\n")
    pages.write_tables(page, measured)
    text = page.read_text()
    assert "old" not in text
    assert text.endswith("after\n")
    assert text.count("before") == 7
    page.write_text("nothing")
    with pytest.raises(SystemExit, match="has no mark"):
        pages.write_tables(page, measured)


def test_methods_are_labelled_with_what_was_measured(measured):
    own = measured[measured["measurement"].str.startswith("interval")]
    for method in ("newcombe", "delong", "delong-logit", "hanley-mcneil", "bootstrap"):
        covered = own[own["quantity"] == method]["mean"]
        assert MEASURED[method] == (round(covered.min(), 2), round(covered.max(), 2))
    default = own[own["quantity"] == "placement-jackknife"]["mean"]
    assert default.min() >= 0.92
    assert default.max() <= 0.995
