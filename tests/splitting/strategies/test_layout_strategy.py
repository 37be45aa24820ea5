"""Pages and fragments: chunks as the source lays them out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import ChunkConfig
from chunking.model import BlockType, Document, Flag, Location
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter
from tests.splitting.inline import Cut, read

SAMPLES = Path(__file__).parents[3] / "sample_data"


@pytest.fixture(scope="module")
def datasheet() -> Document:
    """A PDF of four pages with a large table and a page in Chinese."""
    return parse((SAMPLES / "datasheet/heron-g4-datasheet.pdf").read_bytes(), "heron.pdf")


def test_a_page_is_a_chunk(datasheet: Document, counter: TokenCounter) -> None:
    """Each chunk is of one page where the size allows; the large table is a chunk of its own."""
    config = ChunkConfig.model_validate({"strategy": "page", "size": 2000, "prefix": "none"})
    chunks = Chunker(datasheet, counter).chunks(config)
    assert [set(chunk.pages) for chunk in chunks] == [{1}, {2}, {2}, {2}, {3}, {4}]
    assert [chunk.content_type for chunk in chunks].count(BlockType.TABLE) >= 1


def test_a_long_page_is_cut_as_a_section_is(datasheet: Document, counter: TokenCounter) -> None:
    """No chunk is over the size but by the description of its table, and none reaches from one page to the next."""
    config = ChunkConfig.model_validate({"strategy": "page", "size": 120})
    for chunk in Chunker(datasheet, counter).chunks(config):
        assert (chunk.token_count > 120) == (Flag.DESCRIPTION_OVER_SIZE in chunk.flags)
        assert len(set(chunk.pages)) == 1


def test_a_table_over_two_pages_stays_whole(counter: TokenCounter) -> None:
    """Where it fits; it stands on the page on which it begins."""
    document = read("Before it.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nAfter it.", "a.md")
    at = document.text.index("| 3")
    document = replace(document, page_count=2, locations=(Location(0, at, 1), Location(at, len(document.text), 2)))
    chunks = Chunker(document, counter).chunks(ChunkConfig.model_validate({"strategy": "page", "prefix": "none"}))
    assert [chunk.content for chunk in chunks] == [
        "Before it.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
        "After it.",
    ]


def test_no_page_ends_inside_a_large_table(counter: TokenCounter) -> None:
    """It is chunks of its own, parted between rows, whatever page these are on."""
    rows = "\n".join(f"| service {number} | {7000 + number} |" for number in range(40))
    document = read(f"Before.\n\n| Name | Port |\n|---|---|\n{rows}\n\nAfter.", "a.md")
    starts = [
        0,
        document.text.index("| service 0"),
        document.text.index("| service 9 "),
        document.text.index("| service 30"),
    ]
    ends = [*starts[1:], len(document.text)]
    places = tuple(Location(start, end, page) for page, (start, end) in enumerate(zip(starts, ends, strict=True)))
    config = ChunkConfig.model_validate({"strategy": "page", "size": 200, "prefix": "none"})
    chunks = Chunker(replace(document, locations=places, page_count=4), counter).chunks(config)
    assert chunks[0].content == "Before."
    assert chunks[1].content.count("\n") > 5, "the header has its rows"
    assert chunks[-1].content == "After."


def test_a_document_without_pages_is_cut_by_structure(counter: TokenCounter) -> None:
    """With the reason."""
    boundaries = Chunker(read("# A\n\nText.", "a.md"), counter).boundaries(
        ChunkConfig.model_validate({"strategy": "page"})
    )
    assert (boundaries.strategy_used, boundaries.warnings) == (
        "structure",
        ("The strategy page failed on a.md (it has no pages); structure was used instead.",),
    )


def test_fragments_of_a_parse_are_its_boxes(datasheet: Document, counter: TokenCounter) -> None:
    """Every line of the PDF by itself, but for those of a table, which stays whole."""
    config = ChunkConfig.model_validate({"strategy": "elements", "size": 1000, "prefix": "none"})
    chunks = Chunker(datasheet, counter).chunks(config)
    lines = [place for place in datasheet.locations if place.bbox is not None]
    starts = {place.start for place in lines}
    assert len(chunks) > 100
    assert all(chunk.start in starts for chunk in chunks)


def test_fragments_of_mineru_are_its_items(counter: TokenCounter) -> None:
    """What the layout parser called an item is a chunk with one box."""
    items = (
        '[{"type": "text", "text": "Pump manual", "text_level": 1, "page_idx": 0, "bbox": [100, 100, 900, 150]},'
        '{"type": "text", "text": "The pump is safe.", "page_idx": 0, "bbox": [100, 200, 900, 250]},'
        '{"type": "text", "text": "先关闭电源。再打开盖子。", "page_idx": 1, "bbox": [100, 100, 900, 150]}]'
    )
    document = parse(items.encode(), "pump_content_list.json")
    chunks = Chunker(document, counter).chunks(ChunkConfig.model_validate({"strategy": "elements", "prefix": "none"}))
    assert [chunk.content.removeprefix("# ") for chunk in chunks] == [
        "Pump manual",
        "The pump is safe.",
        "先关闭电源。再打开盖子。",
    ]
    assert [chunk.pages for chunk in chunks] == [(1,), (1,), (2,)]


def test_fragments_without_boxes_are_blocks(cut: Cut) -> None:
    """Headings too: nothing is joined."""
    chunks = cut("# A\n\nOne.\n\n- x\n- y\n\nTwo.", strategy="elements")
    assert [chunk.content for chunk in chunks] == ["# A", "One.", "- x\n- y", "Two."]


def test_a_long_fragment_is_cut(cut: Cut) -> None:
    """At its sentences."""
    chunks = cut("One.\n\n" + "The quick brown fox jumps over the lazy dog. " * 9, strategy="elements", size=40)
    assert chunks[0].content == "One."
    assert len(chunks) > 2
    assert all(chunk.token_count <= 40 for chunk in chunks)
