"""Pins as stored: relocated by their words in a new version of the text, or reported as lost.

They are also read from and written to a JSON file, and applied to documents outside a workspace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from chunking.errors import ChangeError
from chunking.model import Document, Pin, PinKind
from chunking.text.anchors import Anchor, FoundPlace, find_anchors
from chunking.text.change_files import ChangeFile, DocumentChanges, readable

__all__ = [
    "MOST_REASON",
    "PINS",
    "PIN_FILE",
    "FoundPin",
    "PinnedDocument",
    "StoredPin",
    "apply_changes",
    "find_pins",
    "pin_of",
    "read_pins",
    "with_file_pins",
    "with_pins",
    "write_pins",
]

PINS = "pins"
"""Kind of change under which a workspace stores them (`store.documents.change_log`)."""
MOST_REASON = 200
"""Maximum characters of a reason."""
_POINTS = (PinKind.SPLIT, PinKind.MERGE)


@dataclass(frozen=True, slots=True)
class StoredPin:
    """A stored pin, independent of the version of its document."""

    kind: PinKind
    anchor: Anchor
    reason: str = ""
    """Reason for leaving out a span."""
    id: str = ""
    """Id, unique in its document; assigned when stored."""

    @classmethod
    def of(cls, document: Document, kind: PinKind, start: int, end: int | None = None, reason: str = "") -> StoredPin:
        """Make a pin, not yet stored, anchored to the words at a span or point of a document.

        Args:
            start, end: offsets of a span; a split or a merge is before the first word at or after `start`.
            reason: for text left out; not stored with other kinds.
        Raises:
            ChangeError: it is outside of the text, or its span has no word.
        """
        length, end = len(document.text), start if kind in _POINTS or end is None else end
        if not 0 <= start <= end <= length:
            raise ChangeError(
                f"Characters {start:,} to {end:,} are outside the text, which has {length:,}.", where=document.source
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
        """Return the pin as plain values, for `pin_of`."""
        named = {"id": self.id, "reason": self.reason}
        return {
            "kind": self.kind.value,
            "anchor": self.anchor.as_record(),
            **{name: value for name, value in named.items() if value},
        }


class FoundPin(NamedTuple):
    """A stored pin with its current place."""

    stored: StoredPin
    place: FoundPlace | None
    """Place; None if its words are no longer in the text, or are ambiguous."""

    @property
    def pin(self) -> Pin | None:
        """Pin as an attribute of the document; None if it has no place."""
        if self.place is None:
            return None
        end = self.place.start if self.stored.kind in _POINTS else self.place.end
        return Pin(self.stored.kind, self.place.start, end, self.stored.reason)


def pin_of(record: Any) -> StoredPin:
    """Read a pin from `as_record`.

    Raises:
        ChangeError: it is no pin; the message says what is wrong.
    """
    kind = record.get("kind") if isinstance(record, Mapping) else None
    if kind not in list(PinKind):
        raise ChangeError(f"“{str(kind)[:40]}” is not a type of pin; the types are {', '.join(PinKind)}.")
    try:
        anchor = Anchor.from_record(record["anchor"])
    except (KeyError, TypeError, ValueError) as error:
        raise ChangeError(f"A pin of type “{kind}” has an unreadable place: {error}.") from error
    if kind not in _POINTS and anchor.start == anchor.end:
        raise ChangeError(f"A pin of type “{kind}” needs a span of text, with its end after its start.")
    return StoredPin(PinKind(kind), anchor, _reason(str(record.get("reason") or "")), str(record.get("id") or ""))


def find_pins(document: Document, pins: Sequence[StoredPin]) -> list[FoundPin]:
    """Find each pin's words in a document; `place` is None if they are gone or ambiguous."""
    places = find_anchors([pin.anchor for pin in pins], document.text)
    return [FoundPin(pin, place) for pin, place in zip(pins, places, strict=True)]


def with_pins(document: Document, pins: Iterable[StoredPin]) -> Document:
    """Return a document with more pins; a warning counts those whose words are not in it."""
    results = find_pins(document, [*pins])
    placed = dict.fromkeys([*document.pins, *(one.pin for one in results if one.pin is not None)])
    missing = sum(one.pin is None for one in results)
    if not missing:
        return replace(document, pins=tuple(placed))
    which = "1 pin does" if missing == 1 else f"{missing:,} pins do"
    warning = f"{which} no longer fit the text: its words have changed. The list of pins on the Chunks page shows each."
    warning = warning if missing == 1 else warning.replace("its words", "their words")
    return replace(document, pins=tuple(placed), warnings=(*document.warnings, warning))


def apply_changes(document: Document, changes: Sequence[Mapping[str, Any]]) -> Document:
    """Return a document with the pins of a workspace's stored changes.

    A warning counts those this version cannot read.
    """
    pins = readable(changes, pin_of)
    document = with_pins(document, pins) if pins else document
    unread = len(changes) - len(pins)
    if not unread:
        return document
    which = "1 pin was" if unread == 1 else f"{unread:,} pins were"
    warning = f"{which} set by another version of Chunkscope and cannot be used by this one."
    return replace(document, warnings=(*document.warnings, warning))


def _reason(text: str) -> str:
    return " ".join(text.split())[:MOST_REASON].rstrip()


PinnedDocument = DocumentChanges[StoredPin]
"""Pins of one document."""
PIN_FILE: ChangeFile[StoredPin] = ChangeFile(PINS, pin_of, to_add=lambda pin: replace(pin, id=""))
"""File format of pins; equal pins are added once, and get an id when imported."""
read_pins, write_pins = PIN_FILE.read, PIN_FILE.write


def with_file_pins(documents: Sequence[Document], pinned: Sequence[PinnedDocument]) -> list[Document]:
    """Return the documents, each with the pins of the change files that are about it."""
    about = [[pin for some in pinned if some.is_about(one) for pin in some.changes] for one in documents]
    return [with_pins(one, pins) if pins else one for one, pins in zip(documents, about, strict=True)]
