"""Which pins of a document hold as they were set, and why another does not: a sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from chunking.model import Document, Pin, PinKind
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.pins.pin_places import PinPlaces

__all__ = ["pin_states", "pin_warnings"]


def pin_states(document: Document, marks: CutMarks, places: PinPlaces | None) -> list[str]:
    """For each of a document's pins, in their order, why it does not hold as it was set; empty where it does.

    Args:
        places: what came of them; None where there is nothing to honour.
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
            return "It stands at an end of the text, where chunks begin and end anyway."
        if pin.kind is PinKind.SPLIT:
            return "" if at in splits else "The text around it is left out."
        if at in merges:
            return ""
        return (
            "A split stands at the same place, and is stronger." if at in splits else "The text beside it is left out."
        )
    start, end = max(pin.start, 0), min(pin.end, length)
    first = marks.place(start) if start < end else 0
    after = int(np.searchsorted(marks.places.stop, np.int32(max(end, 0)), side="right")) - 1
    if start >= end or not _has_word(marks, start, end):
        return "No word of the text stands in it."
    if pin.kind is PinKind.LEAVE_OUT:
        return "" if after > first else "Only part of a word stands in it, which stays in its chunk."
    begin = first - int(first > 0 and int(marks.places.stop[first]) > start)
    finish = min(int(np.searchsorted(marks.places.first, np.int32(end))), len(marks) - 1)
    edges = places.edges[
        np.searchsorted(places.edges, np.int32(begin), side="right") : np.searchsorted(places.edges, np.int32(finish))
    ]
    if len(edges):
        return "A split, or text that is left out, stands inside and is stronger: each part is kept together by itself."
    out = int(np.searchsorted(places.left_out.first, np.int32(begin), side="right")) - 1
    return "All of it is left out." if out >= 0 and int(places.left_out.after[out]) > begin else ""


def _has_word(marks: CutMarks, start: int, end: int) -> bool:
    """Whether any visible character of the text stands in a span."""
    at = marks.place(start)
    begins_inside = int(marks.places.first[at]) < end
    return begins_inside or (at > 0 and int(marks.places.stop[at]) > start)


def pin_warnings(states: Iterable[str]) -> tuple[str, ...]:
    """One sentence for each reason in `pin_states`."""
    return tuple(
        f"1 pin does not hold as it was set. {reason}"
        if number == 1
        else f"{number:,} pins do not hold as they were set. {reason}"
        for reason, number in Counter(filter(None, states)).items()
    )
