"""Hand-made documents, chunks and vectors for tests of storage, without parser or model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from chunking.model import Block, BlockType, Chunk, Document, Flag, Section

DIMENSION = 8


def document(
    doc_id: str, *paragraphs: str, language: str = "en", category: str = "doc", source: str | None = None
) -> Document:
    """Return a document of a heading and paragraphs, with correct offsets."""
    heading = f"# {doc_id}\n\n"
    text, blocks = heading, [Block(BlockType.HEADING, 0, len(heading.rstrip()), level=1, line=1)]
    for line, paragraph in enumerate(paragraphs):
        blocks.append(
            Block(BlockType.PARAGRAPH, len(text), len(text) + len(paragraph), line=3 + 2 * line, meta={"n": line})
        )
        text += paragraph + "\n\n"
    section = Section(f"{doc_id}_sec0", None, 1, doc_id, (doc_id,), 0, len(text), len(heading), len(text))
    return Document(
        doc_id=doc_id,
        source=source or f"{doc_id}.md",
        text=text,
        blocks=tuple(blocks),
        sections=(section,),
        title=doc_id,
        hash=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
        updated_at="2026-01-01T00:00:00+00:00",
        format="markdown",
        category=category,
        language=language,
        doc_toc=doc_id,
    )


def chunks(document: Document) -> list[Chunk]:
    """Return a chunk per paragraph, the heading with the first."""
    spans = [(block.start, block.end) for block in document.blocks if block.type is not BlockType.HEADING]
    spans[0] = (0, spans[0][1])
    total = len(spans)
    return [
        Chunk(
            chunk_id=f"{document.doc_id}_chunk{n}",
            doc_id=document.doc_id,
            section_id=document.sections[0].section_id,
            parent_id=document.sections[0].section_id,
            chunk_index=n,
            total_chunks=total,
            prev_id=f"{document.doc_id}_chunk{n - 1}" if n else None,
            next_id=f"{document.doc_id}_chunk{n + 1}" if n + 1 < total else None,
            title_path=(document.title,),
            content_type="paragraph",
            prefix=document.title,
            content=document.text[start:end],
            embedding_content=f"{document.title}\n\n{document.text[start:end]}",
            token_count=end - start,
            start=start,
            end=end,
            hash=hashlib.sha256(document.text[start:end].encode("utf-8", "replace")).hexdigest(),
            pages=(n + 1,),
            bboxes=((0.1, 0.2, 0.3, 0.4),),
            flags=(Flag.TABLE_CUT,) if n else (),
            metadata={"doc_toc": document.doc_toc, "n": n},
        )
        for n, (start, end) in enumerate(spans)
    ]


def vector(text: str) -> np.ndarray:
    """Return a unit vector that depends only on the text."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8])
    raw = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return raw / np.float32(np.linalg.norm(raw))


def vectors(rows: list[Chunk]) -> np.ndarray:
    """Return (n, d) vectors, one per chunk."""
    return (
        np.stack([vector(chunk.embedding_content) for chunk in rows]) if rows else np.zeros((0, DIMENSION), np.float32)
    )


class FakeEmbedder:
    """Embedder without a model: vectors from a text's hash; calls are counted."""

    key = "fake@1+fp32"
    dimension = DIMENSION
    max_tokens = 256
    precision = "fp32"

    def __init__(self) -> None:
        self.calls = 0
        self.texts_encoded = 0
        self.embedded_texts: Counter[str] = Counter()

    def prepare(self) -> None:
        """Do nothing."""

    def cache_key(self, text: str, role: str = "passage") -> str:
        return hashlib.sha256(f"{self.key}\0{role}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()

    def embed(
        self, texts: Sequence[str], *, role: str = "passage", on_progress: Callable[[int], None] | None = None
    ) -> np.ndarray:
        self.calls += 1
        self.texts_encoded += len(set(texts))
        self.embedded_texts.update(set(texts))
        if on_progress is not None:
            on_progress(len(texts))
        return np.stack([vector(text) for text in texts])
