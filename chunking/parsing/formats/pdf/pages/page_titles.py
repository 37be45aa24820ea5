"""Titles at the top of pages: set as headings are and other from page to page, they are content however regularly they
come.

`Delivery note 1001`, `1002` ...; `Lesson 1`, `Lesson 2` ...; the titles of slides. A running head is small, or the same
on its pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.formats.pdf.pages.edge_lines import SAME_PLACE, EdgeLine, EdgeRows, grouped
from chunking.parsing.formats.pdf.pages.page_counts import columns_in_step, numbers_pages

__all__ = ["PageTitles", "find_page_titles"]

_LARGE, _LARGEST = 1.3, 1.5
"""Times the body's size from which a line near its text is a title whatever its weight, and from which it is one
wherever it stands.
"""
_NEAR, _RIGHT_ABOVE = 1.5, 0.8
"""In heights of a line: how far from the text under it a smaller one is at most, in bold and otherwise."""
_FEW = 2
"""Pages on which a title comes again, at most."""
_MOST_WORDS = 12
"""Of a title that is compared word by word."""
_PART = 0.6
"""Share of the document's pages on which a head of one part of it stands at most: the first of these is that part's
title.
"""


class PageTitles(NamedTuple):
    """Lines that are content though they come again."""

    lines: frozenset[int] = frozenset()
    """Titles of what stands under them: no evidence for a running head."""
    first: frozenset[int] = frozenset()
    """The first of running heads that are set as titles: where what they name begins."""


def find_page_titles(edges: EdgeRows, lines: Sequence[PdfLine], body: BodyStyle, page_count: int) -> PageTitles:
    """The titles at the top of a document's pages."""
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
    """Those of one place that say what no other page says, or few, or what differs in one word from what others say."""
    texts = Counter(lines[place.line].text for place in places)
    if len(texts) == 1 and len(places) > 1:
        return set()
    siblings = _siblings(texts)
    found: set[int] = set()
    for text, run in groupby(places, lambda place: lines[place.line].text):
        same = [place.line for place in run]
        if texts[text] <= _FEW or (text in siblings and len(same) <= _FEW):
            found.update(same)
    return found


def _is_title(place: EdgeLine, edges: EdgeRows, lines: Sequence[PdfLine], body: BodyStyle) -> bool:
    """Whether a line is so much larger than the body that it is a title, or a little and near its text."""
    line = lines[place.line]
    if line.size >= _LARGEST * body.size:
        return True
    near = _NEAR if line.size >= _LARGE * body.size or (line.bold and not body.bold) else _RIGHT_ABOVE
    return body.below(line.size) and edges.space_inside(place) <= near


def _siblings(texts: Collection[str]) -> set[str]:
    """Texts that differ in one word alone: `Site A`, `Site B`."""
    alike: dict[tuple[int, tuple[str, ...]], set[str]] = defaultdict(set)
    for text in texts:
        words = text.split()
        for n in range(len(words)) if 1 < len(words) <= _MOST_WORDS else ():
            alike[n, (*words[:n], *words[n + 1 :])].add(text)
    return {text for same in alike.values() if len(same) > 1 for text in same}


def _first_of_parts(places: Sequence[EdgeLine], lines: Sequence[PdfLine], page_count: int) -> Iterator[int]:
    """The first line of each text that stands on the pages of one part of the document only, or on every page."""
    pages: dict[str, list[EdgeLine]] = defaultdict(list)
    for place in places:
        pages[lines[place.line].text].append(place)
    for same in pages.values():
        if same[-1].page - same[0].page + 1 <= _PART * page_count or len(same) == page_count:
            yield same[0].line


def _counted(places: Sequence[EdgeLine], lines: Sequence[PdfLine], page_count: int) -> set[int]:
    """Those that end (or begin) with the numbers of their pages."""
    found: set[int] = set()
    for same in grouped(places, lambda place: place.key, 1.0):
        for steps in columns_in_step(same, lines) if len(same) > 1 else ():
            if numbers_pages(steps, lines, page_count):
                found.update(place.line for place in same)
    return found
