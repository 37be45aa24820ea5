"""Running token counts at every place of a document: its one pass through the tokenizer (law 6).

A `Survey` has these counts in one unit, tokens or characters, ready for binary search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep, Unit
from chunking.model import Block, BlockType, Document
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import (
    CutPlaces,
    Parts,
    Rank,
    count_parts,
    last_before,
)
from chunking.splitting.measure.token_counter import TokenCounter
from chunking.splitting.measure.token_ends import ends_by_word

__all__ = ["Ruler", "Survey", "TokenPositions", "as_sequence", "last_of_rank", "measure"]

Ints = NDArray[np.int32]

_PASSAGE = 2000
"""Minimum characters of a passage for a tokenizer that crosses white space."""
_SLACK = 8
"""Tokens by which a chunk may exceed its count in the passage: at its two ends and at its prefix's."""
_PARTED = 2
"""Tokens by which it may exceed it at an end inside a token, if no token crosses white space.

An end inside a word costs one more: another split of its letters, or the mark of a word's beginning.
"""

_TYPES = tuple(BlockType)
_NAMES = np.array([str(kind) for kind in _TYPES], dtype=object)
_OTHERWISE = _TYPES.index(BlockType.PARAGRAPH)


class Ruler(NamedTuple):
    """Units up to each allowed cut: a chunk from cut i to j has at most `ends[j] - starts[i]`.

    Both arrays ascend. Exact for characters, and for tokens unless a word is cut.
    """

    starts: Ints
    ends: Ints

    def between(self, first: Ints, after: Ints) -> Ints:
        """Return (k,) units of the chunks between pairs of numbered cuts."""
        return self.ends[after] - self.starts[first]


@dataclass(frozen=True, slots=True)
class TokenPositions:
    """Token counts of any chunk of a document, without the tokenizer."""

    starts: Ints
    """(n,) tokens before a chunk that begins at each place."""
    ends: Ints
    """(n,) tokens up to the end of a chunk; `ends[j] - starts[i]` is exact unless both are in one word."""
    run: Ints
    """(n,) number of the long word that each place is inside, else -1."""
    inside: dict[tuple[int, int], int]
    """Tokens between two places inside one long word; 1 (unknown) if not listed."""
    fit: Ruler
    """The ruler for packing: a word that the tokenizer cannot read weighs by its letters."""
    slack: int
    """Maximum tokens by which a chunk may exceed its measure; 0 if counts add up."""

    def tokens(self, first: Ints, after: Ints) -> Ints:
        """Return (k,) tokens between pairs of numbered cuts, plus `slack`: an upper bound."""
        counts = self.ends[after] - self.starts[first]
        same = np.flatnonzero((self.run[first] >= 0) & (self.run[first] == self.run[after]))
        for k in same.tolist():
            counts[k] = self.inside.get((int(first[k]), int(after[k])), 1)
        return counts + np.int32(self.slack)

    def tokens_between(self, first: int, after: int) -> int:
        """Return the tokens of a chunk between two allowed cuts, given by number; without slack."""
        if self.run[first] >= 0 and self.run[first] == self.run[after]:
            return self.inside.get((first, after), 1)
        return int(self.ends[after]) - int(self.starts[first])


def measure(text: str, marks: CutMarks, counter: TokenCounter) -> TokenPositions:
    """Count tokens before and up to each allowed cut; chunks are then counted by subtraction."""
    if counter.crosses_space:
        return _measure_passages(text, marks, counter)
    places = marks.places
    return _Sums(places, _count_pieces(text, places, counter)).result(count_parts(text, places.runs, counter))


def _count_pieces(text: str, places: CutPlaces, counter: TokenCounter) -> NDArray[np.int64]:
    """Return (n - 1,) tokens between each place and the next."""
    first, stop = places.first[:-1], places.stop[1:]
    counts = np.zeros(len(first), np.int64)
    inner = places.first == places.stop  # white space stands before every other place
    inner[:1] = False
    word = ~inner[:-1] & ~inner[1:]
    single = ~word & (stop - first == 1)
    other = ~word & ~single
    counts[word] = counter.count_words(_words(text, places, word, ~inner[:-1]))
    counts[single] = _by_character(places.characters.points[first[single]], counter)
    counts[other] = counter.count_words(_slices(text, first[other], stop[other]))
    return counts


def _words(text: str, places: CutPlaces, uncut: NDArray[np.bool_], begins: NDArray[np.bool_]) -> Sequence[str]:
    """Return the words that no cut parts; `begins` are the places at which any word begins."""
    if places.characters.split_as_python:  # three times as fast as slicing
        return list(compress(text.split(), uncut[begins].tolist()))
    return _slices(text, places.first[:-1][uncut], places.stop[1:][uncut])


