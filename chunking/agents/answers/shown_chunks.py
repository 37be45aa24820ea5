"""The tool `show_chunks`: a document's chunks and hits, drawn for people and summarised for the model."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from chunking.agents.addresses import AppAddress
from chunking.agents.answers.answer_models import ShownChunks
from chunking.errors import NotFoundError

if TYPE_CHECKING:
    from chunking.model import Chunk, Document
    from chunking.retrieval import Result
    from chunking.store import Workspace

__all__ = ["draw_shown_chunks"]

_MOST_CHARACTERS = 200_000
"""Maximum characters of a document to draw: its text is part of the answer."""
_HITS = 5
_HEIGHT = 460
"""Height of the text in pixels."""


def draw_shown_chunks(workspace: Workspace, doc: str, query: str, address: AppAddress) -> ShownChunks:
    """Return a summary of a document's chunks in the newest index, with their drawing.

    A document of more than 200,000 characters has no drawing, but a note. See `Toolbox.show_chunks`.

    Raises:
        NotFoundError: there is no such document or index, or the index does not contain the document.
    """
    document, index = workspace.document(doc), workspace.index()
    chunks = index.chunks_of(doc)
    if not chunks:
        raise NotFoundError(
            f"The index '{index.name}' does not contain the document '{doc}'; build it again.", where=doc
        )
    hits = _hits(workspace, doc, query) if query else []
    tokens = [chunk.token_count for chunk in chunks]
    drawn = len(document.text) <= _MOST_CHARACTERS
    shown = ShownChunks(
        doc=doc,
        title=document.title,
        url=address.of_chunk(hits[0].chunk, index.config) if hits else address.of_document(doc),
        chunks=len(chunks),
        tokens=f"{min(tokens)} to {max(tokens)}, median {median(tokens):g}",
        hits=[hit.chunk.chunk_id for hit in hits],
        notes=[]
        if drawn
        else ["The document is too long to be drawn in a conversation; open the url to see its chunks."],
    )
    if drawn:
        shown.draw(_drawing(document, chunks, hits))
    return shown


def _hits(workspace: Workspace, doc: str, query: str) -> Sequence[Result]:
    from chunking.config import Config, QuerySyntax
    from chunking.retrieval import search

    own: dict[str, object] = {"search.k": _HITS, "search.retrieval": "chunk", "search.before": 0, "search.after": 0}
    config = Config.from_settings(own, workspace.index().config)
    return search(workspace, query, config.search, where={"document": doc}, syntax=QuerySyntax.PLAIN).results


def _drawing(document: Document, chunks: Sequence[Chunk], hits: Sequence[Result]) -> dict[str, Any]:
    """Return the messages to the viewer's components by name."""
    from chunking.viewing.messages import Goto, TextMark, ViewMarks, stored_bands, text_message, view_message

    text = text_message(document)
    marks = ViewMarks(
        hits=[TextMark(hit.chunk.start, hit.chunk.end, str(hit.rank)) for hit in hits],
        highlights=[TextMark(*span) for hit in hits for span in hit.highlights],
    )
    goto = Goto(hits[0].chunk.start, nonce=1) if hits else None
    view = view_message(
        document, stored_bands(document, chunks), run=1, looks=text.looks, marks=marks, goto=goto, height=_HEIGHT
    )
    return {"text": text.text_data, "text_facts": text.facts_data, "viewer": view}
