"""Collect nested lists and quotes during the walk into one block each, with item markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from chunking.model import BlockType
from chunking.parsing.formats.html.html_elements import LISTS
from chunking.parsing.formats.html.list_markers import BULLET, ItemCounter

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Containers"]

_MOST_INDENT = 40
"""Maximum indent in columns."""

_BULLETS = "•◦▪‣●○■□·∙"
_MOST_UNCLOSED = 8

_Write = Callable[[BlockType, str, Mapping[str, object]], None]


@dataclass(slots=True)
class _Level:
    """An open list."""

    indent: str
    counter: ItemCounter | None = None
    """None for a list of definitions."""
    marker: str = ""
    """Marker before the next line; further lines are indented by its width."""
    fresh: bool = False
    """True if no line of the current item is written yet."""


class Containers:
    """Stack of open lists and quotes, which collects their lines to one block of the outermost."""

    def __init__(self, write: _Write) -> None:
        self._write = write
        self._kind: BlockType | None = None
        self._nesting = 0
        self._levels: list[_Level] = []
        self._lines: list[str] = []
        self._items = 0
        self._depth = 0

    @property
    def is_open(self) -> bool:
        """True while lines belong to a list or quote."""
        return self._nesting > 0

    def add(self, lines: Sequence[str]) -> None:
        """Collect the lines of a paragraph, the first after the marker of a just begun item."""
        filled = [line for line in lines if line]
        if not self._levels:  # a quote
            self._lines += [*([""] if self._lines else []), *filled]
            return
        if not filled:
            return
        level = self._levels[-1]
        if level.fresh:
            self._items += 1
            self._depth = max(self._depth, len(self._levels))
            level.marker = "" if filled[0][0] in _BULLETS else level.marker  # it is written already
        under = level.indent + " " * len(level.marker)
        first = level.indent + level.marker if level.fresh else under
        level.fresh = False
        self._lines += [(under if n else first) + line for n, line in enumerate(filled)]

    def write(self) -> None:
        """Write the collected lines as a block, if there are any; lists and quotes stay open."""
        kind, lines = self._kind, self._lines
        if kind is None or not lines:
            return
        meta = {"depth": max(self._depth, 1), "items": self._items} if kind is BlockType.LIST else {}
        self._lines, self._items = [], 0
        margin = min(
            len(line) - len(line.lstrip(" ")) for line in lines
        )  # of items whose list began before another block
        self._write(kind, "\n".join(line[margin:] for line in lines) if margin else "\n".join(lines), meta)

    def open(self, kind: BlockType) -> None:
        """Enter a list or quote; a nested one takes the outer one's kind."""
        if not self._nesting:
            self._kind = kind
        self._nesting += 1

    def close(self) -> None:
        """Leave the innermost list or quote; the outermost writes the collected lines."""
        self._nesting -= 1
        if not self._nesting:
            self.write()
            self._kind, self._depth = None, 0

    def open_list(self, element: _Element) -> None:
        """Enter a `ul`, `ol` or `dl`."""
        self.open(BlockType.LIST)
        outer = self._levels[-1] if self._levels else None
        level = _Level((outer.indent + " " * len(outer.marker))[:_MOST_INDENT] if outer else "")
        if element.tag != "dl":
            level.counter = ItemCounter(element)
        self._levels.append(level)

    def close_list(self) -> None:
        """Leave a `ul`, `ol` or `dl`."""
        self._levels.pop()
        self.close()

    def begin_item(self, element: _Element) -> None:
        """Begin a `li` with its list's next marker; outside a list, nothing happens."""
        if not self._levels or element.getparent().tag not in LISTS:
            return
        level = self._levels[-1]
        level.marker, level.fresh = level.counter.next(element) if level.counter else BULLET, True

    def set_marker(self, text: str) -> bool:
        """Replace the marker of a just begun item by a printed one; False without such an item."""
        level = self._levels[-1] if self._levels else None
        if level is None or not level.fresh:
            return False
        level.marker = text
        return True

    def begin_definition(self, element: _Element) -> None:
        """Begin a `dt`, or a `dd`, which is indented below it.

        The parser nests definitions that are not closed, so a few levels are searched for the list.
        """
        holders = (one for one in islice(element.iterancestors(), _MOST_UNCLOSED) if one.tag not in ("div", "dd", "dt"))
        holder = next(holders, None)
        if self._levels and holder is not None and holder.tag == "dl":
            term = element.tag == "dt"
            self._levels[-1].marker, self._levels[-1].fresh = "" if term else "  ", term
