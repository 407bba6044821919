"""The R package is that of this version, and README shows the script that its tests run."""

import re
from pathlib import Path

import tlpo

ROOT = Path(__file__).parents[1]
R = ROOT / "r"


def test_both_packages_have_one_version():
    description = (R / "DESCRIPTION").read_text(encoding="utf-8")
    assert re.search(r"^Version: (.*)$", description, re.MULTILINE)[1] == tlpo.__version__


def test_readme_shows_the_script_that_is_tested():
    script = (R / "inst/scripts/clinician.R").read_text(encoding="utf-8")
    shown = re.findall(
        r"```r\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert shown == [script]
