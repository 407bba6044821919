"""The paper's synthetic samples: two classes of standard normal features.

On the signal features the class means are ±½.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlpo.arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class Setting:
    """One kind of sample and the learner it is given to.

    Attributes
    ----------
    learner : str
        ``"ridge"`` or ``"knn"``.
    n_units : int
        Units, m.
    fraction : float
        Share of positives.
    n_features, n_signal : int
        Features, and how many of them differ between the classes.
    """

    learner: str
    n_units: int
    fraction: float
    n_features: int
    n_signal: int

    @property
    def n_positive(self) -> int:
        """Number of positive units."""
        return round(self.n_units * self.fraction)

    @property
    def name(self) -> str:
        """Identify the setting in one word."""
        share = round(100 * self.fraction)
        return f"{self.learner}-{self.n_units}-{share}-{self.n_features}-{self.n_signal}"

    @property
    def seed(self) -> list[int]:
        """Numbers that seed the generators of this setting."""
        return list(self.name.encode())

    def rng(self, repetition: int, seed: int = 0) -> np.random.Generator:
        """Return the generator of one repetition, the same in any order and on any core."""
        series = () if seed == 0 else (seed,)
        return np.random.default_rng(
            np.random.SeedSequence([repetition, *self.seed], spawn_key=series)
        )

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
        """Draw a sample."""
        y = np.arange(self.n_units) < self.n_positive
        return self.draw_features(rng, y), y

    def draw_features(self, rng: np.random.Generator, y: BoolArray) -> FloatArray:
        """Draw the features of units whose classes are given."""
        X = rng.normal(size=(y.size, self.n_features))
        X[:, : self.n_signal] += np.where(y, 0.5, -0.5)[:, None]
        return X
