"""Pins of a document as places, without contradictions, and the reasons why some do not hold.

Of two pins that contradict each other the stronger kind holds, whichever came first: text that is left out belongs to
no chunk; a split parts a kept span, and each part is kept; both win over a merge at the same place. Kept spans that
overlap are joined. The boundaries of patterns are the weakest: they yield to every pin.
"""

from __future__ import annotations

from collections import Counter
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

__all__ = ["PinPlaces", "Spans", "cut_spans", "pin_states", "pin_warnings", "place_pins"]

Ints = NDArray[np.int32]


class Spans(NamedTuple):
    """Spans between allowed cuts of a document, k in number, in order, without overlap."""

    first: Ints
    """(k,) number of the cut at which each begins, see `CutPlaces`."""
    after: Ints
    """(k,) number of the cut at which each has ended."""


@dataclass(frozen=True, slots=True, eq=False)
class PinPlaces:
    """Pins and breaks of patterns as places (numbers of allowed cuts), without contradictions."""

    splits: Ints
    """Places at which a chunk begins, ascending; none at an end of the text, or inside left-out text."""
    merges: Ints
    """Places without a boundary, ascending; none of them in `splits`, each inside one of `keeps`."""
    keeps: Spans
    """Spans that no boundary parts."""
    left_out: Spans
    """Spans that belong to no chunk, including those left out by the document's reader."""
    edges: Ints
    """Places that no chunk crosses, ascending: the splits, and both ends of `left_out`."""

    def regions(self, regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return regions with the splits of pins, and without boundaries that a pin forbids.

        Args:
            regions: (low, high) numbers of allowed cuts, over the complete document, without gaps.
        """
        columns = np.array([*regions], np.int32).reshape(-1, 2)
        if not len(columns):
            return []
        low, high, starts = int(columns[0, 0]), int(columns[-1, 1]), columns[1:, 0]
        starts = _apart(starts, self.merges)
        if len(self.keeps.first) and len(starts):  # to the end of a kept span, as of an unbroken block
            span = np.searchsorted(self.keeps.first, starts) - 1
            starts = np.where((span >= 0) & (self.keeps.after[span] > starts), self.keeps.after[span], starts)
            starts = _apart(starts, self.merges)
        starts = np.union1d(starts, self.splits)
        edges = [low, *starts[(starts > low) & (starts < high)].tolist(), high]
        return list(pairwise(edges))


_SENTENCE = 16
"""Maximum words of the sentence kept on each side of a merge; of a longer one a single word is kept."""


def place_pins(document: Document, marks: CutMarks, patterns: Iterable[int] = ()) -> PinPlaces | None:
    """Convert a document's pins and pattern breaks to cut numbers, and resolve contradictions.

    Left-out spans cover the complete words inside them, kept spans every word of which a part is inside. A split moves
    to the first word that begins at or after its offset. Pins outside the text do nothing.

    Args:
        marks: the document's allowed cuts; spans left out by its reader are joined with those of pins.
        patterns: offsets before which a pattern requires a boundary.
    Returns:
        None without any pin or break, even if the reader left out spans.
    """
    pins, breaks = document.pins, np.fromiter(patterns, np.int32)
    if not pins and not len(breaks):
        return None
    out = _left_out(pins, marks)
    splits = _apart(_boundaries(pins, PinKind.SPLIT, marks), (), out)
    merges = _boundaries(pins, PinKind.MERGE, marks)
    merges = merges[~np.isin(merges, np.concatenate((splits, out.first, out.after))) & ~_is_inside(merges, out)]
    edges = np.unique(np.concatenate((splits, out.first, out.after)))
    keeps = _keeps(_of(pins, PinKind.KEEP, marks), _span_of_merge(merges, document, marks), marks, edges)
    keeps = _which(keeps, ~_begins_in(keeps.first, out))
    soft = _inside_text(marks.places_of(np.unique(breaks).tolist()), marks)
    splits = np.union1d(splits, _apart(_apart(soft, merges, out), (), keeps)).astype(np.int32)
    return PinPlaces(splits, merges, keeps, out, np.unique(np.concatenate((splits, out.first, out.after))))


def cut_spans(spans: Spans, cuts: Ints) -> tuple[Ints, Spans]:
    """Divide spans into parts at the cuts inside them.

    Args:
        cuts: numbers of allowed cuts, ascending.
    Returns:
        The number of the span that each part comes from, and the parts, in order.

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


def _is_inside(places: Ints, spans: Spans) -> NDArray[np.bool_]:
    """True for the places strictly inside one of the spans."""
    if not len(spans.first):
        return np.zeros(len(places), np.bool_)
    span = np.searchsorted(spans.first, places) - 1
    inside: NDArray[np.bool_] = (span >= 0) & (spans.after[span] > places)
    return inside


def _apart(places: Ints, others: Ints | tuple[()], spans: Spans | None = None) -> Ints:
    """Return the places that are not among others and not inside a span."""
    places = places[~np.isin(places, others)] if len(others) else places
    return places if spans is None else places[~_is_inside(places, spans)]


def _of(pins: Sequence[Pin], kind: PinKind, marks: CutMarks) -> tuple[Ints, Ints]:
    """Return starts and ends of the pins of a kind, clipped to the text and sorted by their starts."""
    length = int(marks.places.first[-1])
    clipped = [(max(pin.start, 0), min(pin.end, length)) for pin in pins if pin.kind is kind]
    spans = np.array(sorted(span for span in clipped if span[0] < span[1]), np.int32).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def _boundaries(pins: Sequence[Pin], kind: PinKind, marks: CutMarks) -> Ints:
    """Return places of the pins of a kind between two words of the text, ascending."""
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


def _span_of_merge(merges: Ints, document: Document, marks: CutMarks) -> Spans:
    """Return the span kept at each merge: the sentence before it, and the one after it with its headings."""
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
    """Move each place at which a heading starts to its end, and over headings right below it."""
    headings = [section for section in document.sections if section.level > 0]
    starts, ends = (marks.places_of([getattr(one, edge) for one in headings]) for edge in ("start", "body_start"))
    while len(headings):
        at = np.minimum(np.searchsorted(starts, places), len(starts) - 1)
        heads = (starts[at] == places) & (ends[at] > places)
        if not heads.any():
            break
        places = np.where(heads, ends[at], places)
    return places


def _keeps(pinned: tuple[Ints, Ints], merged: Spans, marks: CutMarks, edges: Ints) -> Spans:
    """Return kept spans parted at edges, without those that have no place inside."""
    starts, ends = pinned
    begin = np.searchsorted(marks.places.first, starts)
    begin -= (begin > 0) & (marks.places.stop[begin] > starts)  # begins inside a word
    end = np.minimum(np.searchsorted(marks.places.first, ends), len(marks) - 1)
    first = np.concatenate((begin, merged.first)).astype(np.int32)
    first, after = _whole_rows(first, np.concatenate((end, merged.after)).astype(np.int32), marks)
    order = np.argsort(first, kind="stable")
    _, parts = cut_spans(_union(first[order], after[order], touching=False), edges)
    return _which(parts, parts.after - parts.first > 1)


def _whole_rows(first: Ints, after: Ints, marks: CutMarks) -> tuple[Ints, Ints]:
    """Extend spans that begin or end inside a row of a table to the complete row.

    Half a row means nothing.
    """
    of = marks.keeps.of([Keep.TABLE])
    tables = Spans(marks.keeps.first[of], marks.keeps.after[of])
    begins, ends = _is_inside(first, tables), _is_inside(after, tables)
    if not (begins.any() or ends.any()):
        return first, after
    rows = np.flatnonzero(marks.rank >= Rank.LINE).astype(np.int32)
    first, after = first.copy(), after.copy()
    first[begins] = rows[np.maximum(np.searchsorted(rows, first[begins], side="right") - 1, 0)]
    after[ends] = rows[np.minimum(np.searchsorted(rows, after[ends]), len(rows) - 1)]
    return first, after


def _which(spans: Spans, mask: NDArray[np.bool_]) -> Spans:
    return Spans(spans.first[mask], spans.after[mask])


def _begins_in(places: Ints, spans: Spans) -> NDArray[np.bool_]:
    """True for places at the start of a span or inside one."""
    return _is_inside(places, spans) | np.isin(places, spans.first)


def _union(first: NDArray[np.integer], after: NDArray[np.integer], *, touching: bool) -> Spans:
    """Join spans, sorted by their starts, that overlap, or with `touching` that touch."""
    if not len(first):
        return Spans(np.zeros(0, np.int32), np.zeros(0, np.int32))
    reach = np.maximum.accumulate(after)
    new = np.ones(len(first), np.bool_)
    new[1:] = first[1:] > reach[:-1] if touching else first[1:] >= reach[:-1]
    heads = np.flatnonzero(new)
    return Spans(first[heads].astype(np.int32), reach[np.append(heads[1:], len(first)) - 1].astype(np.int32))


def pin_states(document: Document, marks: CutMarks, places: PinPlaces | None) -> list[str]:
    """Return for each pin of a document why it does not hold as it was set; empty if it does.

    Args:
        places: the settled pins; None without any.
    """
    if places is None:
        return []
    splits, merges = frozenset(places.splits.tolist()), frozenset(places.merges.tolist())
    return [_state(pin, marks, places, splits, merges) for pin in document.pins]


def _state(pin: Pin, marks: CutMarks, places: PinPlaces, splits: frozenset[int], merges: frozenset[int]) -> str:
    length = int(marks.places.first[-1])
    if pin.kind in (PinKind.SPLIT, PinKind.MERGE):
        at = marks.place(min(max(pin.start, 0), length))
        if pin.start < 0 or not 0 < at < len(marks) - 1:
            return "It is at an end of the text, where chunks begin and end anyway."
        if pin.kind is PinKind.SPLIT:
            return "" if at in splits else "The text around it is left out."
        if at in merges:
            return ""
        return "A split at the same place takes precedence." if at in splits else "The text next to it is left out."
    start, end = max(pin.start, 0), min(pin.end, length)
    first = marks.place(start) if start < end else 0
    after = int(np.searchsorted(marks.places.stop, np.int32(max(end, 0)), side="right")) - 1
    if start >= end or not _has_word(marks, start, end):
        return "It contains no word of the text."
    if pin.kind is PinKind.LEAVE_OUT:
        return "" if after > first else "It contains only part of a word, which stays in its chunk."
    begin = first - int(first > 0 and int(marks.places.stop[first]) > start)
    finish = min(int(np.searchsorted(marks.places.first, np.int32(end))), len(marks) - 1)
    edges = places.edges[
        np.searchsorted(places.edges, np.int32(begin), side="right") : np.searchsorted(places.edges, np.int32(finish))
    ]
    if len(edges):
        return "A split or left-out text inside it takes precedence: each part is kept together separately."
    out = int(np.searchsorted(places.left_out.first, np.int32(begin), side="right")) - 1
    return "All of it is left out." if out >= 0 and int(places.left_out.after[out]) > begin else ""


def _has_word(marks: CutMarks, start: int, end: int) -> bool:
    """True if a span has a visible character."""
    at = marks.place(start)
    begins_inside = int(marks.places.first[at]) < end
    return begins_inside or (at > 0 and int(marks.places.stop[at]) > start)


def pin_warnings(states: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence for each different reason in `pin_states`, with the number of its pins."""
    return tuple(
        f"1 pin does not hold as it was set. {reason}"
        if number == 1
        else f"{number:,} pins do not hold as they were set. {reason}"
        for reason, number in Counter(filter(None, states)).items()
    )
