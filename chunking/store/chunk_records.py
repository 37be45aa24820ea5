"""Documents and chunks as plain dictionaries: the lines of `parse`, `chunk` and `fetch --json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chunking.model import BUILT_IN, Block, Chunk, Document, Section

__all__ = ["METADATA", "chunk_record", "document_record"]

METADATA = (
    *("file_path", "relative_path", "file_name", "path_hierarchy", "category", "language", "format", "doc_toc"),
    *("section_path", "chunk_type", "chunk_index", "total_chunks", "related_chunk_ids", "summary"),
)
"""Metadata keys that `chunk_record` keeps; the store adds others, which are not printed."""


def document_record(document: Document, tokens: Sequence[int] | None = None) -> dict[str, Any]:
    """Return a document, with text, blocks and sections, as the record of `chunkscope parse`.

    Keys have the documented order; `parent_id` is there only for embedded files, `pins` only if there are any, `parser`
    only if it is not the built-in one.

    Args:
        tokens: number of tokens of each block (`splitting.block_tokens`); None: blocks have no `token_count`.
    """
    counts: Sequence[int | None] = [None] * len(document.blocks) if tokens is None else [int(count) for count in tokens]
    return {
        "doc_id": document.doc_id,
        "source": document.source,
        "hash": document.hash,
        "updated_at": document.updated_at,
        "category": document.category,
        "path_hierarchy": list(document.path_hierarchy),
        "language": document.language,
        "text": document.text,
        "blocks": [_block(block, count) for block, count in zip(document.blocks, counts, strict=True)],
        "sections": [_section(section) for section in document.sections],
        "doc_toc": document.doc_toc,
        "left_out": [{"start": span.start, "end": span.end, "reason": span.reason} for span in document.left_out],
        "warnings": list(document.warnings),
        **({"pins": [{**pin._asdict(), "kind": pin.kind.value} for pin in document.pins]} if document.pins else {}),
        **({"parent_id": document.parent_id} if document.parent_id else {}),
        **({"parser": document.parser} if document.parser != BUILT_IN else {}),
    }


def _block(block: Block, tokens: int | None) -> dict[str, Any]:
    record: dict[str, Any] = {"type": block.type.value, "start": block.start, "end": block.end}
    values = {"page": block.page, "bbox": block.bbox, "line": block.line, "level": block.level, "token_count": tokens}
    return record | {name: value for name, value in values.items() if value is not None} | {"meta": dict(block.meta)}


def _section(section: Section) -> dict[str, Any]:
    return {
        "section_id": section.section_id,
        "parent_id": section.parent_id,
        "level": section.level,
        "title": section.title,
        "title_path": list(section.title_path),
        "start": section.start,
        "end": section.end,
    }


def chunk_record(chunk: Chunk, *, doc_toc: str | None = None) -> dict[str, Any]:
    """Return a chunk as the record that `chunkscope chunk` prints.

    Keys have the documented order; of the metadata only the keys in `METADATA` are in it.

    Args:
        doc_toc: the document's outline (`parsing.outline.chunk_toc`), for a chunk from the store, which keeps it once a
            document; None: the chunk's own metadata has it.
    """
    metadata = chunk.metadata if doc_toc is None else {**chunk.metadata, "doc_toc": doc_toc}
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": chunk.doc_id,
        "section_id": chunk.section_id,
        "parent_id": chunk.parent_id,
        "chunk_index": chunk.chunk_index,
        "total_chunks": chunk.total_chunks,
        "prev_id": chunk.prev_id,
        "next_id": chunk.next_id,
        "title_path": list(chunk.title_path),
        "content_type": chunk.content_type,
        "prefix": chunk.prefix,
        "content": chunk.content,
        "embedding_content": chunk.embedding_content,
        "token_count": chunk.token_count,
        "start": chunk.start,
        "end": chunk.end,
        "pages": list(chunk.pages),
        "bboxes": [list(box) for box in chunk.bboxes],
        "hash": chunk.hash,
        "source_hint": chunk.source_hint,
        "flags": [flag.value for flag in chunk.flags],
        "metadata": {key: metadata[key] for key in METADATA if key in metadata},
    }
