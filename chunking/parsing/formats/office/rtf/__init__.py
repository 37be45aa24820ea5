"""Documents in RTF: bytes to decoded text and control words (`source`), those to paragraphs and rows, and these to
blocks.
"""

from __future__ import annotations

from chunking.parsing.formats.office.rtf.reader import read_rtf

__all__ = ["read_rtf"]
