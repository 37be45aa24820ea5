"""Documents made with a `Writer`, without a file, for tests of the stages after parsing."""

from __future__ import annotations

import hashlib

from chunking.model import Document
from chunking.parsing.builder.reader_types import Reading
from chunking.parsing.detection.language import language_of, prose
from chunking.parsing.outline import build_sections, toc

__all__ = ["document_of"]


def document_of(
    reading: Reading, source: str = "guide/notes.pdf", *, format: str = "pdf", category: str = "doc"
) -> Document:
    """Return the document of a reading, as `parse` would make it."""
    doc_id = source.rpartition(".")[0].replace("/", "_")
    sections = build_sections(doc_id, reading.text, reading.blocks)
    return Document(
        doc_id=doc_id,
        source=source,
        text=reading.text,
        blocks=reading.blocks,
        sections=sections,
        title=reading.title or doc_id,
        hash=hashlib.sha256(reading.text.encode("utf-8", "surrogatepass")).hexdigest(),
        updated_at="2026-01-01T00:00:00+00:00",
        format=format,
        category=category,
        path_hierarchy=("guide",),
        language=language_of(prose(reading.text, reading.blocks)),
        doc_toc=toc(sections),
        left_out=reading.left_out,
        locations=reading.locations,
        page_count=reading.page_count,
    )
