"""Bookmarks to the lines they name: a section begins where its heading is printed, not where its bookmark happens to
point.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import LCSseq

from chunking.parsing.formats.pdf.headings.bookmarks import Bookmark
from chunking.parsing.formats.pdf.headings.chapter_labels import MOST_LABEL_LINES, is_label
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.headings.evidence import Evidence
from chunking.parsing.headings.label_keys import keys_of, squeezed
from chunking.parsing.headings.numbering import numbering_of

__all__ = ["BookmarkedHeading", "match_bookmarks"]

_MOST_LINES = 8
"""A heading goes over no more lines than these."""
_ALIKE = 0.8
"""How much of a title and a line must agree where they are not the same."""
_NEAR = 0.12
"""Of a page's height: how far from its place a bookmark's words may differ from the line's."""
_ABOVE = 0.02
"""A line may begin so much (of a page's height) above the place of its bookmark: some point to its baseline."""
_MOST_LOOKS, _MOST_COMPARISONS = 3_000_000, 30_000
"""How often a line is looked at in all, and compared letter by letter; an outline that wants more is no honest one."""
_SAME_STYLE = 0.3
"""Points by which sizes differ that are meant to be the same."""
_STOP = re.compile(r"\s*[.:：。．—–-]")


@dataclass(frozen=True, slots=True)
class BookmarkedHeading:
    """Lines that are a heading."""

    first: int
    """Index of its first line."""
    after: int
    """One past its last line."""
    level: int
    """1 to 6."""
    stop: int | None = None
    """Where it ends in its last line, if text goes on behind it there; None: the whole line is its."""
    evidence: tuple[Evidence, ...] = ()
    """What speaks for it; nothing where the file says that it is one."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A place where a bookmark may lead."""

    first: int
    after: int
    cost: float
    """Less is better: distance in pages' heights, and what speaks against it."""
    stop: int | None = None


def match_bookmarks(bookmarks: Sequence[Bookmark], lines: Sequence[PdfLine]) -> list[BookmarkedHeading]:
    """The lines the bookmarks name, in order, with levels from how the bookmarks nest (1 to 6, none left out).

    A bookmark whose words stand nowhere near (one to a cover or a figure) leads to the nearest line under its place
    only
    if that line looks like the headings of the same level; else it gives nothing.

    Args:
        bookmarks: placed; see `place_bookmark`.
        lines: of the whole document in reading order, without running heads.
    """
    page_of = _Pages(lines)
    usual = Counter(_look(line) for line in lines).most_common(1)
    found: dict[int, _Found] = {}
    taken: set[int] = set()
    for n, bookmark in enumerate(bookmarks):
        best = page_of.best(bookmark, taken)
        if best:
            found[n] = best
            taken.update(range(best.first, best.after))
    looks = {(bookmarks[n].level, _look(lines[one.first])) for n, one in found.items() if one.stop is None}
    looks = {(level, look) for level, look in looks if look != usual[0][0]}
    for n, bookmark in enumerate(bookmarks):
        if n not in found and (below := page_of.below(bookmark, looks, taken)):
            found[n] = below
            taken.update(range(below.first, below.after))
    ranks = {level: rank for rank, level in enumerate(sorted({bookmarks[n].level for n in found}), 1)}
    headings = [
        BookmarkedHeading(one.first, one.after, min(ranks[bookmarks[n].level], 6), one.stop) for n, one in found.items()
    ]
    return sorted(headings, key=lambda heading: heading.first)


