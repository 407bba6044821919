"""Files are replaced as a whole or not at all."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tlpo.execution.replace import is_same_file, replacing, write_text


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "r.html"
    path.write_text("old")

    def fail_halfway():
        with replacing(path) as beside:
            beside.write_text("half of the n")
            assert path.read_text() == "old"
            raise OSError(28, "No space left on device", str(beside))

    with pytest.raises(OSError, match="No space left") as caught:
        fail_halfway()
    assert (caught.value.errno, caught.value.filename) == (28, str(path))
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_links_folders_and_permissions_stay(tmp_path):
    path, link = tmp_path / "new" / "r.md", tmp_path / "link.md"
    write_text(path, "ξ\n")
    assert path.read_bytes() == "ξ\n".encode()
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "more")
    assert link.is_symlink()
    assert path.read_text() == "more"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_text(Path("/dev/null"), "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_file_that_is_protected_stays(tmp_path, monkeypatch):
    path = tmp_path / "r.md"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError):
        write_text(path, "new")
    assert path.read_text() == "old"


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path):
    (tmp_path / "r.html").write_text("old")
    code = (
        "import os, signal; from pathlib import Path\n"
        "from tlpo.execution.replace import replacing\n"
        "with replacing(Path('r.html')) as beside:\n"
        "    beside.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == -9
    assert (tmp_path / "r.html").read_text() == "old"


def test_the_same_file_under_other_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "t.csv"
    data.write_text("a")
    os.link(data, tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to("t.csv")
    for other in ("hard.csv", "soft.csv", "./t.csv", f"../{tmp_path.name}/t.csv"):
        assert is_same_file(Path(other), data)
    assert not is_same_file(tmp_path / "other.csv", data)
    assert is_same_file(Path("new.csv"), Path(f"../{tmp_path.name}/new.csv"))
