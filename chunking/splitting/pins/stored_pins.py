"""Pins that outlive the text they were set in: known by their words, found again in a new version, told where they do
not fit any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from chunking.errors import ChangeError
from chunking.model import Document, Pin, PinKind
from chunking.text.anchors import Anchor, FoundPlace, find_anchors
from chunking.text.change_files import readable

__all__ = ["MOST_REASON", "PINS", "FoundPin", "StoredPin", "apply_changes", "find_pins", "pin_of", "with_pins"]

PINS = "pins"
"""Kind of change under which a workspace keeps them (`store.documents.change_log`)."""
MOST_REASON = 200
"""Characters of a reason."""
_POINTS = (PinKind.SPLIT, PinKind.MERGE)


@dataclass(frozen=True, slots=True)
class StoredPin:
    """A pin as it is kept: of no version of its document."""

    kind: PinKind
    anchor: Anchor
    reason: str = ""
    """Why a span is left out."""
    id: str = ""
    """Tells it from the others of its document; given where it is stored."""

    @classmethod
    def of(cls, document: Document, kind: PinKind, start: int, end: int | None = None, reason: str = "") -> StoredPin:
        """A pin on a document's text.

        Args:
            start, end: of a span, in characters; a split or a merge stands before the first word at or behind `start`.
        Raises:
            ChangeError: it lies outside of the text, or no word stands in the span.
        """
        length, end = len(document.text), start if kind in _POINTS or end is None else end
        if not 0 <= start <= end <= length:
            raise ChangeError(
                f"Characters {start:,} to {end:,} lie outside of the text, which has {length:,}.", where=document.source
            )
        if kind not in _POINTS:
            words = document.text[start:end]
            if not words.strip():
                raise ChangeError("There is no word in the selection; select some text first.", where=document.source)
            start, end = start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
        else:
            start = end = length - len(document.text[start:].lstrip())
        return cls(kind, Anchor.of(document.text, start, end), _reason(reason) if kind is PinKind.LEAVE_OUT else "")

    def as_record(self) -> dict[str, Any]:
        """As plain values; `pin_of` gives the same pin back."""
        named = {"id": self.id, "reason": self.reason}
        return {
            "kind": self.kind.value,
            "anchor": self.anchor.as_record(),
            **{name: value for name, value in named.items() if value},
        }


class FoundPin(NamedTuple):
    """A stored pin, and where it stands now."""

    stored: StoredPin
    place: FoundPlace | None
    """None: its words are not in the text any more, or cannot be told apart from others."""

    @property
    def pin(self) -> Pin | None:
        """As a document bears it."""
        if self.place is None:
            return None
        end = self.place.start if self.stored.kind in _POINTS else self.place.end
        return Pin(self.stored.kind, self.place.start, end, self.stored.reason)


def pin_of(record: Any) -> StoredPin:
    """The pin that `as_record` was called for.

    Raises:
        ChangeError: it is something else; the sentence says what is wrong.
    """
    kind = record.get("kind") if isinstance(record, Mapping) else None
    if kind not in list(PinKind):
        raise ChangeError(f"“{str(kind)[:40]}” is no kind of pin; the kinds are {', '.join(PinKind)}.")
    try:
        anchor = Anchor.from_record(record["anchor"])
    except (KeyError, TypeError, ValueError) as error:
        raise ChangeError(f"A pin of the kind “{kind}” has no place that can be read: {error}.") from error
    if kind not in _POINTS and anchor.start == anchor.end:
        raise ChangeError(f"A pin of the kind “{kind}” needs a span of text, with an end behind its start.")
    return StoredPin(PinKind(kind), anchor, _reason(str(record.get("reason") or "")), str(record.get("id") or ""))


def find_pins(document: Document, pins: Sequence[StoredPin]) -> list[FoundPin]:
    """Where each stands in a document now, in their order."""
    places = find_anchors([pin.anchor for pin in pins], document.text)
    return [FoundPin(pin, place) for pin, place in zip(pins, places, strict=True)]


def with_pins(document: Document, pins: Iterable[StoredPin]) -> Document:
    """A document that bears some pins, beside those it has; how many have no place in it is one of its warnings."""
    found = find_pins(document, [*pins])
    there = dict.fromkeys([*document.pins, *(one.pin for one in found if one.pin is not None)])
    lost = sum(one.pin is None for one in found)
    if not lost:
        return replace(document, pins=tuple(there))
    which = "1 pin does" if lost == 1 else f"{lost:,} pins do"
    warning = (
        f"{which} not fit the text any more: its words have changed. The list of pins on the Chunks page names each."
    )
    warning = warning if lost == 1 else warning.replace("its words", "their words")
    return replace(document, pins=tuple(there), warnings=(*document.warnings, warning))


def apply_changes(document: Document, changes: Sequence[Mapping[str, Any]]) -> Document:
    """The same, of pins as a workspace keeps them; how many this version cannot read is one of the warnings."""
    pins = readable(changes, pin_of)
    made = with_pins(document, pins) if pins else document
    unread = len(changes) - len(pins)
    if not unread:
        return made
    which = "1 pin was" if unread == 1 else f"{unread:,} pins were"
    warning = f"{which} set by another version of Chunkscope, and cannot be used by this one."
    return replace(made, warnings=(*made.warnings, warning))


def _reason(text: str) -> str:
    return " ".join(text.split())[:MOST_REASON].rstrip()
