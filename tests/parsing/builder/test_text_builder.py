"""The writer of canonical texts: exact spans, places on pages, tables, and what is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import TooLargeError
from chunking.model import BlockType
from chunking.parsing.builder import text_builder as writing
from chunking.parsing.builder.text_builder import Piece, Writer

texts = st.text(alphabet=st.sampled_from("ab 中\n\t\x00\x07\r\ud800|"), max_size=12)


@given(st.lists(st.lists(st.tuples(texts, st.integers(1, 3) | st.none()), max_size=4), max_size=5))
def test_every_piece_stands_where_it_says(blocks: list[list[tuple[str, int | None]]]) -> None:
    """Each located piece is found, character by character, at its place; blocks are trimmed, in order and apart."""
    writer = Writer("x")
    for pieces in blocks:
        writer.block(BlockType.PARAGRAPH, [Piece(text, page) for text, page in pieces])
    reading = writer.finish(page_count=3)
    end = -2
    for block in reading.blocks:
        text = reading.text[block.start : block.end]
        assert text == text.strip() != ""
        assert block.start >= end + 2
        end = block.end
    kept = [
        piece
        for pieces in blocks
        if "".join(t for t, _ in pieces).translate(writing._REPLACED).strip()
        for piece in pieces
    ]
    located = [text.translate(writing._REPLACED) for text, page in kept if page is not None]
    for place in reading.locations:
        while located and reading.text[place.start : place.end] not in located[0]:
            located.pop(0)
        assert located
    assert not set(reading.text) & set("\x00\x07\r\ud800")


def test_left_out_text_stands_at_the_end() -> None:
    """A running header in the middle of a paragraph does not part it, and is listed with its reason and place."""
    writer = Writer("x")
    writer.block(BlockType.PARAGRAPH, [Piece("one", 1, (0, 0, 1, 0.1)), Piece(" "), Piece("two", 2, (0, 0, 0.5, 0.1))])
    writer.leave_out([Piece("Page 1", 1)], "page number")
    writer.block(BlockType.PARAGRAPH, "three")
    reading = writer.finish(page_count=2)
    assert reading.text == "one two\n\nthree\n\nPage 1"
    assert [(span.start, span.reason) for span in reading.left_out] == [(16, "page number")]
    assert [(place.start, place.end, place.page) for place in reading.locations] == [(0, 3, 1), (4, 7, 2), (16, 22, 1)]
    assert (reading.blocks[0].page, reading.blocks[0].bbox) == (1, (0, 0, 1, 0.1))


def test_a_table_knows_its_rows() -> None:
    """Rows are lines; short ones are filled up; the offsets of body rows and the end of the header are exact."""
    writer = Writer("x")
    writer.block(BlockType.PARAGRAPH, "before")
    writer.table([["a", "b|c"], [], ["1\n2"], ["3", "4"]])
    reading = writer.finish()
    table = reading.blocks[1]
    assert reading.text[table.start : table.end] == "| a | b\\|c |\n| 1 2 |  |\n| 3 | 4 |"
    assert [reading.text[start : start + 3] for start in table.meta["row_starts"]] == ["| 1", "| 3"]
    assert reading.text[table.start : table.meta["header_end"]] == "| a | b\\|c |\n"
    assert (table.meta["rows"], table.meta["columns"]) == (2, 2)


def test_a_text_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a small file unfolds to is bounded."""
    monkeypatch.setattr(writing, "MAX_CHARACTERS", 100)
    writer = Writer("big.html")
    for _ in range(8):
        writer.block(BlockType.PARAGRAPH, "x" * 10)
    with pytest.raises(TooLargeError, match=r"big\.html holds more than"):
        writer.block(BlockType.PARAGRAPH, "x" * 10)


def test_a_block_that_opens_a_section() -> None:
    """Only the next block is marked, and a heading opens its section without a mark."""
    writer = Writer("x")
    writer.open_section(1)
    writer.block(BlockType.PARAGRAPH, " ")
    writer.block(BlockType.PARAGRAPH, "first")
    writer.block(BlockType.PARAGRAPH, "second")
    writer.open_section(2)
    writer.block(BlockType.HEADING, "third", level=1)
    writer.block(BlockType.PARAGRAPH, "fourth")
    writer.open_section(2)
    writer.table([["a"], ["b"]])
    assert [block.meta.get("opens_section") for block in writer.finish().blocks] == [1, None, None, None, 2]


def test_paragraphs_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a file of millions of them."""
    monkeypatch.setattr(writing, "MAX_BLOCKS", 2)
    writer = Writer("many.html")
    writer.block(BlockType.PARAGRAPH, "one")
    writer.block(BlockType.PARAGRAPH, "two")
    with pytest.raises(TooLargeError, match=r"many\.html has more than 2 paragraphs"):
        writer.block(BlockType.PARAGRAPH, "three")
