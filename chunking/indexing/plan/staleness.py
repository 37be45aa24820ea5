"""Tell whether an index is out of date."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.config import Config
from chunking.store import IndexRow, Workspace
from chunking.store.index.full_text import TEXT_FORM
from chunking.versions import chunks_version

__all__ = ["staleness"]


def staleness(workspace: Workspace, row: IndexRow, config: Config | None = None) -> str:
    """What changed since an index was built, as one sentence; empty if it is current.

    Reads no text: two storage calls.

    Args:
        config: settings it is compared with; None: its own.
    """
    reasons = "; ".join(_reasons(workspace, row, config))
    return f"Out of date: {reasons}. Build it again." if reasons else ""


def _reasons(workspace: Workspace, row: IndexRow, config: Config | None) -> Iterator[str]:
    if row.state == "incomplete":
        yield "its last run did not finish"
    if (config or row.config).fingerprint() != row.config_fingerprint:
        yield "the settings have changed" if config else "its settings are those of another version of Chunkscope"
    if row.split_version != chunks_version():
        yield "the splitting code has changed"
    elif row.text_form < TEXT_FORM:
        yield "full text is normalised in another way"
    if row.built.ran.place > row.built.asked.place:
        yield f"it was built at the fallback level {row.built.ran} instead of {row.built.asked}"
    if row.built.tree and row.state == "complete" and row.built.tree != row.fingerprint:
        yield "documents were deleted, and its summary tree with them"
    indexed = {doc_id: one.stamp for doc_id, one in workspace.index(row.name).documents().items()}
    stored = {document.doc_id: document.stamp for document in workspace.documents()}
    expected = stored if row.scope is None else {doc_id: stored[doc_id] for doc_id in row.scope if doc_id in stored}
    both = indexed.keys() & expected.keys()
    counts = (
        (sum(indexed[doc_id] != expected[doc_id] for doc_id in both), "changed"),
        (len(expected.keys() - indexed.keys()), "added"),
        (len(indexed.keys() - expected.keys()), "deleted"),
    )
    yield from (f"{count} {'document' if count == 1 else 'documents'} {what}" for count, what in counts if count)
