"""Running headers, footers, page numbers and watermarks, by what comes again in the same place from page to page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from chunking.parsing.formats.pdf.layout.lines import Line

__all__ = ["FOOTER", "HEADER", "PAGE_NUMBER", "WATERMARK", "find_furniture"]

HEADER, FOOTER, PAGE_NUMBER, WATERMARK = "running header", "running footer", "page number", "watermark"

_EDGE = 0.16
"""How far from the top or bottom of a page, in its heights, furniture may stand."""
_OUTERMOST = 3
"""Lines one below the other that are looked at on each side."""
_SPACE = 0.7
"""In heights of a line: wider than between lines of a text."""
_OTHER_SIZE = 0.05
_SAME_PLACE = 0.012
"""In heights of a page: two lines nearer than this to the same height stand in the same place."""
_DENSE = 0.4
"""On this share of the pages between the first and the last of its kind a line comes again: nearly half, as on odd pages."""
_PARTS_AGAIN = 4
"""Pages on which a part of a line stands at least from which the line is a running one, whatever stands beside that part."""
_STEADY = 0.7
"""This share of the numbers in lines that differ in nothing else goes with the pages."""
_NUMBER = re.compile(r"\d+|(?<![^\W_])[ivxlc]+(?![^\W_])", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")
_MORE = 12
"""Characters that a heading may be longer than the running head that says the same: its number."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ONLY_NUMBER = re.compile(r"[\W_]*(?:page|seite|p|pg|第)?[\W_]*#[\W_]*页?(?:[\W_]*(?:of|von|/|共)?[\W_]*#[\W_]*页?)?[\W_]*")
_LONGEST_NUMBER = 200
"""Characters of a line that may be a page number with its signs; the pattern takes quadratic time."""
_SAME_SLOT = 0.004
"""In heights of a page: how near running heads are whose words differ from page to page."""
_LARGE = 1.3
"""Times the usual size from which such a head is a heading: `Chapter 3` at the top of a page."""
_USUAL = 0.4
"""Such heads stand on this share of the pages at least."""
_KNOWN = 0.8
"""This share of such heads says what a heading says, or comes again, or counts the pages."""


class _Place(NamedTuple):
    """A line near an edge of its page."""

    line: int
    """Its index."""
    page: int
    key: str
    """Its text with every number as `#`."""
    middle: float
    top: bool
    rank: int
    """0 for the outermost line of its edge."""


def find_furniture(lines: Sequence[Line], page_count: int) -> dict[int, str]:
    """Which lines are furniture, by index, and why each is.

    A line is if its text, numbers apart, stands in the same place of enough pages near by (all, every other one, or those
    of a chapter) and its numbers, if they differ, count the pages. In a document of two pages only what is the same in
    both but for its page number is; in one of one page, nothing.
    """
    found = dict(_watermarks(lines))
    if page_count < 2:
        return found
    edges = _Edges(lines)
    again = _groups(edges.places, lambda place: (place.key, place.top), _SAME_PLACE)
    groups = [same for same in again if _comes_again(same, lines, page_count)]
    all_names: dict[str, str] = {}
    names = _names_like(groups, lines, all_names)
    groups = [same for same in groups if not _is_common(same, lines, names)]
    groups += _with_same_parts(edges.places, {place.line for same in groups for place in same}, lines)
    found |= {place.line: _reason(place) for same in edges.apart(groups) for place in same}
    usual = median(line.size for line in lines) if lines else 0.0
    left = [place for place in edges.places if place.line not in found and lines[place.line].size < _LARGE * usual]
    slots = _groups(left, lambda place: (place.top, lines[place.line].font, lines[place.line].size), _SAME_SLOT)
    groups = [same for same in slots if len({place.page for place in same}) >= max(4, _USUAL * page_count)]
    names = _names_like(groups, lines, all_names)
    groups = [same for same in groups if _names_parts(same, lines, names)]
    return found | {place.line: _reason(place) for same in edges.apart(groups, found) for place in same}


def _names_like(groups: Sequence[Sequence[_Place]], lines: Sequence[Line], known: dict[str, str]) -> Counter[str]:
    """The names of all lines that are no longer than the longest of some groups; those that are known by their texts are not made anew."""
    if not groups:
        return Counter()
    longest = max(len(lines[place.line].text) for same in groups for place in same)
    texts = [line.text for line in lines if len(line.text) <= longest + _MORE]
    known.update((text, _name(text)) for text in {*texts} - known.keys())
    return Counter(known[text] for text in texts)


