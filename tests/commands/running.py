"""Run the command, in a process of its own as a user does, or quicker in this one."""

import subprocess
import sys

import pytest

from tlpo.commands.cli import main


def run(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "tlpo.commands.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
    )


def command(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["tlpo", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    return ended.value.code or 0, shown.out, shown.err
