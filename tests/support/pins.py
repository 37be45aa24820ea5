"""Hypothesis strategy for arbitrary pins: anywhere, overlapping, outside the text."""

from __future__ import annotations

from hypothesis import strategies as st

from chunking.model import Document, Pin, PinKind

__all__ = ["pins_for"]

_POINTS = (PinKind.SPLIT, PinKind.MERGE)


@st.composite
def pins_for(draw: st.DrawFn, document: Document, most: int = 8) -> tuple[Pin, ...]:
    """Draw pins of every kind for a document, long and short, at block edges or inside a word."""
    length = len(document.text)
    edges = sorted({0, length, *(edge for block in document.blocks for edge in (block.start, block.end))})
    offset = st.one_of(st.sampled_from(edges), st.integers(0, length), st.integers(-9, length + 9))
    spans = []
    for _ in range(draw(st.integers(1, most))):
        kind, start = draw(st.sampled_from([*PinKind, *_POINTS])), draw(offset)
        end = (
            start
            if kind in _POINTS
            else draw(st.one_of(offset, st.integers(0, 60).map(lambda more, at=start: at + more)))
        )  # type: ignore[misc]
        spans.append(
            Pin(kind, start, end, draw(st.sampled_from(["", "boilerplate"])) if kind is PinKind.LEAVE_OUT else "")
        )
    return tuple(spans)
