"""Titles that a list names, and the lines they are printed on: the words, the order and the page numbers must agree."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from chunking.parsing.headings.label_keys import deep_number, keys_of
from chunking.parsing.headings.repetition import is_continuation

__all__ = ["ListedTitle", "Match", "matched"]

_MOST_PLACES = 200
"""Lines that say what one title says, of which the first are looked at."""
_MOST_LINES = 6
"""A heading goes over no more lines than these."""
_LONGEST = 300
"""Letters and digits of a title."""
_NUMBERLESS = 0.3
"""What an agreement without the number is worth less."""
_ON_ITS_PAGE = 1.0
"""What it is worth more that a line stands on the page that the list says."""
_NEAR = 1
"""Pages by which a printed number may be off."""
_ALIKE = 0.85
_MOST_COMPARISONS = 20_000


class ListedTitle(NamedTuple):
    """A title of a list."""

    title: str
    page: int | None
    """As printed."""


class Match(NamedTuple):
    """The lines that a title names."""

    first: int
    after: int


class _Place(NamedTuple):
    """Lines that a title may name."""

    first: int
    after: int
    worth: float


def matched(
    wanted: Sequence[ListedTitle],
    own: range,
    texts: Sequence[str],
    keys: Mapping[str, tuple[str, str]],
    pages: Sequence[int] | None = None,
    prominence: Sequence[float] | None = None,
) -> list[Match | None]:
    """The lines that each title names; None where it is not found, or only against the order of the others.

    Args:
        wanted: in the order of the list.
        own: the lines of the list itself, which are no place for what it names.
        texts: all lines.
        keys: of some of the texts, what `keys_of` makes of them; it is asked for the others.
        pages, prominence: of each line; see `contents_lists`.
    """
    lines = _Lines(own, texts, keys, prominence)
    places = [lines.places(one) for one in wanted]
    found = _in_order(places)
    shift = _shift(wanted, found, pages)
    if shift is not None and pages is not None:
        places = [
            [_by_page(place, one, pages, shift) for place in some] for one, some in zip(wanted, places, strict=True)
        ]
        places = [some or lines.alike(one, pages, shift) for one, some in zip(wanted, places, strict=True)]
        found = _in_order(places)
    return [Match(place.first, place.after) if place else None for place in found]


class _Lines:
    """The lines outside of a list, by what they say."""

    def __init__(
        self, own: range, texts: Sequence[str], known: Mapping[str, tuple[str, str]], prominence: Sequence[float] | None
    ) -> None:
        self._own, self._texts, self._prominence = own, texts, prominence
        self._keys: dict[int, tuple[str, str]] = {}
        self._by_key: dict[str, list[int]] = defaultdict(list)
        self._by_number: dict[str, list[int]] = defaultdict(list)
        self._comparisons = _MOST_COMPARISONS
        self._by_page: dict[int, list[int]] | None = None
        for n, text in enumerate(texts):
            if n not in own and len(text) <= _LONGEST and not is_continuation(text):
                keys = self._keys[n] = known.get(text) or keys_of(text)
                for key in dict.fromkeys(keys):
                    if key:
                        self._by_key[key].append(n)
                if number := deep_number(text):
                    self._by_number[number].append(n)

    def places(self, wanted: ListedTitle) -> list[_Place]:
        """Lines that say what a title says: one line, or some that follow one another; with the number, or without."""
        found: dict[int, _Place] = {}
        whole, bare = keys_of(wanted.title)
        for title, penalty in {bare: _NUMBERLESS * (bare != whole), whole: 0.0}.items():
            if not 1 < len(title) <= _LONGEST:
                continue
            for first, after in self._spelled(title):
                worth = 1 - penalty + self._likely(first)
                if worth > found.get(first, _Place(0, 0, 0.0)).worth:
                    found[first] = _Place(first, after, worth)
        for first, after in self._under_number(wanted.title, bare):
            found[first] = _Place(first, after, 1 + self._likely(first))
        return [found[first] for first in sorted(found)][:_MOST_PLACES]

    def _under_number(self, title: str, bare: str) -> Iterator[tuple[int, int]]:
        """First and end of lines of which the first has the title's number (`Exhibit 2.3-4 (2019)`) and the next ones
        its words.
        """
        number = deep_number(title)
        for first in self._by_number.get(number, ())[:_MOST_PLACES] if number else ():
            key = self._keys.get(first + 1, ("", ""))[0]
            after = self._end(first + 1, len(key), bare) if key and bare.startswith(key) else None
            if after:
                yield first, after

    def alike(self, wanted: ListedTitle, pages: Sequence[int], shift: int) -> list[_Place]:
        """Lines on the page a list says that say nearly the same."""
        title = keys_of(wanted.title)[0]
        if wanted.page is None or len(title) < 6:
            return []
        if self._by_page is None:
            self._by_page = defaultdict(list)
            for n in self._keys:
                self._by_page[pages[n]].append(n)
        found = []
        for n in self._by_page.get(wanted.page + shift, ()):
            key = ""
            for after in range(n + 1, n + 4):
                key += self._keys.get(after - 1, ("", ""))[0]
                self._comparisons -= 1
                if self._comparisons < 0 or len(key) > 2 * len(title):
                    break
                likeness = 2 * LCSseq.similarity(title, key) / (len(title) + len(key))
                if likeness >= _ALIKE:
                    found.append(_Place(n, after, likeness + self._likely(n)))
        return found

    def _spelled(self, title: str) -> Iterator[tuple[int, int]]:
        """First and end of the lines that together say it."""
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


def _by_page(place: _Place, wanted: ListedTitle, pages: Sequence[int], shift: int) -> _Place:
    """A place worth more where it stands on the page that the list says."""
    off = abs(pages[place.first] - wanted.page - shift) if wanted.page is not None else _NEAR + 1
    return place._replace(worth=place.worth + _ON_ITS_PAGE / (1 + off)) if off <= _NEAR else place


def _shift(wanted: Sequence[ListedTitle], found: Sequence[_Place | None], pages: Sequence[int] | None) -> int | None:
    """By how much the pages' numbers differ from the printed ones; None where that cannot be told."""
    if pages is None:
        return None
    shifts = Counter(
        pages[place.first] - one.page
        for one, place in zip(wanted, found, strict=True)
        if place and one.page is not None
    )
    return shifts.most_common(1)[0][0] if shifts else None


def _in_order(places: Sequence[Sequence[_Place]]) -> list[_Place | None]:
    """One place a title at most, each after the one before it, worth the most in all: n log n in the places."""
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
    found: list[_Place | None] = [None] * len(places)
    node = _most(best, len(order))[1]
    while node:
        n, place, node = nodes[-node - 1]
        found[n] = place
    return found


def _most(best: Sequence[tuple[float, int]], place: int) -> tuple[float, int]:
    most = (0.0, 0)
    while place:
        most = max(most, best[place])
        place -= place & -place
    return most
