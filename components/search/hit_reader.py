"""Reader of the open hit: its document with neighbours and matches marked, and what to read next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from chunking.model import Chunk, Document, Span
from chunking.retrieval import Result, SearchResult, fetch, related_documents, siblings
from chunking.retrieval.results.citation import cite
from chunking.splitting import shaped
from chunking.store import IndexRow, Right, Workspace, document_labels
from components.documents.page_view import deliver_pages, has_places, page_view, picture_of
from components.kit.button import button
from components.kit.viewer import (
    Goto,
    TextMark,
    ViewActions,
    ViewLayers,
    ViewMarks,
    deliver_text,
    is_nested,
    set_pick,
    stored_bands,
    viewer,
)
from components.kit.wording import plain, quantity
from components.search.hits import ViewedHit, leads_to
from components.search.hits.snippets import beginning
from components.search.search_labels import answers_in, labels_popover, select_answer
from components.session import share
from components.session.workspace import document

__all__ = [
    "HEADER_HEIGHT",
    "OPENED",
    "beside_page",
    "chunk_number",
    "read_next",
    "reader",
    "viewed_hit",
    "viewer_target",
]

_TURN = "search.turn"
OPENED = "hits.opened"
"""Session key of the open hit."""
HEADER_HEIGHT = 46
"""Pixels above the text: a line and a gap."""
_MOST_PARTS = 20
_LEFT_OUT = "✕"
"""Label of a result that was left out, in the place of its rank."""

_MOST = 3
_SIMILARITY = (
    "Cosine similarity of the two documents' mean chunk vectors: 1 is the same direction, 0 means nothing in common."
)

_NUMBER = re.compile(r"(\d+)$")


def reader(
    target: Workspace,
    row: IndexRow | None,
    result: SearchResult,
    place: ViewerTarget,
    viewed: ViewedHit,
    *,
    height: int,
) -> None:
    """Draw the document of the open hit with labels and download; for a cluster, its summary.

    Args:
        target: workspace of the document.
        row: searched index; None without an index.
        result: the search.
        place: place of the open hit.
        viewed: the open hit.
        height: height of the text, in pixels.
    """
    if not place.doc_id and row is not None:
        _cluster(target, row, place, height + HEADER_HEIGHT)
        return
    text = document(target, place.doc_id) if row is None else shaped(document(target, place.doc_id), row.config)
    with st.container(horizontal=True, vertical_alignment="center", key="search.reading"):
        st.markdown(f"**{plain(text.title)}** :small[:gray[{plain(text.source)}]]", width="stretch")
        labels_popover(target, result.query)
        st.download_button(
            "↓ Whole document",
            data=lambda: fetch(target, place.doc_id, index=row.name if row else None),
            file_name=f"{place.doc_id}.txt",
            mime="text/plain",
            type="tertiary",
            help="The document as an agent's `fetch` tool returns it: its id, its number of chunks, its text.",
            on_click="ignore",
            key="search.fetch",
        )
    if has_changed(result, text):
        st.warning(
            "This document has changed since the index was built; hits that have moved are not marked. Build "
            "the index again."
        )
    nonce = f"{result.query}/{viewed.turn}"
    deliver_text(text)
    with beside_page(target, text, place.start, height, key="search.pages"):
        draw_document(
            result,
            place,
            text,
            nonce=nonce,
            height=height,
            key="search.viewer",
            on_open=_open_from_text,
            answers=answers_in(target, result.query, text),
            on_answer=partial(select_answer, result.query, text.doc_id) if target.may(Right.WRITE) else None,
        )


def beside_page(target: Workspace, text: Document, at: int, height: int, *, key: str) -> AbstractContextManager[object]:
    """Draw the document's page at an offset, and return the column beside it for the text.

    Without positions on pages, draws nothing and returns a null context.
    """
    if not has_places(text):
        return nullcontext()
    deliver_pages(text)
    page, beside_it = st.columns(2)
    with page:
        page_view(text, picture_of(target, text.format, text.hash), file=text.hash, key=key, height=height, at=at)
    return beside_it


def _open_from_text(hit: str, target: str) -> None:
    """Open the card of a hit clicked in the text, without scrolling."""
    viewed: ViewedHit = st.session_state[OPENED]
    st.session_state[OPENED] = ViewedHit(hit, target, viewed.turn)


def _cluster(target: Workspace, row: IndexRow, place: ViewerTarget, height: int) -> None:
    """Draw the summary of a cluster, and the beginning of each of its chunks."""
    chunk = place.hit.chunk
    with st.container(height=height, key="search.cluster"):
        st.markdown("**Summary of similar chunks**")
        st.text(chunk.summary)
        st.caption(f"It summarises {quantity(len(chunk.children), 'part')}:")
        parts = target.index(row.name).rows_by_id(chunk.children[:_MOST_PARTS])
        for part in (parts[name] for name in chunk.children if name in parts):
            st.caption(plain(cite(part)))
            st.text(beginning(part))
        if len(chunk.children) > _MOST_PARTS:
            st.caption(f"… and {quantity(len(chunk.children) - _MOST_PARTS, 'more part')}")


def read_next(target: Workspace, row: IndexRow | None, doc_id: str) -> None:
    """Draw links to up to three documents in the same folder and, once opened, similar ones.

    Args:
        target: workspace of the documents.
        row: index for the similarity of documents; None without an index.
        doc_id: the open document.
    """
    _siblings(target, doc_id)
    if row is None:
        return
    box = st.expander("Related documents: similar content in any folder", key="search.related", on_change="rerun")
    if box.open:  # they cost a few storage calls
        with box:
            _related(target, row, doc_id)


def _siblings(target: Workspace, doc_id: str) -> None:
    """Documents in the same folder."""
    neighbours = siblings(target, doc_id, 3)
    if not neighbours.nearest:
        return
    labels = target.derived(document_labels)
    with st.container(horizontal=True, vertical_alignment="center", key="search.beside"):
        folder = "/".join(neighbours.path) or "the top folder"
        st.caption(f"{quantity(neighbours.count, 'other document')} in {plain(folder)}:", width="content")
        for row in neighbours.nearest:
            _way_to(row.doc_id, labels.get(row.doc_id, row.title), f"search.beside.{row.doc_id}")


def _related(target: Workspace, row: IndexRow, doc_id: str) -> None:
    """Draw the documents with the most similar vectors, and why."""
    similar = related_documents(target, doc_id, _MOST, index=row.name)
    if not similar:
        st.caption("This index contains no other document.")
    labels = target.derived(document_labels) if similar else {}
    for one in similar:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _way_to(one.row.doc_id, labels.get(one.row.doc_id, one.row.title), f"search.related.{one.row.doc_id}")
            st.caption(f"similarity {one.similarity:.2f}", help=_SIMILARITY, width="content")
        st.caption(plain(one.why))


def _way_to(doc_id: str, label: str, key: str) -> None:
    if button(plain(label), type="tertiary", key=key, help="Read it on the Documents page."):
        share.keep_view(doc=doc_id, chunk=None)
        st.switch_page("pages/documents.py")


@dataclass(frozen=True, slots=True)
class ViewerTarget:
    """The chunk or repeated text that the viewer shows for a hit."""

    hit: Result
    doc_id: str
    """"" for a cluster, which is in no document."""
    start: int
    end: int
    number: int
    """Number of the chunk in its document."""

    @property
    def elsewhere(self) -> bool:
        """True for a repeat of the hit's text that is none of its neighbours or matched chunks."""
        own = (self.hit.chunk, *self.hit.neighbours, *(child.chunk for child in self.hit.matched))
        return all((self.doc_id, self.start) != (chunk.doc_id, chunk.start) for chunk in own)


