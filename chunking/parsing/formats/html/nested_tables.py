"""Decide which of several nested tables are data that keep their cells, and which are layout."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["GROUPS", "flatten", "has_header", "own_rows", "settle_nested"]

GROUPS = ("thead", "tbody", "tfoot")
_PLAIN = "div"
_LONGEST_CELL = 300
"""Maximum characters of a data cell; longer ones are parts of a page."""
_LONGEST_INNER = 600
"""Maximum characters of an inner table written into its cell; longer ones follow the outer table."""
_MOST_COLUMNS = 1000


def own_rows(table: _Element) -> Iterator[_Element]:
    """Yield the rows of a table without those of nested tables, in source order."""
    for part in table.iterchildren("tr", *GROUPS):
        if part.tag == "tr":
            yield part
        else:
            yield from part.iterchildren("tr")


def has_header(table: _Element) -> bool:
    """True if a table has a `thead` or header cells, those of nested tables aside."""
    return any(part.tag == "thead" for part in table) or any(
        cell.tag == "th" for row in own_rows(table) for cell in row
    )


def flatten(table: _Element) -> None:
    """Turn a table, its row groups, rows, cells and caption into `div` elements, in place."""
    for row in list(own_rows(table)):
        for cell in row.iterchildren("td", "th"):
            cell.tag = _PLAIN
        row.tag = _PLAIN
    for part in table.iterchildren("caption", *GROUPS):
        part.tag = _PLAIN
    table.tag = _PLAIN


def settle_nested(tables: Sequence[_Element], headings: Sequence[_Element], *, word_processed: bool) -> None:
    """Keep outer data tables, with inner ones as cell text or after them; flatten outer layout.

    Tables without a table in or around them stay. Innermost tables come first, so that each text is read once.

    Args:
        tables: all of a tree, in order.
        headings: all headings of the page; a table around one is layout.
        word_processed: tables come from a word processor; web pages use them for layout too.
    """
    inner: dict[_Element, list[_Element]] = defaultdict(list)
    for table in tables:
        outer = next(table.iterancestors("table"), None)
        if outer is not None:
            inner[outer].append(table)
    if not inner:
        return
    headed: set[_Element] = set()
    for heading in headings:
        ancestor = heading.getparent()
        while ancestor is not None and ancestor not in headed:
            headed.add(ancestor)
            ancestor = ancestor.getparent()
    for outer in reversed(tables):
        nested = inner.get(outer)
        if nested and (
            has_header(outer) or (outer not in headed and _is_data(outer, nested, word_processed=word_processed))
        ):
            _settle(outer, nested)
        elif nested:
            flatten(outer)


def _is_data(outer: _Element, nested: Sequence[_Element], *, word_processed: bool) -> bool:
    """True if most cells hold a few words, most rows have as many columns, and few cells hold tables.

    On a web page it also needs three named columns and equal rows.
    """
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in own_rows(outer)]
    widths = Counter(sum(map(_columns, row)) for row in rows if row)
    if len(rows) < 2 or max(widths, default=0) < 2 or 2 * max(widths.values()) < len(rows):
        return False
    if any(table.tag != "table" for table in nested):  # it lays out a page itself
        return False
    holders = {_outer_cell(table) for table in nested}
    lengths = [_length(cell) for row in rows for cell in row if cell not in holders]
    filled = sum(map(bool, lengths))
    if not word_processed and (
        max(widths) < 3 or len(widths) > 1 or not all(cell not in holders and _length(cell) for cell in rows[0])
    ):
        return False
    is_large = any(_length(table, _LONGEST_INNER) > _LONGEST_INNER for table in nested)
    return (
        filled >= max(2, len(holders) * (1 if word_processed and not is_large else 2)) and max(lengths) <= _LONGEST_CELL
    )


def _settle(outer: _Element, nested: Sequence[_Element]) -> None:
    """Write each inner table into its cell, or move it after the outer one."""
    for table in reversed(nested):
        if table.tag != "table":
            continue
        if _length(table, _LONGEST_INNER) <= _LONGEST_INNER:
            _write_in_cell(table)
        else:
            _move_after(table, outer)


def _write_in_cell(table: _Element) -> None:
    """Replace a table by its words in order: `CPU 4 RAM 8`."""
    text, tail = " ".join(table.itertext()), table.tail
    table.clear()
    table.tag, table.text, table.tail = _PLAIN, text, tail


def _move_after(table: _Element, outer: _Element) -> None:
    parent, before = table.getparent(), table.getprevious()
    tail, table.tail = table.tail, None
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    after, outer.tail = outer.tail, None
    outer.addnext(table)
    table.tail = after


def _outer_cell(table: _Element) -> _Element | None:
    return next(table.iterancestors("td", "th"), None)


def _columns(cell: _Element) -> int:
    span = cell.get("colspan") or "1"
    return min(int(span), _MOST_COLUMNS) if span.isdecimal() and len(span) < 9 else 1


def _length(element: _Element, most: int = _LONGEST_CELL) -> int:
    """Visible characters of an element, counted up to `most`."""
    length = 0
    for text in islice(element.itertext(), 20 * most):
        length += len(text.strip())
        if length > most:
            break
    return length
