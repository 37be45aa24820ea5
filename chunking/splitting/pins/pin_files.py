"""Pins of documents as a JSON file: exported from a workspace, imported into another, and used where documents are read from files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chunking.errors import ChangeError
from chunking.model import Document
from chunking.splitting.pins.stored_pins import StoredPin, pin_of, with_pins

__all__ = ["PinnedDocument", "read_pins", "with_file_pins", "write_pins"]

_FORMAT = "chunkscope_pins"
_MOST_BYTES = 50 * 2**20


@dataclass(frozen=True, slots=True)
class PinnedDocument:
    """The pins of one document."""

    doc_id: str
    source: str
    """Its path, by which a document of another workspace is known."""
    pins: tuple[StoredPin, ...]

    def is_about(self, document: Document) -> bool:
        """Whether these are a document's pins: the path decides, and the id where there is none."""
        return self.source == document.source if self.source else self.doc_id == document.doc_id


def write_pins(documents: Iterable[PinnedDocument]) -> str:
    """As JSON; `read_pins` gives the same back."""
    listed = [{"doc_id": one.doc_id, "source": one.source, "pins": [pin.as_record() for pin in one.pins]} for one in documents if one.pins]
    return json.dumps({_FORMAT: 1, "documents": listed}, ensure_ascii=False, indent=1)


def read_pins(data: bytes | str, name: str = "the file") -> tuple[PinnedDocument, ...]:
    """Read what `write_pins` made.

    Args:
        name: of the file, for error sentences.
    Raises:
        ChangeError: it is something else; the sentence names the document and the pin.
    """
    if len(data) > _MOST_BYTES:
        raise ChangeError(f"{name} has {len(data) / 2**20:,.0f} MB; a list of pins has at most {_MOST_BYTES // 2**20}.", where=name)
    try:
        tree: Any = json.loads(data)
        documents = list(tree["documents"]) if tree[_FORMAT] == 1 else None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ChangeError(f"{name} is no list of pins, as Chunkscope exports it.", where=name) from error
    if documents is None:
        raise ChangeError(f"{name} is a list of pins of another version of Chunkscope.", where=name)
    return tuple(_document(one, name) for one in documents)


def with_file_pins(documents: Sequence[Document], pinned: Sequence[PinnedDocument]) -> list[Document]:
    """The documents, each with the pins that are about it."""
    return [
        with_pins(one, pins) if (pins := [pin for some in pinned if some.is_about(one) for pin in some.pins]) else one for one in documents
    ]


def _document(record: Any, name: str) -> PinnedDocument:
    try:
        doc_id, source, listed = str(record.get("doc_id", "")), str(record.get("source", "")), list(record["pins"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ChangeError(f"{name} has an entry that is no document with its pins.", where=name) from error
    pins = []
    for number, one in enumerate(listed, 1):
        try:
            pins.append(pin_of(one))
        except ChangeError as error:
            raise ChangeError(f"{name}, pin {number} of {source or doc_id}: {error}", where=name) from error
    return PinnedDocument(doc_id, source, tuple(pins))
