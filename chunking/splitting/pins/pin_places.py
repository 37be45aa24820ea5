"""The pins of a document as places where it may be cut, settled: what is left has no contradictions.

Where two pins contradict each other the stronger kind holds, whichever was made first: what is left out belongs to no
chunk,
whatever else is asked of it; a split parts a kept span, whose parts are each kept; both win over a merge at the same
place.
Kept spans that overlap are one. The boundaries of patterns are the weakest: they yield to every pin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep
from chunking.model import Document, Pin, PinKind
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.cut_places import Rank

__all__ = ["PinPlaces", "Spans", "cut_spans", "place_pins", "within"]

Ints = NDArray[np.int32]


class Spans(NamedTuple):
    """k spans of places, in order and apart."""

    first: Ints
    after: Ints


@dataclass(frozen=True, slots=True, eq=False)
class PinPlaces:
    """What the splitting of a document has to honour."""

    splits: Ints
    """Places at which a chunk begins, ascending; none at the beginning or the end of the text, or inside of what is
    left out.
    """
    merges: Ints
    """Places at which no boundary of a strategy stands, ascending; none of `splits` is among them, and each is inside
    of one of `keeps`.
    """
    keeps: Spans
    """What no boundary goes into."""
    left_out: Spans
    """What belongs to no chunk, what the document's reader left out included."""
    edges: Ints
    """Places that no chunk reaches over, ascending: the splits, and both ends of all that is left out."""

    def regions(self, regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """The regions of a strategy, with other boundaries where pins ask for them.

        Args:
            regions: (low, high) places; together they are the document, without gaps.
        """
        columns = np.array([*regions], np.int32).reshape(-1, 2)
        if not len(columns):
            return []
        low, high, starts = int(columns[0, 0]), int(columns[-1, 1]), columns[1:, 0]
        starts = _apart(starts, self.merges)
        if len(self.keeps.first) and len(starts):  # behind what is kept, as behind a block that stays whole
            span = np.searchsorted(self.keeps.first, starts) - 1
            starts = np.where((span >= 0) & (self.keeps.after[span] > starts), self.keeps.after[span], starts)
            starts = _apart(starts, self.merges)
        starts = np.union1d(starts, self.splits)
        edges = [low, *starts[(starts > low) & (starts < high)].tolist(), high]
        return list(pairwise(edges))


_SENTENCE = 16
"""Words on a side of a merge up to which the sentence there stays with the other side; of a longer one a word does."""


def place_pins(document: Document, marks: CutMarks, patterns: Iterable[int] = ()) -> PinPlaces | None:
    """Settle the pins of a document.

    Spans are looked up at words: what is left out is the words that stand in it whole, what is kept is every word of
    which a part does.
    A split stands before the first word that begins at its offset or behind it. What lies outside of the text does
    nothing.

    Args:
        patterns: offsets before which a pattern asks for a boundary; they yield to pins.
    Returns:
        None where there is nothing to honour.
    """
    pins, asked = document.pins, np.fromiter(patterns, np.int32)
    if not pins and not len(asked):
        return None
    out = _left_out(pins, marks)
    splits = _apart(_boundaries(pins, PinKind.SPLIT, marks), (), out)
    merges = _boundaries(pins, PinKind.MERGE, marks)
    merges = merges[~np.isin(merges, np.concatenate((splits, out.first, out.after))) & ~within(merges, out)]
    edges = np.unique(np.concatenate((splits, out.first, out.after)))
    keeps = _keeps(_of(pins, PinKind.KEEP, marks), _around(merges, document, marks), marks, edges)
    keeps = _which(keeps, ~_begins_in(keeps.first, out))
    soft = _inside_text(marks.places_of(np.unique(asked).tolist()), marks)
    splits = np.union1d(splits, _apart(_apart(soft, merges, out), (), keeps)).astype(np.int32)
    return PinPlaces(splits, merges, keeps, out, np.unique(np.concatenate((splits, out.first, out.after))))


def cut_spans(spans: Spans, cuts: Ints) -> tuple[Ints, Spans]:
    """Spans parted at places.

    Args:
        cuts: ascending.
    Returns:
        For each part the number of the span it comes from, and the parts, in order.

    >>> spans = Spans(np.int32([0, 10]), np.int32([5, 20]))
    >>> of, parts = cut_spans(spans, np.int32([5, 12, 15]))
    >>> of.tolist(), parts.first.tolist(), parts.after.tolist()
    ([0, 1, 1, 1], [0, 10, 12, 15], [5, 12, 15, 20])
    """
    first = np.searchsorted(cuts, spans.first, side="right")
    parts = np.maximum(np.searchsorted(cuts, spans.after) - first, 0) + 1
    of = np.repeat(np.arange(len(parts), dtype=np.int32), parts)
    if not len(cuts):
        return of, spans
    number = np.arange(len(of)) - np.repeat(np.cumsum(parts) - parts, parts)
    at = first[of] + number
    begin = np.where(number == 0, spans.first[of], cuts[np.maximum(at - 1, 0)])
    end = np.where(number == parts[of] - 1, spans.after[of], cuts[np.minimum(at, len(cuts) - 1)])
    return of, Spans(begin.astype(np.int32), end.astype(np.int32))


def within(places: Ints, spans: Spans) -> NDArray[np.bool_]:
    """True for the places strictly inside one of the spans."""
    if not len(spans.first):
        return np.zeros(len(places), np.bool_)
    span = np.searchsorted(spans.first, places) - 1
    inside: NDArray[np.bool_] = (span >= 0) & (spans.after[span] > places)
    return inside


def _apart(places: Ints, others: Ints | tuple[()], spans: Spans | None = None) -> Ints:
    """The places that are none of others, and inside no span."""
    places = places[~np.isin(places, others)] if len(others) else places
    return places if spans is None else places[~within(places, spans)]


def _of(pins: Sequence[Pin], kind: PinKind, marks: CutMarks) -> tuple[Ints, Ints]:
    """Starts and ends of the pins of a kind, as far as they stand in the text, sorted by their starts."""
    length = int(marks.places.first[-1])
    chosen = [(max(pin.start, 0), min(pin.end, length)) for pin in pins if pin.kind is kind]
    spans = np.array(sorted(span for span in chosen if span[0] < span[1]), np.int32).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def _boundaries(pins: Sequence[Pin], kind: PinKind, marks: CutMarks) -> Ints:
    """Places of the pins of a kind that stand between two words of the text, ascending."""
    offsets = sorted({pin.start for pin in pins if pin.kind is kind and 0 < pin.start < 2**31})
    return _inside_text(np.unique(marks.places_of(offsets)), marks)


def _inside_text(places: Ints, marks: CutMarks) -> Ints:
    return places[(places > 0) & (places < len(marks) - 1)]


def _left_out(pins: Sequence[Pin], marks: CutMarks) -> Spans:
    spans = _union(*_of(pins, PinKind.LEAVE_OUT, marks), touching=True)
    first = marks.places_of(spans.first.tolist())
    after = (np.searchsorted(marks.places.stop, spans.after, side="right") - 1).astype(np.int32)
    some = after > first
    columns = np.array(
        [*marks.left_out, *zip(first[some].tolist(), after[some].tolist(), strict=True)], np.int32
    ).reshape(-1, 2)
    columns = columns[np.argsort(columns[:, 0], kind="stable")]
    return _union(columns[:, 0], columns[:, 1], touching=True)


def _around(merges: Ints, document: Document, marks: CutMarks) -> Spans:
    """What stays together at each merge: the end of the sentence before it, and the beginning of the one behind it with
    its headings.
    """
    if not len(merges):
        return Spans(merges, merges)
    sentences = np.flatnonzero(marks.rank >= Rank.SENTENCE).astype(np.int32)
    before = sentences[np.maximum(np.searchsorted(sentences, merges) - 1, 0)]
    first = np.where((before < merges) & (merges - before <= _SENTENCE), before, merges - 1)
    beyond = _beyond_headings(merges, document, marks)
    behind = sentences[np.minimum(np.searchsorted(sentences, beyond, side="right"), len(sentences) - 1)]
    after = np.where(behind - beyond <= _SENTENCE, behind, beyond + 1)
    return Spans(first.astype(np.int32), np.minimum(np.maximum(after, merges + 1), len(marks) - 1).astype(np.int32))


def _beyond_headings(places: Ints, document: Document, marks: CutMarks) -> Ints:
    """Each place at which a heading starts moved behind it, and behind those right below it; the others as they are."""
    headings = [section for section in document.sections if section.level > 0]
    starts, ends = (marks.places_of([getattr(one, edge) for one in headings]) for edge in ("start", "body_start"))
    while len(headings):
        at = np.minimum(np.searchsorted(starts, places), len(starts) - 1)
        heads = (starts[at] == places) & (ends[at] > places)
        if not heads.any():
            break
        places = np.where(heads, ends[at], places)
    return places


def _keeps(asked: tuple[Ints, Ints], merged: Spans, marks: CutMarks, edges: Ints) -> Spans:
    """What is kept, parted at edges; what has no place inside needs no keeping."""
    starts, ends = asked
    begin = np.searchsorted(marks.places.first, starts)
    begin -= (begin > 0) & (marks.places.stop[begin] > starts)  # it begins inside a word
    end = np.minimum(np.searchsorted(marks.places.first, ends), len(marks) - 1)
    first = np.concatenate((begin, merged.first)).astype(np.int32)
    first, after = _whole_rows(first, np.concatenate((end, merged.after)).astype(np.int32), marks)
    order = np.argsort(first, kind="stable")
    _, parts = cut_spans(_union(first[order], after[order], touching=False), edges)
    return _which(parts, parts.after - parts.first > 1)


def _whole_rows(first: Ints, after: Ints, marks: CutMarks) -> tuple[Ints, Ints]:
    """Spans that begin or end inside a row of a table, with all of the row: half a row says nothing."""
    of = marks.keeps.of([Keep.TABLE])
    tables = Spans(marks.keeps.first[of], marks.keeps.after[of])
    begins, ends = within(first, tables), within(after, tables)
    if not (begins.any() or ends.any()):
        return first, after
    rows = np.flatnonzero(marks.rank >= Rank.LINE).astype(np.int32)
    first, after = first.copy(), after.copy()
    first[begins] = rows[np.maximum(np.searchsorted(rows, first[begins], side="right") - 1, 0)]
    after[ends] = rows[np.minimum(np.searchsorted(rows, after[ends]), len(rows) - 1)]
    return first, after


def _which(spans: Spans, chosen: NDArray[np.bool_]) -> Spans:
    return Spans(spans.first[chosen], spans.after[chosen])


def _begins_in(places: Ints, spans: Spans) -> NDArray[np.bool_]:
    """True for the places at which a span begins, or which are inside one."""
    return within(places, spans) | np.isin(places, spans.first)


def _union(first: NDArray[np.integer], after: NDArray[np.integer], *, touching: bool) -> Spans:
    """Spans sorted by where they begin, those that overlap as one, and those that touch where this is wanted."""
    if not len(first):
        return Spans(np.zeros(0, np.int32), np.zeros(0, np.int32))
    reach = np.maximum.accumulate(after)
    new = np.ones(len(first), np.bool_)
    new[1:] = first[1:] > reach[:-1] if touching else first[1:] >= reach[:-1]
    heads = np.flatnonzero(new)
    return Spans(first[heads].astype(np.int32), reach[np.append(heads[1:], len(first)) - 1].astype(np.int32))
