"""From table to model to new table, against counts and DeLong's variance by hand."""

import sys

import numpy as np
import pandas as pd
import pytest

import tlpo
from tables import patients
from tlpo.analysis.load import load_analysis
from tlpo.analysis.new_rows import FACTOR
from tlpo.analysis.relations import find_contradiction
from tlpo.analysis.shapes import Rate
from tlpo.analysis.validate import difference, validate
from tlpo.commands.cli import main
from tlpo.document.html import to_html
from tlpo.document.make import make_document
from tlpo.document.markdown import to_markdown
from tlpo.document.parts import MEASURES
from tlpo.document.terminal import to_terminal
from tlpo.tables.options import Reading

COLUMNS = ["age", "marker", "site", "outcome"]


def command(*arguments):
    """Run the command line in this process; return its exit code."""
    old, sys.argv = sys.argv, ["tlpo", *map(str, arguments)]
    try:
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0
    finally:
        sys.argv = old


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    patients(40)[COLUMNS].to_csv(folder / "old.csv", index=False)
    code = command(
        *("run", folder / "old.csv", "--target", "outcome", "--model", "logistic"),
        *("--save-model", folder / "m.skops", "--json", folder / "old.json"),
        *("--n-jobs", 1, "--quiet"),
    )
    assert code == 0
    return folder


def outcome_of(folder, table, **options):
    table.to_csv(folder / "new.csv", index=False)
    return validate(str(folder / "m.skops"), str(folder / "new.csv"), **options)


def new_patients():
    return patients(50, seed=9)[COLUMNS]


def test_the_auc_against_pairs_and_delong_by_hand(folder):
    import tlpo.analysis.model_file as file

    table = new_patients()
    found = outcome_of(folder, table)
    fitted, card = file.load_model(str(folder / "m.skops"))
    scores = file.score(fitted, card, table[["age", "marker", "site"]])
    ill = (table["outcome"] == "yes").to_numpy()
    wins = (scores[ill][:, None] > scores[~ill]) + 0.5 * (scores[ill][:, None] == scores[~ill])
    assert found.auc.estimate == pytest.approx(wins.mean())
    variance = sum(wins.mean(axis=k).var(ddof=1) / wins.shape[1 - k] for k in (0, 1))
    half = 1.959964 * np.sqrt(variance)
    assert found.auc.high - found.auc.low == pytest.approx(2 * half, rel=1e-5)
    p = fitted.predict_proba(table[["age", "marker", "site"]])[:, 1]
    assert card.scale == "probability"
    assert len(found.cutoffs) == 3
    for point in found.cutoffs:
        above = p > point.threshold
        assert point.sensitivity.count == above[ill].sum()
        assert point.specificity.estimate == pytest.approx((~above[~ill]).mean())
    assert found.probabilities.brier.estimate == pytest.approx(np.mean((p - ill) ** 2))
    old = load_analysis(str(folder / "old.json"))
    assert card.auc.estimate == old.models[0].headline.auc
    # Cut-offs and rates of development are those of its report.
    for cutoff, point in zip(card.cutoffs, old.models[0].operating_points, strict=True):
        assert (cutoff.point, cutoff.threshold) == (point.point, point.cutoff)
        for rate in ("sensitivity", "specificity"):
            stated = [getattr(point, f"{rate}{end}") for end in ("", "_low", "_high")]
            then = getattr(cutoff, rate)
            assert [then.estimate, then.low, then.high] == pytest.approx(stated, abs=1e-6)
    assert found.remarks == []


def test_cutoffs_of_a_model_without_probabilities_are_scores(folder, tmp_path):
    import tlpo.analysis.model_file as file

    table = new_patients()
    found = developed_on(tmp_path, patients(40)[COLUMNS])(table)
    fitted, card = file.load_model(str(tmp_path / "m.skops"))
    scores = file.score(fitted, card, table[["age", "marker", "site"]])
    ill = (table["outcome"] == "yes").to_numpy()
    assert card.scale == "score"
    assert found.probabilities is None
    assert found.why_no_probabilities == "RLS has no predict_proba"
    for point in found.cutoffs:
        assert point.sensitivity.count == (scores > point.threshold)[ill].sum()
        assert point.specificity.count == (scores <= point.threshold)[~ill].sum()


