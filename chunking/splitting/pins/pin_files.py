"""Pins as a JSON file, and applied to documents outside a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunking.model import Document
from chunking.splitting.pins.stored_pins import PINS, StoredPin, pin_of, with_pins
from chunking.text.change_files import ChangeFile, DocumentChanges

__all__ = ["PIN_FILE", "PinnedDocument", "read_pins", "with_file_pins", "write_pins"]

PinnedDocument = DocumentChanges[StoredPin]
"""The pins of one document."""
PIN_FILE: ChangeFile[StoredPin] = ChangeFile(PINS, pin_of, to_add=lambda pin: replace(pin, id=""))
"""Equal pins mean the same, whoever set them; the list that imports one assigns it an id."""
read_pins, write_pins = PIN_FILE.read, PIN_FILE.write


def with_file_pins(documents: Sequence[Document], pinned: Sequence[PinnedDocument]) -> list[Document]:
    """Add to each document the pins that are about it."""
    about = [[pin for some in pinned if some.is_about(one) for pin in some.changes] for one in documents]
    return [with_pins(one, pins) if pins else one for one, pins in zip(documents, about, strict=True)]
