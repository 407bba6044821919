"""Names for the array types that pass between rooms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.intp]
FloatArray = npt.NDArray[np.float64]
SingleArray = npt.NDArray[np.float32]
# Wins counted in halves, so that ties stay whole numbers.
HalfWins = npt.NDArray[np.int32]