def test_differences_by_hand():
    found = difference(Rate(0.7, 0.6, 0.9), Rate(0.8, 0.5, 0.85), 0.95)
    assert found.estimate == pytest.approx(-0.1)
    assert found.low == pytest.approx(-0.1 - np.hypot(0.1, 0.05))
    assert found.high == pytest.approx(-0.1 + np.hypot(0.2, 0.3))


def test_groups_widen_the_limits(folder):
    table = new_patients()
    alone = outcome_of(folder, table)
    twice = outcome_of(
        folder, table.loc[table.index.repeat(3)].assign(who=np.repeat(np.arange(50), 3))
    )
    grouped = outcome_of(
        folder,
        table.loc[table.index.repeat(3)].assign(who=np.repeat(np.arange(50), 3)),
        group="who",
    )

    def width(found):
        return found.auc.high - found.auc.low

    assert width(twice) < 0.7 * width(alone)
    assert width(grouped) == pytest.approx(width(alone), rel=0.03)
    rate = [found.cutoffs[0].specificity for found in (alone, grouped)]
    assert rate[1].low == pytest.approx(rate[0].low, abs=0.02)


def test_what_is_odd_is_said(folder):
    table = new_patients()
    table["age"] *= 12
    table.loc[:3, "site"] = "west"
    table.loc[5, "outcome"] = None
    table.loc[7, "marker"] = np.nan
    assert outcome_of(folder, table).remarks == [
        "Left out: 1 row without an outcome.",
        f"The median of 'age' is {table['age'].drop(5).median():.4g}; in development it was "
        f"{patients(40)['age'].median():.4g}. Check that it is in the same units.",
        "'site' has 1 category that the model does not list, and ignores, in 4 rows.",
        "Left out: 1 row with missing values, which the model cannot fill, because development had "
        "none.",
    ]


def test_a_median_within_the_range_is_not_odd(folder):
    table = new_patients()
    assert FACTOR > 1
    table["age"] += 5
    assert outcome_of(folder, table).remarks == []


@pytest.mark.parametrize(
    "rows",
    [slice(None), np.random.default_rng(0).permutation(40), slice(0, 21)],
    ids=["as they were", "shuffled", "half of them"],
)
def test_the_patients_of_development_are_recognised(folder, rows):
    assert outcome_of(folder, patients(40)[COLUMNS].iloc[rows]).remarks == [
        "These are the patients that the model was developed on, so this does not validate it."
    ]


def test_some_patients_of_development_are_recognised(folder):
    table = pd.concat([new_patients(), patients(40)[COLUMNS][:7]])
    assert outcome_of(folder, table).remarks == [
        "7 of 57 rows are the same as rows of development: leave out patients that the model was "
        "fitted to."
    ]


def test_a_category_that_was_never_missing_is_said(folder):
    table = new_patients()
    table.loc[:4, "site"] = None
    found = outcome_of(folder, table)
    assert found.n_units == 50
    assert found.remarks == [
        "'site' is missing in 5 rows, and never was in development: the model has not learned what "
        "that means."
    ]


def widths(found):
    yield found.auc.high - found.auc.low
    yield found.auc.difference.high - found.auc.difference.low
    for point in found.cutoffs:
        for rate in (point.sensitivity, point.specificity):
            yield rate.high - rate.low
    for key, _, _ in MEASURES:
        one = getattr(found.probabilities, key)
        if one.low is not None:
            yield one.high - one.low


