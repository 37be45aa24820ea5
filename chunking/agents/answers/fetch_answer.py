"""The tool `fetch`: a piece of a document, section or chunk, with its position and the next cursor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.agents.addresses import AppAddress
from chunking.agents.answers.answer_models import Fetched, plain_text
from chunking.agents.answers.search_answer import chunk_title
from chunking.agents.text_pages import piece_at
from chunking.errors import NotFoundError

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.model import Document
    from chunking.store import Workspace

__all__ = ["fetch_piece"]

_CHUNK = re.compile(r".+_(?:chunk|parent|x\d+_)\d+")
"""Pattern of ids that are almost certainly a chunk's: looked up among chunks first."""
_SECTION = re.compile(r"(.+)_sec\d+")
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class _Readable:
    """Text of a document, section or chunk, with its metadata."""

    id: str
    title: str
    text: str
    url: str
    start: int
    """Offset of the text in its document."""
    config: Config | None
    """Settings of the index, for its tokenizer; None: the defaults."""
    metadata: dict[str, str | int | list[int]]


def fetch_piece(
    workspace: Workspace, id: str, offset: int, budget: int, neighbours: int, address: AppAddress
) -> Fetched:
    """Return the text from `offset`, within a token budget, of a document, section or chunk.

    Args:
        offset: in characters of the document's, section's or chunk's own text.
        budget: most tokens; 0: as many as an answer can hold.
        neighbours: chunks to join to a chunk on both sides; ignored for documents and sections.
    Raises:
        NotFoundError: no document, section or chunk has the id.
    """
    from chunking.config import Config
    from chunking.retrieval.context.context_tokens import context_counter

    lookups = (_chunk, _document, _section) if _CHUNK.fullmatch(id) else (_document, _section, _chunk)
    for look_up in lookups:
        passage = look_up(workspace, id, neighbours, address)
        if passage is not None:
            counter, _ = context_counter((passage.config or Config()).embedding)
            piece = piece_at(passage.text, offset, budget, counter)
            place = {
                "start": passage.start + min(offset, piece.end),
                "end": passage.start + piece.end,
                "characters": len(passage.text),
            }
            return Fetched(
                id=passage.id,
                title=passage.title,
                text=piece.text,
                url=passage.url,
                next=piece.next,
                metadata=passage.metadata | place,
            )
    shown = plain_text(id[:_SHOWN])
    raise NotFoundError(
        f"There is no document, section or chunk '{shown}'; take ids from search, toc or list_documents.", where=shown
    )


def _document(workspace: Workspace, id: str, neighbours: int, address: AppAddress) -> _Readable | None:
    document = _read(workspace, id)
    if document is None:
        return None
    facts: dict[str, str | int | list[int]] = {
        "kind": "document",
        "doc": id,
        "path": document.source,
        "language": document.language,
    }
    return _Readable(id, document.title, document.text, address.of_document(id), 0, _config(workspace), facts)


def _section(workspace: Workspace, id: str, neighbours: int, address: AppAddress) -> _Readable | None:
    named = _SECTION.fullmatch(id)
    document = _read(workspace, named[1]) if named else None
    section = next((one for one in document.sections if one.section_id == id), None) if document else None
    if document is None or section is None:
        return None
    titles = section.title_path[1:] if section.title_path[:1] == (document.title,) else section.title_path
    facts: dict[str, str | int | list[int]] = {"kind": "section", "doc": document.doc_id, "level": section.level}
    return _Readable(
        id,
        " › ".join((document.title, *titles)),
        document.text[section.start : section.end],
        address.of_document(document.doc_id),
        section.start,
        _config(workspace),
        facts,
    )


def _chunk(workspace: Workspace, id: str, neighbours: int, address: AppAddress) -> _Readable | None:
    from chunking.retrieval.context.expansion import join

    if not workspace.indexes():
        return None
    index = workspace.index()
    chunk = index.rows_by_id([id]).get(id)
    if chunk is None:
        return None
    context = (
        index.neighbours([chunk], neighbours, neighbours, tocs=False).by_chunk[id]
        if neighbours and chunk.content
        else ()
    )
    run = sorted((chunk, *context), key=lambda one: one.start)
    facts: dict[str, str | int | list[int]] = {"kind": chunk.level, "doc": chunk.doc_id, "section": chunk.section_id}
    facts |= {name: other for name, other in (("prev", run[0].prev_id), ("next", run[-1].next_id)) if other}
    if chunk.pages:
        facts["pages"] = sorted({page for one in run for page in one.pages})
    text = join(run) if chunk.content else chunk.summary
    return _Readable(
        id, chunk_title(chunk), text, address.of_chunk(chunk, index.config), run[0].start, index.config, facts
    )


def _read(workspace: Workspace, doc_id: str) -> Document | None:
    try:
        return workspace.document(doc_id)
    except NotFoundError:
        return None


def _config(workspace: Workspace) -> Config | None:
    return workspace.index().config if workspace.indexes() else None
