"""Lists, quotes and tables that hold no items, words or data but lay out a page: made plain blocks.

Whatever holds a heading is layout, since a heading opens a section; so is a table around another, unless it reads like
data
(`nested_tables`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.elements import LISTS, PREFORMATTED
from chunking.parsing.formats.html.nested_tables import flatten, has_header, settle_nested

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["undo_layout"]

_HOLDERS = frozenset({*LISTS, "dl", "dt", "dd", "li", "blockquote", "figure"})
_PARTS = ("table", "dl", "blockquote", "figure", *LISTS, *PREFORMATTED)
"""What makes a definition more than lines."""
_PLAIN = "div"


def undo_layout(
    tables: Sequence[_Element], headings: Sequence[_Element], definitions: Iterable[_Element], *, drawn: bool = False
) -> None:
    """Turn the elements of a tree that are there for the layout into `div`: given all of its tables, headings and `dl`.

    `drawn` is as in `settle_nested`.

    Each ancestor is looked at once, whatever the number and depth of them.
    """
    for table in tables:
        if table.get("role") in ("presentation", "none"):
            flatten(table)
    settle_nested([table for table in tables if table.tag == "table"], headings, drawn=drawn)
    seen: set[_Element] = set()
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
    if has_header(table):
        return False
    flatten(table)
    return True


def _spread(definitions: _Element) -> None:
    """Terms and descriptions of a list that holds more than lines become plain blocks."""
    for part in [definitions, *definitions.iterchildren("div")]:
        for child in part.iterchildren("dt", "dd"):
            child.tag = _PLAIN
    definitions.tag = _PLAIN
