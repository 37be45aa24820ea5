"""Tools of an agent as plain blocking calls, for any protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from chunking.agents.addresses import AppAddress
from chunking.agents.answers import (
    Collected,
    Deleted,
    DocumentLine,
    DocumentPage,
    Evaluated,
    Fetched,
    RelatedLine,
    RelatedList,
    SearchHits,
    SectionLine,
    ShownChunks,
    TocPage,
)
from chunking.agents.long_calls import CallControl, IndexRun, build_in_process
from chunking.agents.text_pages import cursor_of, offset_of

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["Toolbox"]

_DOCUMENTS, _SECTIONS = 50, 100
"""Lines a page."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools over one workspace. Holds nothing but how to open it: one toolbox serves many threads.

    Each method raises ChunkscopeError with one sentence that says what to do; unknown ids are NotFoundError, rights are
    asked of the store at every call (AccessError).
    """

    open_workspace: Callable[[], Workspace]
    """Called by each method: opened for whoever asks, with what they may do now. A cached workspace is fine."""
    address: AppAddress = field(default_factory=AppAddress)
    files: tuple[Path, ...] = ()
    """Folders below which `collect` may read."""
    build: IndexRun = build_in_process
    """Brings the index up to date after `collect`; an app with a queue of jobs gives its own."""

    def search(
        self,
        query: str,
        *,
        mode: str = "",
        retrieval: str = "",
        k: int = 5,
        filters: Mapping[str, str] | None = None,
        neighbours: int = 0,
        budget: int = 2_000,
        detail: bool = False,
        operators: bool = False,
    ) -> SearchHits:
        """Find chunks that answer a question.

        Args:
            query: plain language; quotation marks are text like any other, as in the questions of an evaluation.
            mode: `hybrid`, `vector` or `text`; empty: as the index is set.
            retrieval: a retrieval mode's name; empty: as the index is set.
            k: most results.
            filters: conditions that every result fulfils, by key (`store.FILTERS`).
            neighbours: chunks to add before and after each result.
            budget: most tokens of titles and texts together; whole results, best first. 0: no limit.
            detail: also document, section, offsets, pages, score and how it came about.
            operators: read quotation marks as the search field of the app does: every result holds the phrase.
        Raises:
            QueryError: the query is empty, or a filter is unknown.
            ConfigError: an unknown mode, or a number out of range.
            NotFoundError: the workspace has no document.
        """
        from chunking.agents.answers.search_answer import SearchOptions, search_hits

        options = SearchOptions(mode, retrieval, k, dict(filters or {}), neighbours, budget, detail, operators)
        return search_hits(self.open_workspace(), query, options, self.address)

    def fetch(self, id: str, *, cursor: str = "", budget: int = 4_000, neighbours: int = 0) -> Fetched:
        """Read a document, a section, or a chunk of any level, a piece at a time.

        Args:
            cursor: `next` of the piece before.
            budget: most tokens of the piece; 0: as many as an answer can hold.
            neighbours: of a chunk: chunks to read with it on both sides, as one passage.
        """
        from chunking.agents.answers.fetch_answer import fetch_piece

        return fetch_piece(self.open_workspace(), id, offset_of(cursor), budget, neighbours, self.address)

    def toc(self, doc: str, *, cursor: str = "") -> TocPage:
        """The sections of a document with their ids and lengths, 100 a page."""
        document = self.open_workspace().document(doc)
        first = offset_of(cursor)
        page = document.sections[first : first + _SECTIONS]
        lines = [
            SectionLine(id=one.section_id, title=one.title, level=one.level, characters=one.end - one.start)
            for one in page
        ]
        return TocPage(
            doc=doc, title=document.title, sections=lines, next=_next(first + _SECTIONS, len(document.sections))
        )

    def list_documents(self, *, cursor: str = "") -> DocumentPage:
        """The documents of the workspace by path, 50 a page."""
        rows = self.open_workspace().documents()
        first = offset_of(cursor)
        lines = [
            DocumentLine(
                id=row.doc_id,
                title=row.title,
                path=row.source,
                characters=row.characters,
                category=row.category,
                language=row.language,
                sections=row.sections,
            )
            for row in rows[first : first + _DOCUMENTS]
        ]
        return DocumentPage(documents=lines, total=len(rows), next=_next(first + _DOCUMENTS, len(rows)))

    def related(self, doc: str, *, n: int = 5) -> RelatedList:
        """The documents nearest to one by the means of their chunks' vectors, and why."""
        from chunking.retrieval import related_documents

        lines = [
            RelatedLine(
                id=one.row.doc_id,
                title=one.row.title,
                url=self.address.of_document(one.row.doc_id),
                similarity=round(one.similarity, 3),
                why=one.why,
            )
            for one in related_documents(self.open_workspace(), doc, n)
        ]
        return RelatedList(doc=doc, related=lines)

    def show_chunks(self, doc: str, *, query: str = "") -> ShownChunks:
        """Where the chunks of a document begin and end, for a host to draw; with a query its hits in the document are
        marked.

        Raises:
            NotFoundError: there is no such document or no index, or the index does not hold the document.
        """
        from chunking.agents.answers.shown_chunks import draw_shown_chunks

        return draw_shown_chunks(self.open_workspace(), doc, query, self.address)

    def evaluate(
        self, questions: str = "", *, part: Literal["", "tune", "holdout"] = "", control: CallControl | None = None
    ) -> Evaluated:
        """Measure the newest index's settings on a saved question set; what was measured before is looked up.

        Args:
            questions: name of the set; empty: the newest.
            part: only the dev split (`tune`) or the held-out split.
        Raises:
            NotFoundError: there is no index, or no such set.
            AccessError: it was not measured before, and whoever asks may not write to the workspace.
            Cancelled: the control said so.
        """
        from chunking.agents.answers.evaluation_answer import evaluate_settings

        return evaluate_settings(self.open_workspace(), questions, part, control or CallControl())

    def measured_recall(self) -> str:
        """One sentence with the recall that was measured of the newest index; empty where there is no current run."""
        from chunking.agents.answers.evaluation_answer import measured_recall

        return measured_recall(self.open_workspace())

    def collect(
        self, *, path: str = "", text: str = "", name: str = "", control: CallControl | None = None
    ) -> Collected:
        """Add files below a named folder, or a text under a name, and bring the newest index up to date; idempotent.

        Raises:
            AccessError: whoever asks may not write to the workspace.
            ConfigError: neither or both of path and text, a path outside of the folders, or a name that is none of a
                text file.
            LockedError: another process writes to the workspace.
            Cancelled: the control said so; documents that were saved stay, and the next call goes on from there.
        """
        from chunking.agents.answers.collect_answer import collect_documents

        return collect_documents(
            self.open_workspace(), path, text, name, self.files, self.build, control or CallControl()
        )

    def delete(self, ids: Sequence[str]) -> Deleted:
        """Delete documents with their chunks, those of files inside the files too.

        Raises:
            NotFoundError: one of them does not exist; nothing is deleted then.
        """
        workspace = self.open_workspace()
        inner = [row.doc_id for row in workspace.documents() if row.parent_id in ids]
        every = list(dict.fromkeys([*ids, *inner]))
        return Deleted(deleted=every, chunks=workspace.delete_documents(every))


def _next(first: int, total: int) -> str:
    """Cursor of the next page; empty at the end."""
    return cursor_of(first) if first < total else ""
