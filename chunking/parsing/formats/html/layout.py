"""Lists, quotes and tables that hold no items, words or data but lay out a page: made plain blocks.

Whatever holds a heading is layout, since a heading opens a section; so is a table around another. A table that has header
cells of its own is data all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.elements import LISTS, PREFORMATTED

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["GROUPS", "own_rows", "undo_layout"]

_HOLDERS = frozenset({*LISTS, "dl", "dt", "dd", "li", "blockquote", "figure"})
_PARTS = ("table", "dl", "blockquote", "figure", *LISTS, *PREFORMATTED)
"""What makes a definition more than lines."""
_PLAIN = "div"
GROUPS = ("thead", "tbody", "tfoot")


def own_rows(table: _Element) -> Iterator[_Element]:
    """The `tr` elements of a table that are not those of a table inside it, in order of the source."""
    for part in table.iterchildren("tr", *GROUPS):
        if part.tag == "tr":
            yield part
        else:
            yield from part.iterchildren("tr")


def undo_layout(tables: Iterable[_Element], headings: Iterable[_Element], definitions: Iterable[_Element]) -> None:
    """Turn the elements of a tree that are there for the layout into `div`: given all of its tables, headings and `dl`.

    Each ancestor is looked at once, whatever the number and depth of them.
    """
    seen: set[_Element] = set()
    for table in tables:
        if table.get("role") in ("presentation", "none"):
            _flatten(table)
        around = table.getparent()
        while around is not None and around not in seen:
            seen.add(around)
            if around.tag == "table":
                _flatten_unless_data(around)
                break
            around = around.getparent()
    seen = set()
    for heading in headings:
        _open_up(heading, seen)
    for one in definitions:
        if next(one.iterdescendants(*_PARTS), None) is not None:
            _spread(one)


def _open_up(heading: _Element, seen: set[_Element]) -> None:
    """Make plain what stands around a heading, up to a table in which it is no more than words of a cell."""
    around = heading.getparent()
    while around is not None and around not in seen:
        seen.add(around)
        if around.tag == "table" and not _flatten_unless_data(around):
            return
        if around.tag in _HOLDERS:
            around.tag = _PLAIN
        around = around.getparent()


def _flatten_unless_data(table: _Element) -> bool:
    if any(part.tag == "thead" for part in table) or any(cell.tag == "th" for row in own_rows(table) for cell in row):
        return False
    _flatten(table)
    return True


def _flatten(table: _Element) -> None:
    for row in list(own_rows(table)):
        for cell in row.iterchildren("td", "th"):
            cell.tag = _PLAIN
        row.tag = _PLAIN
    for part in table.iterchildren("caption", *GROUPS):
        part.tag = _PLAIN
    table.tag = _PLAIN


def _spread(definitions: _Element) -> None:
    """Terms and descriptions of a list that holds more than lines become plain blocks."""
    for part in [definitions, *definitions.iterchildren("div")]:
        for child in part.iterchildren("dt", "dd"):
            child.tag = _PLAIN
    definitions.tag = _PLAIN