def _is_common(places: Sequence[_Place], lines: Sequence[Line], names: Counter[str]) -> bool:
    """Whether its words stand elsewhere too, about as often: a text that repeats itself."""
    own = Counter(_name(lines[place.line].text) for place in places)
    return sum(names[name] - count for name, count in own.items() if name) > len(places) / 2


def _reason(place: _Place) -> str:
    numbered = len(place.key) <= _LONGEST_NUMBER and _ONLY_NUMBER.fullmatch(place.key)
    return PAGE_NUMBER if numbered else HEADER if place.top else FOOTER


def _watermarks(lines: Sequence[Line]) -> Iterator[tuple[int, str]]:
    """Skewed lines that stand on several pages."""
    pages: dict[str, set[int]] = defaultdict(set)
    skewed = [(index, line) for index, line in enumerate(lines) if line.angle % 90 not in (0, *range(1, 6), *range(85, 90))]
    for _, line in skewed:
        pages[line.text].add(line.page)
    return ((index, WATERMARK) for index, line in skewed if len(pages[line.text]) > 1)


class _Edges:
    """The outermost lines of every page, row by row from its top and from its bottom.

    Attributes:
        places: those of the first rows.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._rows: dict[tuple[int, bool], list[list[int]]] = {}
        by_page: dict[int, list[int]] = defaultdict(list)
        for index, line in enumerate(lines):
            if not line.left_out:
                by_page[line.page].append(index)
        for page, indices in by_page.items():
            self._rows[page, True] = self._stacked(sorted(indices, key=lambda index: lines[index].bbox[1]))
            self._rows[page, False] = self._stacked(sorted(indices, key=lambda index: -lines[index].bbox[3]))
        self.places = [
            _Place(index, page, _key(lines[index].text), self._middle(index), top, rank)
            for (page, top), rows in self._rows.items()
            for rank, row in enumerate(rows[:_OUTERMOST])
            for index in row
            if (self._middle(index) if top else 1 - self._middle(index)) <= _EDGE
        ]

    def apart(self, groups: Iterable[list[_Place]], known: Collection[int] = ()) -> list[list[_Place]]:
        """Those that on most of their pages have nothing but furniture outside of them and space (or another font) inside."""
        chosen = list(groups)
        while True:
            candidates = {*known, *(place.line for same in chosen for place in same)}
            kept = [same for same in chosen if 2 * sum(self._is_apart(place, candidates) for place in same) > len(same)]
            if len(kept) == len(chosen):
                return kept
            chosen = kept

    def _is_apart(self, place: _Place, candidates: Collection[int]) -> bool:
        rows = self._rows[place.page, place.top]
        if not all(any(index in candidates for index in row) for row in rows[: place.rank]):
            return False
        for row, inner in pairwise([*rows[place.rank :], []]):
            if not any(index in candidates for index in row):
                return False
            if not inner or self._differ(row, inner):
                return True
        return False

    def _differ(self, row: Sequence[int], inner: Sequence[int]) -> bool:
        """Whether there is more space between two rows than between lines, or they are set otherwise."""
        one, two = self._lines[row[0]], self._lines[inner[0]]
        space = max(two.bbox[1] - one.bbox[3], one.bbox[1] - two.bbox[3])
        return space > _SPACE * (one.bbox[3] - one.bbox[1]) or one.font != two.font or abs(one.size - two.size) > _OTHER_SIZE * two.size

    def _stacked(self, indices: Sequence[int]) -> list[list[int]]:
        rows: list[list[int]] = []
        for index in indices:
            if rows and abs(self._middle(index) - self._middle(rows[-1][0])) <= _SAME_PLACE / 2:
                rows[-1].append(index)
            elif len(rows) > _OUTERMOST:
                break
            else:
                rows.append([index])
        return rows

    def _middle(self, index: int) -> float:
        box = self._lines[index].bbox
        return (box[1] + box[3]) / 2


def _key(text: str) -> str:
    return _NUMBER.sub("#", " ".join(text.casefold().split()))


def _groups(places: Iterable[_Place], kind: Callable[[_Place], Hashable], near: float) -> Iterator[list[_Place]]:
    """Places of one kind at one height."""
    kinds: dict[Hashable, list[_Place]] = defaultdict(list)
    for place in places:
        kinds[kind(place)].append(place)
    for alike in kinds.values():
        group: list[_Place] = []
        for place in sorted(alike, key=lambda one: one.middle):
            if group and place.middle - group[-1].middle > near:
                yield group
                group = []
            group.append(place)
        yield group


def _comes_again(places: Sequence[_Place], lines: Sequence[Line], page_count: int) -> bool:
    pages = sorted({place.page for place in places})
    if len(pages) < min(3, page_count) and not _alternates(pages, places, page_count):
        return False
    if not _is_dense(pages):
        return False
    exact = {lines[place.line].text for place in places}
    return len(exact) == 1 or _counts_pages(places, lines)


def _with_same_parts(places: Sequence[_Place], known: Collection[int], lines: Sequence[Line]) -> list[list[_Place]]:
    """Places of one height whose lines are mostly made of parts (what gaps part) that come again there: `Manual   Section 4.2`.

    Odd and even pages may have the parts in another order, and those of a chapter another one beside them.
    """
    parts = {place: _parts(lines[place.line]) for place in places if place.line not in known}
    found = []
    for same in _groups(parts, lambda place: place.top, _SAME_PLACE):
        pages: dict[str, set[int]] = defaultdict(set)
        for place in same:
            for part in parts[place] if len(parts[place]) > 1 else ():
                pages[part].add(place.page)
        again = {part for part, on in pages.items() if len(on) >= _PARTS_AGAIN and len(_WORDS.findall(part)) > 1 and _is_dense(on)}
        kept = [place for place in same if 2 * sum(len(part) for part in parts[place] if part in again) > len(lines[place.line].text)]
        if kept:
            found.append(kept)
    return found


def _parts(line: Line) -> list[str]:
    return [line.text[start:end].strip() for start, end in pairwise([0, *line.stops, len(line.text)])]


def _is_dense(pages: Collection[int]) -> bool:
    return len(pages) >= _DENSE * (max(pages) - min(pages) + 1)


def _alternates(pages: Sequence[int], places: Sequence[_Place], page_count: int) -> bool:
    """Whether outermost lines stand on two pages that are all even (or odd) ones of a short document; a first page may have none."""
    turns = (range(2, page_count + 1, 2), range(1, page_count + 1, 2), range(3, page_count + 1, 2))
    return any(pages == [*turn] for turn in turns) and all(place.rank == 0 for place in places) and len(pages) > 1


def _counts_pages(places: Sequence[_Place], lines: Sequence[Line]) -> bool:
    """Whether one of the numbers goes with the pages, or each text comes on several of them (as chapters' do)."""
    numbers = [(place.page, [_value(number) for number in _NUMBER.findall(lines[place.line].text)]) for place in sorted(places, key=_page)]
    for column in range(max(len(values) for _, values in numbers)):
        series = [(page, values[column]) for page, values in numbers if len(values) > column]
        steps = [value - page for page, value in series]
        if sum(one == two for one, two in pairwise(steps)) >= _STEADY * max(len(steps) - 1, 1):
            return True
    return all(count > 2 for count in Counter(lines[place.line].text for place in places).values())


def _names_parts(places: Sequence[_Place], lines: Sequence[Line], names: Counter[str]) -> bool:
    """Whether what stands in one place of many pages are the names of sections: each is also printed elsewhere."""
    elsewhere = names - Counter(_name(lines[place.line].text) for place in places)
    own = Counter(lines[place.line].text for place in places)
    known = sum(count for text, count in own.items() if count > 2 or _begins(_name(text), elsewhere))
    return known >= _KNOWN * len(places)


def _name(text: str) -> str:
    """The words of a line, without numbers and marks."""
    return " ".join(_WORDS.findall(_key(text)))


def _page(place: _Place) -> int:
    return place.page


def _begins(name: str, elsewhere: Collection[str]) -> bool:
    """Whether it or most of it (a heading may go over two lines) is printed elsewhere."""
    return any(name[:end] in elsewhere for end in range(len(name), len(name) // 2, -1) if end == len(name) or name[end] == " ")


def _value(number: str) -> int:
    """Of Arabic or Roman figures."""
    if number.isdigit():
        return int(number[:9])
    values = [_ROMAN[figure] for figure in number.casefold()]
    return sum(-one if one < two else one for one, two in pairwise([*values, 0]))
