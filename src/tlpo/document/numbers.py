"""Numbers as readers expect them."""

from __future__ import annotations

import math

from tlpo.analysis.json_values import INFINITY
from tlpo.analysis.shapes import Real


def limits(low: float | None, high: float | None, count: int = 3) -> str:
    """Show limits of a share.

    Examples
    --------
    >>> limits(0.5, 0.75), limits(None, None)
    ('0.500 to 0.750', '—')
    """
    return "—" if low is None else f"{digits(low, count)} to {digits(high, count)}"


def in_brackets(low: float | None, high: float | None, count: int = 3) -> str:
    """Continue an estimate with its limits, if it has any."""
    return "" if low is None else f" ({limits(low, high, count)})"


def reached(time: float | None) -> str:
    """Show a median time or a limit of it, which a curve may not reach.

    Examples
    --------
    >>> reached(12.1), reached(None)
    ('12.1', 'not reached')
    """
    return "not reached" if time is None else figures(time)


def median_limits(median: float | None, low: float | None, high: float | None) -> str:
    """Show the limits of a median time.

    The curve of the lower limits is the first to fall to one half, so that a median without a lower
    limit has none at all: everybody left at once.

    Examples
    --------
    >>> median_limits(20, 12.1, 31), median_limits(20, 12.1, None), median_limits(None, 12.1, None)
    ('12.1 to 31', '12.1 to not reached', '12.1 to not reached')
    >>> median_limits(None, None, None), median_limits(20, None, None)
    ('not reached', '—')
    """
    if low is None:
        return reached(None) if median is None else "—"
    return f"{reached(low)} to {reached(high)}"


def ratio(value: Real) -> str:
    """Show a ratio, which may be undefined or infinite.

    Examples
    --------
    >>> [ratio(value) for value in (0.123, 12.34, 2e7, "Infinity", None)]
    ['0.12', '12.3', '2.0e+07', '∞', '—']
    """
    if value is None:
        return "—"
    if isinstance(value, str):
        return value.replace(INFINITY, "∞")
    if value >= 1e6:  # a limit that says nothing
        return f"{value:.1e}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def signed(value: Real) -> str:
    """Show a number that may be negative, infinite or undefined."""
    if value is None:
        return "—"
    if isinstance(value, str):
        return value.replace(INFINITY, "∞")
    return f"{value:.3f}".replace("-", "−")


def change(value: Real) -> str:
    """Show a difference, always with its sign."""
    shown = signed(value)
    return shown if value is None or shown.startswith("−") else f"+{shown}"


def measured(value: float | None, spread: float | None) -> str:
    """Show a measurement with the decimals that make sense for its spread.

    Examples
    --------
    >>> measured(61.25, 8.5), measured(-0.0106, 1.18), measured(12345.6, 890.0), measured(None, 1.0)
    ('61.2', '−0.01', '12346', '—')
    """
    if value is None:
        return "—"
    if not spread or not 1e-6 < spread < 1e7:
        return figures(value)
    decimals = max(0, 1 - math.floor(math.log10(spread / 2)))
    return minus(f"{value:.{decimals}f}")


def figures(value: float | None) -> str:
    """Show a number with three significant figures, thousands in full.

    Examples
    --------
    >>> [figures(value) for value in (-61.25, 12345.6, 0.001234, 0.0, 1.2e-7, None)]
    ['−61.2', '12346', '0.00123', '0', '1.2e−07', '—']
    """
    if value is None:
        return "—"
    return minus(f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}")


def minus(text: str) -> str:
    """Write a minus sign for a hyphen, and none before a number that was rounded to zero."""
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text.replace("-", "−")


def p_value(value: float | None) -> str:
    """Show a p-value."""
    if value is None:
        return "—"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def equals(value: float) -> str:
    """Continue "p …" with a p-value."""
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"


def capital(text: str) -> str:
    """Write the first letter as a capital, and leave the others alone."""
    return text[:1].upper() + text[1:]


def digits(value: float | None, count: int = 3) -> str:
    """Show a share; what is not quite 1 or 0 is not shown as such.

    Examples
    --------
    >>> digits(0.8125), digits(0.99999), digits(None)
    ('0.812', '0.999', '—')
    """
    if value is None:
        return "—"
    text = f"{value:.{count}f}"
    step = 10.0**-count
    if value < 1 and float(text) >= 1:
        return f"{1 - step:.{count}f}"
    return f"{step:.{count}f}" if value > 0 and float(text) <= 0 else text


def percent(level: float) -> str:
    """Show a level of confidence without rounding it to another.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.4g}%"


def rounded_percent(value: float) -> str:
    """Show a share as a percentage.

    Examples
    --------
    >>> rounded_percent(0.314), rounded_percent(0.0123)
    ('31%', '1.2%')
    """
    return f"{100 * value:.2g}%" if value < 0.1 else f"{100 * value:.0f}%"
