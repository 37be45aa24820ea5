"""Read the bookmarks of a PDF, and match them to the lines they name.

A section begins where its heading is printed, not where its bookmark happens to point.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz.distance import LCSseq

from chunking.parsing.formats.pdf.headings.heading_runs import MOST_LABEL_LINES, is_label
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.headings.evidence import Evidence
from chunking.parsing.headings.heading_labels import keys_of, squeezed
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["MAX_BOOKMARKS", "Bookmark", "BookmarkedHeading", "match_bookmarks", "place_bookmark", "read_bookmarks"]

MAX_BOOKMARKS = 20_000
"""Most bookmarks read; no outline made by people is longer."""
_DEEPEST = 15
_UNITS = 1_000_000
"""Resolution of page coordinates: pdfium returns integers."""
_LONGEST = 1_000
"""Most characters read of a title."""

_MOST_LINES = 8
"""Most lines of a heading."""
_ALIKE = 0.8
"""Minimum similarity of a title and a line that differ."""
_NEAR = 0.12
"""Maximum distance between a bookmark's target and a line that differs from it, in page heights."""
_ABOVE = 0.02
"""Maximum distance of a line above its bookmark's target, in page heights: some point to the baseline."""
_MOST_LOOKS, _MOST_COMPARISONS = 3_000_000, 30_000
"""Budgets of line visits and of letter-by-letter comparisons; an outline that needs more is hostile."""
_SAME_STYLE = 0.3
"""Difference of sizes, in points, below which they count as equal."""
_STOP = re.compile(r"\s*[.:：。．—–-]")


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Entry of a PDF's outline that leads to a page: title, depth, and target with its place."""

    title: str
    level: int
    """Depth, 1 for the top; not capped at 6, levels may be skipped."""
    page: int
    """Page number from 1."""
    left: float | None = None
    """Left edge of the target; None if it is the whole page or a horizontal line."""
    top: float | None = None
    """Points upwards from `read_bookmarks`; share of the page downwards once placed."""


def read_bookmarks(pdf: Any) -> list[Bookmark]:
    """Read the bookmarks that have a title and lead to a page, in order, with places in points.

    At most `MAX_BOOKMARKS` entries, 15 levels deep, each once.

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
    """Return a bookmark with `left` and `top` as shares of the displayed page, from its upper left.

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
    """Yield handle and level of each entry in reading order, once."""
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
    """Coordinate of a target, None if missing; pdfium returns 0 for those."""
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


# -- matching to lines


@dataclass(frozen=True, slots=True)
class BookmarkedHeading:
    """A heading and the range of lines it is printed on."""

    first: int
    after: int
    """Index after the last line."""
    level: int
    """Level 1 to 6."""
    stop: int | None = None
    """Offset in the last line at which the heading ends if text follows it; None: the end of the line."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence for a heading; none for a bookmark."""


@dataclass(frozen=True, slots=True)
class _Match:
    """Range of lines that may be a bookmark's."""

    first: int
    after: int
    cost: float
    """Distance in page heights plus penalties; lower is better."""
    stop: int | None = None