def viewed_hit(result: SearchResult) -> ViewedHit:
    """Return the open hit: the clicked one, else the one of the link, else the best.

    The link counts at the start of a session only. Stores the hit; the result must have one.
    """
    viewed: ViewedHit | None = st.session_state.get(OPENED)
    turn = st.session_state.get(_TURN, 0)
    if viewed is None or all(viewed.hit != hit.chunk.chunk_id for hit in (*result.results, *result.left_out)):
        linked = (share.view("doc"), share.view("chunk")) if turn == 0 else ()
        hit = next(
            (hit for hit in result.results if (hit.chunk.doc_id, str(chunk_number(hit))) == linked), result.results[0]
        )
        viewed = st.session_state[OPENED] = ViewedHit(hit.chunk.chunk_id, hit.chunk.chunk_id, turn + 1)
    st.session_state[_TURN] = max(turn, viewed.turn)
    return viewed


def chunk_number(hit: Result) -> int | None:
    """Return the chunk number for a link to a hit: its best matched chunk's, else its own.

    None for a larger chunk, a parent or a summary without matched chunks.
    """
    if hit.matched:
        return hit.matched[0].chunk.chunk_index
    return hit.chunk.chunk_index if hit.chunk.level == "chunk" else None


def viewer_target(result: SearchResult, viewed: ViewedHit) -> ViewerTarget:
    """Return the span to show for the open hit, also one that was left out, else for the best."""
    every = (*result.results, *result.left_out)
    hit = next((hit for hit in every if hit.chunk.chunk_id == viewed.hit), result.results[0])
    places = {place.chunk_id: place for place in reversed(leads_to(hit))}
    target = places.get(viewed.target, hit.chunk)
    number = _NUMBER.search(target.chunk_id)
    return ViewerTarget(hit, target.doc_id, target.start, target.end, int(number[1]) if number else 0)


