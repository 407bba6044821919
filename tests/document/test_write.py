import os
import sys
from pathlib import Path

import pytest

from tables import patients
from tlpo.analysis.options import OutputFiles
from tlpo.commands.cli import main
from tlpo.document.write import require_writable
from tlpo.errors import UsageError


def test_the_answer_is_not_lost_when_a_file_cannot_be_written(tmp_path, monkeypatch, capsys):
    patients(12).to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "r.json").write_text("of an earlier run")
    write_text = Path.write_text

    def full(self, *args, **kwargs):
        if self.suffix == ".json":
            write_text(self, "half of i")
            raise OSError(28, "No space left on device")
        return write_text(self, *args, **kwargs)

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys,
        "argv",
        [
            *("tlpo", "run", "t.csv", "--target", "outcome", "--model", "rls", "--drop", "site"),
            *("--json", "r.json", "--md", "r.md", "--quiet", "--n-jobs", "1"),
        ],
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    shown = capsys.readouterr()
    assert "rls" in shown.out
    assert "r.json: No space left on device" in shown.err
    assert (tmp_path / "r.json").read_text() == "of an earlier run"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "r.md", "t.csv"]


def test_no_file_in_use_is_overwritten_under_any_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, journal = Path("t.csv"), Path("run.tlpo")
    data.write_text("a")
    journal.write_text("b")
    os.link(data, "hard.csv")
    Path("soft.html").symlink_to("t.csv")
    Path("journal.json").symlink_to("run.tlpo")
    Path("one.md").write_text("c")
    os.link("one.md", "two.html")
    taken = {data: "the data", journal: "the journal"}
    for outputs, message in (
        (OutputFiles(csv=Path("hard.csv")), "csv would overwrite the data."),
        (OutputFiles(html=Path("soft.html")), "html would overwrite the data."),
        (OutputFiles(html=Path(f"../{tmp_path.name}/t.csv")), "html would overwrite the data."),
        (OutputFiles(json=Path("journal.json")), "json would overwrite the journal."),
        (OutputFiles(html=Path("two.html"), md=Path("one.md")), "md would overwrite html."),
        (OutputFiles(html=Path("x/../new"), md=Path("new")), "md would overwrite html."),
        (OutputFiles(csv=Path("f/roc.svg"), figures=Path("f")), "figures would overwrite csv."),
    ):
        with pytest.raises(UsageError) as caught:
            require_writable(outputs, taken)
        assert str(caught.value).splitlines()[0] == message
    require_writable(
        OutputFiles(html=Path("f/r.html"), figures=Path("f"), md=Path("one.md")), taken
    )


def test_paths_that_cannot_be_written_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    Path("file").touch()
    Path("folder").mkdir()
    Path("dangling").symlink_to("folder/new")
    for path in ("a", "a/r.html", "file/r.html", "folder", "nul\0l"):
        with pytest.raises(UsageError, match="html cannot be written there"):
            require_writable(OutputFiles(html=Path(path)), {})
    with pytest.raises(UsageError, match="figures cannot be written there"):
        require_writable(OutputFiles(figures=Path("file")), {})
    for path in ("dangling", "folder/r.html", "new/r.html", "/dev/null"):
        require_writable(OutputFiles(html=Path(path)), {Path("a"): "the data"})
