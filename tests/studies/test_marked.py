import re
from pathlib import Path

import pytest

import tlpo
from studies.marked import DOCS, markdown_table, read_block, write_blocks, write_rows
from tlpo.errors import InputError

BEGIN, END = "<!-- measured: speed -->", "<!-- end: speed -->"


@pytest.fixture
def page(tmp_path):
    return tmp_path / "page.md"


def test_replaces_the_text_between_the_marks(page):
    page.write_text(f"before\n{BEGIN}\nold\n\nolder\n{END}\nafter\n")
    write_blocks(page, {"speed": "new | ± ξ"})
    assert page.read_text(encoding="utf-8") == f"before\n{BEGIN}\nnew | ± ξ\n{END}\nafter\n"
    assert read_block(page, "speed") == "new | ± ξ"


def test_writing_twice_is_writing_once(page):
    page.write_text(f"{BEGIN}\n{END}\n")
    write_blocks(page, {"speed": "new"})
    once = page.read_bytes()
    write_blocks(page, {"speed": "new"})
    assert page.read_bytes() == once


def test_keeps_the_rest_byte_for_byte(page):
    head = "# Größe\r\n\r\n<!-- measured: memory -->\r\nkept\r\n<!-- end: memory -->\r\n\ttext \n"
    tail = "\r\nno newline at the end ±"
    page.write_bytes(f"{head}{BEGIN}old{END}{tail}".encode())
    write_blocks(page, {"speed": "new"})
    assert page.read_bytes() == f"{head}{BEGIN}\nnew\n{END}{tail}".encode()


def test_text_that_looks_like_a_pattern_is_taken_literally(page):
    page.write_text(f"{BEGIN}\nold\n{END}\n")
    write_blocks(page, {"speed": r"\1 \g<0> $1 {name}"})
    assert read_block(page, "speed") == r"\1 \g<0> $1 {name}"


@pytest.mark.parametrize(
    ("text", "mark", "count"),
    [
        ("nothing", BEGIN, "none"),
        (f"{BEGIN}\nold", END, "none"),
        (f"old\n{END}", BEGIN, "none"),
        ("<!-- measured: speedy -->\nold\n<!-- end: speedy -->", BEGIN, "none"),
        (f"{BEGIN}\n{BEGIN}\nold\n{END}", BEGIN, "2"),
        (f"{BEGIN}\nold\n{END}\nmore\n{END}\n{END}", END, "3"),
    ],
)
def test_refuses_a_missing_or_doubled_mark(page, text, mark, count):
    page.write_text(text)
    with pytest.raises(InputError) as refused:
        write_blocks(page, {"speed": "new"})
    assert str(refused.value) == (
        f"A block needs each of its marks exactly once: {mark}\n"
        f"You passed {page}, which has {count}.\n"
        f"Put {BEGIN} and {END} on lines of their own around the block."
    )
    assert page.read_text() == text


def test_refuses_marks_in_the_wrong_order(page):
    page.write_text(f"{END}\nold\n{BEGIN}\n")
    with pytest.raises(InputError) as refused:
        write_blocks(page, {"speed": "new"})
    assert str(refused.value) == (
        "A block ends before it begins.\n"
        f"You passed {page}, where {END} comes before {BEGIN}.\n"
        "Exchange the two marks."
    )


def test_writes_all_blocks_or_none(page):
    text = f"{BEGIN}\nold\n{END}\n"
    page.write_text(text)
    with pytest.raises(InputError, match="measured: memory"):
        write_blocks(page, {"speed": "new", "memory": "new"})
    assert page.read_text() == text


def test_table():
    assert markdown_table(("a", "b"), [(1, "x"), (2.5, "")]) == (
        "| a | b |\n| --- | --- |\n| 1 | x |\n| 2.5 |  |"
    )


def test_rows_of_cases_that_were_not_measured_are_kept(page):
    page.write_text(f"{BEGIN}\nnot measured\n{END}\n")
    head, cases = ("case", "s", "goal"), ["a", "b", "c"]
    for rows in ([("c", 3, ""), ("gone", 9, "")], [("a", 1, "≤ 2")], [("c", 4, "≤ 5")]):
        write_rows(page, "speed", head, cases, rows, "Made so.")
    expected = markdown_table(head, [("a", 1, "≤ 2"), ("c", 4, "≤ 5")])
    assert read_block(page, "speed") == f"{expected}\n\nMade so."
    write_rows(page, "speed", ("case", "ms", "goal"), cases, [("b", 2, "")], "Made so.")
    assert "| a |" not in read_block(page, "speed")


def test_every_mark_in_the_docs_belongs_to_a_block():
    blocks = 0
    for path in sorted(DOCS.rglob("*.md")):
        marks = re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"))
        names = [mark.removeprefix("measured: ") for mark in marks[::2]]
        assert marks == [mark for name in names for mark in (f"measured: {name}", f"end: {name}")]
        assert all(read_block(path, name) for name in names)
        blocks += len(names)
    assert blocks == 77


def test_the_package_does_not_import_studies():
    package = Path(tlpo.__file__).parent
    importing = re.compile(r"^\s*(from|import) studies\b", re.MULTILINE)
    found = [path for path in package.rglob("*.py") if importing.search(path.read_text("utf-8"))]
    assert found == []
