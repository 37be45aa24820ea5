"""Building of chunks from boundaries: ids, texts, hashes and metadata."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunking.model import CHUNK, PARENT, Box, Chunk, Document, Flag, larger_level
from chunking.parsing.outline import chunk_toc
from chunking.splitting.chunks.embedded_sizes import ALONE, related_tables
from chunking.splitting.chunks.embedded_text import EmbeddedTexts
from chunking.splitting.packing.boundaries import FLAG_BITS
from chunking.splitting.rendering.prefixes import SEPARATOR, source_hint

__all__ = ["Links", "build_chunks", "row_id", "text_hash"]


def text_hash(text: str) -> str:
    """Return the sha256 (hex) of a text in NFC, trimmed, with one space per run of white space."""
    plain = text if text.isascii() else unicodedata.normalize("NFC", text)
    return hashlib.sha256(" ".join(plain.split()).encode("utf-8", "surrogatepass")).hexdigest()


def row_id(doc_id: str, level: str, number: int) -> str:
    """Return the id of a row: document, level and number, with `_` between in larger levels.

    >>> row_id("guide", "chunk", 3), row_id("guide", "parent", 1), row_id("guide", "x2", 0)
    ('guide_chunk3', 'guide_parent1', 'guide_x2_0')
    """
    return f"{doc_id}_{level}{number}" if level in (CHUNK, PARENT) else f"{doc_id}_{level}_{number}"


@dataclass(frozen=True, slots=True)
class Links:
    """Links from the n rows of a level to their children, parents and larger chunks, by number."""

    level: str = CHUNK
    children: Sequence[range] = ()
    """(n,) chunks in each row; empty for chunks."""
    parents: Sequence[int] = ()
    """(n,) paragraph parent of each chunk; empty if sections are parents."""
    larger: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """(n,) larger chunk of each chunk, by multiple of the size."""


def build_chunks(texts: EmbeddedTexts, numbers: Iterable[int] | None = None, links: Links | None = None) -> list[Chunk]:
    """Build the chunk of each boundary, in order, or only those of `numbers`; None: all."""
    builder = _Builder(texts, links or Links())
    return [builder.chunk(number) for number in (range(len(texts.boundaries)) if numbers is None else numbers)]


class _Builder:
    def __init__(self, texts: EmbeddedTexts, links: Links) -> None:
        self.texts, self.document, self.boundaries, self.links = texts, texts.document, texts.boundaries, links
        b = self.boundaries
        self.total = len(b)
        self.starts, self.ends, self.sections = b.starts.tolist(), b.ends.tolist(), b.sections.tolist()
        self.tokens, self.prefix_tokens, self.bits = b.tokens.tolist(), b.prefix_tokens.tolist(), b.flags.tolist()
        self.shared = _document_facts(self.document)
        self.flag_sets: dict[int, tuple[Flag, ...]] = {}
        self.related = related_tables(self.document, b)

    def chunk(self, number: int) -> Chunk:
        start, end = self.starts[number], self.ends[number]
        section = self.document.sections[self.sections[number]] if self.sections[number] >= 0 else None
        first = section or (self.document.section_at(start) if self.document.sections else None)
        section_id = first.section_id if first else f"{self.document.doc_id}_sec0"
        title_path = section.title_path if section else ()
        content, prefix, kind = (
            self.document.text[start:end],
            self.boundaries.prefixes[number],
            self.boundaries.content_types[number],
        )
        pages, bboxes = _places(self.document, start, end)
        blocks = self.texts.blocks_in(start, end)
        related = self.related.get(number, ALONE)
        children = self.links.children[number] if self.links.children else ()
        embedded, description = self.texts.text(number, blocks, related.before, related.after)
        return Chunk(
            chunk_id=self._id(number),
            doc_id=self.document.doc_id,
            section_id=section_id,
            parent_id=row_id(self.document.doc_id, PARENT, self.links.parents[number])
            if self.links.parents
            else section_id,
            chunk_index=number,
            total_chunks=self.total,
            prev_id=self._id(number - 1) if number else None,
            next_id=self._id(number + 1) if number + 1 < self.total else None,
            title_path=title_path,
            content_type=kind,
            prefix=prefix,
            content=content,
            embedding_content=embedded,
            token_count=self._tokens(number, prefix, content, embedded),
            start=start,
            end=end,
            hash=text_hash(content),
            source_hint=source_hint(self.document, kind, blocks, section),
            pages=pages,
            bboxes=bboxes,
            flags=self._flags(self.bits[number]),
            metadata=self._metadata(number, kind, title_path, related.numbers),
            description=description,
            level=self.links.level,
            children=tuple(row_id(self.document.doc_id, CHUNK, child) for child in children),
            larger_ids=tuple(
                row_id(self.document.doc_id, larger_level(n), some[number]) for n, some in self.links.larger.items()
            ),
        )

    def _tokens(self, number: int, prefix: str, content: str, embedded: str) -> int:
        """Return the tokens of the embedded text: known if it is prefix and content unchanged, else counted."""
        body = embedded[len(prefix) :].removeprefix(SEPARATOR if prefix else "")
        return (
            int(self.tokens[number])
            if body == content
            else int(self.prefix_tokens[number]) + self.texts.tokens_of(body)
        )

    def _id(self, number: int) -> str:
        return row_id(self.document.doc_id, self.links.level, number)

    def _flags(self, bits: int) -> tuple[Flag, ...]:
        flags = self.flag_sets.get(bits)
        if flags is None:
            flags = self.flag_sets[bits] = tuple(flag for flag, bit in FLAG_BITS.items() if bits & bit)
        return flags

    def _metadata(
        self, number: int, kind: str, title_path: tuple[str, ...], related: Sequence[int]
    ) -> Mapping[str, Any]:
        own = {"section_path": title_path, "chunk_type": kind, "chunk_index": number, "total_chunks": self.total}
        return self.shared | own | ({"related_chunk_ids": tuple(map(self._id, related))} if related else {})


def _document_facts(document: Document) -> dict[str, Any]:
    """Return the metadata shared by all chunks of a document; the outline is one bounded string."""
    return {
        "file_path": document.source,
        "relative_path": document.source,
        "format": document.format,
        "file_name": document.source.rpartition("/")[2],
        "path_hierarchy": document.path_hierarchy,
        "category": document.category,
        "language": document.language,
        "doc_toc": chunk_toc(document.doc_toc),
    }


def _places(document: Document, start: int, end: int) -> tuple[tuple[int, ...], tuple[Box, ...]]:
    """Return the page and box of each location in a span.

    If a page has no box, each page once and no boxes.
    """
    locations = document.locations_in(start, end)
    boxed = [place for place in locations if place.bbox is not None]
    pages = dict.fromkeys(place.page for place in locations)
    if len(pages) > len({place.page for place in boxed}):
        return tuple(pages), ()
    return tuple(place.page for place in boxed), tuple(place.bbox for place in boxed if place.bbox is not None)
