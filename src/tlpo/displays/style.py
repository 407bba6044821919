"""What all displays share: colours, axes, labels."""

from __future__ import annotations

import re
from typing import Any

# Okabe and Ito's colours, which colour-blind readers can distinguish; dashes for grey print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Five, so that pairs of colour and dash repeat only after thirty curves.
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
# More dots are an image within a drawing: each of them would take two hundred bytes.
MOST_DOTS = 2000


def plain_text(text: str) -> str:
    """Keep matplotlib from reading formulas into a label."""
    return text.replace("$", r"\$")


def wrapped(text: str, width: int) -> str:
    """Break a label into lines: at spaces, then after marks within a name, then anywhere.

    Examples
    --------
    >>> print(wrapped("mean corpuscular_haemoglobin", 20))
    mean corpuscular_
    haemoglobin
    """
    lines = [""]
    for part in re.findall(r"\s+|[^\s_./,:-]+[_./,:-]*|[_./,:-]+", text):
        if len(lines[-1]) + len(part.rstrip()) > width and lines[-1]:
            lines.append("")
        rest = part if lines[-1] else part.lstrip()
        while len(rest.rstrip()) > width:
            lines[-1:] = [rest[:width], ""]
            rest = rest[width:]
        lines[-1] += rest
    return "\n".join(line.rstrip() for line in lines if line.strip())


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]
