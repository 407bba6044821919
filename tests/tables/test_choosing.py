"""Some rows, and two of several labels."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tables import answer, patients
from tlpo.errors import InputError
from tlpo.tables.build_sample import build_sample
from tlpo.tables.options import Specification


def staged(m=30):
    table = patients(m)[["age", "marker", "site"]]
    return table.assign(outcome=np.array(["mild", "severe", "none"])[np.arange(m) % 3])


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        (["1-20"], lambda t: t.index < 20),
        (["3"], lambda t: t.index == 2),
        (["site=north"], lambda t: t["site"] == "north"),
        (["site != north"], lambda t: t["site"] == "south"),
        (["age>=50"], lambda t: t["age"] >= 50),
        (["age<50", "5-24"], lambda t: (t["age"] < 50) & (t.index >= 4) & (t.index < 24)),
        (["a=b>=1"], lambda t: t["a=b"] >= 1),
    ],
)
def test_rows_against_pandas(rows, kept):
    from tlpo.tables.select import select_rows

    table = patients(24).assign(**{"a=b": np.arange(24) % 3})
    assert select_rows(table, rows).tolist() == kept(table).tolist()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["0-5"], "There are no such rows.\nYou passed rows=['0-5']; the table has 24 rows.\n"
         "For example rows=['1-24']."),
        (["site=nord"], "No row holds this value.\nYou passed rows=['site=nord']; 'site' holds "
         "'north', 'south'.\nPass one of these, spelled as it is in the table."),
        (["site>3"], "Only numbers can be compared by '>'.\nYou passed rows=['site>3'].\n"
         "For example rows=['site=…'] for what is not a number."),
        (["__import__('os')"], "Rows are chosen by number, or by what stands in a column.\n"
         "You passed rows=[\"__import__('os')\"].\n"
         "For example rows=['1-120'] or rows=['arm=treated']."),
        (["1-3", "20-24"], "No row meets all conditions.\nYou passed rows=['1-3', '20-24'] for 24 "
         "rows.\nLeave one out."),
    ],
)  # fmt: skip
def test_rows_that_cannot_be(rows, message):
    with pytest.raises(InputError) as caught:
        build_sample(patients(24), Specification("outcome", rows=rows))
    assert str(caught.value) == message


def test_a_positive_label_among_three_is_explained():
    found = answer(staged(), "--positive", "mild")
    assert found.code == 1
    assert found.text == (
        "tlpo: The target must have exactly two labels. You passed --target outcome with 3: "
        "'mild', 'none', 'severe'. Choose another column, or two of the labels, for example "
        "--classes mild none, or one against the others, for example --classes mild rest. If "
        "the labels have an order, name all of them from lowest to highest as --order."
    )


def test_the_first_line_says_that_three_labels_are_told_apart():
    found = answer(staged())
    assert found.said.startswith(
        "The outcome is 'outcome', which has 3 classes: 'mild' (10), 'none' (10), 'severe' (10). "
        "All of them are told apart. For two classes: --classes mild none; one against the "
        "others: --classes mild rest; pooled: --classes mild,none severe. If they are grades, run "
        "with --order none mild severe."
    )
    assert "look like grades" in found.text
    assert "run the analysis again with --order none mild severe." in found.text


def test_the_ways_that_the_first_line_names_can_be_gone():
    for classes, labels in (
        (["mild,none", "severe"], ("severe", "mild,none")),
        (["mild", "rest"], ("mild", "rest")),
    ):
        sample = build_sample(staged(), Specification("outcome", classes=classes))
        assert (sample.labels.positive, sample.labels.negative) == labels
        assert sample.labels.n_units == 30
    sample = build_sample(staged(), Specification("outcome", classes=["severe", "none", "rest"]))
    assert sample.outcome.names == ("none", "rest", "severe")
    assert sample.outcome.sizes.tolist() == [10, 10, 10]


def test_a_label_with_a_comma_is_one_label():
    table = staged()
    table["outcome"] = table["outcome"].replace({"mild": "mild, early"})
    sample = build_sample(table, Specification("outcome", classes=["mild, early", "none"]))
    assert sample.labels.n_units == 20
    both = build_sample(table, Specification("outcome", classes=["mild, early", "none,severe"]))
    assert sorted((both.labels.n_positive, both.labels.n_negative)) == [10, 20]


def test_a_code_for_missing_is_neither_a_grade_nor_a_class():
    table = patients(30).drop(columns="site").assign(outcome=[0, 1, 9] * 10)
    found = answer(table)
    assert "9 in 'outcome' looks like a code for a missing value" in found.text
    assert "grades" not in found.text
    assert "For two classes: --classes 0 1." in found.said


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["Barolo"] * 6 + ["Grignolino"] * 6 + ["barol"],
         "Every class needs at least 3 rows.\nYou passed target='y' with 3 labels, of which "
         "'barol' (1) has fewer.\nCorrect the label if it is misspelt, or pool it with another, "
         "'barol,Barolo' in classes for example, or leave it out with classes=['Barolo', "
         "'Grignolino']."),
        (["a"] * 6 + ["b"] * 2 + ["c"],
         "Every class needs at least 3 rows.\nYou passed target='y' with 3 labels, of which 'b' "
         "(2), 'c' (1) have fewer.\nCorrect the label if it is misspelt, or pool it with another, "
         "'b,a' in classes for example."),
        (["alive"] * 6 + ["dead"] * 6 + ["lost"] * 2,
         "Every class needs at least 3 rows.\nYou passed target='y' with 3 labels, of which "
         "'lost' (2) has fewer.\nCorrect the label if it is misspelt, or leave it out with "
         "classes=['alive', 'dead'], or pool it with another, 'lost,dead' in classes for example."),
    ],
)  # fmt: skip
def test_a_class_that_is_too_small_is_named(labels, message):
    table = pd.DataFrame({"y": labels, "x": np.arange(len(labels)) % 5 * 1.5})
    with pytest.raises(InputError) as caught:
        build_sample(table, Specification("y"))
    assert str(caught.value) == message


def test_more_than_ten_labels_are_no_classes():
    table = pd.DataFrame({"y": list("abcdefghijk") * 4, "x": np.arange(44.0)})
    with pytest.raises(InputError, match="exactly two labels"):
        build_sample(table, Specification("y"))


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["mild,severe", "severe"], "A label can belong to one class only.\nYou passed "
         "classes=['mild,severe', 'severe'], which names 'severe' twice.\nName it once."),
        (["mild,sever", "none"], "The outcome has no such label.\nYou passed "
         "classes=['mild,sever', 'none']; the labels are 'mild', 'none', 'severe'.\nPass two or "
         "more of these, or one and 'rest'."),
    ],
)  # fmt: skip
def test_pools_that_cannot_be(classes, message):
    with pytest.raises(InputError) as caught:
        build_sample(staged(), Specification("outcome", classes=classes))
    assert str(caught.value) == message


def test_a_column_that_tells_every_class_is_suspected():
    table = staged()
    table["code"] = table["outcome"].map({"mild": 3, "none": 1, "severe": 7})
    table["stage"] = table["outcome"].str.upper()
    table["nearly"] = table["code"] + np.linspace(0, 0.5, 30)
    table["one"] = np.where(table["outcome"] == "mild", 1.0, 0.0)  # tells only one of them
    suspects = build_sample(table, Specification("outcome")).suspects
    assert {found["column"]: found["kind"] for found in suspects if found["kind"] != "after"} == {
        "code": "copy", "stage": "copy", "nearly": "separates"
    }  # fmt: skip


def test_two_of_several_labels():
    found = answer(staged(), "--classes", "mild", "severe", "--json", "r.json", "--md", "r.md")
    text = "10 of 30 rows were left out on request: 10 with another outcome."
    assert text in found.text
    assert text in Path("r.md").read_text()
    sample = json.loads(Path("r.json").read_text())["sample"]
    assert (sample["classes"], sample["other_classes"]) == (["mild", "severe"], 10)
    assert "severe" in found.text.split(" above one with ")[0]


def test_one_against_the_rest():
    sample = build_sample(staged(), Specification("outcome", classes=["mild", "rest"]))
    assert (sample.labels.positive, sample.labels.negative) == ("mild", "rest")
    assert sample.labels.is_positive.tolist() == (np.arange(30) % 3 == 0).tolist()
    assert sample.n_other_classes == 0
    other_way = Specification("outcome", classes=["mild", "rest"], positive="rest")
    assert build_sample(staged(), other_way).labels.positive == "rest"


def test_rows_and_labels_are_counted_apart():
    table = staged()
    table.loc[[0, 1], "outcome"] = None
    found = answer(
        *(table, "--rows", "1-24", "--classes", "mild", "none", "--csv", "r.csv"),
    )
    assert (
        "30 rows read, 6 not selected left out, 7 with another outcome left out, 2 without an"
        in (found.said)
    )
    assert (
        "13 of 30 rows were left out on request: 6 not selected by '1-24' and 7 with another "
        "outcome."
    ) in found.text
    rows = [line.split(",")[0] for line in Path("r.csv").read_text().splitlines()[1:]]
    assert rows == [str(k + 1) for k in range(24) if k not in (0, 1) and k % 3 != 1]


@pytest.mark.parametrize("classes", [["mild"], ["mild", "mild"], list("abcdefghijk")])
def test_classes_are_two_to_ten(classes):
    found = answer(staged(), "--classes", *classes)
    assert found.code == 2
    assert "Two to 10 classes are told apart." in found.text
    positive = answer(staged(), "--classes", "mild", "none", "severe", "--positive", "mild")
    assert positive.code == 2
    assert "Of more than two classes, none is the positive one." in positive.text
    absent = answer(staged(), "--classes", "mild", "sever")
    assert absent.code == 1
    assert (
        "The outcome has no such label. You passed --classes mild sever; the labels are 'mild', "
        "'none', 'severe'. Pass two or more of these, or one and 'rest'."
    ) in absent.text