@pytest.mark.exhaustive
@pytest.mark.parametrize("m", [2, 4, 20])
@pytest.mark.parametrize("gap", [0, 100, -100])
def test_nothing_is_certain(folder, m, gap):
    """Constant scores, and classes that are far apart, in either direction."""
    table = new_patients()[:m].assign(age=50, site="north")
    table["marker"] = np.where(table["outcome"] == "yes", gap, 0)
    found = outcome_of(folder, table)
    assert found.auc.estimate == {0: 0.5, 100: 1.0, -100: 0.0}[gap]
    assert min(widths(found)) > 1e-3
    assert found.auc.high - found.auc.low > 0.19
    assert to_terminal(make_document(found))
    assert to_html(make_document(found))
    assert find_contradiction(found) is None
    if m == 2:
        assert found.auc.difference.low < 0 < found.auc.difference.high
    assert found.auc.method == "Newcombe"


@pytest.mark.parametrize(
    ("who", "counts"),
    [
        (np.zeros(50), (1, 1)),
        (np.arange(50) % 2, (1, 1)),
        (np.arange(50) % 2 * np.arange(50), (1, 25)),
    ],
    ids=["one group", "one per class", "positives of one"],
)
def test_too_few_groups_are_refused(folder, who, counts):
    with pytest.raises(tlpo.InputError) as error:
        outcome_of(folder, new_patients().assign(who=who), group="who")
    assert str(error.value).splitlines()[:2] == [
        "Each class needs units from at least 2 groups.",
        f"You passed 25 positives from {counts[0]} and 25 negatives from {counts[1]}.",
    ]


