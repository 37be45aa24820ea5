"""Hypothesis strategy for arbitrary edits of a document's parse."""

from __future__ import annotations

from hypothesis import strategies as st

from chunking.model import BlockType, Document
from chunking.parsing.edits import (
    Edit,
    HeaderRows,
    JoinBlocks,
    LeaveOut,
    LeaveOutBox,
    PartBlock,
    SetType,
    SwapBlocks,
    TakeBack,
)
from chunking.text.anchors import Anchor

__all__ = ["edits"]


@st.composite
def edits(draw: st.DrawFn, document: Document, most: int = 8) -> list[Edit]:
    """Draw edits that may overlap, contradict one another, or match nothing."""
    return [draw(_edit(document)) for _ in range(draw(st.integers(0, most)))]


@st.composite
def _anchor(draw: st.DrawFn, document: Document) -> Anchor:
    spans = [(one.start, one.end) for one in (*document.blocks, *document.left_out)]
    if spans and draw(st.integers(0, 3)):
        first, after = draw(st.sampled_from(spans))
        last = draw(st.sampled_from([end for _, end in spans if end >= after][:3]))
        return Anchor.of(document.text, first, last)
    start = draw(st.integers(0, len(document.text)))
    return Anchor.of(document.text, start, draw(st.integers(start, min(start + 60, len(document.text)))))


@st.composite
def _edit(draw: st.DrawFn, document: Document) -> Edit:
    anchor = draw(_anchor(document))
    drawn = draw(
        st.sampled_from(
            [SetType, SetType, LeaveOut, LeaveOutBox, TakeBack, JoinBlocks, PartBlock, HeaderRows, SwapBlocks]
        )
    )
    if drawn is SetType:
        kind = draw(st.sampled_from(list(BlockType)))
        return SetType(
            anchor=anchor,
            type=kind,
            level=draw(st.integers(1, 6)) if kind is BlockType.HEADING else None,
            below=draw(st.booleans()),
        )
    if drawn is LeaveOutBox:
        return LeaveOutBox(
            anchor=anchor, page=draw(st.integers(1, 3)), box=(0.0, 0.0, 1.0, draw(st.sampled_from([0.3, 1.0])))
        )
    if drawn is PartBlock:
        return PartBlock(anchor=Anchor.of(document.text, anchor.start, anchor.start))
    if drawn is HeaderRows:
        return HeaderRows(anchor=anchor, rows=draw(st.integers(0, 3)))
    if drawn is SwapBlocks:
        return SwapBlocks(anchor=anchor, other=draw(_anchor(document)))
    return drawn(anchor=anchor)
