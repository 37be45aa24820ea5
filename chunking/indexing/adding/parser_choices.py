"""Choice of the parser of a file, and the kept file of a document.

A parser is chosen for the call, else for the document, else for the workspace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from chunking.errors import NotFoundError, ParseError
from chunking.model import BUILT_IN
from chunking.store import DocumentRow, Workspace
from chunking.text.bounded_json import read_json

__all__ = ["ParserChoices", "choose_workspace_parser", "original_file", "workspace_parser"]

_RECORD = "new documents"
"""Name of the record among `Workspace.parsers`."""


@dataclass(frozen=True, slots=True)
class ParserChoices:
    """The parser of each file by source: called with a source, returns a name of `parsing.PARSERS`."""

    by_source: Mapping[str, str] = field(default_factory=dict)
    """Parsers of some files."""
    others: str = BUILT_IN
    """Parser of the others."""

    @classmethod
    def of(
        cls, workspace: Workspace | None, parser: str | None = None, parsers: Mapping[str, str] | None = None
    ) -> ParserChoices:
        """Return the parsers of files to be added.

        Args:
            workspace: a new version of a document keeps its parser; other files have the workspace's.
            parser: of all files; None: as the workspace says.
            parsers: of some files, by source, whatever else is said.
        Raises:
            ParseError: `parser` is unknown, not installed, or not allowed here.
        """
        from chunking.parsing import parser_named

        if parser is not None:
            return cls(parsers or {}, parser_named(parser).name)
        if workspace is None:
            return cls(parsers or {})
        recorded = {row.source: row.parser for row in workspace.documents() if not row.parent_id}
        return cls({**recorded, **(parsers or {})}, workspace_parser(workspace))

    def __call__(self, source: str) -> str:
        return self.by_source.get(source, self.others)


def workspace_parser(workspace: Workspace) -> str:
    """Return the parser of documents that are new to a workspace."""
    text = workspace.parsers.get(_RECORD)
    name = read_json(text).get("parser") if text else None
    return name if isinstance(name, str) and name else BUILT_IN


def choose_workspace_parser(workspace: Workspace, parser: str) -> None:
    """Record the parser of documents that are new to a workspace; its documents stay as they are.

    Raises:
        ParseError: the parser is unknown, not installed, or not allowed here.
    """
    from chunking.parsing import parser_named

    parser = parser_named(parser).name
    if parser != workspace_parser(workspace):
        workspace.parsers.change(_RECORD, lambda _: None if parser == BUILT_IN else json.dumps({"parser": parser}))


def original_file(workspace: Workspace, row: DocumentRow) -> bytes:
    """Return the file of a document: the stored one, or its text if that is the file, decoded.

    Raises:
        ParseError: the workspace does not have it, or it is inside another file.
    """
    from chunking.parsing import format_named

    if row.parent_id:
        raise ParseError(
            f"{row.source} is inside another file, and is always read by the built-in parser.", where=row.source
        )
    data = workspace.file(row.hash)
    if data is not None:
        return data
    file_format = format_named(row.format)
    if file_format is not None and file_format.text_is_file and row.parser == BUILT_IN:
        try:
            text = workspace.parsed(row.doc_id).text.encode(row.encoding)
        except (NotFoundError, UnicodeError, LookupError):
            text = b""
        if hashlib.sha256(text).hexdigest() == row.hash:
            return text
    raise ParseError(
        f"The file of {row.source} is not in the workspace, so it cannot be read again; add the file again first.",
        where=row.source,
    )