def match_bookmarks(bookmarks: Sequence[Bookmark], lines: Sequence[PdfLine]) -> list[BookmarkedHeading]:
    """Return the headings that bookmarks name, by line, with levels 1 to 6 from their nesting.

    A title is searched on its bookmark's page, then on the next and previous one. If it is not printed there (a cover,
    a figure), the line right below the target counts if it looks like the headings of its level; else the bookmark is
    dropped. Levels without a heading are closed up.

    Args:
        bookmarks: placed; see `place_bookmark`.
        lines: of the whole document in reading order, without running heads.
    """
    page_of = _Pages(lines)
    usual = Counter(_look(line) for line in lines).most_common(1)
    matches: dict[int, _Match] = {}
    used_lines: set[int] = set()
    for n, bookmark in enumerate(bookmarks):
        best = page_of.best(bookmark, used_lines)
        if best:
            matches[n] = best
            used_lines.update(range(best.first, best.after))
    looks = {(bookmarks[n].level, _look(lines[one.first])) for n, one in matches.items() if one.stop is None}
    looks = {(level, look) for level, look in looks if look != usual[0][0]}
    for n, bookmark in enumerate(bookmarks):
        if n not in matches and (below := page_of.below(bookmark, looks, used_lines)):
            matches[n] = below
            used_lines.update(range(below.first, below.after))
    ranks = {level: rank for rank, level in enumerate(sorted({bookmarks[n].level for n in matches}), 1)}
    headings = [
        BookmarkedHeading(one.first, one.after, min(ranks[bookmarks[n].level], 6), one.stop)
        for n, one in matches.items()
    ]
    return sorted(headings, key=lambda heading: heading.first)


class _Pages:
    """Lines grouped by page with their comparison keys, within a budget of comparisons."""

    def __init__(self, lines: Sequence[PdfLine]) -> None:
        self._lines = lines
        self._ranges: dict[int, range] = {}
        self._keys: dict[int, tuple[str, str]] = {}
        self._looks, self._comparisons = _MOST_LOOKS, _MOST_COMPARISONS
        for n, line in enumerate(lines):
            page_range = self._ranges.get(line.page, range(n, n))
            self._ranges[line.page] = range(page_range.start, n + 1)

    def best(self, bookmark: Bookmark, used_lines: set[int]) -> _Match | None:
        """Cheapest match on the bookmark's page, else on the next or the previous page."""
        for shift in (0, 1, -1):
            shifted = (
                bookmark
                if not shift
                else Bookmark(bookmark.title, bookmark.level, bookmark.page + shift, None, float(shift < 0))
            )
            places = [one for one in self._exact(shifted) if used_lines.isdisjoint(range(one.first, one.after))]
            if not places and not shift:
                places = [one for one in self._similar(shifted) if used_lines.isdisjoint(range(one.first, one.after))]
            if places:
                return self._with_label(min(places, key=lambda one: one.cost), used_lines)
        return None

    def below(
        self, bookmark: Bookmark, looks: set[tuple[int, tuple[float, bool, str]]], used_lines: set[int]
    ) -> _Match | None:
        """First line below the target, if it has the typography of headings of its level."""
        if bookmark.top is None:
            return None
        for n in self._of(bookmark.page):
            line = self._lines[n]
            if (
                -_ABOVE <= line.bbox[1] - bookmark.top <= _NEAR / 2
                and (bookmark.level, _look(line)) in looks
                and n not in used_lines
            ):
                after = n + 1
                while (
                    after < len(self._lines)
                    and after not in used_lines
                    and self._lines[after].page == line.page
                    and _look(self._lines[after]) == _look(line)
                ):
                    after += 1
                return _Match(n, after, 0) if after - n <= 3 else None
        return None

    def _of(self, page: int) -> range:
        return self._ranges.get(page, range(0))

    def _key(self, n: int) -> tuple[str, str]:
        """Comparison keys of a line: with and without its number."""
        if n not in self._keys:
            self._keys[n] = keys_of(self._lines[n].text)
        return self._keys[n]

    def _exact(self, bookmark: Bookmark) -> Iterable[_Match]:
        """Matches whose lines equal the title, with or without number; then ones that start with it."""
        titles = {title for title in keys_of(bookmark.title) if title}
        page = self._of(bookmark.page)
        self._looks -= len(page)
        for n in page if self._looks > 0 else ():
            for key in dict.fromkeys(self._key(n)):
                for title in titles:
                    if key and title.startswith(key):
                        after = self._end(n, page.stop, key, title)
                        if after:
                            yield _Match(n, after, self._cost(bookmark, n, after))
                    elif len(title) > 1 and key.startswith(title):
                        stop = _stop(self._lines[n], title)
                        if stop:
                            yield _Match(n, n + 1, self._cost(bookmark, n, n + 1) + 0.1, stop)

    def _end(self, first: int, end: int, key: str, title: str) -> int | None:
        """Index after the line that completes the title."""
        after = first + 1
        while key != title:
            more = self._key(after)[0] if after < min(end, first + _MOST_LINES) else ""
            if not more or not title.startswith(key + more):
                return None
            key, after = key + more, after + 1
        return after

    def _similar(self, bookmark: Bookmark) -> Iterable[_Match]:
        """Matches of lines near the target that nearly equal the title."""
        titles = [title for title in keys_of(bookmark.title) if len(title) > 3]
        page = self._of(bookmark.page)
        for n in page:
            if bookmark.top is not None and not -_NEAR <= self._lines[n].bbox[1] - bookmark.top <= _NEAR:
                continue
            key = ""
            for after in range(n + 1, min(n + 4, page.stop) + 1):
                key += self._key(after - 1)[0]
                self._comparisons -= 1
                if self._comparisons < 0:
                    return
                alike = max((_likeness(title, key) for title in titles), default=0)
                if alike >= _ALIKE:
                    yield _Match(n, after, self._cost(bookmark, n, after) + 1 - alike)

    def _cost(self, bookmark: Bookmark, first: int, after: int) -> float:
        line = self._lines[first]
        cost = 0.0
        if bookmark.top is not None:
            away = line.bbox[1] - bookmark.top
            cost += away if away > -_ABOVE else 0.1 - away
        if bookmark.left is not None:
            cost += 0.3 * max(bookmark.left - line.bbox[2], 0)
        page = self._of(line.page)
        if bookmark.top is None:
            plain = [self._lines[n].size for n in (first - 1, after) if n in page]
            cost += 0.2 * (not line.bold) + 0.5 * (bool(plain) and line.size < max(plain) - _SAME_STYLE)
            cost += 0.001 * (first - page.start)
        return cost

    def _with_label(self, match: _Match, used_lines: set[int]) -> _Match:
        """Extend a match by the label lines above it: `Chapter 3`."""
        title = self._lines[match.first]
        for count in range(MOST_LABEL_LINES, 0, -1):
            label_range = range(match.first - count, match.first)
            lines = [
                self._lines[n]
                for n in label_range
                if n >= 0 and n not in used_lines and self._lines[n].page == title.page
            ]
            if len(lines) == count and (is_label([line.text for line in lines]) or _is_number(lines, title)):
                return replace(match, first=label_range.start)
        return match


