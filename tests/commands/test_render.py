"""``tlpo render``: the same answer and the same files from the JSON of any command."""

import json

import pytest

from analysis.analyses import KINDS
from commands.running import command
from tables import patients
from tlpo.analysis.load import load_analysis
from tlpo.document.write import json_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of development, and one of new patients."""
    found = tmp_path_factory.mktemp("tables")
    patients(24).to_csv(found / "old.csv", index=False)
    patients(20, seed=7).to_csv(found / "new.csv", index=False)
    return found


@pytest.fixture(scope="module")
def model(folder):
    pytest.importorskip("skops")
    path = folder / "model.skops"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tlpo.commands.run.deliver", lambda *_: None)
        from tlpo.analysis.options import Options, OutputFiles
        from tlpo.commands.run import run_command
        from tlpo.tables.options import Reading, Specification

        run_command(
            str(folder / "old.csv"),
            Specification("outcome", drop=["site"]),
            OutputFiles(save_model=path),
            models=["logistic"],
            reading=Reading(),
            options=Options(n_jobs=1),
            quiet=True,
        )
    return path


def commands(folder, request):
    return {
        "run": lambda: (
            *("run", folder / "old.csv", "--target", "outcome", "--model", "rls"),
            *("--drop", "site", "--n-jobs", "1"),
        ),
        "marker": lambda: (
            *("marker", folder / "old.csv", "--target", "outcome", "--marker", "marker"),
            *("--marker", "age", "--cutoff", "marker=0.5", "--prevalence", "0.1"),
        ),
        "validate": lambda: (*("validate", request.getfixturevalue("model"), folder / "new.csv"),),
    }


@pytest.mark.parametrize("name", ["run", "marker", "validate"])
def test_the_json_is_enough_for_the_same_page_and_answer(
    name, folder, request, tmp_path, monkeypatch, capsys
):
    written, first, again = (tmp_path / k for k in ("r.json", "first.html", "again.html"))
    told = commands(folder, request)[name]()
    code, out, err = command(
        *(monkeypatch, capsys, *told, "--json", written, "--html", first, "--quiet")
    )
    assert (code, err) == (0, "")
    assert len(out) > 200
    figures = tmp_path / "figures"
    code, shown, err = command(
        *(monkeypatch, capsys, "render", written, "--html", again, "--figures", figures)
    )
    assert code == 0, err
    assert shown == out
    assert err.splitlines() == [f"Written: {again}", f"Written: {figures}"]
    assert again.read_bytes() == first.read_bytes()
    assert (figures / "roc.svg").exists() or (figures / "calibration.svg").exists()


@pytest.mark.parametrize("name", KINDS)
def test_what_is_read_back_is_written_alike(name, tmp_path, monkeypatch, capsys):
    written, text = tmp_path / "r.json", tmp_path / "r.md"
    analysis = KINDS[name]()
    written.write_text(json_of(analysis))
    code, _, err = command(monkeypatch, capsys, "render", written, "--md", text, "--quiet")
    assert (code, err) == (0, "")
    assert load_analysis(str(written)) == analysis
    for warning in json.loads(written.read_text())["warnings"]:
        assert warning in text.read_text()


@pytest.mark.parametrize("name", ["markers", "validation"])
def test_only_models_have_a_table_of_the_patients(name, tmp_path, monkeypatch, capsys):
    written, table = tmp_path / "r.json", tmp_path / "r.csv"
    written.write_text(json_of(KINDS[name]()))
    code, out, err = command(monkeypatch, capsys, "render", written, "--csv", table)
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: Only the JSON of tlpo run holds what a table of the patients needs.\n"
        f"You passed --csv {table} and the JSON of another command.\n"
        "Leave it out.\n"
    )
    assert not table.exists()


@pytest.mark.parametrize("name", ["run", "marker", "validate"])
def test_word_files_have_headings_tables_and_pictures(
    name, folder, request, tmp_path, monkeypatch, capsys
):
    docx = pytest.importorskip("docx")
    path = tmp_path / "report.docx"
    told = commands(folder, request)[name]()
    code, out, err = command(monkeypatch, capsys, *told, "--html", path)
    assert code == 0, err
    assert err.splitlines()[-1] == f"Written: {path}"
    word = docx.Document(str(path))
    headings = [p.text for p in word.paragraphs if p.style.name.startswith(("Title", "Heading"))]
    assert len(headings) > 2
    assert word.tables
    assert word.inline_shapes
    first = " ".join(out.split())[:60]
    assert any(p.text.startswith(first) for p in word.paragraphs)


@pytest.mark.parametrize("name", ["run", "marker", "validate"])
def test_other_endings_are_refused_before_anything_is_done(
    name, folder, request, tmp_path, monkeypatch, capsys
):
    def fail(*_, **__):
        raise AssertionError("the table was read")

    told = commands(folder, request)[name]()
    for module in ("run", "marker"):
        monkeypatch.setattr(f"tlpo.commands.{module}.read_table", fail)
    monkeypatch.setattr("tlpo.commands.run.validate", fail)
    path, journal = tmp_path / "r.doc", tmp_path / "run.tlpo"
    more = ("--journal", journal) if name == "run" else ()
    code, out, err = command(monkeypatch, capsys, *told, "--html", path, *more)
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: The ending of the name says what is written: .html, .pdf or .docx.\n"
        f"You passed --html {path}.\n"
        "For example --html r.docx for Word.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_other_endings_are_refused_of_json_too(written, tmp_path, monkeypatch, capsys):
    code, out, err = command(monkeypatch, capsys, "render", written, "--html", tmp_path / "r.doc")
    assert (code, out) == (2, "")
    assert err.startswith("tlpo: The ending of the name says what is written")
    assert list(tmp_path.iterdir()) == []
