"""A measured document under the patterns of a configuration and the pins of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chunking.model import Document
from chunking.splitting.document_patterns import Patterned
from chunking.splitting.measure.cut_marks import CutMarks
from chunking.splitting.measure.measured_document import MeasuredDocument
from chunking.splitting.pins.pin_places import PinPlaces, pin_states, pin_warnings, place_pins

__all__ = ["DocumentView"]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentView:
    """A document as a configuration shows it, whatever its size: nothing of its text is measured again."""

    measured: MeasuredDocument
    """Under the headings that patterns find."""
    document: Document
    """With those headings, and with its pins."""
    patterns: Patterned | None
    """None without patterns."""
    breaks: tuple[int, ...]
    """Offsets before which patterns ask for a boundary, ascending; only those at which a cut is allowed."""
    pins: PinPlaces | None
    """Pins and breaks, settled; None without any."""
    pin_states: list[str]
    """For each pin of the document, why it does not hold as it was set; empty where it does."""
    pin_warnings: tuple[str, ...]
    """A sentence for each reason among these."""

    @classmethod
    def of(cls, measured: MeasuredDocument, document: Document, patterns: Patterned | None = None) -> DocumentView:
        """Apply patterns and pins.

        Args:
            document: the measured one with the pins that count.
            patterns: what a configuration's patterns find in the measured document.
        """
        if patterns is not None and patterns.document is not measured.document:
            document = _with_pins_of(document, patterns.document)
            measured = measured.under(patterns.document)
        offsets = patterns.offsets if patterns is not None else []
        breaks = _allowed(offsets, measured.marks, document.text)
        return cls._with_breaks(measured, document, patterns, breaks)

    def with_pins(self, document: Document) -> DocumentView:
        """The same patterns with the pins of another copy of the document."""
        if self.patterns is not None:
            document = _with_pins_of(document, self.document)
        return self._with_breaks(self.measured, document, self.patterns, self.breaks)

    @classmethod
    def _with_breaks(
        cls, measured: MeasuredDocument, document: Document, patterns: Patterned | None, breaks: tuple[int, ...]
    ) -> DocumentView:
        pins = place_pins(document, measured.marks, breaks)
        states = pin_states(document, measured.marks, pins)
        return cls(measured, document, patterns, breaks, pins, states, pin_warnings(states))


def _with_pins_of(document: Document, other: Document) -> Document:
    return other if other.pins == document.pins else replace(other, pins=document.pins)


def _allowed(offsets: Sequence[int], marks: CutMarks, text: str) -> tuple[int, ...]:
    """The offsets at which a cut is allowed, with some text before each: none inside a word."""
    first, places = marks.places.first, marks.places_of(list(offsets)).tolist()
    return tuple(
        offset
        for offset, place in zip(offsets, places, strict=True)
        if place and first[place] == offset and text[first[place - 1] : offset].strip()
    )