def _slices(text: str, starts: Ints, ends: Ints) -> list[str]:
    return [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _by_character(points: NDArray[np.unsignedinteger], counter: TokenCounter) -> Ints:
    """Count the tokens of pieces of one character each."""
    if not len(points):
        return np.zeros(0, np.int32)
    different = np.flatnonzero(np.bincount(points))
    table = np.zeros(int(different[-1]) + 1, np.int32)
    table[different] = counter.count_words([chr(point) for point in different.tolist()])
    counts: Ints = table[points]
    return counts


class _Sums:
    """Running counts, corrected for the parts of long words."""

    def __init__(self, places: CutPlaces, counts: NDArray[np.int64]) -> None:
        self.first = places.first
        self.counts = counts
        self.weights = counts.copy()
        self.run = np.full(len(self.first), -1, np.int32)
        self.inside: dict[tuple[int, int], int] = {}

    def result(self, parts: list[Parts]) -> TokenPositions:
        edges = [np.searchsorted(self.first, one.run.edges) for one in parts]
        unreadable = [one.unreadable() for one in parts]
        for one, at, blind in zip(parts, edges, unreadable, strict=True):
            self._put(self.counts, at, one.tokens(0, len(at) - 1))
            if blind:
                self.weights[at[:-1]] = one.weights()
            else:
                self._put(self.weights, at, one.tokens(0, len(at) - 1))
        exact, fit = _running(self.counts), _running(self.weights)
        starts, ends, fit_starts, fit_ends = exact.copy(), exact.copy(), fit.copy(), fit.copy()
        for number, (one, at, blind) in enumerate(zip(parts, edges, unreadable, strict=True)):
            self._inside(number, one, at)
            self._split(one, at, exact, starts, ends)
            if not blind:
                self._split(one, at, fit, fit_starts, fit_ends)
                self._bound(one, at, fit_starts, fit_ends)
        ruler = Ruler(np.minimum.accumulate(fit_starts[::-1])[::-1].copy(), np.maximum.accumulate(fit_ends))
        return TokenPositions(starts, ends, self.run, self.inside, ruler, 0)

    def _put(self, counts: NDArray[np.int64], at: NDArray[np.intp], total: int) -> None:
        counts[at[:-1]] = 0
        counts[at[-2]] = total

    def _inside(self, number: int, parts: Parts, at: NDArray[np.intp]) -> None:
        self.run[at[1:-1]] = number
        last = len(at) - 1
        self.inside.update({(int(at[i]), int(at[j])): n for (i, j), n in parts.counted.items() if i > 0 and j < last})

    def _split(self, parts: Parts, at: NDArray[np.intp], running: Ints, starts: Ints, ends: Ints) -> None:
        """Count the front part for a chunk that ends in the word, the rest for one that begins in it."""
        last = len(at) - 1
        for edge in range(1, last):
            ends[at[edge]] = running[at[0]] + parts.tokens(0, edge)
            starts[at[edge]] = running[at[last]] - parts.tokens(edge, last)

    def _bound(self, parts: Parts, at: NDArray[np.intp], starts: Ints, ends: Ints) -> None:
        """Lower starts until no part from the middle of the word has more tokens than their difference."""
        last = len(at) - 1
        for i in range(1, last):
            starts[at[i]] = min([starts[at[i]], *(ends[at[j]] - parts.tokens(i, j) for j in range(i + 1, last))])


def _running(counts: NDArray[np.int64]) -> Ints:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)


def _measure_passages(text: str, marks: CutMarks, counter: TokenCounter) -> TokenPositions:
    """Count the tokens before each place in passages of whole blocks: with `slack` an upper bound."""
    first = marks.places.first
    cuts = [0]
    for offset in marks.places.at[marks.rank >= Rank.BLOCK].tolist():
        if offset - cuts[-1] >= _PASSAGE:
            cuts.append(offset)
    cuts = [*cuts, len(text)] if cuts[-1] < len(text) else cuts
    places = ends_by_word(text, marks.places.characters.points, counter) if counter.divides_at_space else None
    if places is None:
        by_passage = counter.token_ends([text[start:end] for start, end in pairwise(cuts)])
        places = np.concatenate(
            [np.zeros(0, np.int32), *(one + np.int32(start) for one, start in zip(by_passage, cuts, strict=False))]
        )
    running = np.searchsorted(places, first, side="right").astype(np.int32)
    nowhere = np.full(len(first), -1, np.int32)
    if not counter.divides_at_space:
        return TokenPositions(running, running, nowhere, {}, Ruler(running, running), _SLACK)
    inside = first == marks.places.stop
    inside[[0, -1]] = False  # the text's own ends
    parted = inside & (places[np.maximum(running, 1) - 1] != first) if len(places) else inside
    edge = inside + np.int32(_PARTED) * parted
    starts: Ints = np.minimum.accumulate((running - edge)[::-1])[::-1].astype(np.int32)
    ends: Ints = np.maximum.accumulate(running + edge).astype(np.int32)
    return TokenPositions(starts, ends, nowhere, {}, Ruler(starts, ends), 0)


