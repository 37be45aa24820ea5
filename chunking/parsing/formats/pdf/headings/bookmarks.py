"""Read the bookmarks of a PDF: titles, nesting and targets of its sections."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["MAX_BOOKMARKS", "Bookmark", "place_bookmark", "read_bookmarks"]

MAX_BOOKMARKS = 20_000
"""Bookmarks read at most; no outline made by people is longer."""
_DEEPEST = 15
_UNITS = 1_000_000
"""Resolution of page coordinates: pdfium returns integers."""
_LONGEST = 1_000
"""Characters read of a title."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline."""

    title: str
    level: int
    """Depth, 1 for the top; not capped at 6, levels may be skipped."""
    page: int
    """1-based."""
    left: float | None = None
    """Left edge of the target; None if it is the whole page or a horizontal line."""
    top: float | None = None
    """Points upwards as read by `read_bookmarks`; share of the page downwards once placed."""


def read_bookmarks(pdf: Any) -> list[Bookmark]:
    """Read the bookmarks that lead to a page of the document, in order; loops, depth and number are bounded.

    Args:
        pdf: a `pypdfium2.PdfDocument`.
    """
    pages = len(pdf)
    bookmarks = []
    for handle, level in _walk(pdf):
        title = _title(handle)
        target = _target(pdf, handle)
        if title and target and target[0] < pages:
            page, left, top = target
            bookmarks.append(Bookmark(title, level, page + 1, left, top))
    return bookmarks


def place_bookmark(bookmark: Bookmark, page: Any) -> Bookmark:
    """Convert `left` and `top` to shares of the displayed page, from its upper left corner.

    Args:
        page: the `pypdfium2.PdfPage` it leads to.
    """
    if bookmark.left is None and bookmark.top is None:
        return bookmark
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_int(), ctypes.c_int()
    box = page.get_cropbox()
    left, top = (
        bookmark.left if bookmark.left is not None else box[0],
        bookmark.top if bookmark.top is not None else box[3],
    )
    pdfium.FPDF_PageToDevice(page.raw, 0, 0, _UNITS, _UNITS, 0, left, top, x, y)
    shares = tuple(min(max(value.value / _UNITS, 0.0), 1.0) for value in (x, y))
    turned = page.get_rotation() % 180 != 0
    in_file = (bookmark.left is not None, bookmark.top is not None)
    on_page = in_file[::-1] if turned else in_file
    return replace(bookmark, left=shares[0] if on_page[0] else None, top=shares[1] if on_page[1] else None)


def _walk(pdf: Any) -> Iterator[tuple[Any, int]]:
    """Handles and levels of the entries in reading order, each once."""
    import pypdfium2.raw as pdfium

    visited: set[int] = set()
    todo = [(pdfium.FPDFBookmark_GetFirstChild(pdf.raw, None), 1)]
    while todo and len(visited) < MAX_BOOKMARKS:
        handle, level = todo.pop()
        address = ctypes.cast(handle, ctypes.c_void_p).value
        if address is None or address in visited:
            continue
        visited.add(address)
        yield handle, level
        todo.append((pdfium.FPDFBookmark_GetNextSibling(pdf.raw, handle), level))
        if level < _DEEPEST:
            todo.append((pdfium.FPDFBookmark_GetFirstChild(pdf.raw, handle), level + 1))


def _title(handle: Any) -> str:
    import pypdfium2.raw as pdfium

    size = pdfium.FPDFBookmark_GetTitle(handle, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFBookmark_GetTitle(handle, buffer, size)
    text = buffer.raw[: max(size - 2, 0)][: 2 * _LONGEST].decode("utf-16-le", "replace")
    return " ".join(text.replace("\x00", "").split())


def _target(pdf: Any, handle: Any) -> tuple[int, float | None, float | None] | None:
    """Page (0-based), left and top of an entry's target."""
    import pypdfium2.raw as pdfium

    place = pdfium.FPDFBookmark_GetDest(pdf.raw, handle)
    if not place:
        return None
    page = pdfium.FPDFDest_GetDestPageIndex(pdf.raw, place)
    if page < 0:
        return None
    count, values = ctypes.c_ulong(), (pdfium.FS_FLOAT * 4)()
    view = pdfium.FPDFDest_GetView(place, count, values)
    left, top = _VIEWS.get(view, (None, None))
    return page, _value(values, left, count.value), _value(values, top, count.value)


def _value(values: Any, index: int | None, count: int) -> float | None:
    """A coordinate of a target; pdfium returns 0 for a missing one."""
    return float(values[index]) or None if index is not None and index < count else None


_VIEWS: dict[int, tuple[int | None, int | None]] = {
    1: (0, 1),
    3: (None, 0),
    4: (0, None),
    5: (0, 3),
    7: (None, 0),
    8: (0, None),
}
"""Indices of left and top in the targets XYZ, FitH, FitV, FitR, FitBH, FitBV; others have none."""
