"""Documents page: upload, check how each document was parsed, delete."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from chunking.model import BUILT_IN, Document
from chunking.store import DocumentRow, Workspace, document_labels, documents_by_id
from components.documents.document_details import draw_facts, draw_left_out, draw_views, look_at, related
from components.documents.document_edits import edit_list, edited_spans
from components.documents.document_pages import rows_of_page, show_in_table
from components.documents.page_view import deliver_pages, has_places
from components.documents.parser_dialog import choose_parser_dialog, draw_workspace_parser
from components.documents.second_parser import second_parser
from components.documents.table_samples import draw_samples, sample_entry
from components.documents.uploads import ADDED, articles_entry, uploads
from components.guide import guide_entry
from components.kit.button import button
from components.kit.clock import local
from components.kit.notes import notes_box
from components.kit.pick_table import pick_row
from components.kit.viewer import deliver_text
from components.kit.wording import LANGUAGES, format_word, parser_word, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.page.page_entry import show
from components.session.page.page_frame import dialog, sentences
from components.session.workspace import document, empty, reset_to_samples, workspace, writing

# Comments, not strings: Streamlit would print a page's strings.
ROWS, TABLE_HEIGHT = 10, 373  # rows of a table before it scrolls, and its pixels then: the fewest that Streamlit draws
ROW_HEIGHT = 33  # pixels, also of the heading
REST = 557  # pixels above the table, and below it for the document's title, buttons and the beginning of its text


_WENT = "documents.went"


def document_table(rows: Sequence[DocumentRow]) -> DocumentRow:
    """Draw the table of documents and return the picked row, at first the linked or first one."""
    table = pd.DataFrame(
        {
            "Document": [row.title for row in rows],
            "File": [row.source for row in rows],
            "Format": [format_word(row.format) for row in rows],
            "Parser": [parser_word(row.parser) if row.parser != BUILT_IN else "" for row in rows],
            "Language": [LANGUAGES.get(row.language, row.language) for row in rows],
            "Pages": pd.Series([row.pages or None for row in rows], dtype="Int64"),
            "Sections": [row.sections for row in rows],
            "Characters": [row.characters for row in rows],
            "Category": [row.category for row in rows],
            "Changed": pd.Series([local(row.updated_at) for row in rows], dtype="object"),
            "Notes": ["; ".join(row.warnings) for row in rows],
        }
    )
    for name in ("Pages", "Notes", "Parser"):
        if not table[name].any():
            del table[name]
    columns = {
        "Document": st.column_config.TextColumn(
            help="Its first heading of level 1, else the title in its metadata, else its name.", width=290
        ),
        "File": st.column_config.TextColumn(
            help="Its path; a file with the same path becomes its new version.", width=230
        ),
        "Format": st.column_config.TextColumn(help="Detected from its content.", width=120),
        "Parser": st.column_config.TextColumn(help="Empty for the built-in parser.", width=110),
        "Pages": st.column_config.NumberColumn(
            format="localized", help="Pages, slides or sheets, if the format has them.", width=70
        ),
        "Sections": st.column_config.NumberColumn(
            format="localized", help="Headings found, plus the text before the first heading.", width=90
        ),
        "Characters": st.column_config.NumberColumn(
            format="localized", help="Characters (code points) of the text.", width=100
        ),
        "Language": st.column_config.TextColumn(help="Detected from the text.", width=95),
        "Category": st.column_config.TextColumn(
            help="Category: api, doc, demo or faq, from the words in its path.", width=65
        ),
        "Changed": st.column_config.DatetimeColumn(
            format="D MMM YYYY, HH:mm",
            help="When it was uploaded; for a file read from a folder, when the file was last changed.",
            width=150,
        ),
        "Notes": st.column_config.TextColumn(help="Notes on how it was read; shown in full below.", width=260),
    }
    ids = [row.doc_id for row in rows]
    default = ids.index(share.view("doc") or "") if share.view("doc") in ids else 0
    scrolls = len(rows) > ROWS
    if scrolls:  # as many rows as the window has room for
        most = ROW_HEIGHT * (len(rows) + 1) + 2
        height = f"clamp({TABLE_HEIGHT}px, 100vh - {REST}px, {most}px)"
        st.html(f"<style>.st-key-documents-table {{flex: none; height: {height}}}</style>")
    with st.container(key="documents-table"):
        picked = pick_row(
            table,
            key=_table_key(ids),
            default=default,
            columns=columns,
            height="stretch" if scrolls else "auto",
            alt="Documents of the workspace; pick a row to read it below",
        )
    return rows[picked]


def _table_key(ids: Sequence[str]) -> str:
    """Return a widget key that changes with the rows, after uploads, and after going to a document.

    A selection is stored as a row number, which would otherwise pick a wrong document.
    """
    turns = f"{st.session_state.get(ADDED, 0)}.{st.session_state.get(_WENT, 0)}"
    return f"documents.table.{turns}.{zlib.crc32('/'.join(ids).encode()):08x}"


@dialog("Delete this document?")
def confirm_delete(target: Workspace, row: DocumentRow) -> None:
    """Ask for confirmation, then delete the document, those inside it, and their chunks."""
    with sentences():
        inner = sum(one.parent_id == row.doc_id for one in target.documents())
        those = f", {quantity(inner, 'document')} in it and their chunks" if inner else " and its chunks"
        st.write(f"**{plain(row.title)}** ({plain(row.source)}){those} leave the workspace and every index.")
    with st.container(horizontal=True):
        if button("Delete it", type="primary", key="documents.delete.sure", about=row.doc_id, **editing()):
            change_workspace(lambda: target.delete_documents([row.doc_id]), target)
        if button("Cancel", key="documents.delete.cancel"):
            st.rerun()


@dialog("Delete everything in this workspace?")
def confirm_empty(target: Workspace) -> None:
    """Ask for confirmation, then delete documents and indexes."""
    _confirm_reset(target, to_samples=False)


@dialog("Replace everything in this workspace with the samples?")
def confirm_samples(target: Workspace) -> None:
    """Ask for confirmation, then delete documents and indexes, and load the samples."""
    _confirm_reset(target, to_samples=True)


def _confirm_reset(target: Workspace, *, to_samples: bool) -> None:
    with sentences():
        documents = quantity(len(target.derived(documents_by_id)), "document")
        consequence = f"All {documents}, with their edits and pins, and all indexes are deleted"
        st.write(consequence + (", then the samples are loaded." if to_samples else "."))
    with st.container(horizontal=True):
        if button(
            "Delete all and load samples" if to_samples else "Delete all",
            type="primary",
            key="documents.reset.sure",
            about=to_samples,
            **editing(),
        ):
            change_workspace(lambda: reset_to_samples(target) if to_samples else empty(target), target)
        if button("Cancel", key="documents.reset.cancel"):
            st.rerun()


def change_workspace(action: Callable[[], object], target: Workspace) -> None:
    """Run an action under the workspace lock, drop the link's document, and rerun the page."""
    with sentences():
        with writing(target):
            action()
        share.keep_view(doc=None, chunk=None)
        st.rerun()


