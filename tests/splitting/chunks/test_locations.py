"""Chunks know their places: a page and a box for every line they hold."""

from __future__ import annotations

import pytest

from chunking.config import ChunkConfig
from chunking.model import BlockType, Chunk, Document, Location
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.splitting import Chunker, TokenCounter
from tests.support.documents import document_of


def lines(page: int, *texts: str) -> list[Piece]:
    """Lines of a paragraph, a box each, with a space between them."""
    pieces = [
        Piece(text, page, (0.1, number % 50 / 50, 0.9, (number % 50 + 1) / 50)) for number, text in enumerate(texts)
    ]
    return [part for piece in pieces for part in (piece, Piece(" "))][:-1]


def chunks_of(document: Document, counter: TokenCounter, **settings: object) -> list[Chunk]:
    """Cut without a minimum size or prefix."""
    return Chunker(document, counter).chunks(ChunkConfig.model_validate({"min_size": 0, "prefix": "none", **settings}))


def paged() -> Document:
    """A paragraph of four lines over a page break."""
    writer = Writer("notes.pdf")
    writer.block(
        BlockType.PARAGRAPH,
        [*lines(1, "One two three four.", "Five six."), Piece(" "), *lines(2, "Seven eight.", "Nine ten.")],
    )
    writer.leave_out(lines(1, "Page 1"), "page number")
    return document_of(writer.finish(page_count=2))


def test_a_chunk_has_a_page_and_a_box_for_each_of_its_lines(counter: TokenCounter) -> None:
    """In reading order and parallel; nothing of what is left out."""
    (chunk,) = chunks_of(paged(), counter)
    assert chunk.content == "One two three four. Five six. Seven eight. Nine ten."
    assert chunk.pages == (1, 1, 2, 2)
    assert chunk.bboxes == ((0.1, 0.0, 0.9, 0.02), (0.1, 0.02, 0.9, 0.04)) * 2


def test_a_chunk_of_part_of_a_paragraph_has_its_own_lines_only(counter: TokenCounter) -> None:
    """A line that is parted belongs to both."""
    chunks = chunks_of(paged(), counter, unit="characters", size=24, strategy="sentence")
    assert [(chunk.content, chunk.pages) for chunk in chunks] == [
        ("One two three four.", (1,)),
        ("Five six. Seven eight.", (1, 2)),
        ("Nine ten.", (2,)),
    ]
    assert all(len(chunk.bboxes) == len(chunk.pages) for chunk in chunks)


def test_without_boxes_each_page_stands_once(counter: TokenCounter) -> None:
    """Slides and sheets have no places on them."""
    writer = Writer("notes.pptx")
    for slide in (1, 1, 2, 4):
        writer.block(BlockType.PARAGRAPH, [Piece("Some text.", slide)])
    (chunk,) = chunks_of(document_of(writer.finish(page_count=4), "notes.pptx", format="pptx"), counter)
    assert (chunk.pages, chunk.bboxes) == ((1, 2, 4), ())
    assert chunk.metadata["format"] == "pptx"


def test_building_chunks_looks_at_each_location_once_or_twice(
    counter: TokenCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """600 pages with 50 lines each: the work grows with the lines, not with lines times chunks."""
    writer = Writer("long.pdf")
    for page in range(1, 601):
        writer.block(BlockType.PARAGRAPH, lines(page, *(["These are the words of a line."] * 50)))
    document = document_of(writer.finish(page_count=600))
    reads = 0
    find = Document.locations_in

    def counted(self: Document, start: int, end: int) -> tuple[Location, ...]:
        nonlocal reads
        locations = find(self, start, end)
        reads += len(locations)
        return locations

    monkeypatch.setattr(Document, "locations_in", counted)
    chunks = chunks_of(document, counter)
    assert len(document.locations) == 30_000
    assert len(chunks) > 1_000
    assert reads <= 30_000 + len(chunks)
