"""Documents in RTF: striprtf decodes their characters, and the rest is what their control words make of paragraphs."""

from __future__ import annotations

from chunking.parsing.rtf.reader import read_rtf

__all__ = ["read_rtf"]
