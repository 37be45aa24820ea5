"""unstructured's chunking over our blocks: where its functions cut, at exact places, in our units."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.document_elements import document_elements
from chunking.splitting import TokenCounter
from chunking.splitting.strategies import foreign_splitters
from chunking.splitting.strategies.foreign_splitters import cut_elements, load
from chunking.splitting.strategies.splitter_contract import CannotSplitError, Lengths
from tests.splitting.inline import read

SAMPLES = Path(__file__).parents[3] / "sample_data"
LISTS = (
    "# Owls\n\n- barn owl\n  flies low\n  - by night\n- eagle owl\n\nText.\n\n## Food\n\n| a | b |\n|---|---|\n| "
    "1 | 2 |\n"
)


def test_elements_of_a_document() -> None:
    """A list is an element an item, with its depth; what stands under a title knows it."""
    document = read(LISTS, "a.md")
    elements = [
        (one.category, document.text[slice(*one.words)], one.depth, one.title) for one in document_elements(document)
    ]
    assert elements == [
        ("Title", "# Owls", 0, -1),
        ("ListItem", "barn owl\n  flies low", 0, 0),
        ("ListItem", "by night", 1, 0),
        ("ListItem", "eagle owl", 0, 0),
        ("NarrativeText", "Text.", 0, 0),
        ("Title", "## Food", 1, 0),
        ("Table", "| a | b |\n|---|---|\n| 1 | 2 |", 0, 5),
    ]


@pytest.mark.parametrize("by_title", [True, False])
@pytest.mark.parametrize("name", ["handbook/operations-handbook.md", "manual-zh/产品使用手册.md"])
def test_the_same_chunks_as_its_own_functions(name: str, by_title: bool) -> None:
    """In characters, its own unit, word for word; spans are exact, and in order."""
    load()
    from unstructured.chunking.basic import chunk_elements
    from unstructured.chunking.title import chunk_by_title
    from unstructured.documents.elements import TYPE_TO_TEXT_ELEMENT_MAP

    document = parse((SAMPLES / name).read_bytes(), name)
    elements = [
        TYPE_TO_TEXT_ELEMENT_MAP[one.category](document.text[slice(*one.span)]) for one in document_elements(document)
    ]
    theirs = (chunk_by_title if by_title else chunk_elements)(elements, max_characters=400)
    spans = cut_elements(document, Lengths(400, 0, len), by_title=by_title)
    assert [document.text[start:end].split() for start, end in spans] == [chunk.text.split() for chunk in theirs]
    assert all(one.end <= other.start for one, other in pairwise(spans))


def covered(document: Document, spans: list[tuple[int, int]]) -> bool:
    """Every character of a block is in a span."""
    inside = {place for start, end in spans for place in range(start, end)}
    return all(
        place in inside
        for block in document.blocks
        for place in range(block.start, block.end)
        if not document.text[place].isspace()
    )


def test_small_chunks_are_joined_in_tokens(counter: TokenCounter) -> None:
    """As they are in characters; its own token mode would leave nearly every section alone."""
    text = "\n\n".join(f"## Part {n}\n\nOne sentence of part {n} is here." for n in range(20))
    document = read(text, "a.md")
    spans = cut_elements(document, Lengths(60, 0, counter.count), by_title=True)
    assert 3 <= len(spans) <= 6
    assert all(counter.count(text[slice(*span)]) <= 60 and text[span.start : span.start + 2] == "##" for span in spans)
    assert covered(document, spans)


def test_an_overlap_is_the_end_of_the_chunk_before() -> None:
    """At a word, as much as is wanted at most, inside the size; a table repeats nothing and is not repeated."""
    words = " ".join(f"word{n:02}" for n in range(40))
    document = read(f"{words}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd of it.\n", "a.md")
    spans = cut_elements(document, Lengths(100, 20, len), by_title=False)
    texts = [document.text[slice(*span)] for span in spans]
    assert all(len(text) <= 100 for text in texts)
    shared = [max(one.end - other.start, 0) for one, other in pairwise(spans)]
    assert shared[:3] == [20, 20, 20]
    assert texts[1].startswith("word08 word09 word10 word11")
    assert shared[-2:] == [0, 0]
    assert texts[-2].startswith("| a | b |")


def test_work_grows_with_the_text() -> None:
    """What is counted goes with the length of a paragraph; its own token mode would count all of it for each of its
    words.
    """
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text.split())

    document = read("lorem ipsum " * 20_000, "a.txt")
    spans = cut_elements(document, Lengths(100, 10, count), by_title=True)
    assert len(spans) > 400
    assert counted < 80 * len(document.text)


def test_words_that_were_not_given_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its chunks are held to the text: another word in them, or one too many, is an error."""
    load()
    from unstructured.documents.elements import CompositeElement

    for words, cause in (("One three.", "three"), ("One two. Four.", "Four")):
        monkeypatch.setattr(foreign_splitters, "_chunks", lambda *_, given=words: [CompositeElement(given)])
        with pytest.raises(CannotSplitError, match=cause):
            cut_elements(read("One two.", "a.txt"), Lengths(40, 0, len), by_title=True)
