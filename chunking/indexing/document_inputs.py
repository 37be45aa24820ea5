"""Edits, pins, encodings and parsers: inputs of documents that affect chunks besides settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.config.config import DOCUMENTS, read_tree
from chunking.errors import ChangeError
from chunking.model import BUILT_IN, Document
from chunking.parsing.edits import EDIT_FILE, EditedDocument
from chunking.splitting.pins.stored_pins import PIN_FILE, PinnedDocument
from chunking.store import Workspace
from chunking.store.documents.listed_changes import add_changes, changed_documents

__all__ = ["DocumentInputs"]

_PARTS = ("edits", "pins", "encodings", "parsers")


@dataclass(frozen=True, slots=True)
class DocumentInputs:
    """Edits, pins, encodings and parsers of documents; with settings and files they reproduce the chunks."""

    edits: tuple[EditedDocument, ...] = ()
    pins: tuple[PinnedDocument, ...] = ()
    encodings: Mapping[str, str] = field(default_factory=dict)
    """Encodings of files that are not UTF-8, by source."""
    parsers: Mapping[str, str] = field(default_factory=dict)
    """Parsers of files that the built-in one did not read, by source."""

    @classmethod
    def of(cls, workspace: Workspace, doc_ids: Iterable[str] | None = None) -> DocumentInputs:
        """Return the edits, pins, encodings and parsers that a workspace's documents have now.

        Args:
            doc_ids: documents to read, such as those of an index; None: all.
        """
        selected = None if doc_ids is None else {*doc_ids}
        rows = [row for row in workspace.documents() if selected is None or row.doc_id in selected]
        named = {row.doc_id for row in rows}
        return cls(
            tuple(one for one in changed_documents(workspace, EDIT_FILE) if one.doc_id in named and one.changes),
            tuple(one for one in changed_documents(workspace, PIN_FILE) if one.doc_id in named and one.changes),
            {
                row.source: row.encoding
                for row in rows
                if row.encoding.lower() not in ("utf-8", "utf8") and not row.parent_id
            },
            {row.source: row.parser for row in rows if row.parser != BUILT_IN and not row.parent_id},
        )

    @classmethod
    def from_yaml(cls, text: str, *, where: str = "the configuration") -> DocumentInputs:
        """Parse the part `documents` of an exported configuration's YAML; empty if it has none.

        Raises:
            ConfigError: not YAML.
            ChangeError: the part is invalid, or of another version.
        """
        tree = read_tree(text, where=where)
        part = tree.get(DOCUMENTS) if isinstance(tree, dict) else None
        return cls.from_record(part, where) if part else cls()

    @classmethod
    def from_record(cls, record: Any, name: str = "the script") -> DocumentInputs:
        """Parse the output of `as_record`.

        Args:
            name: of the file it is in, for error sentences.
        Raises:
            ChangeError: it is anything else, or of another version.
        """
        if not isinstance(record, Mapping) or not set(record) <= set(_PARTS):
            raise ChangeError(
                f"The part “documents” of {name} is not valid; it may hold only {', '.join(_PARTS)}.", where=name
            )
        by_source = {part: record.get(part) or {} for part in ("encodings", "parsers")}
        for part, values in by_source.items():
            pairs = values.items() if isinstance(values, Mapping) else [(None, None)]
            if not all(isinstance(one, str) for pair in pairs for one in pair):
                raise ChangeError(f"The {part} in {name} are not valid; write one for each file name.", where=name)
        edits, pins = record.get("edits"), record.get("pins")
        return cls(
            EDIT_FILE.read(_text(edits, name), name) if edits else (),
            PIN_FILE.read(_text(pins, name), name) if pins else (),
            dict(by_source["encodings"]),
            dict(by_source["parsers"]),
        )

    def as_record(self) -> dict[str, Any]:
        """Return edits and pins as JSON texts, encodings and parsers by source, without empty parts."""
        parts = {
            "edits": _ascii(EDIT_FILE.write(self.edits)) if self.edits else "",
            "pins": _ascii(PIN_FILE.write(self.pins)) if self.pins else "",
            "encodings": dict(self.encodings),
            "parsers": dict(self.parsers),
        }
        return {name: value for name, value in parts.items() if value}

    @property
    def counts(self) -> dict[str, int]:
        """Number of edits, pins, encodings and parsers by name, without zeros."""
        numbers = {
            "edits": sum(len(one.changes) for one in self.edits),
            "pins": sum(len(one.changes) for one in self.pins),
            "encodings": len(self.encodings),
            "parsers": len(self.parsers),
        }
        return {name: number for name, number in numbers.items() if number}

    def store(self, workspace: Workspace, documents: Sequence[Document]) -> None:
        """Add the edits and pins that belong to `documents` to the workspace's change logs.

        Idempotent: changes already there are skipped. Encodings and parsers are not stored: reading files uses them.

        Raises:
            ChangeError: a document would have too many.
        """
        add_changes(workspace, documents, self.edits, EDIT_FILE)
        add_changes(workspace, documents, self.pins, PIN_FILE)


def _text(part: Any, name: str) -> str:
    if not isinstance(part, str):
        raise ChangeError(f"The edits or pins in {name} are not valid; export them again.", where=name)
    return part


def _ascii(text: str) -> str:
    """Rewrite JSON on one line in ASCII, which every file and program carries unchanged."""
    return json.dumps(json.loads(text), ensure_ascii=True)