def has_changed(result: SearchResult, document: Document) -> bool:
    """True if a hit's text is no longer at its place in the document."""
    return not all(_stands(document, hit.chunk) for hit in _inside(result, document))


def draw_document(
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
    """Draw the viewer at a place; a click on a hit or neighbour in the text opens its card.

    Args:
        result: the search; its hits in this document are marked, unless their text has moved.
        place: place to show.
        document: document that `deliver_text` was called for.
        nonce: a new value scrolls to the place.
        height: in pixels.
        key: key of the viewer.
        on_open: called with the chunk ids of the hit and of the clicked chunk.
        answers: gold spans of the query in this document.
        on_answer: called with start and end of text selected as an answer; None: not offered.
    """
    own = [*_inside(result, document), *([place.hit] if place.hit in result.left_out else [])]
    hits, inside = _apart([hit for hit in own if _stands(document, hit.chunk)], place.hit)
    neighbours = [chunk for chunk in _only_near(hits) if _stands(document, chunk)]
    repeat = [_copy(place)] if place.elsewhere and _stands(document, _copy(place)) else []
    if st.session_state.get(f"{key}.nonce") != nonce:
        st.session_state[f"{key}.nonce"] = nonce
        set_pick(key, document, place.start)
    matches = [child.chunk for hit in hits for child in hit.matched] + [hit.chunk for hit in inside]
    marks = ViewMarks(
        hits=[
            *(_mark(hit.chunk, hit, _LEFT_OUT if hit in result.left_out else "") for hit in hits),
            *(_mark(chunk, place.hit) for chunk in repeat),
        ],
        neighbours=[TextMark(chunk.start, chunk.end) for chunk in neighbours],
        highlights=[TextMark(*span) for hit in (*hits, *inside) for span in hit.highlights],
        answers=[TextMark(*span) for span in answers],
        matched=[TextMark(chunk.start, chunk.end) for chunk in matches if _stands(document, chunk)],
        trimmed=[TextMark(*span) for hit in hits for span in _trimmed_off(hit)],
    )
    bands = stored_bands(document, [*(hit.chunk for hit in hits), *neighbours, *repeat])

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
        height=height,
        goto=Goto(place.start, nonce),
        layers=ViewLayers(marks, prefixes=False),
        actions=ViewActions(on_pick=follow, on_ask=on_answer, ask_label="Answers the query"),
    )


def _inside(result: SearchResult, document: Document) -> list[Result]:
    return [hit for hit in result.results if hit.chunk.doc_id == document.doc_id]


def _apart(hits: Sequence[Result], first: Result) -> tuple[list[Result], list[Result]]:
    """Return the hits that can be drawn side by side, and those nested in them.

    Bands do not nest: the read hit comes first, then the best; a hit that contains one of those is left out.
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
    """Return neighbours that are not hits and not nested in one, without duplicates."""
    hits = list(hits)
    hit_ids = {hit.chunk.chunk_id for hit in hits}
    neighbours = {
        neighbours.chunk_id: neighbours
        for hit in hits
        for neighbours in hit.neighbours
        if neighbours.chunk_id not in hit_ids
    }
    return [chunk for chunk in neighbours.values() if not any(is_nested(chunk, hit.chunk) for hit in hits)]


def _stands(document: Document, chunk: Chunk) -> bool:
    """True if the document still has the chunk's text at its offsets, white space aside.

    For a summary only the end of its span is checked.
    """
    if not chunk.content:
        return chunk.end <= len(document.text)
    return document.text[chunk.start : chunk.end].split() == chunk.content.split()


def _copy(place: ViewerTarget) -> Chunk:
    """Return the hit's chunk at the place of a repeat."""
    return replace(
        place.hit.chunk, doc_id=place.doc_id, section_id="", start=place.start, end=place.end, chunk_index=place.number
    )


def _trimmed_off(hit: Result) -> list[Span]:
    """Return the parts of a hit's chunk before and after what is left of it."""
    if hit.trimmed is None:
        return []
    sides = (Span(hit.chunk.start, hit.trimmed.start), Span(hit.trimmed.end, hit.chunk.end))
    return [span for span in sides if span.start < span.end]


def _mark(chunk: Chunk, hit: Result, label: str = "") -> TextMark:
    return TextMark(chunk.start, chunk.end, label or str(hit.rank))