def draw_document(target: Workspace, of: Document, row: DocumentRow) -> None:
    """Draw a document: notes, views, facts, edits, left-out text, second parse, related ones."""
    notes_box(of.warnings, key="documents.notes", title="How this file was read")
    deliver_text(of)
    if has_places(of):
        deliver_pages(of)
    with st.container(key="documents-preview"):
        draw_views(target, of, edited_spans(target, of.doc_id))
        with st.container(key="documents-more"):
            st.caption(":material/arrow_downward: More below: how it was read, edits, related documents")
    draw_facts(of, row)
    edit_list(target, of, partial(look_at, of))
    draw_left_out(of)
    second_parser(target, of)
    related(target, of.doc_id, go_to)


def go_to(doc_id: str) -> None:
    """Show another document in the next run, as if its row had been picked."""
    show_in_table(workspace(), doc_id)
    st.session_state[_WENT] = st.session_state.get(_WENT, 0) + 1


def reset_entry(target: Workspace, rows: Collection[str]) -> None:
    """Draw the buttons that empty the workspace or load the samples, after asking if it has content."""
    holds = bool(rows or target.indexes())
    if holds and button("Start empty", key="documents.empty", **editing(help="Delete everything in this workspace.")):
        confirm_empty(target)
    about = "Replace everything in this workspace with" if holds else "Load"
    looks = editing(help=f"{about} a handbook, an API reference, a FAQ, a Chinese manual and more, with questions.")
    if button("Reset to samples" if holds else "Load the samples", key="documents.reset", **looks):
        if holds:
            confirm_samples(target)
        else:
            change_workspace(lambda: reset_to_samples(target), target)


def page() -> None:
    """Draw the Documents page: uploads, the table of documents, and the parse of the picked one."""
    target = workspace()
    rows = target.derived(documents_by_id)
    title, actions = st.columns([2, 3], vertical_alignment="bottom")
    title.title("Documents", anchor=False)
    with actions.container(horizontal=True, horizontal_alignment="right"):
        guide_entry()
        with sentences():
            articles_entry(target)
        sample_entry(target)
        reset_entry(target, rows)
    uploads(target, first=not rows)
    draw_workspace_parser(target)
    draw_samples(target)
    if not rows:
        return
    doc_id = share.view("doc")
    if doc_id is not None and doc_id not in rows:
        st.info(f"The document “{plain(doc_id[:100])}” is not in this workspace.")
    listed = rows_of_page(target)
    if not listed:
        return
    chosen = document_table(listed)
    share.look_at(chosen.doc_id)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(plain(target.derived(document_labels)[chosen.doc_id]), anchor=False, width="stretch")
        looks = editing(help="Have this file, or all, read by another parser.")
        if button("Parser …", key="documents.parser", **looks):
            choose_parser_dialog(target, chosen)
        if button("Delete …", key="documents.delete", **editing()):
            confirm_delete(target, chosen)
    draw_document(target, document(target, chosen.doc_id), chosen)


show(page)
