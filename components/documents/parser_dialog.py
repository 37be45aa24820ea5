"""Choice of the parser of documents, whose kept files are then read again and reviewed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from chunking.display import first_names
from chunking.evaluation.questions.parse_losses import parse_losses
from chunking.indexing import Intake, choose_workspace_parser, read_again, workspace_parser
from chunking.model import BUILT_IN
from chunking.parsing import PARSERS, Parser, format_named
from chunking.store import DocumentRow, Workspace
from components.documents.incoming import Incoming, ParsedAgain, StoredFile
from components.documents.uploads import upload_queue
from components.kit.button import button
from components.kit.wording import format_word, parser_word, plain, quantity
from components.session.current_workspace import editing
from components.session.page.page_frame import dialog, sentences

__all__ = ["ALL", "ONE", "choose_parser_dialog", "draw_workspace_parser", "reparsed"]

ONE, ALL = "This document", "All documents, and those added later"
_MOST_NAMED = 5
"""Most formats named in a line."""


@dialog("Choose the parser")
def choose_parser_dialog(target: Workspace, row: DocumentRow) -> None:
    """Ask for a parser and its documents, and have their files read again for the review."""
    with sentences():
        st.write(f"**{plain(row.title)}** ({plain(row.source)}) was read by: {parser_word(row.parser)}.")
        offered = [one for one in PARSERS if one.is_offered]
        names = [one.name for one in offered]
        name = st.radio(
            "Parser",
            names,
            index=names.index(row.parser) if row.parser in names else 0,
            format_func=parser_word,
            captions=[plain(f"{one.description}{_not_for(target, one)}") for one in offered],
            key="documents.parser.name",
        )
        parser = offered[names.index(name)]
        scopes = [*([] if _reason(row, parser) else [ONE]), ALL]
        scope = st.radio("Documents", scopes, key=f"documents.parser.scope.{len(scopes)}")
        if reason := _reason(row, parser):
            st.caption(plain(reason))
        rows = _rows(target, row, parser, everywhere=scope == ALL)
        st.caption(
            f"{quantity(len(rows), 'document')} will be read again from the kept files. You review the result, with "
            f"the gold answers, labels, edits and pins that the new text lacks, before it is saved."
        )
    with st.container(horizontal=True):
        looks = editing(disabled=not rows and (scope != ALL or name == workspace_parser(target)))
        if button("Read again", type="primary", key="documents.parser.read", about=(row.doc_id, name, scope), **looks):
            if scope == ALL:
                choose_workspace_parser(target, name)
            upload_queue().take_stored(_incoming(target, one, name) for one in rows)
            st.rerun()
        if button("Cancel", key="documents.parser.cancel"):
            st.rerun()


def draw_workspace_parser(target: Workspace) -> None:
    """Draw the parser of new documents with a button to take it back, unless it is built-in."""
    name = workspace_parser(target)
    if name == BUILT_IN:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="documents.parser.workspace"):
        st.caption(f"New documents are read by {plain(parser_word(name))}.", width="content")
        looks = editing(help="For new documents. Those here stay as they are.")
        if button("Use the built-in parser", type="tertiary", key="documents.parser.back", **looks):
            with sentences():
                choose_workspace_parser(target, BUILT_IN)
                st.rerun()


def _reason(row: DocumentRow, parser: Parser) -> str:
    """Return why a parser cannot be chosen for a document; empty if it can."""
    if row.parent_id:
        return "This document is inside another file; such documents are always read by the built-in parser."
    why = parser.why_not(format_named(row.format))
    return f"{parser.label} does not read {format_word(row.format)} here: {why}." if why else ""


def _not_for(target: Workspace, parser: Parser) -> str:
    """Return a phrase on the formats of a workspace's documents that a parser does not read."""
    formats = dict.fromkeys(row.format for row in target.documents() if not row.parent_id)
    unread = [row.label for row in map(format_named, formats) if row is not None and parser.why_not(row)]
    return f"; not {first_names(unread, _MOST_NAMED)}" if unread else ""


def _rows(target: Workspace, row: DocumentRow, parser: Parser, *, everywhere: bool) -> list[DocumentRow]:
    """Return the documents to read again: those that another parser read, of formats that the parser reads."""
    rows = target.documents() if everywhere else [row]
    return [one for one in rows if one.parser != parser.name and not _reason(one, parser)]


def _incoming(target: Workspace, row: DocumentRow, parser: str) -> Incoming:
    stored = StoredFile(target.uri, row.doc_id, row.hash, partial(reparsed, target, row, parser))
    return Incoming(row.source, b"", parser=parser, stored=stored)


def reparsed(target: Workspace, row: DocumentRow, parser: str, stop: Callable[[], bool]) -> ParsedAgain:
    """Read a document's kept file with a parser, and find out what the new text lacks.

    Raises:
        ParseError: see `indexing.read_again`.
        Cancelled: `stop` returned True.
    """
    data, documents = read_again(target, row, parser, stop)
    family = Intake(target.documents()).add(documents, None, row.doc_id)
    losses = tuple(map(str, parse_losses(target, family)))
    return ParsedAgain(documents, data if target.file(row.hash) is None else b"", losses)
