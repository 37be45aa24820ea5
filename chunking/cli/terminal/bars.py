"""Draws numbers as bars: a share, a mean with its interval, and the distribution of many values."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.cli.terminal.look import Symbols

__all__ = ["histogram", "interval_bar", "share_bar"]


def share_bar(share: float, columns: int, symbols: Symbols) -> str:
    """A bar filled to a share, 0 to 1; something above 0 shows.

    >>> share_bar(0.5, 8, Symbols())
    '████░░░░'
    """
    full = min(max(round(share * columns), int(share > 0)), columns)
    return symbols.full * full + symbols.empty * (columns - full)


def interval_bar(low: float, mean: float, high: float, columns: int, symbols: Symbols) -> str:
    """A scale from 0 to 1 with a mean and the ends of its interval.

    >>> interval_bar(0.6, 0.7, 0.8, 20, Symbols())
    '···········├─●─┤····'
    """
    first, middle, last = (min(max(round(value * (columns - 1)), 0), columns - 1) for value in (low, mean, high))
    scale = [symbols.dot] * columns
    scale[first : last + 1] = symbols.rule * (last + 1 - first)
    scale[first], scale[last], scale[middle] = symbols.low, symbols.high, symbols.mean
    return "".join(scale)


def histogram(values: Sequence[float], bins: int, symbols: Symbols) -> str:
    """Draw how many values lie in each of equal bins, as a line of blocks; an empty bin is a space.

    >>> histogram([1, 2, 2, 9], 4, Symbols())
    '█  ▃'
    """
    if not values:
        return ""
    least, most = min(values), max(values)
    step = (most - least) / bins or 1.0
    counts = [0] * bins
    for value in values:
        counts[min(int((value - least) / step), bins - 1)] += 1
    top = len(symbols.levels)
    return "".join(symbols.levels[-(-count * top // max(counts)) - 1] if count else " " for count in counts)
