"""MinerU's real output for three pages of a paper, in both forms, against its own Markdown."""

from __future__ import annotations

import re

import pytest

from chunking import chunk_document
from chunking.config import ChunkConfig, Config, Unit
from chunking.model import BlockType, Document
from chunking.parsing import parse
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

NAME = "2410.21169v5"
FORMS = (f"{NAME}_content_list.json", f"{NAME}_content_list_v2.json")


def read(name: str) -> Document:
    """The document, its laws checked."""
    document = parse(shared_data(f"mineru/{name}").read_bytes(), name)
    check(document)
    return document


def letters(text: str) -> str:
    """What is neither space nor markup: HTML tags, the marks of headings and pipes go."""
    return re.sub(r"<[^>]*>|^#+ |[|\s]|!\[\]\([^)]*\)", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", FORMS)
def test_headings_and_paragraphs(name: str) -> None:
    """All are of level 1 in the file; their numbers say more. Every paragraph is whole."""
    document = read(name)
    headings = [
        (document.text[block.start : block.end], block.level)
        for block in document.blocks
        if block.type is BlockType.HEADING
    ]
    assert headings == [
        ("2.2 Comparison with Existing Surveys", 2),
        ("3 Methodology and Taxonomy", 1),
        ("3.1 Literature Selection Strategy", 2),
        ("3.2 Principles for Taxonomy Construction", 2),
    ]
    paragraphs = [
        document.text[block.start : block.end] for block in document.blocks if block.type is BlockType.PARAGRAPH
    ]
    assert len(paragraphs) == 16
    assert all(text.endswith(".") for text in paragraphs)
    assert document.page_count == 3
    assert document.warnings == ()


@pytest.mark.parametrize("name", FORMS)
def test_nothing_of_the_markdown_is_lost(name: str) -> None:
    """Beside its Markdown, the text repeats what stands in cells over several rows, and has the left out text at its
    end.
    """
    document = read(name)
    body_end = document.left_out[0].start
    table = next(block for block in document.blocks if block.type is BlockType.TABLE)
    ours = letters(document.text[: table.start] + document.text[table.end : body_end])
    markdown = shared_data(f"mineru/{NAME}.md").read_text(encoding="utf-8")
    cells = re.findall(r"<td[^>]*>(.*?)</td>", markdown)
    markdown = re.sub(r"<table>.*?</table>", "", markdown, flags=re.DOTALL).replace("Manuscript submitted to ACM", "")
    assert ours == letters(markdown)
    rows = document.text[table.start : table.end]
    assert all(cell in rows for cell in cells)
    assert len(rows.split("\n")) == 16
    assert (table.meta["rows"], table.meta["columns"]) == (14, 8)


@pytest.mark.parametrize("name", FORMS)
def test_heads_feet_and_page_numbers_are_left_out(name: str) -> None:
    """Heads, feet, page numbers and footnotes, and the foot that the parser took for text on page 3."""
    document = read(name)
    left = [(span.reason, document.text[span.start : span.end]) for span in document.left_out]
    assert [reason for reason, _ in left].count("footnote") == 6
    assert left.count(("page footer", "Manuscript submitted to ACM")) == 3
    assert left.count(("page header", "Zhang et al.")) == 2
    assert [text for reason, text in left if reason == "page number"] == ["4", "5", "6"]


def test_both_forms_say_the_same() -> None:
    """The same blocks of the same words at the same places; only spaces beside inline formulas differ."""
    first, second = map(read, FORMS)
    assert letters(first.text) == letters(second.text)
    assert [block.type for block in first.blocks] == [block.type for block in second.blocks]
    assert [place[2:] for place in first.locations] == [place[2:] for place in second.locations]


@pytest.mark.parametrize("name", FORMS)
def test_chunks_know_their_pages(name: str) -> None:
    """Every chunk has pages and boxes, of the fragments it is made of."""
    document = read(name)
    chunks = chunk_document(document, Config(chunk=ChunkConfig(unit=Unit.CHARACTERS, size=500)))
    for chunk in chunks:
        assert chunk.content == document.text[chunk.start : chunk.end]
        assert list(zip(chunk.pages, chunk.bboxes, strict=True)) == [
            place[2:] for place in document.locations_in(chunk.start, chunk.end)
        ]
    assert {page for chunk in chunks for page in chunk.pages} == {1, 2, 3}
