"""The server as a process: what it leaves on the disk, shows to other users, and refuses."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.serving import ask, serving
from tables import patients


def command_lines():
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield place.read_bytes().decode(errors="replace")
        except OSError:  # it has ended
            continue


def workers(folder):
    """Return the ids of processes that work in a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}" in (place / "environ").read_bytes().decode(errors="replace"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def server():
    with serving("--max-upload", "1") as found:
        yield found


@pytest.fixture(scope="module")
def token(server):
    return server.address.rstrip("/").rpartition("/")[2]


def test_the_address_is_a_secret(server, token):
    assert server.address.startswith("http://127.0.0.1:")
    assert len(token) >= 43  # 32 random bytes
    assert not any(token in line for line in command_lines())
    base = server.address.partition(token)[0]
    for path in ("", "lib/", "wrong/", token[:-1] + "/", f"x/{token}/"):
        status, body = ask(base + path)
        assert status == 403
        assert b"tlpo app printed" in body
        assert token.encode() not in body
    assert ask(server.address, Host="evil.example")[0] == 403
    assert ask(server.address, Origin="http://evil.example")[0] == 403


def test_it_listens_on_this_machine_only(server):
    port = int(server.address.split(":")[2].partition("/")[0])
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    lines = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    listening = [line[1] for line in lines if line[3] == "0A" and line[1].endswith(f":{port:04X}")]
    assert listening == [f"0100007F:{port:04X}"]


def test_only_this_user_may_enter_its_folders(server):
    server.analysis()
    for folder in (server.folder, *(p for p in server.folder.iterdir() if p.is_dir())):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_table_beyond_the_limit_is_refused_and_not_kept(server):
    name = server.analysis()
    url = f"{server.address}analyses/{name}/table?name=large.csv"
    status, body = ask(url, data=b"a,b\n" * 300_000)
    assert status == 413
    assert json.loads(body)["error"].split("\n")[:2] == [
        "The file is too large.",
        "You passed 'large.csv'; the limit is 1 MB.",
    ]
    kept = [path for path in server.folder.rglob("*") if path.is_file()]
    assert kept == []


def test_a_file_name_leads_nowhere(server):
    name = server.analysis()
    for hostile in ("../../../etc/x.csv", "/etc/passwd", "a\x00b.csv", ".." * 200, "x.c/../d"):
        url = f"{server.address}analyses/{name}/table?name={urlquote(hostile)}"
        assert ask(url, data=b"a,b\n1,2\n")[0] == 200
        kept = [path for path in server.folder.rglob("*") if path.is_file()]
        assert len(kept) == 1
        assert kept[0].parent.parent.parent == server.folder
        assert kept[0].stem == "table"


def urlquote(text):
    from urllib.parse import quote

    return quote(text, safe="")


def test_files_that_are_not_there_cannot_be_fetched(server):
    name = server.analysis()
    for path in (
        *(f"analyses/{name}/files/result.json", f"analyses/{name}/files/../table-0.csv"),
        *(f"analyses/{name}/report", "analyses/other/report", f"analyses/{name}/files/%2e%2e%2fx"),
    ):
        assert ask(server.address + path)[0] == 404
    assert ask(f"{server.address}analyses/other/table", data=b"x")[0] == 404


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_when_it_ends(number):
    with serving() as server:
        name = server.analysis()
        table = patients(16).to_csv(index=False).encode()
        assert ask(f"{server.address}analyses/{name}/table?name=p.csv", data=table)[0] == 200
        scratch = server.folder / "scratch"
        started = time.monotonic()
        while len(workers(scratch)) < 2 and time.monotonic() - started < 60:
            time.sleep(0.1)
        assert len(workers(scratch)) >= 2  # one has the table, one is in reserve
        assert server.stop(number) == (0, "")
        assert list(server.scratch.iterdir()) == []
        assert workers(scratch) == []


@pytest.mark.long
def test_the_browser_is_led_by_a_private_file(tmp_path):
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nfile="${{1#file://}}"\necho "$1" > {seen}.tmp\n'
        f'stat -c %a "$file" >> {seen}.tmp\ncat "$file" >> {seen}.tmp\nmv {seen}.tmp {seen}\n'
    )
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "tlpo.commands.cli", "app"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": str(browser), "TMPDIR": str(tmp_path)},
    )
    try:
        started = time.monotonic()
        while not seen.exists() and time.monotonic() - started < 60:
            time.sleep(0.1)
        url, mode, page = seen.read_text().splitlines()
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=60)
    address = next(word for word in said.split() if word.startswith("http://"))
    token = address.rstrip("/").rpartition("/")[2]
    assert url.startswith("file://")
    assert token not in url
    assert mode == "600"
    assert f"url={address}" in page
    assert process.returncode == 0


@pytest.mark.exhaustive
def test_a_port_in_use_is_named(server):
    port = server.address.split(":")[2].partition("/")[0]
    shown = subprocess.run(
        [sys.executable, "-m", "tlpo.commands.cli", "app", "--no-browser", "--port", port],
        capture_output=True,
        text=True,
    )
    assert shown.returncode == 2
    assert shown.stderr.splitlines() == [
        "tlpo: The page cannot be served there.",
        f"You passed --port {port}: Address already in use.",
        "Leave it out to take any port that is free.",
    ]


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys):
    from tlpo.commands.cli import main

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "tlpo.app.server", raising=False)
    monkeypatch.setattr(sys, "argv", ["tlpo", "app"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        "tlpo: The page needs other packages.",
        "There is no module 'uvicorn'.",
        "Install them with: pip install 'tlpo[app]'.",
    ]
