"""Boundaries to chunks: ids, texts, hashes and everything else retrieval needs to know about each."""

from __future__ import annotations

import hashlib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chunking.context import SEPARATOR, clean_for_embedding
from chunking.cutting.boundaries import FLAG_BITS, Boundaries
from chunking.model import Block, BlockType, Chunk, Document, Flag, Section

__all__ = ["build_chunks", "text_hash"]

_HINTS: dict[str, str] = {BlockType.CODE: "Code", BlockType.TABLE: "Table", BlockType.QA: "Q&A"}
"""What a source hint calls a block."""
_HINT_LENGTH = 80
_WITH_MARKUP = frozenset({"markdown"})
"""Formats whose text has markup to be cleaned of."""


def text_hash(text: str) -> str:
    """sha256 (hex) of a text without regard to white space and Unicode composition: tells repeats and changes."""
    plain = text if text.isascii() else unicodedata.normalize("NFC", text)
    return hashlib.sha256(" ".join(plain.split()).encode("utf-8", "surrogatepass")).hexdigest()


def build_chunks(document: Document, boundaries: Boundaries, numbers: Iterable[int] | None = None) -> list[Chunk]:
    """The chunks that the boundaries show, in order; or only those of some numbers."""
    builder = _Builder(document, boundaries)
    return [builder.chunk(number) for number in (range(len(boundaries)) if numbers is None else numbers)]


class _Builder:
    def __init__(self, document: Document, boundaries: Boundaries) -> None:
        self.document, self.boundaries = document, boundaries
        self.total = len(boundaries)
        b = boundaries
        self.starts, self.ends, self.sections = b.starts.tolist(), b.ends.tolist(), b.sections.tolist()
        self.tokens, self.bits = b.tokens.tolist(), b.flags.tolist()
        self.block_starts = [block.start for block in document.blocks]
        self.block_ends = [block.end for block in document.blocks]
        self.shared = _document_facts(document)
        self.flag_sets: dict[int, tuple[Flag, ...]] = {}

    def chunk(self, number: int) -> Chunk:
        start, end = self.starts[number], self.ends[number]
        section = self.document.sections[self.sections[number]] if self.sections[number] >= 0 else None
        section_id = section.section_id if section else f"{self.document.doc_id}_sec0"
        title_path = section.title_path if section else ()
        content, prefix, kind = self.document.text[start:end], self.boundaries.prefixes[number], self.boundaries.content_types[number]
        blocks = self.document.blocks[bisect_right(self.block_ends, start) : bisect_left(self.block_starts, end)]
        return Chunk(
            chunk_id=self._id(number),
            doc_id=self.document.doc_id,
            section_id=section_id,
            parent_id=section_id,
            chunk_index=number,
            total_chunks=self.total,
            prev_id=self._id(number - 1) if number else None,
            next_id=self._id(number + 1) if number + 1 < self.total else None,
            title_path=title_path,
            content_type=kind,
            prefix=prefix,
            content=content,
            embedding_content=self._embedded(prefix, content, blocks, start),
            token_count=self.tokens[number],
            start=start,
            end=end,
            hash=text_hash(content),
            source_hint=_source_hint(self.document, kind, blocks, section),
            pages=tuple(sorted({block.page for block in blocks if block.page is not None})),
            bboxes=tuple(block.bbox for block in blocks if block.bbox is not None),
            flags=self._flags(self.bits[number]),
            metadata=self._metadata(number, kind, title_path),
        )

    def _id(self, number: int) -> str:
        return f"{self.document.doc_id}_chunk{number}"

    def _embedded(self, prefix: str, content: str, blocks: Sequence[Block], start: int) -> str:
        cleaned = clean_for_embedding(content, blocks, offset=start) if self.document.format in _WITH_MARKUP else content
        return f"{prefix}{SEPARATOR}{cleaned}" if prefix else cleaned

    def _flags(self, bits: int) -> tuple[Flag, ...]:
        known = self.flag_sets.get(bits)
        if known is None:
            known = self.flag_sets[bits] = tuple(flag for flag, bit in FLAG_BITS.items() if bits & bit)
        return known

    def _metadata(self, number: int, kind: str, title_path: tuple[str, ...]) -> Mapping[str, Any]:
        return self.shared | {"section_path": title_path, "chunk_type": kind, "chunk_index": number, "total_chunks": self.total}


def _document_facts(document: Document) -> dict[str, Any]:
    """What all chunks of a document say of it; the outline is one string shared by all."""
    return {
        "file_path": document.source,
        "relative_path": document.source,
        "file_name": document.source.rpartition("/")[2],
        "path_hierarchy": document.path_hierarchy,
        "category": document.category,
        "language": document.language,
        "doc_toc": document.doc_toc,
    }


def _source_hint(document: Document, kind: str, blocks: Sequence[Block], section: Section | None) -> str:
    """`[Code] nginx`, `[Table] Parameters`, `[Q&A] What is ...?`; empty for running text."""
    label = _HINTS.get(kind)
    if label is None:
        return ""
    block = max((block for block in blocks if block.type == kind), key=lambda block: block.end - block.start)
    subject = str(block.meta.get("language") or "")
    if block.type is BlockType.QA:
        subject = document.text[block.start : int(block.meta.get("question_end", block.end))]
    if not subject and section is not None:
        subject = section.title
    return f"[{label}] {' '.join(subject.split())[:_HINT_LENGTH]}".rstrip()
