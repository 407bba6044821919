import re

from commands.running import command
from tlpo.document import pdf


def pages(path):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", path.read_bytes()))


def test_a_browser_prints_the_report(written, tmp_path, monkeypatch, capsys):
    path = tmp_path / "report.pdf"
    code, _, err = command(monkeypatch, capsys, "render", written, "--html", path)
    assert code == 0, err
    assert path.read_bytes().startswith(b"%PDF")
    assert 1 < pages(path) <= 6  # three of which are checklists
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.pdf"]


def test_without_a_browser_it_is_refused_before_anything_is_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pdf, "BROWSERS", ("no-such-browser",))
    path = tmp_path / "report.pdf"
    code, out, err = command(
        *(monkeypatch, capsys, "run", tmp_path / "none.csv", "--target", "y", "--html", path)
    )
    assert (code, out) == (2, "")
    assert err == (
        "tlpo: A PDF is printed by Chromium, Chrome or Edge, and none was found.\n"
        f"You passed --html {path}.\n"
        "Install one of them, or pass --html report.html and print that from any browser.\n"
    )


def test_a_browser_that_fails_leaves_the_old_report(written, tmp_path, monkeypatch, capsys):
    path, text = tmp_path / "report.pdf", tmp_path / "report.md"
    path.write_bytes(b"old")
    monkeypatch.setattr(pdf, "BROWSERS", ("false",))
    code, out, err = command(
        *(monkeypatch, capsys, "render", written, "--html", path, "--md", text)
    )
    assert code == 1
    assert "rls ranks a random patient" in " ".join(out.split())
    assert f"{path}: the browser did not print it (it gave no reason)." in err
    assert path.read_bytes() == b"old"
    assert text.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.md", "report.pdf"]
