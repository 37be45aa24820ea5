"""Documents: upload, look at how each was read, delete."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from chunking.model import Document
from chunking.parsing import FORMATS, MAX_BYTES
from chunking.store import DocumentRow, Workspace
from components import share, uploads
from components.clock import local
from components.frame import arrival, sentences, show
from components.outline import outline
from components.viewer import block_bands, deliver_text, viewer
from components.words import LANGUAGES, count, plain
from components.workspace import document, empty, reset_to_samples, workspace, writing

_RESULTS, _TURN = "uploads.results", "uploads.turn"


def upload(target: Workspace) -> None:
    """The drop zone, and one line a file of what became of it, until the page is left."""
    endings = sorted(ending for row in FORMATS for ending in row.extensions)
    turn = st.session_state.setdefault(_TURN, 0)
    drop, how = st.columns([4, 1])
    files = drop.file_uploader(
        f"Add Markdown or text files (up to {MAX_BYTES >> 20} MB each)",
        type=endings,
        accept_multiple_files=True,
        key=f"uploads.{turn}",
        help="A file of the same name becomes the new version of that document. Nothing leaves this machine.",
    )
    encoding = how.selectbox(
        "Encoding",
        list(uploads.ENCODINGS),
        index=None,
        format_func=lambda name: uploads.ENCODINGS[name],
        placeholder="Found by itself",
        key="uploads.encoding",
        help="How the letters of a file are written as bytes. Where a file reads wrong, choose here and add it again.",
    )
    if files:
        outcomes = uploads.add(target, files, encoding)
        st.session_state[_RESULTS] = (arrival(), outcomes)
        st.session_state[_TURN] = turn + 1
        added = next((outcome.doc_id for outcome in outcomes if outcome.doc_id), None)
        if added:
            share.look_at(added)
        st.rerun()
    arrived, told = st.session_state.get(_RESULTS, (0, ()))
    if arrived == arrival():
        uploads.show(told)


def listing(rows: Sequence[DocumentRow]) -> DocumentRow:
    """The table of documents; returns the one picked (the first where none is)."""
    table = pd.DataFrame(
        {
            "Document": [row.title for row in rows],
            "File": [row.source for row in rows],
            "Language": [LANGUAGES.get(row.language, row.language) for row in rows],
            "Sections": [row.sections for row in rows],
            "Characters": [row.characters for row in rows],
            "Kind": [row.category for row in rows],
            "Changed": pd.Series([local(row.updated_at) for row in rows], dtype="object"),
            "Notes": ["; ".join(row.warnings) for row in rows],
        }
    )
    if not table["Notes"].any():
        del table["Notes"]
    columns = {
        "Document": st.column_config.TextColumn(help="Its first heading of level 1, else the title in it, else its name."),
        "File": st.column_config.TextColumn(help="Its path; a file of the same path is its new version."),
        "Sections": st.column_config.NumberColumn(
            format="localized", help="Headings found, and the text before the first of them.", width="small"
        ),
        "Characters": st.column_config.NumberColumn(format="localized", help="Characters (code points) of the text.", width="small"),
        "Language": st.column_config.TextColumn(help="Told from the scripts in the text.", width="small"),
        "Kind": st.column_config.TextColumn(help="api, doc, demo or faq: from the words of the file's name and folders.", width="small"),
        "Changed": st.column_config.DatetimeColumn(
            format="D MMM YYYY, HH:mm", help="When it was uploaded; for a file read from a folder, when the file was last changed."
        ),
    }
    ids = [row.doc_id for row in rows]
    wanted = ids.index(share.view("doc") or "") if share.view("doc") in ids else 0
    event = st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [wanted]}},
        key=_table_key(ids),
        alt="Documents of the workspace; pick a row to read it below",
    )
    picked = event.selection.rows[0] if event.selection.rows else wanted
    return rows[min(picked, len(rows) - 1)]


def _table_key(ids: Sequence[str]) -> str:
    """Another one when other rows stand in the table: a selection is kept as a row's number, which would mean another document."""
    return f"documents.table.{st.session_state[_TURN]}.{zlib.crc32('/'.join(ids).encode()):08x}"


@st.dialog("Delete this document?")
def confirm_delete(target: Workspace, row: DocumentRow) -> None:
    """Asks once, since it cannot be undone."""
    st.write(f"**{plain(row.title)}** ({plain(row.source)}) and its chunks leave the workspace and every index.")
    if st.button("Delete it", type="primary", key="documents.delete.sure"):
        change(lambda: target.delete_documents([row.doc_id]), target)


@st.dialog("Change the whole workspace?")
def confirm_reset(target: Workspace, to_samples: bool) -> None:
    """Asks once, since documents of the user's own may be in it."""
    with sentences():
        held = f"All {count(len(target.documents()), 'document')} and all indexes are deleted"
        st.write(held + (", then the samples are loaded." if to_samples else "."))
    if st.button("Reset to samples" if to_samples else "Start empty", type="primary", key="documents.reset.sure"):
        change(lambda: reset_to_samples(target) if to_samples else empty(target), target)


def change(action: Callable[[], object], target: Workspace) -> None:
    """Run one change under the workspace's lock and show the page anew."""
    with sentences():
        with writing(target):
            action()
        share.keep_view(doc=None, chunk=None)
        st.session_state.pop(_RESULTS, None)
        st.rerun()


def reading(of: Document, row: DocumentRow) -> None:
    """How the document was read: outline, blocks over the text, and what to know about it."""
    for warning in of.warnings:
        st.warning(plain(warning), icon=":material/warning:")
    deliver_text(of)
    left, right = st.columns([1, 2.6])
    with left:
        outline(of, height=560, counts=False)
    with right:
        blocks(of)
    kinds = pd.Series([block.type.value for block in of.blocks]).value_counts()
    facts = [f"{number:,} × {kind}" for kind, number in kinds.items()]
    versions = [f"{count(len(row.versions) + 1, 'version')}, the newest is the one searched"] if row.versions else []
    st.caption(
        " · ".join([f"id `{of.doc_id}`", f"read as {of.format}, {plain(of.encoding)}", *facts, *versions]),
        help="How the file was read: every block has an exact place in the text. An earlier version is known by its hash and date.",
    )


@st.fragment
def blocks(of: Document) -> None:
    """The text with its blocks."""
    viewer(of, block_bands(of), key="documents.viewer", height=560)


def page() -> None:
    """The page from top to bottom."""
    target = workspace()
    title, actions = st.columns([3, 2], vertical_alignment="bottom")
    title.header("Documents", anchor=False)
    with actions.container(horizontal=True, horizontal_alignment="right"):
        if st.button("Start empty", help="Delete everything in this workspace.", key="documents.empty"):
            confirm_reset(target, to_samples=False)
        if st.button("Reset to samples", help="Replace everything in this workspace by the sample documents.", key="documents.reset"):
            confirm_reset(target, to_samples=True)
    upload(target)
    rows = target.documents()
    if not rows:
        st.info(
            "There are no documents yet. Drop files above, or press **Reset to samples** for a handbook, an API reference, a FAQ and "
            "a Chinese manual."
        )
        return
    wanted = share.view("doc")
    if wanted is not None and all(row.doc_id != wanted for row in rows):
        st.info(f"The document “{plain(wanted[:100])}” is not in this workspace (any more).")
    chosen = listing(rows)
    share.look_at(chosen.doc_id)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(chosen.title), anchor=False, width="stretch")
        if st.button("Delete …", key="documents.delete"):
            confirm_delete(target, chosen)
    reading(document(target, chosen.doc_id), chosen)


show(page)
