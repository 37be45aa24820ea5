"""What the tests of lightweight markup have in common."""

from __future__ import annotations

from chunking import chunk_document
from chunking.config import ChunkConfig, Config
from chunking.model import Block, BlockType, Document
from chunking.parsing import parse
from tests.support.laws_documents import check

__all__ = ["block_of", "embedded", "kinds", "outline", "read", "texts"]


def read(text: str, ending: str) -> Document:
    """A lawful document whose text is its source."""
    document = parse(text.encode(), f"a.{ending}")
    check(document)
    assert document.text == text
    return document


def outline(document: Document) -> list[tuple[int, str]]:
    """Level and title of each section that has a heading."""
    return [(section.level, section.title) for section in document.sections if not section.title_made]


def kinds(document: Document) -> list[BlockType]:
    """Types of the blocks in order."""
    return [block.type for block in document.blocks]


def texts(document: Document, kind: BlockType) -> list[str]:
    """The blocks of a type."""
    return [document.text[block.start : block.end] for block in document.blocks if block.type is kind]


def block_of(document: Document, words: str) -> Block:
    """The block in which some words stand."""
    return next(block for block in document.blocks if words in document.text[block.start : block.end])


def embedded(document: Document, size: int = 250) -> str:
    """What the model reads of all chunks."""
    return "\n\n".join(
        chunk.embedding_content for chunk in chunk_document(document, Config(chunk=ChunkConfig(size=size)))
    )
