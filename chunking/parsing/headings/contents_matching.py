"""Match titles of a list to the lines they are printed on, by words, order and page numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from chunking.parsing.headings.heading_labels import deep_number, keys_of
from chunking.parsing.headings.repetition import is_continuation

__all__ = ["ListedTitle", "Match", "match_titles"]

_MOST_PLACES = 200
"""Most equal lines examined per title."""
_MOST_LINES = 6
"""Most lines of a heading."""
_LONGEST = 300
"""Most letters and digits of a title."""
_NUMBERLESS = 0.3
"""Penalty for a match without the title's number."""
_ON_ITS_PAGE = 1.0
"""Bonus for a line on the listed page."""
_NEAR = 1
"""Maximum deviation of a printed page number."""
_ALIKE = 0.85
_MOST_COMPARISONS = 20_000


class ListedTitle(NamedTuple):
    """A title in a list, with its page number."""

    title: str
    page: int | None
    """Page number as printed."""


class Match(NamedTuple):
    """Range of lines that a title names."""

    first: int
    after: int


class _Place(NamedTuple):
    """Range of lines that a title may name."""

    first: int
    after: int
    worth: float


def match_titles(
    titles: Sequence[ListedTitle],
    own: range,
    texts: Sequence[str],
    keys: Mapping[str, tuple[str, str]],
    pages: Sequence[int] | None = None,
    prominence: Sequence[float] | None = None,
) -> list[Match | None]:
    """Find the lines that each listed title names; None if not found, or only out of order.

    Args:
        titles: in the order of the list.
        own: the lines of the list itself, which are no targets.
        texts: all lines.
        keys: `keys_of` by text, of those already known; it is not changed.
        pages, prominence: of each line; see `contents_lists`.
    """
    lines = _Lines(own, texts, keys, prominence)
    places = [lines.places(one) for one in titles]
    chosen = _in_order(places)
    shift = _shift(titles, chosen, pages)
    if shift is not None and pages is not None:
        places = [
            [_by_page(place, one, pages, shift) for place in some] for one, some in zip(titles, places, strict=True)
        ]
        places = [some or lines.alike(one, pages, shift) for one, some in zip(titles, places, strict=True)]
        chosen = _in_order(places)
    return [Match(place.first, place.after) if place else None for place in chosen]


