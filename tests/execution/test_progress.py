import sys
import time

from tlpo.execution import progress


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass


def test_progress_shows_time_left_in_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with progress.Progress(10, "Games", show=True) as bar:
        for _ in range(10):
            time.sleep(0.02)
            bar.advance(1)
    assert "Games" in terminal.text
    assert "10/10" in terminal.text
    assert "left" in terminal.text


def test_progress_is_silent_elsewhere(monkeypatch, capsys):
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    with progress.Progress(10, "Games", show=True) as bar:
        bar.advance(10)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress.Progress(10, "Games", show=False) as bar:
        bar.advance(10)
    assert terminal.text == ""
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


class File(Terminal):
    def isatty(self):
        return False


def test_a_file_is_not_written_to(monkeypatch):
    file = File()
    monkeypatch.setattr("sys.stderr", file)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with progress.Progress(10, "Games", show=True) as bar:
        bar.advance(4)
        bar.advance(6)
    assert file.text == ""
    assert bar.done == 10
    assert bar._bar is None


def test_a_notebook_shows_one_line_of_text(monkeypatch):
    file = File()
    monkeypatch.setattr("sys.stderr", file)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    monkeypatch.setattr("time.monotonic", iter(range(100)).__next__)
    with progress.Progress(3600, "Games", show=True, done=20) as bar:
        bar.advance(80)
        bar.advance(1000)
    shown = file.text.split("\r")
    assert shown[1] == "Games 100 of 3,600"  # how long it takes is not known yet
    assert "Games 1,100 of 3,600, 0:00:" in file.text
    assert shown[-1] == ""  # cleared at the end
    assert set(shown[-2]) == {" "}
    assert "\x1b" not in file.text


def test_without_stderr_it_is_silent(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    with progress.Progress(2, "Games", show=True) as bar:
        bar.advance(2)
    assert bar._bar is None


def test_a_short_run_shows_nothing(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 1000.0)
    with progress.Progress(10, "Games", show=True) as bar:
        bar.advance(10)
    assert terminal.text == ""


def test_what_an_earlier_run_finished_counts(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    with progress.Progress(10, "Games", show=True, done=7) as bar:
        bar.advance(1)
    assert "8/10" in terminal.text


def test_a_watcher_sees_how_far_a_run_is():
    seen = []
    progress.watch(lambda bar: seen.append((bar.title, bar.done, bar.total, bar.seconds_left)))
    try:
        with progress.Progress(10, "Games", show=False, done=4) as bar:
            time.sleep(0.05)
            bar.advance(2)
    finally:
        progress.watch(None)
    with progress.Progress(10, "Games", show=False) as unseen:
        unseen.advance(10)
    assert [entry[:3] for entry in seen] == [("Games", 4, 10), ("Games", 6, 10)]
    # Two tasks took 0.05 s, so four take 0.1 s; those of an earlier run took no time in this one.
    assert seen[0][3] is None
    assert 0.1 <= seen[1][3] < 10
