"""Every command that README and docs show runs as it is written, beside the files it names.

Commands within a sentence, and the examples of ``tlpo ... --help``, are only read: some name tables
of other programs, or take hours.
"""

import inspect
import itertools
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cyclopts import MissingArgumentError

from commands import running
from tlpo.commands.cli import app

ROOT = Path(__file__).parents[1]
COMMAND = re.compile(r"^(?: {4}|\$ )?(tlpo \S.*?)(?:  +#.*)?$", re.MULTILINE)
INLINE = re.compile(r"`(tlpo [^`]+)`")
# Served until somebody ends it, and seventeen minutes: understood, and run by tests of their own.
ELSEWHERE = {"app", "reproduce"}


def pages():
    """Yield every page that shows commands, with the commands."""
    for path in sorted((ROOT / "README.md", *ROOT.glob("docs/**/*.md"))):
        found = COMMAND.findall(path.read_text(encoding="utf-8"))
        if found and "gallery" not in path.parts:
            yield pytest.param(found, id=str(path.relative_to(ROOT)))


def write_table(words, path):
    """Write a table with the columns that a command names."""
    rng = np.random.default_rng(0)
    flags = [(flag, value) for flag, value in itertools.pairwise(words) if flag.startswith("--")]
    labels = dict(flags).get("--positive", "yes"), "other"
    is_positive = np.arange(24) % 2 == 0
    columns = {
        "age": rng.integers(30, 80, 24),
        "bmi": (rng.normal(25, 3, 24) + 2 * is_positive).round(1),
    }
    for flag, value in flags:
        if flag == "--target":
            columns[value] = np.where(is_positive, *labels)
            if value == "subtype":
                columns[value] = np.array(["a", "b", "c"])[np.arange(24) % 3]
        elif flag == "--marker":
            columns[value] = (rng.normal(size=24) + is_positive).round(2)
        elif flag == "--time":
            columns[value] = rng.integers(1, 60, 24)
        elif flag == "--event":
            columns[value] = is_positive.astype(int)
        elif flag == "--group":
            columns[value] = [f"P{k // 2}" for k in range(24)]
        elif flag == "--categorical":
            columns[value] = rng.integers(1, 4, 24)
    for word in words:
        name, equals, code = word.partition("=")
        if "--missing" in words and equals and name.isidentifier():
            columns[name] = [int(code), 999, *range(22)]
    pd.DataFrame(columns).to_csv(path, index=False)


def play_games(path):
    """Fill in predictions, as whoever trains the models would."""
    games = pd.read_csv(path)
    rng = np.random.default_rng(0)
    games[["prediction_i", "prediction_j"]] = rng.normal(size=(len(games), 2))
    games.to_csv(path, index=False)


@pytest.mark.long
@pytest.mark.parametrize("commands", list(pages()))
def test_commands_of_a_page_run_in_order(commands, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = set()
    for command in commands:
        # A hundred shards are played by two.
        for task in ("1", "2") if "$SLURM_ARRAY_TASK_ID" in command else ("1",):
            fewer = command.replace("$SLURM_ARRAY_TASK_ID/100", f"{task}/2").replace("100", "2")
            words = [name for word in shlex.split(fewer)[1:] for name in _matching(word)]
            if any("*" in word for word in words):
                continue  # Python has made these files on the page; the command comes again
            ran.add(command)
            if words[0] in ELSEWHERE:
                app.parse_args(words)
                continue
            for flag, word in itertools.pairwise(["", *words]):
                if word.endswith(".csv") and not Path(word).exists() and flag != "--out":
                    write_table(words, word)
            if words[:2] == ["games", "score"]:
                play_games(words[2])
            call = [sys.executable, "-m", "tlpo", *words]
            done = subprocess.run(call, capture_output=True, text=True)
            assert done.returncode == 0, (command, done.stderr)
            for flag, value in itertools.pairwise(words):
                if flag in ("--html", "--save-model"):
                    assert Path(value).stat().st_size > 1000
    assert ran == set(commands)


def _matching(word):
    """Return the files that a pattern matches, or the word itself."""
    return sorted(map(str, Path().glob(word))) or [word] if "*" in word else [word]


def test_the_commands_are_found():
    found = [command for page in pages() for command in page.values[0]]
    assert len(found) >= 10
    assert {command.split()[1] for command in found} >= {"run", "marker", "validate", "merge"}


def helped(known=app, path=()):
    """Yield every command below one, as words, with the examples of its help."""
    for name in known:
        if not name.startswith("-"):
            yield from helped(known[name], (*path, name))
    if known.default_command is not None and path:
        yield path, COMMAND.findall(inspect.getdoc(known.default_command) or "")


def written():
    """Yield every command within a sentence or in a help, with where it stands."""
    for path in sorted((ROOT / "README.md", *ROOT.glob("docs/**/*.md"))):
        if "gallery" not in path.parts:
            for found in INLINE.findall(path.read_text(encoding="utf-8")):
                yield str(path.relative_to(ROOT)), found
    for path, found in helped():
        for example in found:
            yield f"tlpo {' '.join(path)} --help", example


@pytest.mark.parametrize("where", sorted({where for where, _ in written()}))
def test_commands_of_a_sentence_or_a_help_are_understood(where, monkeypatch, capsys):
    for place, shown in written():
        words = shlex.split(shown)[1:]
        if place != where:
            continue
        assert _flags(words) <= _known_flags(words), shown
        if "…" in words:
            continue
        try:
            app.parse_args(words, print_error=False, exit_on_error=False)
        except MissingArgumentError:
            # A sentence may name a command and leave out its table; an example may not.
            assert not where.endswith("--help"), shown
            continue
        if words[0] == "plan" and len(words) > 1:
            code, _, err = running.command(monkeypatch, capsys, *words)
            assert code == 0, (shown, err)


def _flags(words):
    return {word for word in words if word.startswith("--")}


def _known_flags(words):
    """Return the flags of the command that is named, by its first one or two words."""
    for path, _ in helped():
        if tuple(words[: len(path)]) == path:
            known = app
            for name in path:
                known = known[name]
            of_it = {name for one in known.assemble_argument_collection() for name in one.names}
            return of_it | {"--help"}
    return {"--help"}


def test_commands_of_sentences_and_helps_are_found():
    found = dict(written())
    assert {"docs/inference.md", "docs/guide/interface.md"} <= set(found)
    examples = {path[0] for path, found in helped() if found}
    assert examples >= {"run", "marker", "plan", "validate", "games"}
