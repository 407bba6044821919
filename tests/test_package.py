"""What a newcomer meets first: the names, the demonstration, the README."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import tlpo
from tlpo.cli import app, main
from tlpo.demo import run_demo

ROOT = Path(__file__).parents[1]


def test_every_public_name_resolves():
    for name in tlpo.__all__:
        assert getattr(tlpo, name).__name__ == name
    assert set(tlpo.__all__) < set(dir(tlpo))
    with pytest.raises(AttributeError, match="No tlpo attribute nothing"):
        _ = tlpo.nothing


def test_importing_is_quick():
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "numba", "jinja2")
    code = f"import sys, tlpo; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_demo_shows_the_truth_beside_the_estimates(tmp_path, capsys):
    result = run_demo(tmp_path)
    text = capsys.readouterr().out
    assert "AUC on the other 539 patients" in text
    for value in (
        result.test_auc,
        result.tournament.auc,
        result.tournament.lpo_auc,
        result.leave_one_out.auc,
    ):
        assert 0.5 < value < 1
        assert f"{value:.3f}" in text
    picture = (tmp_path / "roc-example.png").read_bytes()
    assert picture.startswith(b"\x89PNG")


def test_command_line_errors_have_no_traceback(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tlpo", "demo", "--units", "31", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "tlpo: The demonstration draws as many malignant as benign tumours.\n"
        "You passed --units 31.\n"
        "Pass an even number from 6 to 200, for example --units 30.\n"
    )


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit):
        app("demo --help")
    assert "tlpo demo --units 40" in capsys.readouterr().out


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/how_it_works.md", "docs/inference.md"]
)
def test_examples_in_the_documents_run(page):
    failures, tried = doctest.testfile(
        str(ROOT / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0
    assert tried > 0 or page == "docs/how_it_works.md"
