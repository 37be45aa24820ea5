"""Repeats, citations and groups: what becomes of hits once they are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from chunking.model import Chunk
from chunking.retrieval.ranking.fused_hits import fuse
from chunking.retrieval.ranking.ranked import deduplicate
from chunking.retrieval.results.citation import cite
from chunking.retrieval.results.result_items import group
from chunking.retrieval.results.search_result import Result
from tests.retrieval.cut_texts import make_chunks

TEXT = "Alpha one. Beta two. Alpha  one. Gamma four. Delta five."
SPANS = [(0, 10), (11, 20), (21, 32), (33, 44), (45, 56)]


def result(rank: int, chunk: Chunk, *near: Chunk) -> Result:
    """A hit as the grouping needs it."""
    return Result(rank, chunk, 1 / rank, {}, "", (), (), near, (), cite(chunk))


def by_id(chunks: list[Chunk]) -> Mapping[str, Chunk]:
    return {chunk.chunk_id: chunk for chunk in chunks}


def test_exact_repeats_leave_the_best_which_lists_the_others() -> None:
    """The same text, white space aside, in one document and in another."""
    chunks = [*make_chunks(TEXT, SPANS), *make_chunks("Alpha one.", [(0, 10)], doc_id="copy")]
    scores = {chunk.chunk_id: 1 - n / 10 for n, chunk in enumerate(chunks)}
    kept, repeats = deduplicate(fuse({"text": scores}, {"text": 1.0}), by_id(chunks))
    assert [hit.chunk_id for hit in kept] == ["doc_chunk0", "doc_chunk1", "doc_chunk3", "doc_chunk4"]
    assert [(place.chunk_id, place.start, place.end) for place in repeats["doc_chunk0"]] == [
        ("doc_chunk2", 21, 32),
        ("copy_chunk0", 0, 10),
    ]
    assert repeats.keys() == {"doc_chunk0"}


def test_a_document_has_the_score_of_its_best_hit() -> None:
    """Groups in the order of their best hits, matched chunks best first, context in reading order and never a hit."""
    first, second = (
        make_chunks(TEXT, SPANS),
        make_chunks("One. Two. Three.", [(0, 4), (5, 9), (10, 16)], doc_id="other"),
    )
    hits = [
        result(1, second[1], second[0], second[2]),
        result(2, first[3], first[2], first[4]),
        result(3, first[2], first[1], first[3]),
    ]
    groups = group(hits)
    assert [(results.doc_id, results.score, [hit.rank for hit in results.matched]) for results in groups] == [
        ("other", 1.0, [1]),
        ("doc", 0.5, [2, 3]),
    ]
    assert [results.file for results in groups] == ["other.md", "doc.md"]
    assert [[chunk.chunk_index for chunk in results.context] for results in groups] == [[0, 2], [1, 4]]
    assert [[(p.start, p.end, p.text) for p in results.passages] for results in groups] == [
        [(0, 16, "One. Two. Three.")],
        [(11, 56, TEXT[11:56])],
    ]


def test_a_citation_says_where_a_chunk_stands() -> None:
    """The document's title once, the path, pages where there are any, exact characters."""
    chunk = make_chunks(TEXT, SPANS, ["s1"] * 5)[1]
    assert cite(chunk) == "Guide › s1 · doc.md · characters 11–20"
    assert cite(replace(chunk, pages=(3, 4))) == "Guide › s1 · doc.md · pages 3–4 · characters 11–20"
    assert (
        cite(replace(chunk, metadata={"file_name": "a.md"}, title_path=(), pages=(2,)))
        == "a.md · page 2 · characters 11–20"
    )


def test_a_citation_names_the_file() -> None:
    """Two documents of one title are told apart; a file whose name is its title is named once, by its path."""
    chunk = make_chunks(TEXT, SPANS, ["s1"] * 5)[1]
    first, second = (
        replace(chunk, metadata={"title": "Guide", "relative_path": f"{folder}/guide.md"}) for folder in "ab"
    )
    assert cite(first) == "Guide › s1 · a/guide.md · characters 11–20"
    assert cite(second) == "Guide › s1 · b/guide.md · characters 11–20"
    untitled = replace(
        chunk,
        metadata={"title": "faq.txt", "relative_path": "a/faq.txt", "file_name": "faq.txt"},
        title_path=("faq.txt",),
    )
    assert cite(untitled) == "a/faq.txt · characters 11–20"


def test_a_citation_names_each_page_once_in_the_words_of_the_format() -> None:
    """A page is listed for every line; those in a row are a range, others stand by themselves."""
    chunk = make_chunks(TEXT, SPANS, ["s1"] * 5)[1]
    assert cite(replace(chunk, pages=(3, 3, 3, 4, 4, 7))) == "Guide › s1 · doc.md · pages 3–4, 7 · characters 11–20"
    slides = replace(chunk, metadata={**chunk.metadata, "format": "pptx"})
    assert cite(replace(slides, pages=(2, 2))) == "Guide › s1 · doc.md · slide 2 · characters 11–20"
    assert cite(replace(slides, pages=(2, 3))) == "Guide › s1 · doc.md · slides 2–3 · characters 11–20"
