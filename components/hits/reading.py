"""A hit in its place: the document it comes from, scrolled to it, with its neighbours shaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import streamlit as st

from chunking.model import Chunk, Document
from chunking.retrieval import Result, SearchResult
from components.hits.component import Opened
from components.viewer import Goto, Mark, Marks, stored_bands, viewer

__all__ = ["Place", "moved", "opened_place", "read"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the viewer has to be."""

    hit: Result
    doc_id: str
    start: int
    end: int

    @property
    def elsewhere(self) -> bool:
        """A repeat of the hit's text, not the hit or a neighbour."""
        return all((self.doc_id, self.start) != (chunk.doc_id, chunk.start) for chunk in (self.hit.chunk, *self.hit.neighbours))


def opened_place(result: SearchResult, opened: Opened) -> Place:
    """The place of what was opened; the best hit's where it is not of this search."""
    hit = next((hit for hit in result.results if hit.chunk.chunk_id == opened.hit), result.results[0])
    places = {chunk.chunk_id: chunk for chunk in (hit.chunk, *hit.neighbours)} | {place.chunk_id: place for place in hit.repeats}
    found = places.get(opened.target, hit.chunk)
    return Place(hit, found.doc_id, found.start, found.end)


def moved(result: SearchResult, document: Document) -> bool:
    """Whether the document has another text now than when it was indexed, so that places in it no longer hold."""
    return any(document.text[hit.chunk.start : hit.chunk.end] != hit.chunk.content for hit in _inside(result, document))


def read(
    result: SearchResult, place: Place, document: Document, *, nonce: str, height: int, key: str, on_open: Callable[[str, str], None]
) -> None:
    """The viewer at a place. A click on a hit or neighbour in the text makes its card the open one.

    Args:
        result: the search; all its hits in this document are marked.
        place: where to be.
        document: the one `deliver_text` was called for.
        nonce: a new one scrolls to the place.
        height: in pixels.
        key: of the viewer.
        on_open: called with the chunk ids of the hit and of what was clicked.
    """
    hits = _inside(result, document)
    if st.session_state.get(f"{key}.nonce") != nonce:
        st.session_state[f"{key}.nonce"] = nonce
        st.session_state[f"{key}.at"] = place.start
    marks = Marks(
        hits=[*(_mark(hit.chunk, hit) for hit in hits), *([Mark(place.start, place.end, str(place.hit.rank))] if place.elsewhere else [])],
        neighbours=[Mark(near.start, near.end) for near in _only_near(hits)],
        highlights=[Mark(*span) for hit in hits for span in hit.highlights],
    )
    bands = stored_bands(document, [*(hit.chunk for hit in hits), *_only_near(hits)])

    def follow() -> None:
        at = st.session_state[f"{key}.at"]
        for hit in hits:
            for chunk in (hit.chunk, *hit.neighbours):
                if chunk.start == at:
                    on_open(hit.chunk.chunk_id, chunk.chunk_id)
                    return

    viewer(document, bands, key=key, marks=marks, goto=Goto(place.start, nonce), prefixes=False, height=height, on_pick=follow)


def _inside(result: SearchResult, document: Document) -> list[Result]:
    return [hit for hit in result.results if hit.chunk.doc_id == document.doc_id]


def _only_near(hits: Iterable[Result]) -> list[Chunk]:
    """Neighbours that were not found themselves, each once."""
    hits = list(hits)
    found = {hit.chunk.chunk_id for hit in hits}
    return list({near.chunk_id: near for hit in hits for near in hit.neighbours if near.chunk_id not in found}.values())


def _mark(chunk: Chunk, hit: Result) -> Mark:
    return Mark(chunk.start, chunk.end, str(hit.rank))
