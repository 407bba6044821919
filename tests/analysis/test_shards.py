import numpy as np
import pandas as pd
import pytest

from commands.running import command
from oracles import blobs


def without_time(text):
    return [line for line in text.splitlines() if "seconds" not in line]


@pytest.mark.long
def test_the_command_line_plays_shards_and_answers_from_the_joined_journal(
    tmp_path, capsys, monkeypatch
):
    X, y = blobs(12, 2, seed=0)
    table = pd.DataFrame(X, columns=["a", "b"]).assign(ill=np.where(y, "yes", "no"))
    table.to_csv(tmp_path / "t.csv", index=False)
    journal, json = tmp_path / "run.tlpo", tmp_path / "r.json"
    models = ("--model", "ridge:solver=lsqr", "--model", "rls")
    run = ("run", tmp_path / "t.csv", "--target", "ill", *models, "--n-jobs", 1)
    for k in (1, 2):
        code, out, err = command(
            monkeypatch, capsys, *run, "--journal", journal, "--shard", f"{k}/2"
        )
        assert (code, out) == (0, "")
        assert f"Playing shard {k} of 2 of ridge:solver=lsqr …" in err
        assert "rls needs no refits (engine least-squares): left to the last run." in err
        assert err.endswith(f"Written: {tmp_path}/run.{k}-of-2.tlpo\n")
    parts = sorted(tmp_path.glob("run.*-of-2.tlpo"))
    code, out, _ = command(monkeypatch, capsys, "merge", journal, *parts)
    assert code == 0
    assert out.splitlines()[1:] == ["ridge:solver=lsqr: tournament", out.splitlines()[2]]
    assert out.endswith(": 66 of 66 done (100.0%)\n")
    _, plain, _ = command(monkeypatch, capsys, *run, "--json", json)
    expected = json.read_text()
    size = journal.stat().st_size
    for _ in range(2):
        code, answer, _ = command(monkeypatch, capsys, *run, "--json", json, "--journal", journal)
        assert code == 0
        assert answer == plain
        found = json.read_text()
        assert without_time(found) == without_time(expected)
        assert journal.stat().st_size > size  # the other schemes came to it
    code, _, err = command(monkeypatch, capsys, *run, "--shard", "1/2")
    assert (code, err.splitlines()[0]) == (2, "tlpo: A shard writes its journal, and nothing else.")
    code, _, err = command(
        monkeypatch, capsys, *run, "--shard", "1/2", "--journal", journal, "--json", json
    )
    assert (code, err.splitlines()[1]) == (2, "You passed --shard 1/2 with files for an answer.")
    code, _, err = command(monkeypatch, capsys, *run, "--json", journal, "--journal", journal)
    assert (code, err.splitlines()[0]) == (2, "tlpo: --json would overwrite the journal.")
    code, _, err = command(monkeypatch, capsys, "merge", journal)
    assert code != 0
    exact = ("run", tmp_path / "t.csv", "--target", "ill", "--model", "rls")
    code, _, err = command(
        monkeypatch, capsys, *exact, "--journal", tmp_path / "exact.tlpo", "--shard", "1/2"
    )
    assert code == 0
    assert "Written" not in err
    assert not list(tmp_path.glob("exact*"))
