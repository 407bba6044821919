import pytest

import tlpo
from analysis.analyses import ANALYSES
from commands.running import command
from tlpo.analysis.plan import plan_sample
from tlpo.document.blocks import Table
from tlpo.document.models import sample_size


def test_the_plan_is_that_of_the_library():
    analysis = ANALYSES["one model"]()
    share = analysis.n_positive / analysis.n_units
    plan = plan_sample(analysis.n_units, share, 0.95)
    for row in plan:
        assert row.power == tlpo.power(row.auc, analysis.n_units, fraction=share)
        wanted = tlpo.sample_size(row.auc, width=0.1, fraction=share)
        assert row.needed == wanted.n_units
    (table,) = (block for block in sample_size(analysis).blocks if isinstance(block, Table))
    assert [(cells[0], cells[1], cells[-1]) for cells in table.rows] == [
        (f"{row.auc:g}", f"{row.power:.2f}", str(row.needed)) for row in plan
    ]


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
