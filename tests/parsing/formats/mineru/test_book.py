"""A Chinese book in fragments: whole paragraphs, true levels, useful chunks, and every fragment's place."""

from __future__ import annotations

import json
from itertools import pairwise
from statistics import mean
from typing import Any

import pytest

from chunking import chunk_document
from chunking.config import ChunkConfig, Config, Unit
from chunking.model import BlockType, Chunk, Document
from chunking.parsing import parse
from tests.parsing.formats.mineru.book_output import Made, book
from tests.support.laws_documents import check

BOXES = ("indent", "gap", "wide", "none")


def read(value: Any) -> Document:
    """A content list as a document, its laws checked."""
    document = parse(json.dumps(value, ensure_ascii=False).encode(), "book_content_list.json")
    assert document.format == "mineru"
    check(document)
    return document


def cut(document: Document) -> list[Chunk]:
    """Chunks of at most 500 characters."""
    return chunk_document(document, Config(chunk=ChunkConfig(unit=Unit.CHARACTERS, size=500)))


def texts(document: Document, kind: BlockType) -> list[str]:
    """Of the blocks of a kind."""
    return [document.text[block.start : block.end] for block in document.blocks if block.type is kind]


@pytest.mark.parametrize("boxes", BOXES)
@pytest.mark.parametrize("seed", range(3))
def test_fragments_become_whole_paragraphs(seed: int, boxes: str) -> None:
    """Exactly those the fragments were made from, over page breaks, with whatever the boxes tell."""
    sample = book(seed, boxes)
    assert 35 <= mean(len(item["text"]) for item in sample.fragments) <= 50
    document = read(sample.items)
    assert texts(document, BlockType.PARAGRAPH) == sample.paragraphs
    assert document.warnings == ()


@pytest.mark.parametrize("boxes", BOXES)
def test_the_second_form_reads_the_same(boxes: str) -> None:
    """Both forms of one document give the same text, blocks and places."""
    sample = book(1, boxes)
    first, second = read(sample.items), read(sample.paged())
    assert (first.text, first.blocks, first.locations, first.page_count) == (
        second.text,
        second.blocks,
        second.locations,
        second.page_count,
    )


def test_headings_stand_at_their_true_depth() -> None:
    """All are of level 1 in the file; their numbers give six levels."""
    sample = book()
    document = read(sample.items)
    headings = [
        (document.text[block.start : block.end], block.level)
        for block in document.blocks
        if block.type is BlockType.HEADING
    ]
    assert headings == sample.headings
    deepest = next(section for section in document.sections if section.title == "（1）灵敏度")
    assert deepest.title_path == ("第一章 技术规格", "第二节 主要部件", "一、光源与检测器", "2. 检测器", "（1）灵敏度")


@pytest.mark.parametrize("boxes", BOXES)
def test_chunks_are_of_a_useful_size(boxes: str) -> None:
    """Fragments of 45 characters become chunks of 300 to 500 on average."""
    chunks = cut(read(book(0, boxes).items))
    assert 300 <= mean(len(chunk.content) for chunk in chunks) <= 500


def test_laws_of_cutting_hold() -> None:
    """Exact, covering and forward."""
    document = read(book().items)
    chunks = cut(document)
    assert all(document.text[chunk.start : chunk.end] == chunk.content for chunk in chunks)
    assert all(one.start < two.start and one.end < two.end for one, two in pairwise(chunks))
    spans = [(chunk.start, chunk.end) for chunk in chunks] + [(span.start, span.end) for span in document.left_out]
    covered = bytearray(len(document.text))
    for start, end in spans:
        covered[start:end] = b"\x01" * (end - start)
    assert all(covered[n] or character.isspace() for n, character in enumerate(document.text))


def shares(item: dict[str, Any]) -> tuple[float, ...]:
    """A box in thousandths as shares of the page."""
    return tuple(side / 1000 for side in item["bbox"])


@pytest.mark.parametrize("boxes", ["indent", "gap", "wide"])
def test_every_fragment_is_reached_from_the_chunk_made_of_it(boxes: str) -> None:
    """A fragment's page and box are those of a place of the document, and of a chunk that holds its text."""
    sample = book(2, boxes)
    document = read(sample.items)
    chunks = cut(document)
    places = iter(document.locations)
    for item in sample.fragments:
        here = (item["page_idx"] + 1, shares(item))
        place = next(one for one in places if (one.page, one.bbox) == here)
        assert document.text[place.start : place.end] == item["text"]
        holding = [chunk for chunk in chunks if chunk.start < place.end and place.start < chunk.end]
        assert holding
        for chunk in holding:
            assert place in document.locations_in(chunk.start, chunk.end)
            assert here in list(zip(chunk.pages, chunk.bboxes, strict=True))


def test_pages_are_known_where_boxes_are_not() -> None:
    """Without boxes a fragment still has its page."""
    sample = book(0, "none")
    document = read(sample.items)
    pages = [(document.text[place.start : place.end], place.page) for place in document.locations if place.bbox is None]
    assert [(item["text"], item["page_idx"] + 1) for item in sample.fragments] == [
        one for one in pages if one[0] in set(_texts(sample))
    ]


def _texts(sample: Made) -> list[str]:
    return [item["text"] for item in sample.fragments]


def test_what_stands_on_every_page_is_left_out() -> None:
    """Heads and page numbers stand at the end of the text, with their reasons, and part no paragraph."""
    sample = book()
    document = read(sample.items)
    pages = 1 + max(item["page_idx"] for item in sample.items)
    reasons = [span.reason for span in document.left_out]
    assert reasons.count("page header") == reasons.count("page number") == pages == document.page_count
    broken = [
        block
        for block in document.blocks
        if len({place.page for place in document.locations_in(block.start, block.end)}) > 1
    ]
    assert broken
    assert all(block.type is BlockType.PARAGRAPH for block in broken)
