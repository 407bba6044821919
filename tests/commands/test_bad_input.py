"""Every kind of bad input that docs/reliability.md lists, passed as a user would pass it."""

import pytest

from commands.running import run
from studies.bad_input import FINE, KINDS, make_table, try_out
from studies.marked import DOCS, read_block

ALL = [kind for kinds in KINDS.values() for kind in kinds]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_it_gets_what_the_page_says(kind, tmp_path):
    found = try_out(kind, tmp_path)
    assert found.code == kind.code, found.said
    assert "Traceback" not in found.said
    assert kind.says
    if kind.code == FINE:
        assert kind.says in found.said
        assert "the AUC" in found.out
        return
    assert found.out == ""
    if kind.says.startswith("--") and " " not in kind.says:
        assert kind.says in found.message  # written by cyclopts
    else:
        assert found.message.startswith(kind.says)
        assert found.message.count("\n") == 2  # the problem, what was passed, what to do


def test_the_page_lists_them_all():
    assert read_block(DOCS / "reliability.md", "bad input") == make_table()
    assert len({kind.name for kind in ALL}) == len(ALL)


@pytest.mark.long
def test_a_process_of_its_own_ends_in_the_same_way(tmp_path):
    """All the others run in this process, which is quicker."""
    for kind in (KINDS["The file"][2], KINDS["The options"][3], KINDS["The model"][7]):
        expected = try_out(kind, tmp_path)
        found = run(*kind.command.split(), cwd=tmp_path)
        assert (found.returncode, found.stdout) == (expected.code, expected.out)
        assert found.stderr == expected.said
