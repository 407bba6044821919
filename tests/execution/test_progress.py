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
