"""Compute with R what tests compare with.

    make references    # or: python -m studies.references [glmnet] [survival] [proc]

Needs Rscript with jsonlite, glmnet, survival and pROC. Data sets are made here and handed to the R
scripts of this folder; what they find goes to tests/data.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from studies.references import classes, markers, times
from studies.references.stored import path_of

HERE = Path(__file__).parent


def glmnet_input() -> dict[str, Any]:
    """Return the data sets with folds, and the penalties that tlpo has for them."""
    found = {}
    for name, case in classes.cases().items():
        found[name] = {
            "X": case.X.tolist(),
            "y": case.y.tolist(),
            "fold": case.fold.tolist(),
            "l1_ratio": case.l1_ratio,
            "penalties": classes.fit(case).path_.penalty.tolist(),
            "at": classes.PLACES,
        }
    return found


def listed(cases: dict[str, Any]) -> dict[str, Any]:
    """Return named arrays as lists."""
    return {
        name: {field: np.asarray(value).tolist() for field, value in case._asdict().items()}
        for name, case in cases.items()
    }


INPUTS = {
    "glmnet": glmnet_input,
    "survival": lambda: listed(times.cases()),
    "proc": lambda: listed(markers.cases()),
}


def ask_r(script: str, cases: dict[str, Any]) -> Any:
    """Hand data sets to an R script of this folder and return what it found."""
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder, "asked.json"), Path(folder, "told.json")
        asked.write_text(json.dumps(cases))
        subprocess.run(["Rscript", str(HERE / f"{script}.R"), str(asked), str(told)], check=True)
        return json.loads(told.read_text())


def main() -> None:
    """Run the scripts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scripts", nargs="*", choices=[*INPUTS, []], help="all by default")
    for script in parser.parse_args().scripts or INPUTS:
        cases = INPUTS[script]()
        found = ask_r(script, cases)
        path = path_of(script)
        path.write_text(json.dumps(found, separators=(",", ":")) + "\n")
        made = ", ".join(" ".join(pair) for pair in found["made_with"].items())
        print(f"{path.name}: {len(cases)} data sets, {made}, {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
