"""All edits of a document with what became of each: gone to, removed, exported and imported."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from chunking.model import Document
from chunking.parsing.edits import (
    EDIT_FILE,
    Edit,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
    read_edits,
)
from chunking.store import Workspace
from chunking.store.documents.listed_changes import changes_of
from components.documents.mending.chosen_place import type_name
from components.documents.mending.edit_state import applied, exported, log_of, make
from components.kit.button import button
from components.kit.wording import quantity, shortened
from components.session.editing import editing
from components.session.page.page_frame import sentences

__all__ = ["edit_list"]

_KEY = "documents.edits"
_SAYS: dict[type[Edit], Callable[..., str]] = {
    SetType: lambda edit: type_name(edit.type, edit.level) + (" with those under it" if edit.below else ""),
    LeaveOut: lambda edit: "Leave out",
    LeaveOutBox: lambda edit: f"Leave out a region of page {edit.page}",
    TakeBack: lambda edit: "Take back",
    JoinBlocks: lambda edit: "Join blocks",
    PartBlock: lambda edit: "Start a block",
    HeaderRows: lambda edit: f"Header rows: {edit.rows}",
    SwapBlocks: lambda edit: "Change places",
}


def edit_list(target: Workspace, of: Document, go: Callable[[int], None]) -> None:
    """The list, closed as long as nobody asks; a document without edits has only the way to import some.

    Args:
        go: shows a character of the text.
    """
    log = log_of(target, of.doc_id)
    edits = changes_of(target, of.doc_id, EDIT_FILE) if log.changes else ()
    made = applied(target, of.doc_id)
    lost = len(made.misfits) if made else 0
    name = f"Edits: {len(log.changes):,}" + (
        f", {lost:,} of them do not fit" if lost > 1 else ", 1 of them does not fit" if lost else ""
    )
    box = st.expander(name if log.changes else "Edits: none", key=_KEY, on_change="rerun")
    if not box.open:
        return
    with box, sentences():
        picked = _table(of, edits, target) if edits else []
        with st.container(horizontal=True):
            if edits:
                _buttons(target, of, edits, picked, go)
            _import(target, of)


def _table(of: Document, edits: tuple[Edit, ...], target: Workspace) -> list[int]:
    """A row an edit; gives the numbers of those that are ticked."""
    made = applied(target, of.doc_id)
    assert made is not None
    why = {misfit.id: misfit.sentence for misfit in made.misfits}

    def state(edit: Edit) -> str:
        if edit.id in why:
            return f"Does not fit: {why[edit.id]}"
        return "Fits; its words have changed a little" if made.places[edit.id].nearly else "Fits"

    table = pd.DataFrame(
        {
            "Edit": [_SAYS[type(edit)](edit) for edit in edits],
            "Text": [shortened(" ".join((edit.anchor.quote or edit.anchor.after).split()), 120) for edit in edits],
            "State": [state(edit) for edit in edits],
        }
    )
    event = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        key=f"{_KEY}.table.{log_of(target, of.doc_id).revision}",
        column_config={
            "Edit": st.column_config.TextColumn(width=200, help="In order; later edits override earlier ones."),
            "Text": st.column_config.TextColumn(
                width=360, help="The text at its place; the edit is located by these words."
            ),
            "State": st.column_config.TextColumn(width=360, help="Whether the edit still fits the document."),
        },
        alt="Edits of this document, with the state of each",
    )
    return [int(row) for row in event["selection"]["rows"]]


def _buttons(
    target: Workspace, of: Document, edits: tuple[Edit, ...], picked: list[int], go: Callable[[int], None]
) -> None:
    about = (of.doc_id, tuple(picked))
    if button(
        "Show",
        key=f"{_KEY}.show",
        about=about,
        disabled=len(picked) != 1,
        help="Tick one edit to see its place in the text.",
    ):
        made = applied(target, of.doc_id)
        place = made.places.get(edits[picked[0]].id) if made else None
        if place is not None:
            go(place.start)
    label = f"Remove {quantity(len(picked), 'edit')}" if picked else "Remove all"
    if button(label, key=f"{_KEY}.remove", about=about, **editing(help="Undo brings them back.")):
        gone = [edits[row].id for row in picked] or [edit.id for edit in edits]
        make(target, of.doc_id, [], f"Remove {quantity(len(gone), 'edit')}", removed=gone)
        st.rerun()
    st.download_button(
        "Export",
        partial(exported, of, edits),
        f"{of.doc_id}.edits.json",
        "application/json",
        key=f"{_KEY}.export",
        on_click="ignore",
        help="As JSON, for another workspace or for --edits on the command line.",
    )


def _import(target: Workspace, of: Document) -> None:
    with st.popover("Import …", key=f"{_KEY}.import"):
        key = f"{_KEY}.file.{log_of(target, of.doc_id).revision}"
        file = st.file_uploader("Edits of this document, as exported", type="json", key=key, **editing())
        if file is None:
            return
        listed = read_edits(file.getvalue(), file.name)
        mine = [edit for one in listed if one.is_about(of) or len(listed) == 1 for edit in one.changes]
        if not mine:
            st.caption("This file has edits of other documents only.")
        elif button(
            f"Add {quantity(len(mine), 'edit')}", key=f"{_KEY}.add", about=of.doc_id, type="primary", **editing()
        ):
            make(target, of.doc_id, mine, f"Import {quantity(len(mine), 'edit')}")
            st.rerun()
