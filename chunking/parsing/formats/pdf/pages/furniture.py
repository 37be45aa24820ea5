"""Find running headers, footers, page numbers and watermarks: lines repeated from page to page.

Titles at the top of pages are content however regular: set like headings, and varying from page to page.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from chunking.parsing.formats.pdf.headings.heading_runs import BodyStyle, body_of, same_size
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.pages.edge_lines import (
    SAME_PLACE,
    EdgeLine,
    EdgeRows,
    columns_in_step,
    counts_pages,
    grouped,
    key_of,
    numbers_pages,
)

__all__ = ["FOOTER", "HEADER", "PAGE_NUMBER", "WATERMARK", "find_furniture"]

HEADER, FOOTER, PAGE_NUMBER, WATERMARK = "running header", "running footer", "page number", "watermark"

_DENSE = 0.4
"""Minimum share of pages with the line, from its first to its last: nearly half, as on odd pages."""
_PARTS_AGAIN = 4
"""Minimum pages on which a fragment must repeat for its line to be a running head."""
_WORDS = re.compile(r"[^\W\d_]+")
_MORE = 12
"""Most characters by which a heading may exceed its running head: its number."""
_ONLY_NUMBER = re.compile(
    r"[\W_]*(?:page|seite|p|pg|第)?[\W_]*#[\W_]*页?(?:[\W_]*(?:of|von|/|共)?[\W_]*#[\W_]*页?)?[\W_]*"
)
_LONGEST_NUMBER = 200
"""Maximum length of a line tested as a page number: the pattern takes quadratic time."""
_SAME_SLOT = 0.004
"""Maximum vertical distance of running heads with changing text, in page heights."""
_USUAL = 0.4
"""Minimum share of pages with running heads of changing text."""
_SAME_PAGE = 0.9
"""Minimum share of lines shared with one other page that makes a page a copy."""
_KNOWN = 0.8
"""Minimum share of heads with changing text that match a heading, repeat, or count pages."""

_LARGE, _LARGEST = 1.3, 1.5
"""Sizes relative to the body: of a title if near its text, whatever its weight; of a title anywhere."""
_NEAR, _RIGHT_ABOVE = 1.5, 0.8
"""Maximum distance to the text below, in line heights: for bold or large lines, and for others."""
_FEW = 2
"""Most pages on which a title may repeat."""
_MOST_WORDS = 12
"""Most words of titles compared word by word."""
_PART = 0.6
"""Maximum share of the pages with a head that belongs to one part, whose title its first line is."""


def find_furniture(lines: Sequence[PdfLine], page_count: int) -> dict[int, str]:
    """Return running headers, footers, page numbers and watermarks by line index, with the reason.

    A line is furniture if its text, numbers aside, is in the same place on enough nearby pages (all, every other one,
    or a chapter's) and its numbers, if they differ, count pages. So is a line whose text changes from page to page, if
    it nearly always names a section printed elsewhere. In a two-page document only lines identical but for the page
    number count; in a one-page document, none. A copy of a page is no second page, and a title at the top of a page is
    no furniture (see `find_page_titles`).
    """
    furniture = dict(_watermarks(lines))
    copies = _copies(lines) if page_count > 1 else set()
    page_count -= len(copies)
    body = body_of(lines) if page_count > 1 else None
    if body is None:
        return furniture
    edges = EdgeRows(lines)
    titles = find_page_titles(edges, lines, body, page_count)
    places = [place for place in edges.places if place.line not in titles.lines]
    again = grouped(places, lambda place: (place.key, place.top), SAME_PLACE)
    groups = [
        same
        for same in again
        if _comes_again([one for one in same if one.page not in copies], lines, body, edges, page_count)
    ]
    all_names: dict[str, str] = {}
    names = _names_like(groups, lines, lines, all_names)
    groups = [same for same in groups if not _is_common(same, lines, names)]
    groups += _with_same_parts(places, {place.line for same in groups for place in same}, lines)
    furniture |= {place.line: _reason(place) for same in edges.apart(groups) for place in same}
    remaining = [place for place in places if place.line not in furniture and not body.is_large(lines[place.line].size)]
    slots = grouped(remaining, lambda place: (place.top, lines[place.line].font, lines[place.line].size), _SAME_SLOT)
    groups = [same for same in slots if len({place.page for place in same} - copies) >= max(4, _USUAL * page_count)]
    groups = [
        same
        for group, others in _by_style(groups, lines, body)
        for same in _names_parts(group, lines, others, all_names)
    ]
    furniture |= {place.line: _reason(place) for same in edges.apart(groups, furniture) for place in same}
    return {line: reason for line, reason in furniture.items() if line not in titles.first}


def _copies(lines: Sequence[PdfLine]) -> set[int]:
    """Pages that share nearly all lines with an earlier page: the second copy of a letter."""
    first: dict[tuple[str, float], int] = {}
    again: dict[int, Counter[int]] = defaultdict(Counter)
    counts: Counter[int] = Counter()
    for line in lines:
        page = first.setdefault((line.text, round(line.bbox[1], 2)), line.page)
        again[line.page][page] += 1
        counts[line.page] += 1
    return {
        page
        for page, total in counts.items()
        if any(other != page and count >= _SAME_PAGE * total for other, count in again[page].most_common(1))
    }


def _names_like(
    groups: Sequence[Sequence[EdgeLine]],
    lines: Sequence[PdfLine],
    others: Sequence[PdfLine],
    names_by_text: dict[str, str],
) -> Counter[str]:
    """Count the names of lines up to the length of the longest line in the groups.

    Args:
        names_by_text: cache of names by text, updated.
    """
    if not groups:
        return Counter()
    longest = max(len(lines[place.line].text) for same in groups for place in same)
    texts = [line.text for line in others if len(line.text) <= longest + _MORE]
    names_by_text.update((text, _name(text)) for text in {*texts} - names_by_text.keys())
    return Counter(names_by_text[text] for text in texts)


def _is_common(places: Sequence[EdgeLine], lines: Sequence[PdfLine], names: Counter[str]) -> bool:
    """True if the words of a head are about as frequent elsewhere, as in a repetitive text."""
    own = Counter(_name(lines[place.line].text) for place in places)
    return sum(names[name] - count for name, count in own.items() if name) > len(places) / 2


def _reason(place: EdgeLine) -> str:
    numbered = len(place.key) <= _LONGEST_NUMBER and _ONLY_NUMBER.fullmatch(place.key)
    return PAGE_NUMBER if numbered else HEADER if place.top else FOOTER


def _watermarks(lines: Sequence[PdfLine]) -> Iterator[tuple[int, str]]:
    """Yield the skewed lines that are on several pages."""
    pages: dict[str, set[int]] = defaultdict(set)
    skewed = [
        (index, line) for index, line in enumerate(lines) if line.angle % 90 not in (0, *range(1, 6), *range(85, 90))
    ]
    for _, line in skewed:
        pages[line.text].add(line.page)
    return ((index, WATERMARK) for index, line in skewed if len(pages[line.text]) > 1)


def _comes_again(
    places: Sequence[EdgeLine], lines: Sequence[PdfLine], body: BodyStyle, edges: EdgeRows, page_count: int
) -> bool:
    pages = sorted({place.page for place in places})
    if len(pages) < min(3, page_count) and not _alternates(pages, places, page_count):
        return False
    if not _is_dense(pages):
        return False
    exact = {lines[place.line].text for place in places}
    return len(exact) == 1 or counts_pages(places, lines, body, edges, page_count)


def _with_same_parts(
    places: Sequence[EdgeLine], other_furniture: Collection[int], lines: Sequence[PdfLine]
) -> list[list[EdgeLine]]:
    """Group places at one height whose lines are mostly repeated fragments: `Manual Section 4.2`.

    Odd and even pages may order the fragments differently, and a chapter's pages may add another one.
    """
    parts = {place: _parts(lines[place.line]) for place in places if place.line not in other_furniture}
    groups = []
    for same in grouped(parts, lambda place: place.top, SAME_PLACE):
        pages: dict[str, set[int]] = defaultdict(set)
        for place in same:
            for part in parts[place] if len(parts[place]) > 1 else ():
                pages[part].add(place.page)
        again = {
            part
            for part, on in pages.items()
            if len(on) >= _PARTS_AGAIN and len(_WORDS.findall(part)) > 1 and _is_dense(on)
        }
        repeated = [
            place
            for place in same
            if 2 * sum(len(part) for part in parts[place] if part in again) > len(lines[place.line].text)
        ]
        if repeated:
            groups.append(repeated)
    return groups


def _parts(line: PdfLine) -> list[str]:
    return [line.text[start:end].strip() for start, end in pairwise([0, *line.stops, len(line.text)])]


def _is_dense(pages: Collection[int]) -> bool:
    return len(pages) >= _DENSE * (max(pages) - min(pages) + 1)


def _alternates(pages: Sequence[int], places: Sequence[EdgeLine], page_count: int) -> bool:
    """True for outermost lines on the even or odd pages of a short document, the first excepted."""
    turns = (range(2, page_count + 1, 2), range(1, page_count + 1, 2), range(3, page_count + 1, 2))
    return any(pages == [*turn] for turn in turns) and all(place.rank == 0 for place in places) and len(pages) > 1


def _by_style(
    groups: Sequence[list[EdgeLine]], lines: Sequence[PdfLine], body: BodyStyle
) -> Iterator[tuple[list[list[EdgeLine]], Sequence[PdfLine]]]:
    """Yield the groups by style, with the lines that may print their text elsewhere.

    Text set like body or headings may simply open a page; it is a running head only if it is also a heading.
    """
    small = [same for same in groups if _is_small(lines[same[0].line], body)]
    large = [same for same in groups if not _is_small(lines[same[0].line], body)]
    if small:
        yield small, lines
    if large:
        yield large, [line for line in lines if not body.matches(line) and not _is_small(line, body)]


def _names_parts(
    groups: Sequence[list[EdgeLine]], lines: Sequence[PdfLine], others: Sequence[PdfLine], names_by_text: dict[str, str]
) -> Iterator[list[EdgeLine]]:
    """Yield groups that name sections: nearly all names are also printed elsewhere, or repeat."""
    names = _names_like(groups, lines, others, names_by_text)
    among = {id(line) for line in others}
    for places in groups:
        own = [lines[place.line] for place in places]
        elsewhere = names - Counter(_name(line.text) for line in own if id(line) in among)
        texts = Counter(line.text for line in own)
        matched = sum(count for text, count in texts.items() if count > 2 or _begins(_name(text), elsewhere))
        if matched >= _KNOWN * len(places):
            yield places


def _is_small(line: PdfLine, body: BodyStyle) -> bool:
    """True if a line is smaller than text and headings, or in another font of the same weight."""
    if line.size < body.size and not same_size(line.size, body.size):
        return True
    return line.font != body.font and line.bold == body.bold and same_size(line.size, body.size)


def _name(text: str) -> str:
    """Words of a line, without numbers and punctuation."""
    return " ".join(_WORDS.findall(key_of(text)))


def _begins(name: str, elsewhere: Collection[str]) -> bool:
    """True if a name or most of it (a heading may take two lines) is printed elsewhere."""
    return any(
        name[:end] in elsewhere for end in range(len(name), len(name) // 2, -1) if end == len(name) or name[end] == " "
    )


# -- titles at the top of pages


class PageTitles(NamedTuple):
    """Indices of lines at the top of pages that are content although they may repeat."""

    lines: frozenset[int] = frozenset()
    """Titles of the text below them, which are no evidence for a running head."""
    first: frozenset[int] = frozenset()
    """First lines of running heads with a title's style: the start of a part."""


def find_page_titles(edges: EdgeRows, lines: Sequence[PdfLine], body: BodyStyle, page_count: int) -> PageTitles:
    """Find large lines at the top of pages that are titles of the text below, not running heads."""
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
    """Titles in one place that few other pages share, or that differ from others by one word."""
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
    """Texts that differ from another by a single word: `Site A`, `Site B`."""
    alike: dict[tuple[int, tuple[str, ...]], set[str]] = defaultdict(set)
    for text in texts:
        words = text.split()
        for n in range(len(words)) if 1 < len(words) <= _MOST_WORDS else ():
            alike[n, (*words[:n], *words[n + 1 :])].add(text)
    return {text for same in alike.values() if len(same) > 1 for text in same}


def _first_of_parts(places: Sequence[EdgeLine], lines: Sequence[PdfLine], page_count: int) -> Iterator[int]:
    """Yield the first line of each text that is on the pages of one part, or on every page."""
    pages: dict[str, list[EdgeLine]] = defaultdict(list)
    for place in places:
        pages[lines[place.line].text].append(place)
    for same in pages.values():
        if same[-1].page - same[0].page + 1 <= _PART * page_count or len(same) == page_count:
            yield same[0].line


def _counted(places: Sequence[EdgeLine], lines: Sequence[PdfLine], page_count: int) -> set[int]:
    """Titles that contain their page number."""
    counted: set[int] = set()
    for same in grouped(places, lambda place: place.key, 1.0):
        for steps in columns_in_step(same, lines) if len(same) > 1 else ():
            if numbers_pages(steps, lines, page_count):
                counted.update(place.line for place in same)
    return counted
