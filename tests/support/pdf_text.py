"""Reference text of a PDF from pdfium alone, to measure the parser's losses."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pypdfium2
import pypdfium2.raw as pdfium

from chunking.model import Document

__all__ = ["LOST", "characters", "lost_share"]

LOST = 0.005
"""Share of characters that may be missing."""


def characters(data: bytes) -> Counter[str]:
    """Count a PDF's visible characters as pdfium finds them; hyphens at line ends have another code."""
    pdf = pypdfium2.PdfDocument(data)
    codes: Counter[int] = Counter()
    for number in range(len(pdf)):
        text = pdf[number].get_textpage()
        codes.update(pdfium.FPDFText_GetUnicode(text, index) for index in range(pdfium.FPDFText_CountChars(text)))
    counts: Counter[str] = Counter()
    for code, count in codes.items():
        if code > 32 and code != 0xFFFE:
            for character in unicodedata.normalize("NFKC", chr(code)):
                counts[character] += count * (not character.isspace())
    return counts


def lost_share(data: bytes, document: Document) -> float:
    """Return the share, 0 to 1, of pdfium's characters missing in the document (left-out text included)."""
    expected = characters(data)
    kept = Counter(unicodedata.normalize("NFKC", "".join(document.text.split())))
    return sum((expected - kept).values()) / max(sum(expected.values()), 1)
