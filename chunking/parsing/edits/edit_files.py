"""Edits of documents as a JSON file."""

from __future__ import annotations

from chunking.parsing.edits.edit_types import Edit, edit_of
from chunking.text.change_files import ChangeFile, DocumentChanges

__all__ = ["EDIT_FILE", "EditedDocument", "read_edits", "write_edits"]

EditedDocument = DocumentChanges[Edit]
"""The edits of one document."""
EDIT_FILE: ChangeFile[Edit] = ChangeFile("edits", edit_of, to_add=lambda edit: edit)
"""Equal edits have one id: the same one twice, as two blocks that change places and back, is two."""
read_edits, write_edits = EDIT_FILE.read, EDIT_FILE.write
