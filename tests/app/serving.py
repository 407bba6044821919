"""Start ``tlpo app`` as a user does, and ask it without a browser."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Server:
    process: subprocess.Popen
    address: str
    scratch: Path  # where it makes its folder

    @property
    def folder(self):
        (found,) = self.scratch.glob("tlpo-*")
        return found

    def stop(self, number=signal.SIGTERM):
        """Return its exit code and what it printed since."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def analysis(self):
        """Begin one, and return its name."""
        with urllib.request.urlopen(self.address, timeout=60) as answer:
            return answer.url.partition("?analysis=")[2]


@contextmanager
def serving(*flags, **environment):
    # Not pytest's folder: a user's is as short as this one.
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen(
            [sys.executable, "-m", "tlpo.commands.cli", "app", "--no-browser", *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "TMPDIR": scratch, **environment},
        )
        try:
            said = ""
            while "Ctrl-C" not in said:
                line = process.stdout.readline()
                assert line, f"tlpo app did not start: {said}"
                said += line
            found = re.search(r"http://\S+", said)
            yield Server(process, found[0], Path(scratch))
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(60)
            process.stdout.close()


def ask(url, *, data=None, **headers):
    """Return status and body."""
    request = urllib.request.Request(
        url, data=data, headers=headers, method="GET" if data is None else "PUT"
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
