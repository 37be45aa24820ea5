"""The bookmarks of a PDF: what its author says its sections are called, how they nest, and where they begin."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["MAX_BOOKMARKS", "Bookmark", "place_bookmark", "read_bookmarks"]

MAX_BOOKMARKS = 20_000
"""More are not read: no outline that people made is longer."""
_DEEPEST = 15
_UNITS = 1_000_000
"""Steps of a page's width and height in which pdfium is asked for a place: it gives whole numbers."""
_LONGEST = 1_000
"""Characters of a title that are read."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One entry of the outline."""

    title: str
    level: int
    """How deep it stands, 1 for the top; not bound to 6, and levels may be left out."""
    page: int
    """1-based."""
    left: float | None = None
    """Of the place it leads to; None where it leads to the page as a whole, or to a line across it."""
    top: float | None = None
    """Points of the file, upwards, as `read_bookmarks` gives it; a share of the page, downwards, once it is placed."""


def read_bookmarks(pdf: Any) -> list[Bookmark]:
    """The entries that lead to a page of the document, in order; loops, depth and number are bounded.

    Args:
        pdf: a `pypdfium2.PdfDocument`.
    """
    pages = len(pdf)
    found = []
    for handle, level in _walk(pdf):
        title = _title(handle)
        target = _target(pdf, handle)
        if title and target and target[0] < pages:
            page, left, top = target
            found.append(Bookmark(title, level, page + 1, left, top))
    return found


def place_bookmark(bookmark: Bookmark, page: Any) -> Bookmark:
    """The same with `left` and `top` as shares of the page as it is shown, from its upper left corner.

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
    knows = (bookmark.left is not None, bookmark.top is not None)
    known = knows[::-1] if turned else knows
    return replace(bookmark, left=shares[0] if known[0] else None, top=shares[1] if known[1] else None)


def _walk(pdf: Any) -> Iterator[tuple[Any, int]]:
    """Handles of the entries and their levels, in reading order, each entry once."""
    import pypdfium2.raw as pdfium

    seen: set[int] = set()
    todo = [(pdfium.FPDFBookmark_GetFirstChild(pdf.raw, None), 1)]
    while todo and len(seen) < MAX_BOOKMARKS:
        handle, level = todo.pop()
        address = ctypes.cast(handle, ctypes.c_void_p).value
        if address is None or address in seen:
            continue
        seen.add(address)
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
    """Page (0-based), left and top of the place an entry leads to, by name or by itself."""
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
    """A coordinate of a destination; pdfium gives 0 for one that is not there, and nobody points to the lowest line."""
    return float(values[index]) or None if index is not None and index < count else None


_VIEWS: dict[int, tuple[int | None, int | None]] = {
    1: (0, 1),
    3: (None, 0),
    4: (0, None),
    5: (0, 3),
    7: (None, 0),
    8: (0, None),
}
"""Where left and top stand among the values of a destination: XYZ, FitH, FitV, FitR, FitBH, FitBV. The others have
none.
"""
