"""Document on which steps of the size slider are measured."""

from __future__ import annotations

from pathlib import Path

from chunking.model import Document
from chunking.parsing import parse

__all__ = ["long_document"]

SIZE = 1_000_000
SAMPLE = Path(__file__).parent.parent / "sample_data/handbook/operations-handbook.md"


def long_document() -> Document:
    """Return the longest English sample, repeated to one Markdown file of 1 MB."""
    once = SAMPLE.read_text(encoding="utf-8")
    parts, length = [], 0
    while length < SIZE:
        parts.append(f"# Part {len(parts)}\n\n{once}\n\n")
        length += len(parts[-1])
    return parse("".join(parts)[:SIZE].encode(), "benchmark.md")
