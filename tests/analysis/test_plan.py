import pytest

import tlpo
from analysis.summaries import SUMMARIES
from commands.running import command


def test_the_plan_is_that_of_the_library():
    summary = SUMMARIES["one model"]()
    share = summary["n_positive"] / summary["n_units"]
    for row in summary["planning"]:
        assert row["power"] == tlpo.power(row["auc"], summary["n_units"], fraction=share)
        wanted = tlpo.sample_size(row["auc"], width=0.1, fraction=share)
        assert row["needed"] == wanted.n_units


def test_the_command_line_plans(monkeypatch, capsys):
    code, out, err = command(monkeypatch, capsys, "plan", "--auc", "0.8", "--width", "0.2")
    assert (code, err) == (0, "")
    assert out == "True AUC 0.8: 151 patients for an interval 0.2 wide.\n"
    code, out, _ = command(monkeypatch, capsys, "plan", "--units", "60", "--auc", "0.75")
    assert code == 0
    assert out.startswith("True AUC 0.75: power 0.80 to find it above 0.5 (one-sided 5 % test), ")
    code, _, err = command(monkeypatch, capsys, "plan", "--width", "2")
    assert code == 2
    assert err == (
        "tlpo: --width must be strictly between 0 and 1.\nYou passed --width 2.0.\n"
        "For example --width 0.5.\n"
    )


@pytest.mark.parametrize("flag", ["--share", "--confidence-level"])
def test_impossible_plans_are_refused(flag, monkeypatch, capsys):
    code, out, err = command(monkeypatch, capsys, "plan", flag, "1")
    assert (code, out) == (2, "")
    assert err.startswith(f"tlpo: {flag} must be strictly between 0 and 1.\n")