def _is_number(lines: Sequence[PdfLine], title: PdfLine) -> bool:
    """True if the only line is a bare number in the title's style."""
    line = lines[-1]
    number = numbering_of(line.text)
    return len(lines) == 1 and number is not None and number.text == line.text.strip() and _look(line) == _look(title)


def _stop(line: PdfLine, title: str) -> int | None:
    """End of the title in a line that starts with it, if bold text or punctuation ends there."""
    head = next((stop for stop in range(1, len(line.text) + 1) if title in keys_of(line.text[:stop])), None)
    if head is None:
        return None
    bold = _offset(line.text, line.lead)
    if line.lead and squeezed(line.text[head:bold]) == "" and bold >= head:
        return bold
    mark = _STOP.match(line.text, head)
    return mark.end() if mark and len(title) > 3 else None


def _offset(text: str, visible: int) -> int:
    """Offset after the `visible`-th visible character."""
    for offset, character in enumerate(text):
        visible -= not character.isspace()
        if visible <= 0:
            return offset + 1
    return len(text)


def _likeness(one: str, other: str) -> float:
    """Share of the characters of both texts that match in order."""
    return 2 * LCSseq.similarity(one, other) / max(len(one) + len(other), 1)


def _look(line: PdfLine) -> tuple[float, bool, str]:
    return round(line.size / _SAME_STYLE) * _SAME_STYLE, line.bold, line.font
