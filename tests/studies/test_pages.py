"""The measured tables of the page are those of the committed measurements."""

import sys

import pandas as pd
import pytest

from studies import choice, cutoffs, large_samples, pages, ratios, ties_page
from studies.coverage import measurements
from studies.marked import DOCS, read_block
from studies.measured import PAPER
from tlpo.errors import InputError
from tlpo.roc.methods import FIXED, METHODS


@pytest.fixture(scope="module")
def measured():
    return pd.read_csv(DOCS / "coverage.csv")


def test_every_declared_setting_was_measured(measured):
    expected = {(m.name, m.repetitions) for m in measurements(2000)}
    found = set(measured[["measurement", "requested"]].itertuples(index=False, name=None))
    assert found == expected


@pytest.mark.parametrize(
    "name",
    [
        *("intervals", "curve", "groups", "comparisons", "permutations", "how"),
        *("markers", "marker comparisons", "precision", "probabilities", "refits", "planned"),
    ],
)
def test_page_shows_what_was_measured(name, measured):
    written = getattr(pages, name.replace(" ", "_"))(measured)
    assert read_block(pages.page_of(name), name) == written


def test_page_shows_what_was_measured_of_the_best_of_several():
    measured = pd.read_csv(DOCS / "choice.csv")
    assert read_block(DOCS / "coverage.md", "choices") == pages.choices(measured)
    declared = {(m.name, m.repetitions) for m in choice.measurements(1000)}
    assert set(measured["measurement"]) == {name for name, _ in declared}


def test_page_shows_what_was_measured_at_cutoffs():
    measured = pd.read_csv(DOCS / "cutoffs.csv")
    assert read_block(DOCS / "coverage.md", "cutoffs") == pages.cutoffs(measured)
    declared = {(m.name, m.repetitions) for m in cutoffs.measurements(1000)}
    assert (
        set(measured[["measurement", "requested"]].itertuples(index=False, name=None)) == declared
    )


def test_page_on_ties_shows_what_was_measured():
    table = ties_page.table_of(DOCS / "ties.csv")
    for name, render in (
        ("findings of ties", ties_page.findings),
        ("aucs with ties", ties_page.aucs),
        ("curves with ties", ties_page.curves),
    ):
        assert read_block(DOCS / "ties.md", name) == render(table)


def test_the_paper_shows_the_ratios_of_what_was_measured():
    assert read_block(PAPER, "ratios") == ratios.render()


def test_ratios_by_hand():
    rows = [("placement variance", 2.0, 0.1), ("jackknife variance", 18.0, 0.2)]
    rows += [("geometric mean", 5.0, 0.1), ("squared error", 4.0, 0.4)]
    table = pd.DataFrame(rows, columns=["quantity", "mean", "se"]).assign(measurement="forest, x")
    (found,) = ratios.ratios_of(table, "squared error").values()
    assert found == (0.5, 4.5, 1.25, 0.125)
    assert found.product == 1.5
    names = ("ridge, 2 (0) features", "ridge, 2 (1) features", "ridge, 2 (0) features, 9 patients")
    kinds = ["no signal", "signal", "several units per patient"]
    assert [ratios.kind_of(name) for name in names] == kinds


def test_page_plans_as_the_package_does():
    assert read_block(DOCS / "inference.md", "planning") == pages.planning()


def test_page_shows_what_was_measured_of_large_samples():
    measured = pd.read_csv(pages.LARGE)
    assert read_block(DOCS / "coverage.md", "large samples") == pages.large_samples(measured)
    declared = {(m.name, m.repetitions) for m in large_samples.measurements(400)}
    assert (
        set(measured[["measurement", "requested"]].itertuples(index=False, name=None)) == declared
    )


@pytest.mark.exhaustive
def test_tables_are_written_between_the_marks(tmp_path, measured):
    names = (
        *("intervals", "curve", "groups", "comparisons"),
        *("permutations", "planning", "how", "choices", "probabilities"),
        *("markers", "marker comparisons", "precision", "refits", "cutoffs", "planned"),
        "large samples",
    )
    owns = {
        page: [n for n in names if pages.page_of(n, tmp_path) == page] for page in both(tmp_path)
    }
    for page, own in owns.items():
        old = "\n".join(
            f"before {name}\n<!-- measured: {name} -->\nold\n<!-- end: {name} -->" for name in own
        )
        page.write_text(old + "\nafter\n")
    pages.write_tables(tmp_path, measured)
    for page, own in owns.items():
        text = page.read_text()
        assert "old" not in text
        assert text.endswith("after\n")
        assert text.count("before") == len(own) > 0
    page = tmp_path / "coverage.md"
    page.write_text("nothing")
    with pytest.raises(InputError, match="<!-- measured: intervals -->"):
        pages.write_tables(tmp_path, measured)
    assert page.read_text() == "nothing"


def both(docs):
    return docs / "inference.md", docs / "coverage.md"


def test_the_command_changes_nothing_in_the_committed_page(tmp_path, monkeypatch):
    names = ("inference.md", "coverage.md")
    for name in names:
        (tmp_path / name).write_bytes((DOCS / name).read_bytes())
    monkeypatch.setattr(sys, "argv", ["pages", "--docs", str(tmp_path)])
    pages.main()
    for name in names:
        assert (tmp_path / name).read_bytes() == (DOCS / name).read_bytes()


def test_methods_are_labelled_with_what_was_measured(measured):
    own = measured[measured["measurement"].str.startswith("interval")]
    for method in ("newcombe", "delong", "delong-logit", "hanley-mcneil", "bootstrap"):
        covered = own[own["quantity"] == method]["mean"]
        assert METHODS[method].measured == (round(covered.min(), 2), round(covered.max(), 2))
    default = own[own["quantity"] == "placement-jackknife"]
    assert default["mean"].min() >= 0.93
    assert default["repetitions"].min() >= 1000
    assert default["mean"].max() <= 0.995


def test_groups_and_comparisons_hold_what_the_page_says(measured):
    grouped = measured[measured["quantity"] == "with groups"]["mean"]
    assert 0.94 <= grouped.min() <= grouped.max() < 0.997
    compared = measured[measured["quantity"] == "interval of difference"]
    compared = compared[compared["measurement"].str.startswith("compare ")]
    assert compared["repetitions"].min() >= 1000
    assert compared["mean"].min() > 0.925
    assert compared["mean"].max() < 0.99
    assert compared[compared["mean"] < 0.93]["measurement"].tolist() == [
        "compare ridge-60-50-10-10 knn",
    ]  # as docs/inference.md says


def test_methods_for_fixed_scores_are_labelled_with_what_was_measured(measured):
    own = measured[measured["measurement"].str.startswith("marker ")]
    for method in ("delong", "delong-logit", "bootstrap"):
        covered = own[own["quantity"] == method]["mean"]
        assert FIXED[method].measured == (round(covered.min(), 2), round(covered.max(), 2))
    for method in ("score", "newcombe"):
        covered = own[own["quantity"] == method]["mean"]
        assert FIXED[method].measured is None
        assert covered.min() >= 0.92
