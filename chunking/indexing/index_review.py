"""Review of a candidate index: boundaries moved, and texts that are new, reused and removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from chunking.embedding.model_folder import same_model
from chunking.errors import NotFoundError, StoreError
from chunking.model import CHUNK, PARENT, Chunk, Document
from chunking.store import Index, Workspace
from chunking.store.candidate_indexes import candidate_of
from chunking.store.index.index_reading import text_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chunking.splitting import BoundaryComparison

    Ints = NDArray[np.int32]

__all__ = ["CandidatePair", "DocumentReview", "IndexReview", "TextChanges", "candidate_pair", "review"]

SAMPLE = 1000
"""Most documents compared; of more, this many, evenly spaced over their ids."""
_AT_ONCE = 50
"""Documents read in one query."""


class TextChanges(NamedTuple):
    """Embedded texts of a candidate by their origin; parents, which have no vector, are left out."""

    new: int = 0
    """Texts that the live index does not have in the same document."""
    reused: int = 0
    """Texts of both indexes, whose vectors are those of the live one."""
    removed: int = 0
    """Texts of the live index only."""


class _Spans(NamedTuple):
    """Chunks of a document in an index, in order."""

    starts: Ints
    ends: Ints


@dataclass(frozen=True, slots=True, eq=False)
class DocumentReview:
    """What differs between the chunks of one document in both indexes."""

    doc_id: str
    source: str
    characters: int
    boundaries: BoundaryComparison
    """A: the live index; B: the candidate."""
    texts: TextChanges

    @property
    def moved(self) -> int:
        """Number of boundaries that only one of the two indexes has."""
        return len(self.boundaries.only_a) + len(self.boundaries.only_b)

    def as_record(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {"doc_id": self.doc_id, "source": self.source, **boundary_counts([self]), **self.texts._asdict()}


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """A live index and its candidate, over the same documents."""

    live: Index
    candidate: Index
    changed: frozenset[str]
    """Ids of documents that were added or changed since the live index was built: only the candidate has them."""

    @property
    def same_vectors(self) -> bool:
        """True if both indexes give a text the same vector."""
        one, other = (index.config.embedding for index in (self.live, self.candidate))
        alike = (one.mode, one.late_window) == (other.mode, other.late_window)
        return alike and same_model(self.live.row.model_key, self.candidate.row.model_key)


@dataclass(frozen=True, slots=True, eq=False)
class IndexReview:
    """Differences between a candidate and its live index, per document."""

    pair: CandidatePair
    documents: tuple[DocumentReview, ...]
    """Documents compared, by source; a sample of many."""
    comparable: int
    """Number of documents that could be compared: unchanged since the live index was built."""

    @property
    def texts(self) -> TextChanges:
        """Texts of all compared documents."""
        return TextChanges(*(sum(column) for column in zip(*(one.texts for one in self.documents), strict=True)))

    def as_record(self) -> dict[str, object]:
        """Return plain values for JSON; only documents in which something differs are listed."""
        differing = [one for one in self.documents if one.moved or one.texts.new or one.texts.removed]
        return {
            "documents_compared": len(self.documents),
            "documents_comparable": self.comparable,
            "documents_changed": len(self.pair.changed),
            "boundaries": boundary_counts(self.documents),
            "texts": self.texts._asdict(),
            "documents": [one.as_record() for one in differing],
        }


def boundary_counts(documents: Sequence[DocumentReview]) -> dict[str, int]:
    """Return the number of boundaries of both indexes, of the live one only, and of the candidate only."""
    compared = [one.boundaries for one in documents]
    return {
        "shared": sum(len(one.shared) for one in compared),
        "live_only": sum(len(one.only_a) for one in compared),
        "candidate_only": sum(len(one.only_b) for one in compared),
    }


def candidate_pair(workspace: Workspace, name: str) -> CandidatePair:
    """Return an index and its candidate, if the two can be compared and the candidate promoted.

    Raises:
        NotFoundError: there is no such index, or it has no candidate.
        StoreError: one of them is not finished, they cover different documents, or the candidate is out of date.
    """
    rows = {row.name: row for row in workspace.indexes()}
    for one, advice in (
        (name, "build it first; it is what a candidate is compared with"),
        (candidate_of(name), f"build one: a candidate of '{name}' has this name"),
    ):
        if one not in rows:
            raise NotFoundError(f"There is no index '{one}' in {workspace.uri}; {advice}.", where=one)
        if rows[one].state != "complete":
            raise StoreError(f"The index '{one}' is not finished; build it again first.", where=one)
    live, candidate = workspace.index(name), workspace.index(candidate_of(name))
    if live.row.scope != candidate.row.scope:
        raise StoreError(
            f"The indexes '{live.name}' and '{candidate.name}' cover different documents of the workspace; build "
            f"both over the same ones.",
            where=candidate.name,
        )
    scope = candidate.row.scope
    stamps = {row.doc_id: row.stamp for row in workspace.documents() if scope is None or row.doc_id in scope}
    mine, theirs = ({one: row.stamp for one, row in index.documents().items()} for index in (candidate, live))
    if mine != stamps:
        count = len({one for one, _ in mine.items() ^ stamps.items()})
        raise StoreError(
            f"The documents have changed since '{candidate.name}' was built ({count:,} of them); build it again.",
            where=candidate.name,
        )
    return CandidatePair(live, candidate, frozenset(one for one, stamp in mine.items() if theirs.get(one) != stamp))


def review(workspace: Workspace, pair: CandidatePair, *, cancelled: Callable[[], None] = lambda: None) -> IndexReview:
    """Compare a candidate with its live index, document by document.

    Args:
        cancelled: called between documents; may raise.
    """
    ids = sorted(pair.candidate.documents().keys() - pair.changed)
    step = max(1, -(-len(ids) // SAMPLE))
    compared: list[DocumentReview] = []
    sample = ids[::step]
    for first in range(0, len(sample), _AT_ONCE):
        cancelled()
        compared += _documents(workspace, pair, sample[first : first + _AT_ONCE])
    return IndexReview(pair, tuple(sorted(compared, key=lambda one: one.source)), len(ids))


def _documents(workspace: Workspace, pair: CandidatePair, doc_ids: Sequence[str]) -> Iterator[DocumentReview]:
    live, candidate = (_by_document(index, doc_ids) for index in (pair.live, pair.candidate))
    for document in workspace.read_documents(doc_ids):
        yield _document(document, live.get(document.doc_id, []), candidate.get(document.doc_id, []), pair.same_vectors)


def _by_document(index: Index, doc_ids: Sequence[str]) -> dict[str, list[Chunk]]:
    rows: dict[str, list[Chunk]] = {}
    for chunk in index.of_documents(doc_ids):
        rows.setdefault(chunk.doc_id, []).append(chunk)
    return rows


def _document(document: Document, live: list[Chunk], candidate: list[Chunk], same_vectors: bool) -> DocumentReview:
    from chunking.splitting import compare_boundaries, new_text

    one, other = (new_text(document.text, _spans(rows)) for rows in (live, candidate))
    return DocumentReview(
        document.doc_id,
        document.source,
        len(document.text),
        compare_boundaries(one, other),
        _text_changes(live, candidate, same_vectors),
    )


def _spans(rows: list[Chunk]) -> _Spans:
    import numpy as np

    chunks = sorted((row for row in rows if row.level == CHUNK), key=lambda row: row.chunk_index)
    return _Spans(np.array([row.start for row in chunks], np.int32), np.array([row.end for row in chunks], np.int32))


def _text_changes(live: list[Chunk], candidate: list[Chunk], same_vectors: bool) -> TextChanges:
    """Count texts with a vector by their digest; with other vectors none is reused."""
    theirs, mine = (
        Counter(text_digest(row.embedding_content) for row in rows if row.level != PARENT) for rows in (live, candidate)
    )
    reused = (theirs & mine).total() if same_vectors else 0
    return TextChanges(mine.total() - reused, reused, theirs.total() - reused)
