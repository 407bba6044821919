"""The Word file against python-docx, which reads what Word would."""

import io
import sys
import zipfile

import docx
import numpy as np
import pytest
from docx.oxml.ns import qn
from msgspec.structs import replace

from analysis.analyses import ANALYSES, KINDS, analysis_of, one_of_each
from commands.running import command
from tables import patients
from tlpo.analysis.load import decode
from tlpo.analysis.options import OutputFiles
from tlpo.document.blocks import Figure, Heading, Paragraph, Quote, Table, walk
from tlpo.document.make import make_document
from tlpo.document.word import DPI, to_word
from tlpo.document.write import json_of, require_writable, write
from tlpo.errors import InputError, UsageError

SOME = ("probabilities", "subgroups", "sorts", "missing games", *KINDS)


@pytest.fixture(scope="module", params=one_of_each(SOME))
def made(request):
    """A document, its blocks, and the Word file of it as it is read back."""
    document = make_document((ANALYSES | KINDS)[request.param]())
    blocks = [block for section in document.sections for block in walk(section.blocks)]
    return document, blocks, docx.Document(io.BytesIO(to_word(document)))


def texts(word, style):
    return [p.text for p in word.paragraphs if p.style.name == style]


def of_kind(blocks, kind):
    return [block for block in blocks if isinstance(block, kind)]


@pytest.mark.exhaustive
def test_headings_are_title_sections_and_subsections(made):
    document, blocks, word = made
    assert texts(word, "Title") == [document.title]
    assert texts(word, "Heading 1") == [section.title for section in document.sections]
    assert texts(word, "Heading 2") == [block.text for block in of_kind(blocks, Heading)]
    assert word.core_properties.title == document.title
    assert word.core_properties.author == ""


def test_every_cell_is_in_a_table(made):
    _, blocks, word = made
    tables = of_kind(blocks, Table)
    assert len(word.tables) == len(tables)
    for table, block in zip(word.tables, tables, strict=True):
        rows = [*([block.head] if block.head else []), *block.rows]
        expected = [[str(cell) for cell in row] for row in rows]
        assert [[cell.text for cell in row.cells] for row in table.rows] == expected


def test_tables_and_pictures_have_their_captions(made):
    document, blocks, word = made
    captioned = [block for block in blocks if isinstance(block, Table | Figure)]
    captions = texts(word, "Caption")
    assert captions == [*(block.caption for block in captioned), document.footer]


def test_running_text_is_all_there(made):
    _, blocks, word = made
    found = [p.text for p in word.paragraphs]
    for block in of_kind(blocks, Paragraph | Quote):
        assert block.text in found


def test_pictures_are_sharp_fit_the_page_and_say_what_they_show(made):
    _, blocks, word = made
    figures = of_kind(blocks, Figure)
    shapes = list(word.inline_shapes)
    assert len(shapes) == len(figures)
    (page,) = word.sections
    room = page.page_width - page.left_margin - page.right_margin
    for shape, block in zip(shapes, figures, strict=True):
        assert shape._inline.docPr.get("descr") == block.alt
        part = shape._inline.graphic.graphicData.pic.blipFill.blip.embed
        image = word.part.related_parts[part].image
        assert (image.horz_dpi, image.vert_dpi) == (DPI, DPI) == (300, 300)
        assert image.px_width / shape.width.inches >= 0.99 * DPI
        assert shape.width <= room
        assert shape.height / shape.width == pytest.approx(
            image.px_height / image.px_width, abs=0.01
        )


EVIL = ("<script>alert(1)</script>", "=HYPERLINK(1)", "a\x07b\x1b[31m\r\n", "x\u202ey\ufffe\uffff")


def test_text_of_the_table_is_inert():
    table = patients(14).drop(columns="site")
    table = table.rename(columns={"marker": EVIL[2] + EVIL[3], "age": EVIL[1]})
    table["outcome"] = np.where(table["outcome"] == "yes", EVIL[0], "no")
    analysis = analysis_of("rls", table=table)
    content = to_word(make_document(analysis))
    word = docx.Document(io.BytesIO(content))
    shown = "\n".join(
        [p.text for p in word.paragraphs]
        + [cell.text for found in word.tables for row in found.rows for cell in row.cells]
    )
    assert EVIL[0] in shown
    assert EVIL[1] in shown
    assert r"a\x07b\x1b[31m" in shown
    assert "\u202e" not in shown
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        parts = {name: archive.read(name) for name in names}
    # Nothing that Word would run or fetch: no fields, links, macros or embedded objects.
    assert not [name for name in names if "vba" in name.lower() or "embed" in name.lower()]
    assert b"<script>" not in b"".join(parts.values())
    assert not [name for name in names if name.endswith(".rels") and b"External" in parts[name]]
    body = word.element.body
    for tag in ("w:instrText", "w:fldSimple", "w:hyperlink", "w:object", "w:altChunk"):
        assert not list(body.iter(qn(tag))), tag


def test_a_long_title_is_no_reason_to_fail():
    analysis = replace(ANALYSES["one model"](), target="x" * 1000)
    word = docx.Document(io.BytesIO(to_word(make_document(analysis))))
    assert texts(word, "Title") == [make_document(analysis).title]
    assert word.core_properties.title == make_document(analysis).title[:255]


@pytest.mark.exhaustive
def test_the_same_analysis_gives_the_same_parts():
    analysis = ANALYSES["one model"]()

    def parts(document):
        with zipfile.ZipFile(io.BytesIO(to_word(document))) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    assert parts(make_document(decode(json_of(analysis)))) == parts(make_document(analysis))


@pytest.mark.parametrize("name", ["r.docx", "r.DOCX"])
def test_the_ending_of_the_name_says_word(name, tmp_path):
    analysis, path = ANALYSES["one model"](), tmp_path / name
    assert write(analysis, OutputFiles(html=path)) == [path]
    assert texts(docx.Document(path), "Title") == [make_document(analysis).title]
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["r.doc", "r.odt", "r.rtf", "r.txt", "r.docx.bak"])
def test_other_endings_are_refused_and_nothing_is_written(
    name, written, tmp_path, monkeypatch, capsys
):
    path = tmp_path / name
    with pytest.raises(UsageError) as caught:
        require_writable(OutputFiles(html=path), {})
    problem, passed, _ = str(caught.value).splitlines()
    assert problem == "The ending of the name says what is written: .html, .pdf or .docx."
    assert passed == f"You passed html={str(path)!r}."
    code, out, err = command(monkeypatch, capsys, "render", written, "--html", path)
    assert (code, out) == (2, "")
    assert f"You passed --html {path}." in err
    assert list(tmp_path.iterdir()) == []


def test_without_python_docx_it_is_refused_before_anything_is_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "docx", None)
    path = tmp_path / "r.docx"
    with pytest.raises(InputError, match=r"pip install 'tlpo\[word\]'"):
        require_writable(OutputFiles(html=path), {})
    code, out, err = command(
        *(monkeypatch, capsys, "run", tmp_path / "none.csv", "--target", "y", "--html", path)
    )
    assert (code, out) == (1, "")
    assert err.startswith("tlpo: Word files are written by python-docx, which is not installed.")
    assert list(tmp_path.iterdir()) == []
