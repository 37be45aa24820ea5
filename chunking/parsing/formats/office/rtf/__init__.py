"""RTF documents: bytes to text and control words (`source`), to paragraphs and rows, to blocks."""

from __future__ import annotations

from chunking.parsing.formats.office.rtf.reader import read_rtf

__all__ = ["read_rtf"]
