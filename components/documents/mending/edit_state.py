"""The edits of the document that is looked at: read, made, and told where another tab made some, too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import streamlit as st

from chunking.model import Box, Document, Span
from chunking.parsing.edits import (
    EDIT_FILE,
    AppliedEdits,
    Edit,
    EditedDocument,
    LeaveOutBox,
    Misfit,
    apply,
    write_edits,
)
from chunking.parsing.edits.region_edits import spans_in_box
from chunking.store import Workspace
from chunking.store.documents import changed_documents
from chunking.store.documents.change_log import ChangeLog, WriteResult
from chunking.store.documents.listed_changes import changes_of
from chunking.text.anchors import Anchor
from components.kit.wording import plain
from components.session.page.page_frame import sentences

__all__ = [
    "EDITS",
    "applied",
    "edited_spans",
    "exported",
    "leave_out_region",
    "log_of",
    "make",
    "misfits_of",
    "tell",
    "undo",
]

EDITS = changed_documents.EDITS.name
_TELL = "mending.tell"


def log_of(target: Workspace, doc_id: str) -> ChangeLog:
    """The list of a document's edits, with what can be undone."""
    return target.changes.log(doc_id, EDITS)


def applied(target: Workspace, doc_id: str) -> AppliedEdits | None:
    """What became of each edit; None where there is none."""
    log = log_of(target, doc_id)
    return apply(target.parsed(doc_id), changes_of(target, doc_id, EDIT_FILE)) if log.changes else None


def edited_spans(target: Workspace, doc_id: str) -> Sequence[Span]:
    """Where edits stand in the document as it is."""
    made = applied(target, doc_id)
    return [place.span for place in made.places.values()] if made else []


def misfits_of(target: Workspace, doc_id: str) -> tuple[Misfit, ...]:
    """Edits that the document has no place for."""
    made = applied(target, doc_id)
    return made.misfits if made else ()


def exported(of: Document, edits: tuple[Edit, ...]) -> str:
    """A document's edits as a file."""
    return write_edits([EditedDocument(of.doc_id, of.source, edits)])


def make(target: Workspace, doc_id: str, edits: Iterable[Edit], label: str, *, removed: Collection[str] = ()) -> None:
    """Make edits as one step, and say where that could not be."""
    seen = log_of(target, doc_id).revision
    records = [edit.as_record() for edit in edits]
    written = target.changes.append(doc_id, EDITS, records, removed=removed, label=label, seen=seen)
    _note(target, written)
    new = {record["id"] for record in records}
    lost = [misfit for misfit in misfits_of(target, doc_id) if misfit.id in new]
    if lost and len(lost) == len(records):  # nothing came of it: the list stays as it was
        target.changes.undo(doc_id, EDITS)
    if lost:
        st.session_state[_TELL] = " ".join(misfit.sentence for misfit in lost[:3])


def undo(target: Workspace, doc_id: str, *, again: bool = False) -> None:
    """Take the last step back, or do it again."""
    seen = log_of(target, doc_id).revision
    write = target.changes.redo if again else target.changes.undo
    _note(target, write(doc_id, EDITS, seen=seen))


def _note(target: Workspace, written: WriteResult) -> None:
    if written.elsewhere:
        st.session_state[_TELL] = "This document was also edited in another tab; the list below includes those edits."


def tell() -> None:
    """Say, in the run after it, what an edit came to."""
    said = st.session_state.pop(_TELL, "")
    if said:
        st.toast(plain(said), icon=":material/info:")


def leave_out_region(target: Workspace, of: Document, page: int, box: Box) -> None:
    """Leave out what stands in a rectangle that was drawn on a page."""
    with sentences():
        spans = [one for one in spans_in_box(of.locations, page, box) if of.text[one.start : one.end].strip()]
        if not spans:
            st.session_state[_TELL] = (
                f"No line of page {page} has its middle in this rectangle; draw it around whole lines."
            )
            return
        edit = LeaveOutBox(anchor=Anchor.of(of.text, *spans[0]), page=page, box=box)
        make(target, of.doc_id, [edit], f"Leave out a region of page {page}")
