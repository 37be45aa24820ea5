"""Edits of regions: leave out a span or a rectangle of a page, and restore it."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.model import Box, Location, Span
from chunking.parsing.edits.draft import DocumentDraft, DoesNotFit
from chunking.parsing.edits.edit_types import LeaveOut, LeaveOutBox, TakeBack

__all__ = ["leave_out", "leave_out_box", "spans_in_box", "take_back"]


def leave_out(draft: DocumentDraft, edit: LeaveOut, span: Span) -> None:
    draft.some_blocks(*span)
    draft.leave_out(*span, edit.reason)


def leave_out_box(draft: DocumentDraft, edit: LeaveOutBox, span: Span) -> None:
    spans = spans_in_box(draft.locations, edit.page, edit.box)
    if not any(one.start <= span.start < one.end for one in spans):
        raise DoesNotFit(f"is outside the rectangle drawn around it on page {edit.page}")
    filled = [one for one in spans if draft.blocks_in(*one) != slice(0, 0) and draft.text[one.start : one.end].strip()]
    for one in filled:
        draft.leave_out(*one, edit.reason)


def spans_in_box(locations: tuple[Location, ...], page: int, box: Box) -> list[Span]:
    """Runs of text whose lines have their middle in a rectangle of a page, in order."""
    spans: list[Span] = []
    for place, follows in _in_box(locations, page, box):
        if spans and follows:
            spans[-1] = Span(spans[-1].start, place.end)
        else:
            spans.append(Span(place.start, place.end))
    return spans


def _in_box(locations: tuple[Location, ...], page: int, box: Box) -> Iterator[tuple[Location, bool]]:
    """(line, whether the previous line is inside too)."""
    left, top, right, bottom = box
    before = -2
    for number, place in enumerate(locations):
        if place.page != page or place.bbox is None:
            continue
        x, y = (place.bbox[0] + place.bbox[2]) / 2, (place.bbox[1] + place.bbox[3]) / 2
        if left <= x <= right and top <= y <= bottom:
            yield place, number == before + 1
            before = number


def take_back(draft: DocumentDraft, edit: TakeBack, span: Span) -> None:
    """Restore the left-out text of a span."""
    if not draft.take_back(*span):
        raise DoesNotFit("is not left out")