class TypeSums:
    """Running sums of the characters in each type of block, to find the main type of a chunk."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._begin = np.array([block.start for block in blocks], np.int32)
        self._finish = np.array([block.end for block in blocks], np.int32)
        codes = {kind: code for code, kind in enumerate(_TYPES)}
        self._kind = np.array([codes[block.type] for block in blocks], np.int32)
        lengths = np.zeros((len(_TYPES), len(blocks) + 1), np.int32)
        lengths[self._kind, np.arange(1, len(blocks) + 1)] = self._finish - self._begin
        self._running = np.cumsum(lengths, axis=1, dtype=np.int32)

    def types(self, starts: Ints, ends: Ints) -> list[str]:
        """Return the type of block that fills most of each chunk; `paragraph` if there is none.

        Args:
            starts, ends: (n,) offsets.
        """
        if not len(self._kind):
            return [str(BlockType.PARAGRAPH)] * len(starts)
        filled = self._before(ends) - self._before(starts)
        best = filled.argmax(axis=0)
        best[filled.max(axis=0, initial=0) <= 0] = _OTHERWISE
        names: list[str] = _NAMES[best].tolist()
        return names

    def _before(self, offsets: Ints) -> Ints:
        """Return (types, n) characters of each type of block before each offset."""
        started = np.searchsorted(self._begin, offsets)  # blocks that start before it
        last = np.maximum(started - 1, 0)
        beyond = np.where(started > 0, np.maximum(self._finish[last] - offsets, 0), 0)
        before: Ints = self._running[:, started]
        before[self._kind[last], np.arange(len(offsets))] -= beyond
        return before


@dataclass(frozen=True, slots=True)
class Survey:
    """Allowed cuts and spans of a document in one unit.

    There are n places (allowed cuts, by number) and k spans of `Keeps`; sequences are for reading single numbers.
    """

    ruler: Ruler
    starts: Sequence[int]
    ends: Sequence[int]
    """(n,) values of the ruler."""
    at: Sequence[int]
    stop: Sequence[int]
    """(n,) offsets in the text, see `CutPlaces`."""
    section: Sequence[int]
    """(n,) sections, see `CutMarks.section`."""
    section_offset: Ints
    """(sections,) offset at which the text under each heading starts."""
    last: Sequence[Sequence[int]]
    """Last places by rank, see `Packer.last`."""
    keep: Sequence[int]
    """(n,) number of the span that a cut at each place would part, -1 for none."""
    keep_first: list[int]
    keep_after: list[int]
    """(k,) places of each span."""
    keep_head: list[int]
    """(k,) place at which the run of nested headings right before each span begins.

    Without headings, the span's own place.
    """
    keep_units: Ints
    keep_characters: Ints
    """(k,) exact units, and characters, of each span."""
    type_sums: TypeSums
    table_rows: Ints
    """(k,) number of rows of each table, 0 for other spans."""
    table_body: list[int]
    table_bodies: Ints
    """(k,) place of a table's first row, as a list and an array; -1 if it has no header row."""
    head_units: Ints
    """(k,) exact units of a table's header, with the rule under it."""
    table_leads: Ints
    """(k,) place of a table's second row, else its end; -1 if it has no header row."""
    lead_units: Ints
    """(k,) exact units of a table's header with its first row."""
    beyond_heading: Sequence[int]
    """(n,) ends of headings, see `Packer.beyond_heading`."""

    @classmethod
    def of(cls, document: Document, marks: CutMarks, measured: TokenPositions, unit: Unit) -> Survey:
        """Convert a measured document's allowed cuts, spans and tables to one unit."""
        keeps, places = marks.keeps, marks.places
        lengths = Ruler(places.at, places.stop)
        ruler = measured.fit if unit is Unit.TOKENS else lengths
        characters = lengths.between(keeps.first, keeps.after)

        def units(first: Ints, after: Ints) -> Ints:
            exact = (
                lengths.between(first, after)
                if unit is Unit.CHARACTERS
                else measured.tokens(first, after) - np.int32(measured.slack)
            )
            return exact.astype(np.int32)

        bodies = np.array(_table_bodies(document, marks), np.int32)
        leads = _table_leads(document, marks, bodies)
        return cls(
            ruler=ruler,
            starts=as_sequence(ruler.starts),
            ends=as_sequence(ruler.ends),
            at=as_sequence(places.at),
            stop=as_sequence(places.stop),
            section=as_sequence(marks.section),
            section_offset=np.array([section.body_start for section in document.sections], np.int32),
            last=last_of_rank(marks.rank),
            keep=as_sequence(_inside(len(marks), keeps.first, keeps.after)),
            keep_first=keeps.first.tolist(),
            keep_after=keeps.after.tolist(),
            keep_head=_heads(document, marks),
            keep_units=units(keeps.first, keeps.after),
            keep_characters=characters,
            type_sums=TypeSums(document.blocks),
            table_rows=_table_rows(document, marks),
            table_body=bodies.tolist(),
            table_bodies=bodies,
            head_units=units(keeps.first, np.maximum(bodies, keeps.first)),
            table_leads=leads,
            lead_units=units(keeps.first, np.maximum(leads, keeps.first)),
            beyond_heading=as_sequence(_beyond_headings(document, marks)),
        )


