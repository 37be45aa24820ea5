"""Edits of a document's parse: applied as undoable steps, listed, exported and imported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from chunking.model import BlockType, Box, Document, Span
from chunking.parsing.edits import (
    EDIT_FILE,
    AppliedEdits,
    Edit,
    EditedDocument,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    Misfit,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
    apply,
    read_edits,
    write_edits,
)
from chunking.parsing.edits.draft_edits import spans_in_box
from chunking.store import Workspace
from chunking.store.documents import changed_documents
from chunking.store.documents.change_log import ChangeLog, WriteResult
from chunking.store.documents.listed_changes import changes_of
from chunking.text.anchors import Anchor
from components.kit.button import button
from components.kit.wording import plain, quantity, shortened
from components.session.current_workspace import editing
from components.session.page.page_frame import sentences

__all__ = [
    "EDITS",
    "apply_edits",
    "edit_list",
    "edit_results",
    "edited_spans",
    "exported",
    "leave_out_region",
    "log_of",
    "misfits_of",
    "tell_edit",
    "undo_edit",
]

EDITS = changed_documents.EDITS.name
_MESSAGE = "mending.tell"

_KEY = "documents.edits"
_SAYS: dict[type[Edit], Callable[..., str]] = {
    SetType: lambda edit: type_name(edit.type, edit.level) + (" with those under it" if edit.below else ""),
    LeaveOut: lambda edit: "Leave out",
    LeaveOutBox: lambda edit: f"Leave out a region of page {edit.page}",
    TakeBack: lambda edit: "Restore",
    JoinBlocks: lambda edit: "Join blocks",
    PartBlock: lambda edit: "Start a block",
    HeaderRows: lambda edit: f"Header rows: {edit.rows}",
    SwapBlocks: lambda edit: "Change places",
}


_NAMES = {BlockType.QA: "Question and answer", BlockType.HTML: "HTML", BlockType.METADATA: "Front matter"}
TYPES: dict[str, tuple[BlockType, int | None]] = {
    f"Heading {level}": (BlockType.HEADING, level) for level in range(1, 7)
} | {_NAMES.get(kind, kind.value.capitalize()): (kind, None) for kind in BlockType if kind is not BlockType.HEADING}
"""Label of a block type to (type, heading level)."""


def log_of(target: Workspace, doc_id: str) -> ChangeLog:
    """Return the change log of a document's edits."""
    return target.changes.log(doc_id, EDITS)


def edit_results(target: Workspace, doc_id: str) -> AppliedEdits | None:
    """Apply the stored edits to the parsed document in memory, and return results and misfits.

    None without edits.
    """
    log = log_of(target, doc_id)
    return apply(target.parsed(doc_id), changes_of(target, doc_id, EDIT_FILE)) if log.changes else None


def edited_spans(target: Workspace, doc_id: str) -> Sequence[Span]:
    """Return the spans of the edits that fit the current document; empty without edits."""
    results = edit_results(target, doc_id)
    return [place.span for place in results.places.values()] if results else []


def misfits_of(target: Workspace, doc_id: str) -> tuple[Misfit, ...]:
    """Return the edits that no longer fit the document, each with the reason."""
    results = edit_results(target, doc_id)
    return results.misfits if results else ()


def exported(of: Document, edits: tuple[Edit, ...]) -> str:
    """Return a document's edits as the JSON of an edits file."""
    return write_edits([EditedDocument(of.doc_id, of.source, edits)])


def apply_edits(
    target: Workspace, doc_id: str, edits: Iterable[Edit], label: str, *, removed: Collection[str] = ()
) -> None:
    """Save edits as one step that can be undone, and queue a message about those that do not fit.

    If none of them fits, the step is undone at once.

    Args:
        label: name of the step.
        removed: ids of earlier edits to remove in the same step.
    """
    revision = log_of(target, doc_id).revision
    records = [edit.as_record() for edit in edits]
    written = target.changes.append(doc_id, EDITS, records, removed=removed, label=label, seen_revision=revision)
    _note(target, written)
    new = {record["id"] for record in records}
    lost = [misfit for misfit in misfits_of(target, doc_id) if misfit.id in new]
    if lost and len(lost) == len(records):  # nothing came of it: the list stays as it was
        target.changes.undo(doc_id, EDITS)
    if lost:
        st.session_state[_MESSAGE] = " ".join(misfit.sentence for misfit in lost[:3])


def undo_edit(target: Workspace, doc_id: str, *, again: bool = False) -> None:
    """Undo the last step of a document's edits, or with `again` redo the last undone one."""
    revision = log_of(target, doc_id).revision
    write = target.changes.redo if again else target.changes.undo
    _note(target, write(doc_id, EDITS, seen_revision=revision))


def _note(target: Workspace, written: WriteResult) -> None:
    if written.elsewhere:
        st.session_state[_MESSAGE] = (
            "This document was also edited in another tab; the list below includes those edits."
        )


def tell_edit() -> None:
    """Show the queued message about the last edit in a toast, once."""
    said = st.session_state.pop(_MESSAGE, "")
    if said:
        st.toast(plain(said), icon=":material/info:")


def leave_out_region(target: Workspace, of: Document, page: int, box: Box) -> None:
    """Save an edit that leaves out the lines whose middle is in a rectangle of a page.

    If there are none, queue a message instead.
    """
    with sentences():
        spans = [one for one in spans_in_box(of.locations, page, box) if of.text[one.start : one.end].strip()]
        if not spans:
            st.session_state[_MESSAGE] = f"This rectangle contains no line of page {page}; draw it around whole lines."
            return
        edit = LeaveOutBox(anchor=Anchor.of(of.text, *spans[0]), page=page, box=box)
        apply_edits(target, of.doc_id, [edit], f"Leave out a region of page {page}")


def edit_list(target: Workspace, of: Document, go: Callable[[int], None]) -> None:
    """Draw a document's edits in an expander, with buttons to show, remove, export and import.

    Args:
        go: scrolls the text to a character.
    """
    log = log_of(target, of.doc_id)
    edits = changes_of(target, of.doc_id, EDIT_FILE) if log.changes else ()
    results = edit_results(target, of.doc_id)
    lost = len(results.misfits) if results else 0
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
    """Draw a row per edit, and return the ticked row numbers."""
    results = edit_results(target, of.doc_id)
    assert results is not None
    why = {misfit.id: misfit.sentence for misfit in results.misfits}

    def state(edit: Edit) -> str:
        if edit.id in why:
            return f"Does not fit: {why[edit.id]}"
        return "Fits; its words have changed a little" if results.places[edit.id].nearly else "Fits"

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
        results = edit_results(target, of.doc_id)
        place = results.places.get(edits[picked[0]].id) if results else None
        if place is not None:
            go(place.start)
    label = f"Remove {quantity(len(picked), 'edit')}" if picked else "Remove all"
    if button(label, key=f"{_KEY}.remove", about=about, **editing(help="Undo brings them back.")):
        gone = [edits[row].id for row in picked] or [edit.id for edit in edits]
        apply_edits(target, of.doc_id, [], f"Remove {quantity(len(gone), 'edit')}", removed=gone)
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
            apply_edits(target, of.doc_id, mine, f"Import {quantity(len(mine), 'edit')}")
            st.rerun()


def type_name(kind: BlockType, level: int | None) -> str:
    """Return the label of a block type.

    >>> type_name(BlockType.HEADING, 2), type_name(BlockType.QA, None)
    ('Heading 2', 'Question and answer')
    """
    return f"Heading {level or 1}" if kind is BlockType.HEADING else _NAMES.get(kind, kind.value.capitalize())