def test_the_groups_that_carry_the_interval_are_said(folder):
    found = outcome_of(folder, new_patients().assign(who=np.arange(50) // 10), group="who")
    said = "Intervals rest on 5 groups with positives and 5 with negatives."
    assert found.auc.notes[0] == said
    assert said in to_markdown(make_document(found))
    assert said in to_html(make_document(found))
    assert said in [str(part) for part in to_terminal(make_document(found))]
    rows = outcome_of(folder, new_patients())
    assert found.auc.high - found.auc.low > rows.auc.high - rows.auc.low


def test_groups_with_gaps_are_refused(folder):
    table = new_patients().assign(who=np.where(np.arange(50) < 3, np.nan, np.arange(50) // 2))
    with pytest.raises(tlpo.InputError) as error:
        outcome_of(folder, table, group="who")
    assert str(error.value) == (
        "The group column has gaps.\n"
        "You passed group='who'; it is empty in 3 rows.\n"
        "Give every row a group, one of its own if it belongs with no other."
    )


def test_development_is_compared_at_the_level_asked_for(folder):
    found = {
        level: outcome_of(folder, new_patients(), confidence_level=level) for level in (0.5, 0.95)
    }
    card = found[0.5].card
    then = {level: one.auc.development for level, one in found.items()}
    assert (then[0.95].low, then[0.95].high) == pytest.approx((card.auc.low, card.auc.high))
    assert then[0.5].high - then[0.5].low < 0.5 * (then[0.95].high - then[0.95].low)
    rate = [one.cutoffs[0].sensitivity.development for one in found.values()]
    assert rate[0].low > rate[1].low


def developed_on(tmp_path, table, *options):
    """Save a model of a table, and return a function that validates it on another."""
    table.to_csv(tmp_path / "old.csv", index=False)
    code = command(
        *("run", tmp_path / "old.csv", "--target", "outcome", "--model", "rls", *options),
        *("--save-model", tmp_path / "m.skops", "--n-jobs", 1, "--quiet"),
    )
    assert code == 0
    return lambda new, **given: outcome_of(tmp_path, new, **given)


@pytest.mark.parametrize(
    ("write", "remarks"),
    [
        (lambda x: f"{x:.2f}".replace(".", ","), ["Column 'marker': '{}' was read as {}."]),
        (lambda x: f"{round(100 * abs(x))}%", ["Column 'marker': its numbers are per cent."]),
    ],
    ids=["decimal commas", "per cent"],
)
def test_numbers_are_read_as_run_reads_them(tmp_path, write, remarks):
    old, new = (
        t.assign(marker=t["marker"].map(write)) for t in (patients(40)[COLUMNS], new_patients())
    )
    found = developed_on(tmp_path, old)(new)
    first = new["marker"][0]
    assert found.remarks == [text.format(first, first.replace(",", ".")) for text in remarks]
    plain = new.assign(marker=new["marker"].str.rstrip("%").str.replace(",", ".").astype(float))
    assert outcome_of(tmp_path, plain).auc == found.auc


@pytest.mark.parametrize("mark", [",", "."])
def test_a_decimal_mark_that_was_named_holds_for_new_tables(tmp_path, mark):
    def written(table):
        # 1,182 can be read in two ways.
        numbers = (2 + table["marker"] - table["marker"].min()).map("{:.3f}".format)
        return table.assign(marker=numbers.str.replace(".", ","))

    old, new = written(patients(40)[COLUMNS]), written(new_patients())
    validated = developed_on(tmp_path, old, "--decimal", mark)
    card = validated(new).card
    assert card.decimal == mark
    (column,) = (c for c in card.columns if c.name == "marker")
    assert (column.median < 10) == (mark == ",")
    expected = validated(new.assign(marker=new["marker"].str.replace(",", "").astype(int) /
                                    (1000 if mark == "," else 1)))  # fmt: skip
    assert validated(new).auc == expected.auc
    assert not any("same units" in remark for remark in validated(new).remarks)
    # Whatever separates the cells; and whoever names the mark of the new table is believed.
    new.to_csv(tmp_path / "new.csv", index=False, sep=";")
    paths = str(tmp_path / "m.skops"), str(tmp_path / "new.csv")
    assert validate(*paths).auc == expected.auc
    other = Reading(decimal="." if mark == "," else ",")
    said = validate(*paths, reading=other).remarks
    assert any("Check that it is in the same units." in remark for remark in said)


def test_a_decimal_mark_that_was_not_named_is_not_on_the_card(folder):
    assert outcome_of(folder, new_patients()).card.decimal is None


def test_labels_that_differ_in_case_are_two(tmp_path):
    old, new = (
        t.replace({"outcome": {"yes": "A", "no": "a"}})
        for t in (patients(40)[COLUMNS], new_patients())
    )
    found = developed_on(tmp_path, old, "--positive", "A")(new)
    assert (found.n_positive, found.n_negative) == (25, 25)


def test_labels_in_another_case_are_the_same(folder):
    found = outcome_of(folder, new_patients().replace({"outcome": {"yes": "YES"}}))
    assert found.n_positive == 25


@pytest.mark.parametrize(
    ("second", "n_negative", "remarks"),
    [
        ("no", 20, ["Left out: 5 rows with another outcome, as in development."]),
        ("rest", 25, []),
    ],
)
def test_classes_are_chosen_as_in_development(tmp_path, second, n_negative, remarks):
    old, new = patients(40)[COLUMNS], new_patients()
    for table in (old, new):
        table.loc[table.index[1:10:2], "outcome"] = "maybe"
    found = developed_on(tmp_path, old, "--classes", "yes", second)(new)
    assert (found.n_positive, found.n_negative) == (25, n_negative)
    assert found.remarks == remarks


def test_whole_numbers_name_categories_however_they_are_read(tmp_path):
    old = patients(40)[COLUMNS]
    old["site"] = np.where(old["site"] == "north", "1", np.where(old.index % 4 > 1, "2", "two"))
    new = new_patients()
    new["site"] = np.where(new["site"] == "north", 1.0, 2.0)
    new.loc[0, "site"] = np.nan  # which makes the column one of 1.0 and 2.0
    found = developed_on(tmp_path, old)(new)
    assert found.remarks == [
        "'site' is missing in 1 row, and never was in development: the model has not learned what "
        "that means."
    ]


def test_titles_above_the_header_are_said(folder):
    (folder / "new.csv").write_text(f"Study 7,,,\n{new_patients().to_csv(index=False)}")
    found = validate(str(folder / "m.skops"), str(folder / "new.csv"))
    assert found.n_units == 50
    said = "Row 2 was taken for the header; what stands above it was not used."
    assert found.remarks == [said]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda t: t.rename(columns={"marker": "Markers"}),
            "The model 'logistic' needs columns that the table does not have.\n"
            "Missing: 'marker'. Columns that are not used: 'Markers'.\n"
            "Rename them as in development: 'Markers' may be 'marker'.",
        ),
        (
            lambda t: t.drop(columns="age"),
            "The model 'logistic' needs columns that the table does not have.\n"
            "Missing: 'age'. Columns that are not used: none.\n"
            "Name columns as in development.",
        ),
        (
            lambda t: t.rename(columns={"outcome": "death"}),
            "There is no such column.\n"
            "Missing: 'outcome'. Columns that are not used: 'death'.\n"
            "Name columns as in development.",
        ),
        (
            lambda t: t.replace({"outcome": {"yes": "dead"}}),
            "The outcome has labels that development did not have.\n"
            "You passed target='outcome' with 'dead'; the labels were 'no' and 'yes'.\n"
            "Name the labels as in development.",
        ),
        (
            lambda t: t[t["outcome"] == "yes"],
            "Both outcomes must occur.\n"
            "You passed 25 rows with the outcome 'yes' alone.\n"
            "Pass patients of both classes.",
        ),
        (
            lambda t: t.assign(age="old"),
            "The column 'age' was a number in development, and holds text here.\n"
            "You passed 'old'.\n"
            "Replace the text by numbers, or by nothing where there is none.",
        ),
        (
            lambda t: t.assign(age=np.where(t.index < 3, np.inf, t["age"])),
            "Features must be finite numbers.\n"
            "You passed infinite values in 'age'.\n"
            "Replace them by numbers, or clear these cells.",
        ),
    ],
)
def test_what_cannot_be_tested_is_refused(folder, change, message):
    with pytest.raises(tlpo.InputError) as error:
        outcome_of(folder, change(new_patients()))
    assert str(error.value) == message


def test_the_command_writes_page_and_json(folder, capsys):
    new_patients().to_csv(folder / "c.csv", index=False)
    code = command(
        *("validate", folder / "m.skops", folder / "c.csv", "--target", "outcome"),
        *("--html", folder / "v.html", "--json", folder / "v.json"),
    )
    assert code == 0
    found = load_analysis(str(folder / "v.json"))
    shown = " ".join(capsys.readouterr().out.split())
    auc, low, high = (f"{x:.3f}" for x in (found.auc.estimate, found.auc.low, found.auc.high))
    assert f"AUC {auc} ({low} to {high}) on 50 new patients, in development " in shown
    page = (folder / "v.html").read_text()
    assert "<script" not in page
    assert f"{auc} ({low} to {high})" in page
    cut = f"{found.cutoffs[1].threshold:.3g}"
    where = f"at the cut-off for sensitivity at least 0.9 (probability &gt; {cut})"
    assert f"Sensitivity {where}" in page


def test_the_command_refuses_what_it_would_overwrite_and_several_models(folder, capsys):
    before = (folder / "m.skops").read_bytes()
    code = command("validate", folder / "m.skops", folder / "old.csv", "--html", folder / "m.skops")
    assert code == 2
    assert "--html would overwrite the model." in capsys.readouterr().err
    assert (folder / "m.skops").read_bytes() == before
    code = command(
        *("run", folder / "old.csv", "--target", "outcome", "--save-model", folder / "n.skops"),
        *("--model", "glm", "--model", "ridge", "--quiet"),
    )
    assert code == 2
    assert "Only one model can be saved." in capsys.readouterr().err


def test_a_ranking_by_sorts_saves_no_model(folder, capsys):
    code = command(
        *("run", folder / "old.csv", "--target", "outcome", "--model", "rls", "--sorts", 3),
        *("--save-model", folder / "n.skops", "--quiet"),
    )
    assert code == 2
    assert (
        capsys.readouterr()
        .err.splitlines()[0]
        .endswith("A model is saved with its AUC and cut-offs, which sorting does not give.")
    )


def test_the_row_of_the_header_can_be_given(folder):
    (folder / "new.csv").write_text(f"a,b,c,d\n{new_patients().to_csv(index=False)}")
    assert command("validate", folder / "m.skops", folder / "new.csv", "--header-row", 2) == 0
