"""What choosing a parameter outside the cross-validation adds to an AUC.

    python -m studies.tuning [--repetitions 100] [--write]

Samples have no signal, or some. The same candidates are tuned in two ways: outside, by playing a
tournament of each and reporting the best, and inside, by a search that chooses anew without every
pair. Both are compared with the AUC that the model chosen on the sample has on new units.
``--write`` puts the table into docs/tuning.md.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studies.marked import DOCS, markdown_table, write_blocks
from tlpo import tournament
from tlpo.arrays import FloatArray

# Units of a sample and new ones, half of them positive.
UNITS, NEW = 30, 2000


class Setting(NamedTuple):
    """What is tuned, and on what.

    Attributes
    ----------
    name : str
        What the table calls it.
    model, grid : Any
        What is tuned.
    n : int
        Features.
    shift : float
        By how much the classes differ in each of three features.
    """

    name: str
    model: Any
    grid: dict[str, list[Any]]
    n: int
    shift: float


RIDGE = make_pipeline(StandardScaler(), SelectKBest(k=1), RidgeClassifier())
RIDGE_GRID = {
    "selectkbest__k": [1, 2, 3, 5, 10],
    "ridgeclassifier__alpha": [0.01, 1.0, 100.0, 10000.0],
}
NEAR_GRID = {"n_neighbors": [1, 3, 5, 7, 9, 11], "p": [1, 2]}
SETTINGS = [
    Setting(f"{name}, {UNITS} units, {n} features, {said}", model, grid, n, shift)
    for name, model, grid, n in (
        ("ridge after a selection, 20 candidates", RIDGE, RIDGE_GRID, 20),
        ("k-NN, 12 candidates", KNeighborsClassifier(), NEAR_GRID, 5),
    )
    for said, shift in (("no signal", 0.0), ("signal", 0.5))
]


def draw(
    setting: Setting, m: int, rng: np.random.Generator
) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    """Draw a sample of two classes of equal size."""
    y = np.repeat([0, 1], m // 2)
    X = rng.normal(size=(m, setting.n))
    X[:, :3] += setting.shift * y[:, None]
    return X, y


def repeat(setting: Setting, seed: int) -> tuple[float, float, float]:
    """Return the AUC tuned outside, tuned inside, and of the chosen model on new units."""
    rng = np.random.default_rng([SETTINGS.index(setting), seed])
    X, y = draw(setting, UNITS, rng)
    candidates = [clone(setting.model).set_params(**own) for own in ParameterGrid(setting.grid)]
    outside = max(tournament(model, X, y).auc for model in candidates)
    search = GridSearchCV(setting.model, setting.grid, cv=5, scoring="roc_auc")
    inside = tournament(search, X, y)
    assert inside.engine == "search"
    chosen = clone(search).fit(X, y).best_estimator_
    X_new, y_new = draw(setting, NEW, rng)
    respond = getattr(chosen, "decision_function", None)
    score = respond(X_new) if respond else chosen.predict_proba(X_new)[:, 1]
    return outside, inside.auc, float(roc_auc_score(y_new, score))


def measure(setting: Setting, repetitions: int) -> list[str]:
    """Return a row of the table."""
    found = np.array([repeat(setting, seed) for seed in range(repetitions)])
    error = found[:, :2] - found[:, 2:]

    def said(values: FloatArray) -> str:
        return f"{values.mean():+.3f} ± {values.std(ddof=1) / np.sqrt(values.size):.3f}"

    return [setting.name, f"{found[:, 2].mean():.3f}", said(error[:, 0]), said(error[:, 1])]


def main() -> None:
    """Measure every setting."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="write docs/tuning.md")
    options = parser.parse_args()
    rows = []
    for setting in SETTINGS:
        rows.append(measure(setting, options.repetitions))
        print(*rows[-1], sep=" | ", flush=True)
    head = ("tuned", "true AUC", "error, tuned outside", "error, tuned inside")
    made = f"{options.repetitions} samples each, with standard errors. Made by `make tuning`."
    if options.write:
        write_blocks(DOCS / "tuning.md", {"tuning": f"{markdown_table(head, rows)}\n\n{made}"})


if __name__ == "__main__":
    main()
