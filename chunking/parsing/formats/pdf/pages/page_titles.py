"""Titles at the top of pages: set like headings and varying from page to page, they are content however regular.

`Delivery note 1001`, `1002` ...; `Lesson 1`, `Lesson 2` ...; slide titles. A running head is small, or the same on its
pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.pages.edge_lines import SAME_PLACE, EdgeLine, EdgeRows, grouped
from chunking.parsing.formats.pdf.pages.page_counts import columns_in_step, numbers_pages

__all__ = ["PageTitles", "find_page_titles"]

_LARGE, _LARGEST = 1.3, 1.5
"""Sizes relative to the body: a title if near its text, whatever its weight; a title anywhere."""
_NEAR, _RIGHT_ABOVE = 1.5, 0.8
"""Maximum distance to the text below, in line heights: for bold or large lines, and for others."""
_FEW = 2
"""Pages a title may repeat on."""
_MOST_WORDS = 12
"""Maximum words of titles compared word by word."""
_PART = 0.6
"""A head on at most this share of the pages belongs to one part, and its first line is the part's title."""


class PageTitles(NamedTuple):
    """Lines that are content although they repeat."""

    lines: frozenset[int] = frozenset()
    """Titles of the text below them: no evidence for a running head."""
    first: frozenset[int] = frozenset()
    """The first of running heads set like titles: the start of what they name."""


def find_page_titles(edges: EdgeRows, lines: Sequence[PdfLine], body: BodyStyle, page_count: int) -> PageTitles:
    """Find the titles at the top of a document's pages."""
    large = [place for place in edges.places if place.top and _is_title(place, edges, lines, body)]
    titles: set[int] = set()
    first: set[int] = set()
    for places in grouped(large, lambda place: round(lines[place.line].size), SAME_PLACE):
        ordered = sorted(places, key=lambda one: one.page)
        counted = _counted(ordered, lines, page_count)
        own = _own_titles([one for one in ordered if one.line not in counted], lines)
        titles |= own
        first.update(_first_of_parts([one for one in ordered if one.line not in own | counted], lines, page_count))
    return PageTitles(frozenset(titles), frozenset(first))


def _own_titles(places: Sequence[EdgeLine], lines: Sequence[PdfLine]) -> set[int]:
    """Titles in one place that no other page has, or few, or that differ from others by one word."""
    texts = Counter(lines[place.line].text for place in places)
    if len(texts) == 1 and len(places) > 1:
        return set()
    siblings = _siblings(texts)
    titles: set[int] = set()
    for text, run in groupby(places, lambda place: lines[place.line].text):
        same = [place.line for place in run]
        if texts[text] <= _FEW or (text in siblings and len(same) <= _FEW):
            titles.update(same)
    return titles


def _is_title(place: EdgeLine, edges: EdgeRows, lines: Sequence[PdfLine], body: BodyStyle) -> bool:
    """True if a line is much larger than the body, or somewhat larger and near its text."""
    line = lines[place.line]
    if line.size >= _LARGEST * body.size:
        return True
    distance = _NEAR if line.size >= _LARGE * body.size or (line.bold and not body.bold) else _RIGHT_ABOVE
    return body.is_large(line.size) and edges.space_inside(place) <= distance


def _siblings(texts: Collection[str]) -> set[str]:
    """Texts that differ in a single word: `Site A`, `Site B`."""
    alike: dict[tuple[int, tuple[str, ...]], set[str]] = defaultdict(set)
    for text in texts:
        words = text.split()
        for n in range(len(words)) if 1 < len(words) <= _MOST_WORDS else ():
            alike[n, (*words[:n], *words[n + 1 :])].add(text)
    return {text for same in alike.values() if len(same) > 1 for text in same}


def _first_of_parts(places: Sequence[EdgeLine], lines: Sequence[PdfLine], page_count: int) -> Iterator[int]:
    """The first line of each text found on the pages of one part of the document, or on every page."""
    pages: dict[str, list[EdgeLine]] = defaultdict(list)
    for place in places:
        pages[lines[place.line].text].append(place)
    for same in pages.values():
        if same[-1].page - same[0].page + 1 <= _PART * page_count or len(same) == page_count:
            yield same[0].line


def _counted(places: Sequence[EdgeLine], lines: Sequence[PdfLine], page_count: int) -> set[int]:
    """Titles that contain their page numbers."""
    counted: set[int] = set()
    for same in grouped(places, lambda place: place.key, 1.0):
        for steps in columns_in_step(same, lines) if len(same) > 1 else ():
            if numbers_pages(steps, lines, page_count):
                counted.update(place.line for place in same)
    return counted
