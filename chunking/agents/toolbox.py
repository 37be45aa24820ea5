"""The agents' tools as blocking methods, for any protocol."""

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
"""Documents and sections per page."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Tools over one workspace; thread-safe, since a toolbox holds only how to open the workspace.

    Methods raise ChunkscopeError with one sentence on what to do: NotFoundError for unknown ids; AccessError for
    rights, which the store checks at every call.
    """

    open_workspace: Callable[[], Workspace]
    """Opens the workspace with the caller's current rights; called by each method, may be cached."""
    address: AppAddress = field(default_factory=AppAddress)
    files: tuple[Path, ...] = ()
    """Folders from which `collect` may read."""
    build: IndexRun = build_in_process
    """Updates the index after `collect`; an app with a job queue passes its own function."""

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
        """Search the newest index, or whole documents without one, within a token budget.

        Args:
            query: plain language; quotation marks are text like any other, as in the questions of an evaluation.
            mode: `hybrid`, `vector` or `text`; empty: as the index is set.
            retrieval: a retrieval mode's name; empty: as the index is set.
            k: most results.
            filters: conditions that every result fulfils, by key (`store.FILTERS`).
            neighbours: chunks to add before and after each result.
            budget: most tokens of titles and texts together; 0: no limit. A result that does not fit is left out, even
                the first; smaller ones after it may still fit.
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
        """Return the sections of a document with ids and lengths in characters, 100 per page."""
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
        """Return the documents of the workspace by path, 50 per page."""
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
        """Return the `n` documents most similar to one, by the means of their chunks' vectors."""
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
        """Return a summary of a document's chunks, and their drawing with up to 5 hits marked.

        Documents of more than 200,000 characters are not drawn; a note says so.

        Raises:
            NotFoundError: there is no such document or index, or the index does not contain the document.
        """
        from chunking.agents.answers.shown_chunks import draw_shown_chunks

        return draw_shown_chunks(self.open_workspace(), doc, query, self.address)

    def evaluate(
        self, questions: str = "", *, part: Literal["", "tune", "holdout"] = "", control: CallControl | None = None
    ) -> Evaluated:
        """Evaluate the newest index's settings on a saved question set, or look up the stored run.

        Args:
            questions: name of the set; empty: the newest.
            part: only the dev split (`tune`) or the held-out split.
        Raises:
            NotFoundError: there is no index, or no such set.
            AccessError: there is no stored run, and the caller may not write to the workspace.
            Cancelled: by the control.
        """
        from chunking.agents.answers.evaluation_answer import evaluate_settings

        return evaluate_settings(self.open_workspace(), questions, part, control or CallControl())

    def measured_recall(self) -> str:
        """Return the newest index's measured recall as a sentence; empty without a current run."""
        from chunking.agents.answers.evaluation_answer import measured_recall

        return measured_recall(self.open_workspace())

    def collect(
        self, *, path: str = "", text: str = "", name: str = "", control: CallControl | None = None
    ) -> Collected:
        """Add files from an allowed folder, or a named text; update the newest index or build one.

        Idempotent.

        Raises:
            AccessError: the caller may not write to the workspace.
            ConfigError: neither or both of path and text, a path outside of the folders, or a name that is not a text
                file's.
            LockedError: another process writes to the workspace.
            Cancelled: by the control; saved documents stay, and the next call continues from there.
        """
        from chunking.agents.answers.collect_answer import collect_documents

        return collect_documents(
            self.open_workspace(), path, text, name, self.files, self.build, control or CallControl()
        )

    def delete(self, ids: Sequence[str]) -> Deleted:
        """Delete documents with their chunks, and the documents that came from inside their files.

        Raises:
            NotFoundError: one of them does not exist; nothing is deleted then.
        """
        workspace = self.open_workspace()
        inner = [row.doc_id for row in workspace.documents() if row.parent_id in ids]
        every = list(dict.fromkeys([*ids, *inner]))
        return Deleted(deleted=every, chunks=workspace.delete_documents(every))


def _next(first: int, total: int) -> str:
    """Return the cursor of the next page; empty at the end."""
    return cursor_of(first) if first < total else ""
