import sys

import pytest

from report.tables import patients
from tlpo.cli import main


def test_the_answer_is_not_lost_when_a_file_cannot_be_written(tmp_path, monkeypatch, capsys):
    from pathlib import Path

    patients(12).to_csv(tmp_path / "t.csv", index=False)
    write_text = Path.write_text

    def full(self, *args, **kwargs):
        if self.name == "r.json":
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
    assert (tmp_path / "r.md").exists()
