"""Compare an index with the documents it should hold, and explain why it is out of date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chunking.config import Config
from chunking.embedding.model_folder import same_model
from chunking.errors import NotFoundError
from chunking.model import PARENT, Chunk, Document
from chunking.store import DocumentStamps, Index, IndexRow, Workspace, document_stamp
from chunking.store.index.build_record import FallbackLevel
from chunking.store.index.full_text import TEXT_FORM
from chunking.store.index.index_reading import text_digest
from chunking.versions import chunks_version

__all__ = ["IndexDifferences", "RemovedVectors", "compare", "staleness", "vector_count"]


@dataclass(frozen=True, slots=True)
class IndexDifferences:
    """Documents of a run by the work they need: to split, unchanged, or to remove."""

    index: Index | None
    """Current index of the name, or None."""
    rebuild: bool
    """Nothing of it can stay: settings, model, code or fallback level differ."""
    changed: tuple[str, ...]
    """Ids of documents to split, in the order of their paths."""
    unchanged: int = 0
    """Number of documents whose chunks stay."""
    unchanged_chunks: int = 0
    """Number of these chunks."""
    gone: tuple[str, ...] = ()
    """Ids of documents to remove."""
    replaced: frozenset[str] = frozenset()
    """Those of `changed` with chunks in the table to write to."""
    other_vector_index: bool = False
    """All rows stay whose documents do, but the settings of the vector index have changed."""


def compare(
    workspace: Workspace,
    config: Config,
    name: str,
    model_key: str,
    doc_ids: Collection[str] | None = None,
    unsaved: Sequence[Document] = (),
    *,
    fallback: FallbackLevel,
) -> IndexDifferences:
    """Compare the documents in the index of a name with those of a run, by their stamps.

    If settings, model, code or fallback level differ, or there is no such index, every document is to be split.

    Args:
        doc_ids: documents it should hold; None: the whole workspace, and `unsaved`.
        unsaved: documents to treat as if they were in the workspace.
        fallback: the level of the run; an index of another level is rebuilt.
    Raises:
        NotFoundError: one of `doc_ids` is not in the workspace.
    """
    stamps = _stamps(workspace, doc_ids, unsaved)
    index = next((workspace.index(row.name) for row in workspace.indexes() if row.name == name), None)
    if index is None:
        return IndexDifferences(None, True, stamps.doc_ids)
    if not (_is_reusable(index.row, config, model_key) and index.row.built.ran is fallback):
        return IndexDifferences(index, True, stamps.doc_ids)
    indexed = index.indexed_documents()
    changed, added, gone = indexed.compare(stamps)
    return IndexDifferences(
        index,
        False,
        changed,
        unchanged=len(stamps) - len(changed),
        unchanged_chunks=indexed.chunks - indexed.among([*changed, *gone]).chunks,
        gone=gone,
        replaced=frozenset(changed) - added,
        other_vector_index=not index.row.is_built_as(config),
    )


def _stamps(workspace: Workspace, doc_ids: Collection[str] | None, unsaved: Sequence[Document]) -> DocumentStamps:
    stamps = workspace.document_stamps().with_unsaved(
        {document.doc_id: document_stamp(workspace.with_changes(document)) for document in unsaved},
        files={document.doc_id for document in unsaved if not document.parent_id},
    )
    if doc_ids is None:
        return stamps
    stamps = stamps.among(doc_ids)
    missing = sorted(set(doc_ids) - set(stamps.doc_ids))
    if missing:
        raise NotFoundError(
            f"There is no document '{missing[0]}' in {workspace.uri}; list the documents to see their ids.",
            where=missing[0],
        )
    return stamps


def _is_reusable(row: IndexRow, config: Config, model_key: str) -> bool:
    same_code = row.split_version == chunks_version() and row.text_form == TEXT_FORM
    return same_code and row.has_rows_of(config) and same_model(row.model_key, model_key)


def _same_vectors(one: Config, other: Config) -> bool:
    """True if two configurations embed a text alike, apart from the model's name (see `same_model`)."""
    return (one.embedding.mode, one.embedding.late_window) == (other.embedding.mode, other.embedding.late_window)


class RemovedVectors:
    """Counter of vectors that a run removes: no new row of their document has the same text.

    Args:
        differences: between the documents and the index.
        config: of the run.
        model_key: of the run's model; with another model or embedding mode, all vectors are removed.
    """

    def __init__(self, differences: IndexDifferences, config: Config, model_key: str) -> None:
        index, self._count = differences.index, 0
        self._left: dict[str, Counter[bytes]] = {}
        if index is None:
            return
        if same_model(index.row.model_key, model_key) and _same_vectors(index.row.config, config):
            gone = None if differences.rebuild else differences.replaced | set(differences.gone)
            self._left = index.vector_texts(gone)
            if config.enrich.raptor:  # the summary tree is rebuilt over all chunks, and not counted before
                self._left.pop("", None)
        else:
            self._count = vector_count(index.levels)

    def keep(self, doc_id: str) -> None:
        """Record that a document's rows stay, so that none of its vectors counts as removed."""
        self._left.pop(doc_id, None)

    def replace(self, doc_id: str, rows: Iterable[Chunk]) -> None:
        """Count the document's old vectors whose text is in none of its new rows of all levels."""
        left = self._left.pop(doc_id, None)
        if left:
            self._count += (
                left - Counter(text_digest(row.embedding_content) for row in rows if row.level != PARENT)
            ).total()

    @property
    def total(self) -> int:
        """Number of vectors removed, with all vectors of documents neither kept nor replaced."""
        return self._count + sum(texts.total() for texts in self._left.values())


def vector_count(levels: Mapping[str, int]) -> int:
    """Return the number of rows with a vector: all but parents, which are never searched.

    >>> vector_count({"chunk": 342, "x2": 103, "parent": 57})
    445
    """
    return sum(rows for level, rows in levels.items() if level != PARENT)


# -- staleness


def staleness(workspace: Workspace, row: IndexRow, config: Config | None = None) -> str:
    """Return a sentence on why an index is out of date; empty if it is current.

    Reasons are an unfinished run, other settings or code, a lower fallback level, and documents changed, added or
    deleted.

    Reads no text: two storage calls.

    Args:
        config: settings to compare with; None: its own.
    """
    reasons = "; ".join(_reasons(workspace, row, config))
    return f"Out of date: {reasons}. Build it again." if reasons else ""


def _reasons(workspace: Workspace, row: IndexRow, config: Config | None) -> Iterator[str]:
    if row.state == "incomplete":
        yield "its last run did not finish"
    if not row.has_rows_of(config or row.config):
        yield "the settings have changed" if config else "its settings are those of another version of Chunkscope"
    elif config and not row.is_built_as(config):
        yield "the settings of its vector index have changed"
    if row.split_version != chunks_version():
        yield "the splitting code has changed"
    elif row.text_form < TEXT_FORM:
        yield "full text is normalised in another way"
    if row.built.ran.place > row.built.asked.place:
        yield f"it was built at the fallback level {row.built.ran} instead of {row.built.asked}"
    if row.built.tree and row.state == "complete" and row.built.tree != row.fingerprint:
        yield "documents were deleted, and its summary tree with them"
    stamps = workspace.document_stamps()
    expected = stamps if row.scope is None else stamps.among(row.scope)
    changed, added, gone = workspace.index(row.name).indexed_documents().compare(expected)
    counts = (len(changed) - len(added), "changed"), (len(added), "added"), (len(gone), "deleted")
    yield from (f"{count} {'document' if count == 1 else 'documents'} {what}" for count, what in counts if count)
