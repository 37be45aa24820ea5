"""Edits of documents as a JSON file: exported from a workspace, imported into another, and used where documents are built from files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chunking.errors import ChangeError
from chunking.model import Document
from chunking.parsing.edits.edit_types import Edit, edit_of

__all__ = ["EditedDocument", "read_edits", "write_edits"]

_FORMAT = "chunkscope_edits"
_MOST_BYTES = 50 * 2**20


@dataclass(frozen=True, slots=True)
class EditedDocument:
    """The edits of one document."""

    doc_id: str
    source: str
    """Its path, by which a document of another workspace is known."""
    edits: tuple[Edit, ...]

    def is_about(self, document: Document) -> bool:
        """Whether these are a document's edits: the path decides, and the id where there is none."""
        return self.source == document.source if self.source else self.doc_id == document.doc_id


def write_edits(documents: Iterable[EditedDocument]) -> str:
    """As JSON; `read_edits` gives the same back."""
    listed = [
        {"doc_id": one.doc_id, "source": one.source, "edits": [edit.as_record() for edit in one.edits]} for one in documents if one.edits
    ]
    return json.dumps({_FORMAT: 1, "documents": listed}, ensure_ascii=False, indent=1)


def read_edits(data: bytes | str, name: str = "the file") -> tuple[EditedDocument, ...]:
    """Read what `write_edits` made.

    Args:
        name: of the file, for error sentences.
    Raises:
        ChangeError: it is something else; the sentence names the document and the edit.
    """
    if len(data) > _MOST_BYTES:
        raise ChangeError(f"{name} has {len(data) / 2**20:,.0f} MB; a list of edits has at most {_MOST_BYTES // 2**20}.", where=name)
    try:
        tree: Any = json.loads(data)
        documents = list(tree["documents"]) if tree[_FORMAT] == 1 else None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ChangeError(f"{name} is no list of edits, as Chunkscope exports it.", where=name) from error
    if documents is None:
        raise ChangeError(f"{name} is a list of edits of another version of Chunkscope.", where=name)
    return tuple(_document(one, name) for one in documents)


def _document(record: Any, name: str) -> EditedDocument:
    try:
        doc_id, source, listed = str(record.get("doc_id", "")), str(record.get("source", "")), list(record["edits"])
    except (AttributeError, KeyError, TypeError) as error:
        raise ChangeError(f"{name} has an entry that is no document with its edits.", where=name) from error
    edits = []
    for number, one in enumerate(listed, 1):
        try:
            edits.append(edit_of(one))
        except ChangeError as error:
            raise ChangeError(f"{name}, edit {number} of {source or doc_id}: {error}", where=name) from error
    return EditedDocument(doc_id, source, tuple(edits))
