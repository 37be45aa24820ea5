"""What people did to documents, of one kind (edits of a parse, pins on boundaries): how a list of it is read, and its
JSON file.

Such a file is exported from a workspace, imported into another, and used where documents are read from files.
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
    """One thing that was done to a document, such as an edit or a pin. It can be hashed."""

    def as_record(self) -> dict[str, Any]:
        """As plain values."""


C = TypeVar("C", bound=DocumentChange)


@dataclass(
    frozen=True
)  # no slots: with them, a frozen class cannot be made by its name with a type, as `EditedDocument` is
class DocumentChanges(Generic[C]):
    """The changes of one kind of one document."""

    doc_id: str
    source: str
    """Its path, by which a document of another workspace is known."""
    changes: tuple[C, ...]

    def is_about(self, document: Document) -> bool:
        """Whether these are a document's: the path decides, and the id where there is none."""
        return self.source == document.source if self.source else self.doc_id == document.doc_id


@dataclass(frozen=True, slots=True)
class ChangeFile(Generic[C]):
    """A kind of change, as files and workspaces keep it."""

    kind: str
    """`edits`, say: what a workspace calls its list, and a file too. Without its last letter it is the name of one."""
    read_one: Callable[[Any], C]
    """From plain values; raises ChangeError."""
    to_add: Callable[[C], C]
    """As it is added to a list; what is equal to one that is there is not added."""

    def write(self, documents: Iterable[DocumentChanges[C]]) -> str:
        """As JSON; `read` gives the same back. A document without changes is left out."""
        listed = [
            {"doc_id": one.doc_id, "source": one.source, self.kind: [change.as_record() for change in one.changes]}
            for one in documents
            if one.changes
        ]
        return json.dumps({f"chunkscope_{self.kind}": 1, "documents": listed}, ensure_ascii=False, indent=1)

    def read(self, data: bytes | str, name: str = "the file") -> tuple[DocumentChanges[C], ...]:
        """Read what `write` made.

        Args:
            name: of the file, for error sentences.
        Raises:
            ChangeError: it is something else; the sentence names the document and the change.
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
    """Those that this version can read, in their order; what a later one wrote stays in its list, and is not used."""
    found: list[C] = []
    for record in records:
        try:
            found.append(read_one(record))
        except ChangeError:
            continue
    return tuple(found)
