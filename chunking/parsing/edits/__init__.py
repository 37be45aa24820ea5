"""Mending what a parser made of a file: a list of edits over a document's parse, applied wherever the document is read."""

from __future__ import annotations

from chunking.parsing.edits.applying import AppliedEdits, Misfit, apply, apply_changes
from chunking.parsing.edits.edit_files import EDIT_FILE, EditedDocument, read_edits, write_edits
from chunking.parsing.edits.edit_types import (
    EDIT_TYPES,
    Edit,
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
