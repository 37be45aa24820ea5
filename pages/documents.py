"""Documents: upload, look at how each was read, delete."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from chunking.errors import LockedError
from chunking.model import Document
from chunking.parsing import FORMATS, MAX_BYTES
from chunking.store import DocumentRow, Workspace
from components import share, uploads
from components.frame import show
from components.outline import outline
from components.viewer import block_bands, deliver_text, viewer
from components.words import LANGUAGES, count, plain
from components.workspace import document, empty, reset_to_samples, workspace


def upload(target: Workspace) -> None:
    """The drop zone, and one line a file of what became of it."""
    endings = sorted(ending.lstrip(".") for row in FORMATS for ending in row.extensions)
    turn = st.session_state.setdefault("uploads.turn", 0)
    files = st.file_uploader(
        f"Add Markdown or text files (up to {MAX_BYTES >> 20} MB each)",
        type=endings,
        accept_multiple_files=True,
        key=f"uploads.{turn}",
        help="A file of the same name becomes the new version of that document. Nothing leaves this machine.",
    )
    if files:
        st.session_state["uploads.results"] = uploads.add(target, files)
        st.session_state["uploads.turn"] = turn + 1
        st.rerun()
    uploads.show(st.session_state.get("uploads.results", ()))


def listing(rows: list[DocumentRow]) -> DocumentRow:
    """The table of documents; returns the one picked (the first where none is)."""
    table = pd.DataFrame(
        {
            "Document": [row.title for row in rows],
            "File": [row.source for row in rows],
            "Language": [LANGUAGES.get(row.language, row.language) for row in rows],
            "Sections": [row.sections for row in rows],
            "Characters": [row.characters for row in rows],
            "Kind": [row.category for row in rows],
            "Added": pd.to_datetime([row.updated_at for row in rows], utc=True),
            "Notes": ["; ".join(row.warnings) for row in rows],
        }
    )
    if not table["Notes"].any():
        del table["Notes"]
    columns = {
        "Sections": st.column_config.NumberColumn(help="Headings found, and the text before the first of them.", width="small"),
        "Characters": st.column_config.NumberColumn(format="localized", help="Characters (code points) of the text.", width="small"),
        "Language": st.column_config.TextColumn(help="Told from the scripts in the text.", width="small"),
        "Kind": st.column_config.TextColumn(help="api, doc, demo or faq: from the folders in the file's path.", width="small"),
        "Added": st.column_config.DatetimeColumn(format="D MMM YYYY, HH:mm", help="When this version of the file was added."),
    }
    wanted = next((number for number, row in enumerate(rows) if row.doc_id == share.view("doc")), 0)
    event = st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [wanted]}},
        key="documents.table",
        alt="Documents of the workspace; pick a row to read it below",
    )
    picked = event.selection.rows[0] if event.selection.rows else wanted
    chosen = rows[min(picked, len(rows) - 1)]
    share.keep_view(doc=chosen.doc_id)
    return chosen


@st.dialog("Delete this document?")
def confirm_delete(target: Workspace, row: DocumentRow) -> None:
    """Asks once, since it cannot be undone."""
    st.write(f"**{plain(row.title)}** ({plain(row.source)}) and its chunks leave the workspace and every index.")
    if st.button("Delete it", type="primary"):
        change(lambda: target.delete_documents([row.doc_id]), target)


@st.dialog("Change the whole workspace?")
def confirm_reset(target: Workspace, to_samples: bool) -> None:
    """Asks once, since documents of the user's own may be in it."""
    st.write(
        f"All {count(len(target.documents()), 'document')} and all indexes are deleted"
        + (", then the samples are loaded." if to_samples else ".")
    )
    if st.button("Reset to samples" if to_samples else "Start empty", type="primary"):
        change(lambda: reset_to_samples(target) if to_samples else empty(target), target)


def change(action, target: Workspace) -> None:
    """Run one change under the workspace's lock and show the page anew."""
    try:
        with target.writer():
            action()
    except LockedError as error:
        st.error(plain(str(error)))
        return
    share.keep_view(doc=None, chunk=None)
    st.session_state.pop("uploads.results", None)
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
    st.caption(
        " · ".join([f"id `{of.doc_id}`", f"read as {of.format}, {of.encoding}", *facts]),
        help="How the file was read: every block has an exact place in the text.",
    )
    if len(row.versions) > 1:
        st.caption(f"{len(row.versions)} versions known; the newest is the one searched.")


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
        if st.button("Start empty", help="Delete everything in this workspace."):
            confirm_reset(target, to_samples=False)
        if st.button("Reset to samples", help="Replace everything in this workspace by the sample documents."):
            confirm_reset(target, to_samples=True)
    upload(target)
    rows = target.documents()
    if not rows:
        st.info(
            "There are no documents yet. Drop files above, or press **Reset to samples** for a handbook, an API reference, a FAQ and "
            "a Chinese manual."
        )
        return
    chosen = listing(rows)
    name, delete = st.columns([4, 1], vertical_alignment="bottom")
    name.subheader(plain(chosen.title), anchor=False)
    if delete.button("Delete …", key="documents.delete", width="stretch"):
        confirm_delete(target, chosen)
    reading(document(target, chosen.doc_id), chosen)


show(page)