class _Pages:
    """The lines by their pages, as they are compared, so many times and no more."""

    def __init__(self, lines: Sequence[PdfLine]) -> None:
        self._lines = lines
        self._ranges: dict[int, range] = {}
        self._keys: dict[int, tuple[str, str]] = {}
        self._looks, self._comparisons = _MOST_LOOKS, _MOST_COMPARISONS
        for n, line in enumerate(lines):
            known = self._ranges.get(line.page, range(n, n))
            self._ranges[line.page] = range(known.start, n + 1)

    def best(self, bookmark: Bookmark, taken: set[int]) -> _Found | None:
        """The place whose words agree: on its page, else on the next (its heading moved there) or the one before."""
        for shift in (0, 1, -1):
            wanted = (
                bookmark
                if not shift
                else Bookmark(bookmark.title, bookmark.level, bookmark.page + shift, None, float(shift < 0))
            )
            places = [one for one in self._exact(wanted) if taken.isdisjoint(range(one.first, one.after))]
            if not places and not shift:
                places = [one for one in self._similar(wanted) if taken.isdisjoint(range(one.first, one.after))]
            if places:
                return self._with_label(min(places, key=lambda one: one.cost), taken)
        return None

    def below(
        self, bookmark: Bookmark, looks: set[tuple[int, tuple[float, bool, str]]], taken: set[int]
    ) -> _Found | None:
        """The first line under its place, if it is set as the headings of its level are."""
        if bookmark.top is None:
            return None
        for n in self._of(bookmark.page):
            line = self._lines[n]
            if (
                -_ABOVE <= line.bbox[1] - bookmark.top <= _NEAR / 2
                and (bookmark.level, _look(line)) in looks
                and n not in taken
            ):
                after = n + 1
                while (
                    after < len(self._lines)
                    and after not in taken
                    and self._lines[after].page == line.page
                    and _look(self._lines[after]) == _look(line)
                ):
                    after += 1
                return _Found(n, after, 0) if after - n <= 3 else None
        return None

    def _of(self, page: int) -> range:
        return self._ranges.get(page, range(0))

    def _key(self, n: int) -> tuple[str, str]:
        """A line squeezed: whole, and without its number."""
        if n not in self._keys:
            self._keys[n] = keys_of(self._lines[n].text)
        return self._keys[n]

    def _exact(self, bookmark: Bookmark) -> Iterable[_Found]:
        """Lines that say what the bookmark says, with or without number; then those that begin so and go on with text."""
        titles = {title for title in keys_of(bookmark.title) if title}
        page = self._of(bookmark.page)
        self._looks -= len(page)
        for n in page if self._looks > 0 else ():
            for key in dict.fromkeys(self._key(n)):
                for title in titles:
                    if key and title.startswith(key):
                        after = self._end(n, page.stop, key, title)
                        if after:
                            yield _Found(n, after, self._cost(bookmark, n, after))
                    elif len(title) > 1 and key.startswith(title):
                        stop = _stop(self._lines[n], title)
                        if stop:
                            yield _Found(n, n + 1, self._cost(bookmark, n, n + 1) + 0.1, stop)

    def _end(self, first: int, end: int, key: str, title: str) -> int | None:
        """One past the line at which the title is complete."""
        after = first + 1
        while key != title:
            more = self._key(after)[0] if after < min(end, first + _MOST_LINES) else ""
            if not more or not title.startswith(key + more):
                return None
            key, after = key + more, after + 1
        return after

    def _similar(self, bookmark: Bookmark) -> Iterable[_Found]:
        """Lines near its place that say nearly the same."""
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
                    yield _Found(n, after, self._cost(bookmark, n, after) + 1 - alike)

    def _cost(self, bookmark: Bookmark, first: int, after: int) -> float:
        line = self._lines[first]
        cost = 0.0
        if bookmark.top is not None:
            away = line.bbox[1] - bookmark.top
            cost += away if away > -_ABOVE else 0.1 - away
        if bookmark.left is not None:
            cost += 0.3 * max(bookmark.left - line.bbox[2], 0)
        around = self._of(line.page)
        if bookmark.top is None:
            plain = [self._lines[n].size for n in (first - 1, after) if n in around]
            cost += 0.2 * (not line.bold) + 0.5 * (bool(plain) and line.size < max(plain) - _SAME_STYLE)
            cost += 0.001 * (first - around.start)
        return cost

    def _with_label(self, found: _Found, taken: set[int]) -> _Found:
        """With the line above that is only its number: `Chapter 3`."""
        title = self._lines[found.first]
        for count in range(MOST_LABEL_LINES, 0, -1):
            above = range(found.first - count, found.first)
            lines = [self._lines[n] for n in above if n >= 0 and n not in taken and self._lines[n].page == title.page]
            if len(lines) == count and (is_label([line.text for line in lines]) or _is_number(lines, title)):
                return replace(found, first=above.start)
        return found


def _is_number(lines: Sequence[PdfLine], title: PdfLine) -> bool:
    """Whether the only line is a number and nothing else, set as the title is."""
    line = lines[-1]
    number = numbering_of(line.text)
    return len(lines) == 1 and number is not None and number.text == line.text.strip() and _look(line) == _look(title)


def _stop(line: PdfLine, title: str) -> int | None:
    """Where the title ends in a line that begins with it, if the line shows that: bold up to there, or a mark behind
    it.
    """
    head = next((stop for stop in range(1, len(line.text) + 1) if title in keys_of(line.text[:stop])), None)
    if head is None:
        return None
    bold = _offset(line.text, line.lead)
    if line.lead and squeezed(line.text[head:bold]) == "" and bold >= head:
        return bold
    mark = _STOP.match(line.text, head)
    return mark.end() if mark and len(title) > 3 else None


def _offset(text: str, visible: int) -> int:
    """One past the character that is the `visible`-th one that is no space."""
    for offset, character in enumerate(text):
        visible -= not character.isspace()
        if visible <= 0:
            return offset + 1
    return len(text)


def _likeness(one: str, other: str) -> float:
    """Share of the characters, on both sides together, that are the same and in order."""
    return 2 * LCSseq.similarity(one, other) / max(len(one) + len(other), 1)


def _look(line: PdfLine) -> tuple[float, bool, str]:
    return round(line.size / _SAME_STYLE) * _SAME_STYLE, line.bold, line.font
