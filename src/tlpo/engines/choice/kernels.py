"""Bounds of scores that depend on the order of responses."""

from __future__ import annotations

import numpy as np

from tlpo.arrays import BoolArray, FloatArray
from tlpo.compiled import compiled

# Responses that are closer than this, relative to their size, may tie but for rounding.
ROUNDING = 1e-12


@compiled
def auc_bounds(
    response: FloatArray,
    error: FloatArray,
    is_second: BoolArray,
    exact: bool,
    low: FloatArray,
    high: FloatArray,
) -> None:
    """Write the smallest and largest AUC of every row if responses are off by their errors.

    ``exact`` if equal responses without an error are known to tie. NaN if a class is missing.
    """
    g, n = response.shape
    for r in range(g):
        least, most, pairs = 0.0, 0.0, 0
        for p in range(n):
            if not is_second[r, p]:
                continue
            for q in range(n):
                if is_second[r, q]:
                    continue
                pairs += 1
                gap = response[r, p] - response[r, q]
                blur = error[r, p] + error[r, q]
                if exact and blur == 0.0 and gap == 0.0:
                    least += 0.5
                    most += 0.5
                    continue
                blur += ROUNDING * max(abs(response[r, p]), abs(response[r, q]))
                if gap > blur:
                    least += 1.0
                    most += 1.0
                elif not gap < -blur:
                    most += 1.0
        low[r] = least / pairs if pairs else np.nan
        high[r] = most / pairs if pairs else np.nan
