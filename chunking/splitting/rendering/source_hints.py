"""What a chunk or a section is made of, in a few words: `[Code] nginx`, `[Table] Parameters`, `[Q&A] What is ...?`."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter

from chunking.model import Block, BlockType, Document, Section
from chunking.splitting.rendering.table_text import caption_of

__all__ = ["section_hint", "source_hint"]

_HINTS: dict[str, str] = {BlockType.CODE: "Code", BlockType.TABLE: "Table", BlockType.QA: "Q&A"}
"""What a source hint calls a block."""
_LENGTH = 80
_START = attrgetter("start")


def source_hint(document: Document, kind: str, blocks: Sequence[Block], section: Section | None) -> str:
    """The hint of a text; empty for running text.

    Args:
        kind: the type of the block that fills most of it.
        blocks: those in it, one of that type among them.
        section: that it stands in, whose title names a block without a name of its own; None: in several.
    """
    label = _HINTS.get(kind)
    if label is None:
        return ""
    block = max((block for block in blocks if block.type == kind), key=lambda block: block.end - block.start)
    subject = str(block.meta.get("language") or "")
    if block.type is BlockType.QA:
        subject = document.text[block.start : int(block.meta.get("question_end", block.end))]
    if not subject:
        subject = caption_of(block, "" if section is None or section.title_made else section.title)
    return f"[{label}] {' '.join(subject.split())[:_LENGTH]}".rstrip()


def section_hint(document: Document, section: Section) -> str:
    """The hint of a section by what fills most of it, its heading and its subsections aside; empty for running text."""
    first = bisect_left(document.blocks, section.start, key=_START)
    after = bisect_left(document.blocks, section.own_end, lo=first, key=_START)
    blocks = [block for block in document.blocks[first:after] if block.type is not BlockType.HEADING]
    filled: Counter[BlockType] = Counter()
    for block in blocks:
        filled[block.type] += block.end - block.start
    return source_hint(document, filled.most_common(1)[0][0], blocks, section) if filled else ""
