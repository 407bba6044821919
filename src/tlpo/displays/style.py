"""What all displays share: colours, axes, labels."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's colours, which colour-blind readers can distinguish; dashes for grey print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Five, so that pairs of colour and dash repeat only after thirty curves.
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))


def plain_text(text: str) -> str:
    """Keep matplotlib from reading formulas into a label."""
    return text.replace("$", r"\$")


def axes(ax: Any, size: tuple[float, float]) -> Any:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]
