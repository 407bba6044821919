"""Tables on their way to the server: several at once, too large for the disk, cut off."""

import http.client
import json
import resource
import time
from urllib.parse import urlsplit

import pytest

from app.serving import ask, serving

FIRST, SECOND = b"first,y\n1,0\n", b"second,y\n1,0\n"


@pytest.fixture(scope="module")
def server():
    with serving("--max-upload", "1") as found:
        yield found


class Upload:
    """A table that is sent in two parts."""

    def __init__(self, server, analysis, name, table):
        where = urlsplit(server.address)
        self.rest = table[4:]
        folder = of(server)
        n_before, before = len(tables(folder)), time.monotonic()
        self.connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
        self.connection.putrequest("PUT", f"{where.path}analyses/{analysis}/table?name={name}")
        self.connection.putheader("Content-Length", str(len(table)))
        self.connection.endheaders(table[:4])
        # It counts as chosen once the server has begun to write it.
        while len(tables(folder)) == n_before:
            assert time.monotonic() - before < 60
            time.sleep(0.01)

    def finish(self):
        """Return status and message."""
        self.connection.send(self.rest)
        answer = self.connection.getresponse()
        said = json.loads(answer.read())
        self.connection.close()
        return answer.status, said.get("error", "").split("\n")


def of(server):
    """Return the folder of the newest analysis."""
    return max(server.folder.glob("analysis-*"), key=lambda folder: int(folder.name[9:]))


def tables(folder):
    return list(folder.rglob("table*.csv"))


def kept(server):
    """Return what is on the disk, after the time that the end of a worker takes."""
    started = time.monotonic()
    while len(list(of(server).iterdir())) > 1 and time.monotonic() - started < 20:
        time.sleep(0.1)
    return [path.read_bytes() for path in of(server).rglob("*") if path.is_file()]


def test_of_two_tables_at_once_the_one_chosen_last_is_used(server):
    name = server.analysis()
    first = Upload(server, name, "first.csv", FIRST)
    second = Upload(server, name, "second.csv", SECOND)
    assert first.finish() == (200, [""])
    assert second.finish() == (200, [""])
    assert kept(server) == [SECOND]


def test_a_table_that_arrives_after_one_chosen_later_is_refused(server):
    name = server.analysis()
    first = Upload(server, name, "first.csv", FIRST)
    assert Upload(server, name, "second.csv", SECOND).finish() == (200, [""])
    assert first.finish() == (
        409,
        [
            "Another table was chosen meanwhile.",
            "You passed 'first.csv'; the page now shows 'second.csv'.",
            "Choose the file again to use it instead.",
        ],
    )
    assert kept(server) == [SECOND]


def test_a_later_table_that_is_refused_does_not_cost_the_earlier_one(server):
    name = server.analysis()
    first = Upload(server, name, "first.csv", FIRST)
    url = f"{server.address}analyses/{name}/table?name=large.csv"
    assert ask(url, data=b"a,b\n" * 300_000)[0] == 413
    assert first.finish() == (200, [""])
    assert kept(server) == [FIRST]


def test_a_table_that_is_cut_off_is_not_kept(server):
    name = server.analysis()
    upload = Upload(server, name, "first.csv", FIRST)
    assert len(tables(of(server))) == 1
    upload.connection.close()
    started = time.monotonic()
    while tables(of(server)) and time.monotonic() - started < 20:
        time.sleep(0.1)
    assert list(of(server).iterdir()) == []


@pytest.mark.long
def test_a_full_disk_is_named_and_nothing_is_kept():
    with serving() as server:
        name = server.analysis()
        url = f"{server.address}analyses/{name}/table?name=large.csv"
        # The largest file that it can write; a full disk fails in the same call.
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (65_536, 65_536))
        status, body = ask(url, data=b"a,b\n" * 2_000_000)
        assert status == 507
        assert json.loads(body)["error"].split("\n") == [
            "The table could not be written to disk.",
            "You passed 'large.csv'; the system says: File too large.",
            "Free some disk space, then choose it again.",
        ]
        assert list(of(server).iterdir()) == []
        assert ask(url, data=SECOND)[0] == 200
        assert kept(server) == [SECOND]
        assert server.stop() == (0, "")  # and no traceback


@pytest.mark.exhaustive
def test_an_analysis_that_cannot_begin_says_why():
    with serving() as server:
        (server.folder / "analysis-1").touch()  # so that no folder can be made there
        status, body = ask(server.address)
        assert (status, body.decode().split("\n")) == (
            507,
            [
                "There is no room for another analysis.",
                "The system says: File exists.",
                "Free some disk space, then reload the page.",
            ],
        )
        assert server.stop() == (0, "")
