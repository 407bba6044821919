"""What a newcomer meets first: the names, the demonstration, the README."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tlpo
from tlpo.commands.cli import app as cli
from tlpo.engines.base import engines

ROOT = Path(__file__).parents[1]


def test_every_public_name_resolves():
    for name in tlpo.__all__:
        found = getattr(tlpo, name)
        assert callable(found)
        assert found.__name__.rpartition(".")[2] == name
    assert set(tlpo.__all__) < set(dir(tlpo))
    with pytest.raises(AttributeError, match="No tlpo attribute nothing"):
        _ = tlpo.nothing


def test_no_engine_is_left_out_of_the_contract_that_keeps_engines_apart():
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]
    (kept_apart,) = [each for each in linter["contracts"] if each["type"] == "independence"]
    found = {".".join(engine.__module__.split(".")[:3]) for engine in engines()}
    assert set(kept_apart["modules"]) == found


def test_analysis_and_document_are_typed():
    for room in ("analysis", "document"):
        for path in (ROOT / "src" / "tlpo" / room).rglob("*.py"):
            assert "dict[str, Any]" not in path.read_text(encoding="utf-8"), path


def test_importing_is_quick():
    heavy = ("sklearn", "scipy", "pandas", "matplotlib", "numba", "jinja2")
    for module in (
        "tlpo",
        "tlpo.tables.build_sample",
    ):  # whoever reads a large table needs the memory
        code = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
        command = [sys.executable, "-c", code]
        shown = subprocess.run(command, capture_output=True, text=True, check=True)
        assert shown.stdout.strip() == "[]"


PAGES = [
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"))
    if "gallery" not in path.parts and ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_examples_in_the_documents_run(page):
    failures, tried = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0
    assert tried > 0


def test_the_pages_with_examples_are_found():
    names = {path.name for path in PAGES}
    assert names >= {"README.md", "inference.md", "ties.md", "markers.md", "python.md"}


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.stem)
def test_examples_say_what_they_need(path):
    """What they import comes with tlpo, or their first lines name it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else _names(node))
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = {re.match(r"[\w-]+", text)[0] for text in project["dependencies"]}
    ours = {name.replace("scikit-learn", "sklearn") for name in ours} | {"tlpo"}
    needed = {
        {"distributed": "'.[cluster]'"}.get(name, name)
        for name in modules - ours - set(sys.stdlib_module_names)
    }
    said = re.findall(r"``pip install (.+?)``", ast.get_docstring(tree))
    assert set(said) == needed


def test_the_interface_at_a_glance_has_every_name():
    """Functions, learners, displays and commands; results are what functions return."""
    page = (ROOT / "docs" / "guide" / "interface.md").read_text(encoding="utf-8")
    stub = ast.parse((ROOT / "src" / "tlpo" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    named = {(node.module, alias.name) for node in imports for alias in node.names}
    wanted = {
        name
        for module, name in named
        if name.islower() or module in ("displays", "learners") or module.startswith("problem.")
    }
    assert len(wanted) > 40
    assert {name for name in wanted if not re.search(rf"(`|tlpo\.){name}\b", page)} == set()
    commands = [name for name in cli if not name.startswith("-")]
    assert len(commands) >= 12
    assert {name for name in commands if f"`tlpo {name}" not in page} == set()


def _names(node):
    return [alias.name for alias in node.names]


BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
STUDY = """
import numpy as np
from sklearn.naive_bayes import BernoulliNB
model = BernoulliNB()
X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 2
"""


@pytest.mark.long
def test_blocks_without_a_prompt_run(tmp_path, monkeypatch):
    """The lines for clusters, with one of this process in the place of theirs."""
    text = (ROOT / "docs" / "long_runs.md").read_text(encoding="utf-8")
    blocks = [block for block in BLOCK.findall(text) if ">>>" not in block and "ray" not in block]
    assert len(blocks) >= 3
    (tmp_path / "study.py").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    script = "import tlpo\nfrom study import model, X, y\n"
    for block in blocks:
        own = block.replace('Client("scheduler:8786")', "Client(processes=False, n_workers=1)")
        own = own.replace("n_jobs=-1", "n_jobs=1")
        done = subprocess.run([sys.executable, "-c", script + own], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", tlpo.__all__)
def test_every_public_name_has_a_runnable_example(name):
    """Pytest runs the examples; here it is only asked that there is one, and what it prints."""
    found = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(tlpo, name)))
    assert any(example.want for example in found if not example.options)


def test_the_reference_lists_every_public_name():
    text = (ROOT / "docs" / "reference.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^   (\w+)$|^\.\. autofunction:: (\w+)$", text, re.MULTILINE)
    names = [one or other for one, other in listed]
    assert sorted(names) == sorted(tlpo.__all__)
