"""What an index holds, beside what it should hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from chunking.config import Config
from chunking.embedding.model_folder import same_model
from chunking.errors import NotFoundError
from chunking.model import Chunk, Document
from chunking.store import Index, Indexed, IndexRow, Workspace, document_stamp
from chunking.store.index.build_record import FallbackLevel
from chunking.versions import chunks_version

__all__ = ["Comparison", "Removed", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The documents of a run, told apart by what has to be done for them."""

    index: Index | None
    """The index of that name, if there is one."""
    rebuild: bool
    """Nothing of it can be kept: settings, model or code have changed, or it stands at another fallback level."""
    changed: tuple[str, ...]
    """Documents to cut, by id, in the order of their paths."""
    unchanged: dict[str, Indexed]
    """Documents to leave as they are."""
    gone: tuple[str, ...]
    """Documents the index holds and should not."""
    held: frozenset[str]
    """Documents of which the table that is written to holds chunks now."""


def compare(
    workspace: Workspace,
    config: Config,
    name: str,
    model_key: str,
    doc_ids: Collection[str] | None = None,
    unsaved: Sequence[Document] = (),
    *,
    fallback: FallbackLevel,
) -> Comparison:
    """Find out what an index lacks.

    Args:
        doc_ids: the documents it should hold; None: all of the workspace, and `unsaved`.
        unsaved: documents that count as if they were in the workspace.
        fallback: the level of the run; an index of another fallback level is built anew.
    Raises:
        NotFoundError: one of `doc_ids` is not in the workspace.
    """
    stamps = _stamps(workspace, doc_ids, unsaved)
    index = next((workspace.index(row.name) for row in workspace.indexes() if row.name == name), None)
    if index is None:
        return Comparison(None, True, tuple(stamps), {}, (), frozenset())
    if not (_kept(index.row, config, model_key) and index.row.built.ran is fallback):
        return Comparison(index, True, tuple(stamps), {}, (), frozenset())
    known = index.documents()
    unchanged = {doc_id: known[doc_id] for doc_id, stamp in stamps.items() if doc_id in known and known[doc_id].stamp == stamp}
    changed = tuple(doc_id for doc_id in stamps if doc_id not in unchanged)
    return Comparison(index, False, changed, unchanged, tuple(known.keys() - stamps.keys()), frozenset(known))


def _stamps(workspace: Workspace, doc_ids: Collection[str] | None, unsaved: Sequence[Document]) -> dict[str, str]:
    replaced = {document.doc_id for document in unsaved if not document.parent_id}
    stamps = {row.doc_id: row.stamp for row in workspace.documents() if row.parent_id not in replaced}
    stamps |= {document.doc_id: document_stamp(document) for document in unsaved}
    if doc_ids is None:
        return stamps
    missing = sorted(set(doc_ids) - stamps.keys())
    if missing:
        raise NotFoundError(
            f"There is no document '{missing[0]}' in {workspace.uri}; list the documents to see their ids.", where=missing[0]
        )
    return {doc_id: stamp for doc_id, stamp in stamps.items() if doc_id in set(doc_ids)}


def _kept(row: IndexRow, config: Config, model_key: str) -> bool:
    same_code = row.code_version == chunks_version()
    return same_code and row.config_fingerprint == config.fingerprint() and same_model(row.model_key, model_key)


class Removed:
    """Counts the chunks an index will no longer hold: those whose document has no chunk of the same text any more."""

    def __init__(self, index: Index | None, unchanged: Iterable[str]) -> None:
        self._left: dict[str, Counter[str]] = index.hashes() if index is not None else {}
        self._count = 0
        for doc_id in unchanged:
            self.keep(doc_id)

    def keep(self, doc_id: str) -> None:
        """A document's chunks stay."""
        self._left.pop(doc_id, None)

    def replace(self, doc_id: str, chunks: Iterable[Chunk]) -> None:
        """A document's chunks give way to others."""
        self._count += (self._left.pop(doc_id, Counter()) - Counter(chunk.hash for chunk in chunks)).total()

    @property
    def total(self) -> int:
        """Chunks removed; all of the documents that were neither kept nor replaced."""
        return self._count + sum(hashes.total() for hashes in self._left.values())
