"""A block under construction: its lines and their separators."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chunking.model import BlockType
from chunking.parsing.formats.pdf.layout.line_measures import Placed
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.tables.ruled_tables import Table
from chunking.parsing.headings.evidence import Evidence

__all__ = ["BULLET", "CAPTION", "INDENT", "SPACE", "TABLE_CAPTION", "BlockPart", "same_size"]

SPACE = " "
"""Separator between lines of one paragraph, resolved by `line_joining.joint`."""
INDENT = 0.6
"""Minimum indentation relative to the previous line, in font sizes."""
CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|algorithm|exhibit|chart)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)[\w.]*\s*[:.|–—-]|[图表圖]\s?\d[\d.-]*[\s:：])",
    re.IGNORECASE,
)
TABLE_CAPTION = re.compile(
    r"(?:table|tab\.|exhibit|schedule|tableau|tabelle|tabla)\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[\[【]?\s?(?:表|표)\s?\d",
    re.IGNORECASE,
)
"""Start of a table caption next to a table."""
BULLET = re.compile(r"[-*•·●○▪■□◦‣–➢✓◆◇❖]\s*\S")
_OTHER_SIZE = 0.08


@dataclass(slots=True)
class BlockPart:
    """A block under construction."""

    kind: BlockType
    lines: list[Placed]
    joints: list[str] = field(default_factory=list)
    """Separator before each line but the first: a line end, or `SPACE`."""
    level: int | None = None
    items: int = 0
    item_start: int = 0
    """Index of the last item's first line."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence for a heading."""
    tables: list[Table] = field(default_factory=list)
    """Parts of a table, which has no lines."""

    @property
    def first(self) -> PdfLine:
        return self.lines[0].line

    @property
    def last(self) -> PdfLine:
        return self.lines[-1].line


def same_size(one: PdfLine, two: PdfLine) -> bool:
    """True if two lines are meant to have one size."""
    return abs(one.size - two.size) <= _OTHER_SIZE * max(one.size, two.size)
