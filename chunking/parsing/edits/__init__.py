"""Fix a parse: a list of edits over a document, applied wherever the document is read."""

from __future__ import annotations

from chunking.parsing.edits.applying import AppliedEdits, Misfit, apply, apply_changes
from chunking.parsing.edits.edit_types import (
    EDIT_FILE,
    EDIT_TYPES,
    Edit,
    EditedDocument,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
    edit_of,
    edits_of,
    read_edits,
    write_edits,
)

__all__ = [
    "EDIT_FILE",
    "EDIT_TYPES",
    "AppliedEdits",
    "Edit",
    "EditedDocument",
    "HeaderRows",
    "JoinBlocks",
    "LeaveOut",
    "LeaveOutBox",
    "Misfit",
    "PartBlock",
    "SetType",
    "SwapBlocks",
    "TakeBack",
    "apply",
    "apply_changes",
    "edit_of",
    "edits_of",
    "read_edits",
    "write_edits",
]
