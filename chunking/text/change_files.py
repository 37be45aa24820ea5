"""JSON files of document changes: edits of a parse, or pins on boundaries.

A change file is exported from a workspace, imported into another, and used where documents are read from files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from chunking.errors import ChangeError
from chunking.model import Document

__all__ = ["ChangeFile", "DocumentChange", "DocumentChanges", "readable"]

_MOST_BYTES = 50 * 2**20


class DocumentChange(Protocol):
    """A hashable change of a document, such as an edit or a pin."""

    def as_record(self) -> dict[str, Any]:
        """Return the change as plain values."""


C = TypeVar("C", bound=DocumentChange)


@dataclass(
    frozen=True
)  # no slots: with them, a frozen class cannot be made by its name with a type, as `EditedDocument` is
class DocumentChanges(Generic[C]):
    """Changes of one kind to one document."""

    doc_id: str
    source: str
    """Path of the document, which identifies it in another workspace."""
    changes: tuple[C, ...]

    def is_about(self, document: Document) -> bool:
        """True if the changes belong to a document: same path, or same id if there is no path."""
        return self.source == document.source if self.source else self.doc_id == document.doc_id


@dataclass(frozen=True, slots=True)
class ChangeFile(Generic[C]):
    """A kind of change: its name, its reader and its file format."""

    kind: str
    """Plural name of the kind (`edits`), used as JSON key; without its last letter, the singular."""
    read_one: Callable[[Any], C]
    """Create a change from plain values; raises ChangeError."""
    to_add: Callable[[C], C]
    """Normalise a change before it is added to a list, where equal changes are added once."""

    def write(self, documents: Iterable[DocumentChanges[C]]) -> str:
        """Return the changes as JSON, omitting documents that have none."""
        listed = [
            {"doc_id": one.doc_id, "source": one.source, self.kind: [change.as_record() for change in one.changes]}
            for one in documents
            if one.changes
        ]
        return json.dumps({f"chunkscope_{self.kind}": 1, "documents": listed}, ensure_ascii=False, indent=1)

    def read(self, data: bytes | str, name: str = "the file") -> tuple[DocumentChanges[C], ...]:
        """Parse a change file written by `write`.

        Args:
            name: of the file, for error texts.
        Raises:
            ChangeError: the file is invalid; the message names the document and the change.
        """
        if len(data) > _MOST_BYTES:
            megabytes = f"{len(data) / 2**20:,.0f} MB; a list of {self.kind} has at most {_MOST_BYTES // 2**20}"
            raise ChangeError(f"{name} has {megabytes}.", where=name)
        try:
            tree: Any = json.loads(data)
            documents = list(tree["documents"]) if tree[f"chunkscope_{self.kind}"] == 1 else None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ChangeError(f"{name} is not a list of {self.kind} exported by Chunkscope.", where=name) from error
        if documents is None:
            raise ChangeError(f"{name} is a list of {self.kind} from another version of Chunkscope.", where=name)
        return tuple(self._document(one, name) for one in documents)

    def _document(self, record: Any, name: str) -> DocumentChanges[C]:
        try:
            doc_id, source, listed = (
                str(record.get("doc_id", "")),
                str(record.get("source", "")),
                list(record[self.kind]),
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ChangeError(
                f"{name} has an entry that is not a document with its {self.kind}.", where=name
            ) from error
        changes = []
        for number, one in enumerate(listed, 1):
            try:
                changes.append(self.read_one(one))
            except ChangeError as error:
                raise ChangeError(
                    f"{name}, {self.kind[:-1]} {number} of {source or doc_id}: {error}", where=name
                ) from error
        return DocumentChanges(doc_id, source, tuple(changes))


def readable(records: Iterable[Any], read_one: Callable[[Any], C]) -> tuple[C, ...]:
    """Read the records with `read_one`, skipping those for which it raises ChangeError."""
    changes: list[C] = []
    for record in records:
        try:
            changes.append(read_one(record))
        except ChangeError:
            continue
    return tuple(changes)
