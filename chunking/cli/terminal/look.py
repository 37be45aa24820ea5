"""Capabilities of a terminal: width, colours, symbols, wrapped text with styles, and bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import lru_cache
from itertools import accumulate

from chunking.cli.terminal.terminal_text import encodable, line_spans

__all__ = [
    "ASCII",
    "UNICODE",
    "Piece",
    "Symbols",
    "TerminalLook",
    "TerminalStyle",
    "band_style",
    "histogram",
    "interval_bar",
    "share_bar",
]


class TerminalStyle(Enum):
    """Text styles as parameters of their SGR sequence, from the 16 colours of every palette."""

    HEADING = "1"
    DIM = "2"
    ACCENT = "1;36"
    HIT = "1;4;33"
    """Underlined too: a colour is never the only sign."""
    GOOD = "32"
    BAD = "31"
    BAND_1 = "36"
    BAND_2 = "33"
    BAND_3 = "35"
    BAND_4 = "32"
    BAND_5 = "34"


_BANDS = (TerminalStyle.BAND_1, TerminalStyle.BAND_2, TerminalStyle.BAND_3, TerminalStyle.BAND_4, TerminalStyle.BAND_5)

Piece = tuple[str, TerminalStyle | None]
"""Text in one style."""


def band_style(number: int) -> TerminalStyle:
    """Return the colour of a numbered chunk, one of five in turn, so that neighbours differ."""
    return _BANDS[number % len(_BANDS)]


@dataclass(frozen=True, slots=True)
class Symbols:
    """Symbols used by the views, each one column wide."""

    dot: str = "·"
    arrow: str = "›"
    dash: str = "–"
    ellipsis: str = "…"
    rule: str = "─"
    band: str = "▌"
    repeat: str = "┊"
    """Edge of text that overlaps the previous chunk."""
    full: str = "█"
    empty: str = "░"
    low: str = "├"
    mean: str = "●"
    high: str = "┤"
    best: str = "★"
    open: str = "«"
    close: str = "»"
    levels: str = "▁▂▃▄▅▆▇█"


UNICODE = Symbols()
ASCII = Symbols(
    dot="-",
    arrow=">",
    dash="-",
    ellipsis="~",
    rule="-",
    band="|",
    repeat=":",
    full="#",
    empty=".",
    low="[",
    mean="o",
    high="]",
    best="*",
    open="[",
    close="]",
    levels="_.-=+*%#",
)


@lru_cache(maxsize=16)
def _symbols(encoding: str) -> Symbols:
    every = "".join(str(getattr(UNICODE, row.name)) for row in fields(Symbols))
    return UNICODE if encodable(every, encoding) == every else ASCII


@dataclass(frozen=True, slots=True)
class TerminalLook:
    """Width, colours and encoding of a terminal."""

    columns: int = 80
    colour: bool = False
    encoding: str = "utf-8"

    @property
    def symbols(self) -> Symbols:
        """Unicode symbols if the encoding has all of them, else ASCII."""
        return _symbols(self.encoding)

    @property
    def prose(self) -> int:
        """Maximum columns of running text: longer lines are hard to read."""
        return min(self.columns, 100)

    def draw(self, *pieces: Piece) -> str:
        """Return a line of styled pieces; without colours their text alone."""
        if not self.colour:
            return "".join(text for text, _ in pieces)
        return "".join(f"\x1b[{style.value}m{text}\x1b[0m" if style and text else text for text, style in pieces)

    def style(self, text: str, style: TerminalStyle | None) -> str:
        """Return a text in one style."""
        return self.draw((text, style))

    def wrap(self, pieces: Sequence[Piece], columns: int) -> Iterator[str]:
        """Yield lines of pieces, none wider than `columns`; a style continues over a line's end."""
        text = "".join(part for part, _ in pieces)
        starts = [0, *accumulate(len(part) for part, _ in pieces)]
        for first, after in line_spans(text, columns):
            inside = (
                (text[max(first, start) : min(after, end)], style)
                for (_, style), start, end in zip(pieces, starts, starts[1:], strict=False)
                if start < after and end > first
            )
            yield self.draw(*inside)

    def paragraph(self, text: str, *, indent: int = 0, style: TerminalStyle | None = None) -> Iterator[str]:
        """Yield a text wrapped to at most `prose` columns, indented, in one style."""
        yield from self.indented(self.wrap([(text, style)], max(self.prose - indent, 2)), indent)

    def indented(self, lines: Iterable[str], indent: int) -> Iterator[str]:
        """Yield lines behind `indent` spaces, without spaces at their ends."""
        yield from (f"{' ' * indent}{line}".rstrip() for line in lines)

    def heading(self, title: str) -> str:
        """Return a title in the style of headings."""
        return self.style(title, TerminalStyle.HEADING)


def share_bar(share: float, columns: int, symbols: Symbols) -> str:
    """Draw a bar filled to a share, 0 to 1; any share above 0 is visible.

    >>> share_bar(0.5, 8, Symbols())
    '████░░░░'
    """
    full = min(max(round(share * columns), int(share > 0)), columns)
    return symbols.full * full + symbols.empty * (columns - full)


def interval_bar(low: float, mean: float, high: float, columns: int, symbols: Symbols) -> str:
    """Draw a scale from 0 to 1 with a mean and the ends of its interval.

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
