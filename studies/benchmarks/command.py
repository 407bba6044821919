"""How long `tlpo run` takes with its default model, its page included, and on what.

    python -m studies.benchmarks.command [--write]

``--write`` puts the table into docs/performance.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from studies.marked import DOCS, markdown_table, write_blocks

REPEATS = 3


def tumours() -> pd.DataFrame:
    """Return 100 patients with 30 measurements."""
    data = load_breast_cancer(as_frame=True)
    table = data.data.iloc[:100].copy()
    table["outcome"] = np.where(data.target.iloc[:100] == 0, "malignant", "benign")
    return table


def patients() -> pd.DataFrame:
    """Return 300 patients: seven measurements and three categories, 5 % of the cells missing."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    table = pd.DataFrame(rng.normal(size=(300, 7)) + 0.3 * y[:, None], columns=list("abcdefg"))
    table = table.mask(rng.random(table.shape) < 0.05)
    for name, words in (("sex", "fm"), ("site", "abcdef"), ("stage", "1234")):
        table[name] = rng.choice(list(words), size=300)
        table.loc[rng.random(300) < 0.05, name] = None
    table["outcome"] = np.where(y == 1, "yes", "no")
    return table


def best(command: list[str]) -> float:
    """Return the shortest time of a command; the first run compiles."""
    times = []
    for _ in range(1 + REPEATS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return min(times[1:])


def measure(folder: Path) -> str:
    """Time both tables, with and without a page."""
    tlpo = str(Path(sys.executable).with_name("tlpo"))
    loading = best([sys.executable, "-c", "import tlpo.commands.run"])
    rows = []
    for name, table, target in (
        ("100 patients, 30 measurements", tumours(), "≤ 5 s"),
        ("300 patients, 10 features with gaps and categories", patients(), "≤ 10 s"),
    ):
        path = folder / "table.csv"
        table.to_csv(path, index=False)
        command = [tlpo, "run", str(path), "--target", "outcome"]
        bare = best(command)
        whole = best([*command, "--html", str(folder / "page.html")])
        times = [whole, loading, bare - loading, whole - bare]
        rows.append((name, *(f"{seconds:.1f} s" for seconds in times), target))
    head = ("table", "in all", "loading scikit-learn and others", "the analysis", "page", "target")
    return markdown_table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    write = parser.parse_args().write
    with tempfile.TemporaryDirectory() as folder:
        table = measure(Path(folder))
    print(table)
    if write:
        made = "Made by `python -m studies.benchmarks.command --write` on 2 cores."
        write_blocks(DOCS / "performance.md", {"command": f"{table}\n\n{made}"})


if __name__ == "__main__":
    main()
