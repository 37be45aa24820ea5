"""A hit in its place: the document it comes from, scrolled to it, with its neighbours shaded and what was found in it
underlined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from chunking.model import Chunk, Document, Span
from chunking.retrieval import Result, SearchResult
from components.kit.viewer import Goto, TextMark, ViewMarks, stored_bands, viewer
from components.kit.viewer.result_bands import is_nested
from components.search.hits.component import ViewedHit, leads_to

__all__ = ["ViewerTarget", "moved", "opened_place", "read"]

_NUMBER = re.compile(r"(\d+)$")


@dataclass(frozen=True, slots=True)
class ViewerTarget:
    """Where the viewer has to be."""

    hit: Result
    doc_id: str
    """Empty for a cluster, which stands in no document."""
    start: int
    end: int
    number: int
    """Of the chunk, in its document."""

    @property
    def elsewhere(self) -> bool:
        """A repeat of the hit's text, not the hit, a neighbour or a part of it."""
        own = (self.hit.chunk, *self.hit.neighbours, *(child.chunk for child in self.hit.matched))
        return all((self.doc_id, self.start) != (chunk.doc_id, chunk.start) for chunk in own)


def opened_place(result: SearchResult, opened: ViewedHit) -> ViewerTarget:
    """The place of what was opened; the best hit's where it is not of this search."""
    hit = next((hit for hit in result.results if hit.chunk.chunk_id == opened.hit), result.results[0])
    places = {place.chunk_id: place for place in reversed(leads_to(hit))}
    found = places.get(opened.target, hit.chunk)
    number = _NUMBER.search(found.chunk_id)
    return ViewerTarget(hit, found.doc_id, found.start, found.end, int(number[1]) if number else 0)


def moved(result: SearchResult, document: Document) -> bool:
    """Whether the document has another text now than when it was indexed, so that places in it no longer hold."""
    return not all(_stands(document, hit.chunk) for hit in _inside(result, document))


def read(
    result: SearchResult,
    place: ViewerTarget,
    document: Document,
    *,
    nonce: str,
    height: int,
    key: str,
    on_open: Callable[[str, str], None],
    answers: Sequence[Span] = (),
    on_answer: Callable[[int, int], None] | None = None,
) -> None:
    """The viewer at a place. A click on a hit or neighbour in the text makes its card the open one.

    Args:
        result: the search; all its hits in this document are marked, but for those that no longer stand where they
            were.
        place: where to be.
        document: the one `deliver_text` was called for.
        nonce: a new one scrolls to the place.
        height: in pixels.
        key: of the viewer.
        on_open: called with the chunk ids of the hit and of what was clicked.
        answers: gold spans of the query in this document.
        on_answer: called with start and end of text that was selected as an answer; None: that is not offered.
    """
    hits, inside = _apart([hit for hit in _inside(result, document) if _stands(document, hit.chunk)], place.hit)
    near = [chunk for chunk in _only_near(hits) if _stands(document, chunk)]
    repeat = [_copy(place)] if place.elsewhere and _stands(document, _copy(place)) else []
    if st.session_state.get(f"{key}.nonce") != nonce:
        st.session_state[f"{key}.nonce"] = nonce
        st.session_state[f"{key}.at"] = place.start
    found = [child.chunk for hit in hits for child in hit.matched] + [hit.chunk for hit in inside]
    marks = ViewMarks(
        hits=[*(_mark(hit.chunk, hit) for hit in hits), *(_mark(chunk, place.hit) for chunk in repeat)],
        neighbours=[TextMark(chunk.start, chunk.end) for chunk in near],
        highlights=[TextMark(*span) for hit in (*hits, *inside) for span in hit.highlights],
        answers=[TextMark(*span) for span in answers],
        found=[TextMark(chunk.start, chunk.end) for chunk in found if _stands(document, chunk)],
    )
    bands = stored_bands(document, [*(hit.chunk for hit in hits), *near, *repeat])

    def follow() -> None:
        at = st.session_state[f"{key}.at"]
        for hit in hits:
            for chunk in (hit.chunk, *hit.neighbours):
                if chunk.start == at:
                    on_open(hit.chunk.chunk_id, chunk.chunk_id)
                    return

    viewer(
        document,
        bands,
        key=key,
        marks=marks,
        goto=Goto(place.start, nonce),
        prefixes=False,
        height=height,
        on_pick=follow,
        on_ask=on_answer,
        ask_label="Answers the query",
    )


def _inside(result: SearchResult, document: Document) -> list[Result]:
    return [hit for hit in result.results if hit.chunk.doc_id == document.doc_id]


def _apart(hits: Sequence[Result], first: Result) -> tuple[list[Result], list[Result]]:
    """Hits that can be drawn side by side, and those that stand in one of them.

    A section may be a hit and a chunk in it another. Bands do not nest, so what is read comes first, then the best; a
    hit
    around one of those is left out here (its card leads to it).
    """
    apart: list[Result] = []
    inside: list[Result] = []
    for hit in sorted(hits, key=lambda hit: (hit is not first, hit.rank)):
        if not any(is_nested(hit.chunk, other.chunk) for other in apart):
            apart.append(hit)
        elif any(other.chunk.start <= hit.chunk.start and hit.chunk.end <= other.chunk.end for other in apart):
            inside.append(hit)
    return apart, inside


def _only_near(hits: Iterable[Result]) -> list[Chunk]:
    """Neighbours that were not found themselves and stand in no hit, each once."""
    hits = list(hits)
    found = {hit.chunk.chunk_id for hit in hits}
    near = {near.chunk_id: near for hit in hits for near in hit.neighbours if near.chunk_id not in found}
    return [chunk for chunk in near.values() if not any(is_nested(chunk, hit.chunk) for hit in hits)]


def _stands(document: Document, chunk: Chunk) -> bool:
    """Whether the chunk's text is where the index says; white space aside, as for repeats.

    The summary of a section says nothing about that: its span is only held to lie in the text.
    """
    if not chunk.content:
        return chunk.end <= len(document.text)
    return document.text[chunk.start : chunk.end].split() == chunk.content.split()


def _copy(place: ViewerTarget) -> Chunk:
    """The hit's chunk as it stands at the place of a repeat."""
    return replace(
        place.hit.chunk, doc_id=place.doc_id, section_id="", start=place.start, end=place.end, chunk_index=place.number
    )


def _mark(chunk: Chunk, hit: Result) -> TextMark:
    return TextMark(chunk.start, chunk.end, str(hit.rank))
