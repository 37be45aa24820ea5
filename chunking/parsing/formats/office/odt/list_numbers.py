"""Count the numbers of an OpenDocument text's lists and headings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.parsing.builder.numerals import LevelCounter
from chunking.parsing.formats.office.odt.list_styles import LEVELS, ListStyle
from chunking.parsing.formats.office.odt.odt_elements import attribute, count

if TYPE_CHECKING:
    from lxml.etree import _Element

    from chunking.parsing.formats.office.odt.odt_styles import OdtStyles

__all__ = ["ListNumbers"]

_LAST_START = 10**9
_IDENTITY = "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(slots=True)
class _OpenList:
    style: ListStyle
    name: str
    start: int | None = None
    """Number that the current item states."""
    fresh: bool = False
    """An item began and has no paragraph yet: it is counted with its first."""


class ListNumbers:
    """Counts items at their first paragraph: an item that only holds another list has no number."""

    def __init__(self, styles: OdtStyles) -> None:
        self._styles = styles
        self._open: list[_OpenList] = []
        self._counter = LevelCounter(LEVELS)
        """Of the open list."""
        self._outline = LevelCounter(LEVELS)
        self._by_style: dict[str, LevelCounter] = {}
        self._by_identity: dict[str, LevelCounter] = {}

    def open_list(self, element: _Element) -> None:
        """Enter a list; the outermost restarts, unless it states a continuation."""
        name = attribute(element, "text:style-name") or (self._open[-1].name if self._open else "")
        if not self._open:
            before = self._by_identity.get(attribute(element, "text:continue-list"))
            if before is None and attribute(element, "text:continue-numbering") == "true":
                before = self._by_style.get(name)
            self._counter = before or LevelCounter(LEVELS)
            self._by_style[name] = self._counter
            if identity := element.get(_IDENTITY):
                self._by_identity[identity] = self._counter
        self._open.append(_OpenList(self._styles.list_style(name), name))

    def close_list(self) -> None:
        """Leave the innermost list."""
        self._open.pop()

    def open_item(self, element: _Element) -> None:
        if self._open:
            here = self._open[-1]
            here.fresh, here.start = True, _start(element)

    def item_marker(self) -> str:
        """Number before a paragraph, if it begins an item; else empty."""
        if not self._open or not self._open[-1].fresh:
            return ""
        here, level = self._open[-1], min(len(self._open), LEVELS) - 1
        here.fresh = False
        return _count(self._counter, here.style, level, here.start)

    def heading_marker(self, element: _Element) -> str:
        """Number before a heading: of its item, else of the outline."""
        if self._open and self._open[-1].fresh:
            return self.item_marker()
        if attribute(element, "text:is-list-header") == "true" or not self._styles.is_outlined(
            attribute(element, "text:style-name")
        ):
            return ""
        level = count(element, "text:outline-level", LEVELS) - 1
        if not self._styles.outline.is_numbered(level):
            return ""
        start = _start(element)
        if start is None and attribute(element, "text:restart-numbering") == "true":
            self._outline.restart(level)
        return _count(self._outline, self._styles.outline, level, start)


def _start(element: _Element) -> int | None:
    return count(element, "text:start-value", _LAST_START, least=0) if attribute(element, "text:start-value") else None


def _count(counter: LevelCounter, style: ListStyle, level: int, start: int | None) -> str:
    """Count an item, from `start` if given."""
    starts = style.starts
    if start is not None:
        counter.restart(level)
        starts[level] = start
    numbers = counter.advance(level, starts)
    return style.marker(numbers) if style.is_numbered(level) else ""
