"""Some rows, and two of several labels."""

import json
from pathlib import Path

import numpy as np
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


def test_three_labels_are_explained():
    found = answer(staged())
    assert found.code == 1
    assert found.text == (
        "tlpo: The target must have exactly two labels. You passed --target outcome with 3: "
        "'mild', 'none', 'severe'. Choose another column, or two of the labels, for example "
        "--classes mild none, or one against the others, for example --classes mild rest. If "
        "the labels have an order, name all of them from lowest to highest as --order."
    )


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


@pytest.mark.parametrize("classes", [["mild"], ["mild", "mild"], ["a", "b", "c"]])
def test_classes_are_two(classes):
    found = answer(staged(), "--classes", *classes)
    assert found.code == 2
    assert "Two labels are compared." in found.text
    absent = answer(staged(), "--classes", "mild", "sever")
    assert absent.code == 1
    assert (
        "The outcome has no such label. You passed --classes mild sever; the labels are 'mild', "
        "'none', 'severe'. Pass two of these, or one and 'rest'."
    ) in absent.text
