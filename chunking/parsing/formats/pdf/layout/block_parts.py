"""A block in the making: lines, and what stands between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chunking.model import BlockType
from chunking.parsing.formats.pdf.layout.line_measures import Placed
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.formats.pdf.tables.ruled_tables import Table
from chunking.parsing.headings.evidence import Evidence

__all__ = ["BULLET", "CAPTION", "INDENT", "SPACE", "TABLE_CAPTION", "BlockPart", "same_size"]

SPACE = " "
"""Stands for what `line_joining.joint` says, between lines of one paragraph."""
INDENT = 0.6
"""In sizes: a line that starts further right or left than the one before is indented."""
CAPTION = re.compile(
    r"(?:(?:figure|fig|table|tab|listing|algorithm|exhibit|chart)\.?\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)[\w.]*\s*[:.|–—-]|[图表圖]\s?\d[\d.-]*[\s:：])",
    re.IGNORECASE,
)
TABLE_CAPTION = re.compile(
    r"(?:table|tab\.|exhibit|schedule|tableau|tabelle|tabla)\s*(?:\d|[A-Z]\.?\d|[IVX]+\b)|[\[【]?\s?(?:表|표)\s?\d",
    re.IGNORECASE,
)
"""How the caption of a table begins, where it stands beside one."""
BULLET = re.compile(r"[-*•·●○▪■□◦‣–➢✓◆◇❖]\s*\S")
_OTHER_SIZE = 0.08


@dataclass(slots=True)
class BlockPart:
    """A block in the making."""

    kind: BlockType
    lines: list[Placed]
    joints: list[str] = field(default_factory=list)
    """What stands before each line but the first: a line end, or `SPACE`."""
    level: int | None = None
    items: int = 0
    item_start: int = 0
    """Line at which the last item starts."""
    evidence: tuple[Evidence, ...] = ()
    """What speaks for a heading."""
    tables: list[Table] = field(default_factory=list)
    """The parts of a table, which has no lines."""

    @property
    def first(self) -> PdfLine:
        return self.lines[0].line

    @property
    def last(self) -> PdfLine:
        return self.lines[-1].line


def same_size(one: PdfLine, two: PdfLine) -> bool:
    """Whether two lines are meant to be set in one size."""
    return abs(one.size - two.size) <= _OTHER_SIZE * max(one.size, two.size)
