"""What models that tune or select chose without every pair: two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tlpo.analysis.shapes import Chosen, Counted
from tlpo.displays.style import COLOURS, plain_text
from tlpo.document.blocks import Block, Figure, Paragraph, SideBySide
from tlpo.document.parts import drawn
from tlpo.plurals import counted


def chosen_blocks(chosen: Chosen | None, name: str, units: str, k: int) -> list[Block]:
    """Show how often each setting was chosen, and each feature used."""
    if chosen is None:
        return []
    n = chosen.n_models
    text = (
        f"{name} chooses anew in every training set. Counted over {counted(n, 'model')}, each "
        f"fitted without two {units}:"
    )
    pictures: list[Block] = []
    if chosen.settings:
        caption = "How often each setting was chosen"
        if chosen.n_settings > len(chosen.settings):
            caption += f"; the {len(chosen.settings)} most frequent of {chosen.n_settings}"
        pictures.append(_figure(f"settings-{k}", f"{caption}.", chosen.settings, n))
    if chosen.used:
        caption = "How often each feature was used"
        if chosen.n_used > len(chosen.used):
            caption += f"; the {len(chosen.used)} most frequent of {chosen.n_used}"
        caption += (
            ". Models without two others differ little, so a feature that all use may still be "
            f"dropped in other {units}."
        )
        pictures.append(_figure(f"used-{k}", caption, chosen.used, n))
    else:
        text = text if pictures else f"{name} used no feature in {counted(n, 'model')}."
    if not pictures:
        return [Paragraph(text, "soft")]
    shown = SideBySide(pictures) if len(pictures) > 1 else pictures[0]
    return [Paragraph(text, "soft"), shown]


def _figure(key: str, caption: str, counts: Sequence[Counted], total: int) -> Figure:
    alt = "; ".join(f"{row.what}: {row.n / total:.0%}" for row in counts)
    size = (4.6, 0.7 + 0.24 * len(counts))
    return Figure(key, alt, caption, lambda: drawn(lambda ax: _bars(ax, counts, total), size))


def _bars(ax: Any, counts: Sequence[Counted], total: int) -> None:
    rows = range(len(counts))[::-1]
    shares = [row.n / total for row in counts]
    ax.barh(rows, shares, color=COLOURS[0], height=0.7)
    for at, share in zip(rows, shares, strict=True):
        text = "<1%" if 0 < share < 0.005 else f"{share:.0%}"
        ax.annotate(
            text, (share, at), (3, 0), textcoords="offset points", va="center", fontsize="x-small"
        )
    names = [row.what if len(row.what) <= 28 else f"{row.what[:27]}…" for row in counts]
    ax.set(
        yticks=rows,
        yticklabels=[plain_text(name) for name in names],
        xlim=(0, 1.12),
        xticks=[0, 0.5, 1],
        xticklabels=["0", "50%", "100%"],
        xlabel="share of models",
    )
    ax.tick_params(axis="y", length=0, labelsize="small")
    ax.spines[["top", "right", "left"]].set_visible(False)