def _inside(n: int, first: Ints, after: Ints) -> Ints:
    """Return (n,) number of the span that each place is strictly inside, -1 for none."""
    if not len(first):
        return np.full(n, -1, np.int32)
    spans = last_before(n, first + 1)
    inside = (spans >= 0) & (after[spans] > np.arange(n))
    return np.where(inside, spans, -1).astype(np.int32)


def _table_rows(document: Document, marks: CutMarks) -> Ints:
    metas = [document.blocks[number].meta for number in marks.keeps.block.tolist()]
    return np.array([int(meta.get("rows", 0)) for meta in metas], np.int32)


def _table_bodies(document: Document, marks: CutMarks) -> list[int]:
    ends = [document.blocks[number].meta.get("header_end") for number in marks.keeps.block.tolist()]
    tables = zip(ends, marks.keeps.kind, strict=True)
    return [marks.place(int(end)) if end is not None and kind is Keep.TABLE else -1 for end, kind in tables]


def _table_leads(document: Document, marks: CutMarks, bodies: Ints) -> Ints:
    rows = [document.blocks[number].meta.get("row_starts", ()) for number in marks.keeps.block.tolist()]
    second = marks.places_of([int(starts[1]) if len(starts) > 1 else 0 for starts in rows])
    several = np.fromiter((len(starts) > 1 for starts in rows), np.bool_, len(rows))
    return np.where(bodies < 0, -1, np.where(several, second, marks.keeps.after)).astype(np.int32)


def _heads(document: Document, marks: CutMarks) -> list[int]:
    blocks = document.blocks
    heads: list[int] = marks.keeps.first.tolist()
    for span, number in enumerate(marks.keeps.block.tolist()):
        top, level = number, 7
        while top and blocks[top - 1].type is BlockType.HEADING and (blocks[top - 1].level or 0) < level:
            top -= 1
            level = blocks[top].level or 0
        if top < number:
            heads[span] = marks.place(blocks[top].start)
    return heads


def _beyond_headings(document: Document, marks: CutMarks) -> Ints:
    beyond = np.arange(len(marks), dtype=np.int32)
    headings = [block for block in document.blocks if block.type is BlockType.HEADING]
    starts, ends = ([getattr(block, edge) for block in headings] for edge in ("start", "end"))
    for first, after in zip(marks.places_of(starts).tolist(), marks.places_of(ends).tolist(), strict=True):
        beyond[first + 1 : after] = after
    return beyond


def last_of_rank(ranks: NDArray[np.int8]) -> list[Sequence[int]]:
    """Return by rank, for each allowed cut, the last of that rank or better up to it; else -1."""
    return [as_sequence(_last_at(len(ranks), np.flatnonzero(ranks >= rank))) for rank in Rank]


def _last_at(n: int, at: NDArray[np.integer]) -> Ints:
    return np.repeat(np.append(np.int32(-1), at.astype(np.int32)), np.diff(at, prepend=0, append=n))


def as_sequence(numbers: NDArray[np.integer]) -> Sequence[int]:
    """View an array for reading single numbers: no copy, and faster than a list under `bisect`."""
    return memoryview(np.ascontiguousarray(numbers, dtype=np.int32))  # type: ignore[arg-type]