class _Lines:
    """Index of the lines outside of the list, by their words."""

    def __init__(
        self,
        own: range,
        texts: Sequence[str],
        known_keys: Mapping[str, tuple[str, str]],
        prominence: Sequence[float] | None,
    ) -> None:
        self._own, self._texts, self._prominence = own, texts, prominence
        self._keys: dict[int, tuple[str, str]] = {}
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._by_number: dict[str, list[int]] = defaultdict(list)
        self._comparisons = _MOST_COMPARISONS
        self._by_page: dict[int, list[int]] | None = None
        for n, text in enumerate(texts):
            if n not in own and len(text) <= _LONGEST and not is_continuation(text):
                keys = self._keys[n] = known_keys.get(text) or keys_of(text)
                for key in dict.fromkeys(keys):
                    if key:
                        self._by_key[key].append(n)
                if number := deep_number(text):
                    self._by_number[number].append(n)

    def places(self, listed: ListedTitle) -> list[_Place]:
        """Places that equal a title: one line or several; with the number, or without."""
        by_line: dict[int, _Place] = {}
        full, bare = keys_of(listed.title)
        for title, penalty in {bare: _NUMBERLESS * (bare != full), full: 0.0}.items():
            if not 1 < len(title) <= _LONGEST:
                continue
            for first, after in self._spelled(title):
                worth = 1 - penalty + self._likely(first)
                if worth > by_line.get(first, _Place(0, 0, 0.0)).worth:
                    by_line[first] = _Place(first, after, worth)
        for first, after in self._under_number(listed.title, bare):
            by_line[first] = _Place(first, after, 1 + self._likely(first))
        return [by_line[first] for first in sorted(by_line)][:_MOST_PLACES]

    def _under_number(self, title: str, bare: str) -> Iterator[tuple[int, int]]:
        """Yield lines of which the first has the title's number (`Exhibit 2.3-4 (2019)`), the next its words."""
        number = deep_number(title)
        for first in self._by_number.get(number, ())[:_MOST_PLACES] if number else ():
            key = self._keys.get(first + 1, ("", ""))[0]
            after = self._end(first + 1, len(key), bare) if key and bare.startswith(key) else None
            if after:
                yield first, after

    def alike(self, listed: ListedTitle, pages: Sequence[int], shift: int) -> list[_Place]:
        """Places on the listed page that nearly equal the title."""
        title = keys_of(listed.title)[0]
        if listed.page is None or len(title) < 6:
            return []
        if self._by_page is None:
            self._by_page = defaultdict(list)
            for n in self._keys:
                self._by_page[pages[n]].append(n)
        places = []
        for n in self._by_page.get(listed.page + shift, ()):
            key = ""
            for after in range(n + 1, n + 4):
                key += self._keys.get(after - 1, ("", ""))[0]
                self._comparisons -= 1
                if self._comparisons < 0 or len(key) > 2 * len(title):
                    break
                likeness = 2 * LCSseq.similarity(title, key) / (len(title) + len(key))
                if likeness >= _ALIKE:
                    places.append(_Place(n, after, likeness + self._likely(n)))
        return places

    def _spelled(self, title: str) -> Iterator[tuple[int, int]]:
        """Yield first line and end of lines that together spell the title."""
        for length in range(len(title), 0, -1):
            for n in self._by_key.get(title[:length], ())[:_MOST_PLACES]:
                after = self._end(n, length, title)
                if after:
                    yield n, after

    def _end(self, first: int, length: int, title: str) -> int | None:
        after = first + 1
        while length < len(title):
            more = self._keys.get(after, ("", ""))[0]
            if not more or after - first >= _MOST_LINES or not title.startswith(more, length):
                return None
            length, after = length + len(more), after + 1
        return after

    def _likely(self, line: int) -> float:
        return 0.5 * self._prominence[line] if self._prominence else 0.0


def _by_page(place: _Place, listed: ListedTitle, pages: Sequence[int], shift: int) -> _Place:
    """Raise the worth of a place on the listed page."""
    off = abs(pages[place.first] - listed.page - shift) if listed.page is not None else _NEAR + 1
    return place._replace(worth=place.worth + _ON_ITS_PAGE / (1 + off)) if off <= _NEAR else place


def _shift(titles: Sequence[ListedTitle], places: Sequence[_Place | None], pages: Sequence[int] | None) -> int | None:
    """Most frequent difference between actual and printed page numbers; None if unknown."""
    if pages is None:
        return None
    shifts = Counter(
        pages[place.first] - one.page
        for one, place in zip(titles, places, strict=True)
        if place and one.page is not None
    )
    return shifts.most_common(1)[0][0] if shifts else None


def _in_order(places: Sequence[Sequence[_Place]]) -> list[_Place | None]:
    """Choose at most one place per title, in order, of maximum total worth, in n log n of the places."""
    order = sorted({place.first for some in places for place in some})
    best: list[tuple[float, int]] = [(0.0, 0)] * (len(order) + 1)
    nodes: list[
        tuple[int, _Place, int]
    ] = []  # named by their number from 1, below zero: of two of one worth the first is the larger
    for n, some in enumerate(places):
        ended = []
        for place in some:
            rank = bisect_left(order, place.first)
            worth, before = _most(best, rank)
            nodes.append((n, place, before))
            ended.append((rank + 1, (worth + place.worth, -len(nodes))))
        for at, value in ended:
            while at < len(best):
                best[at] = max(best[at], value)
                at += at & -at
    chosen: list[_Place | None] = [None] * len(places)
    node = _most(best, len(order))[1]
    while node:
        n, place, node = nodes[-node - 1]
        chosen[n] = place
    return chosen


def _most(best: Sequence[tuple[float, int]], place: int) -> tuple[float, int]:
    most = (0.0, 0)
    while place:
        most = max(most, best[place])
        place -= place & -place
    return most
