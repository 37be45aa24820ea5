"""How the index is brought up to date after documents were added: in this process, or by whoever has a queue of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from chunking.agents.call_control import CallControl

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.store import Workspace

__all__ = ["IndexBuilt", "IndexRun", "build_in_process"]


class IndexBuilt(NamedTuple):
    """What a run did."""

    name: str
    chunks: int
    """In the index now."""
    embedded: int
    """Vectors computed by the model."""
    reused: int
    """Vectors reused from the cache."""
    notes: tuple[str, ...] = ()
    """Sentences for the user."""


class IndexRun(Protocol):
    """Builds or updates an index and waits for its end."""

    def __call__(
        self,
        workspace: Workspace,
        config: Config,
        name: str | None,
        doc_ids: Sequence[str] | None,
        control: CallControl,
    ) -> IndexBuilt:
        """
        Args:
            name: of the index; None: the default.
            doc_ids: the documents to index; None: all.
            control: told of progress; asked whether to stop.
        Raises:
            Cancelled: the control said so.
            ChunkscopeError: the index could not be built; the one before still stands.
        """
        ...


def build_in_process(
    workspace: Workspace, config: Config, name: str | None, doc_ids: Sequence[str] | None, control: CallControl
) -> IndexBuilt:
    """Build the index in this thread."""
    from chunking.indexing import IndexProgress, build_index

    def on_progress(progress: IndexProgress) -> None:
        control.report(progress.done, progress.total, progress.message)

    made = build_index(
        workspace, config, name=name, doc_ids=doc_ids, on_progress=on_progress, cancelled=control.cancelled
    )
    failed = (f"{one.source} could not be split: {one.error}" for one in made.failed)
    return IndexBuilt(made.name, made.chunks, made.embedded, made.reused, (*made.reasons, *made.warnings, *failed))
