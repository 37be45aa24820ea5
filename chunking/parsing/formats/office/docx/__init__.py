"""Word documents."""

from __future__ import annotations

from chunking.parsing.formats.office.docx.reader import read_docx

__all__ = ["read_docx"]
