"""Long calls: progress, cancellation, and the index update after `collect`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.store import Workspace

__all__ = ["CallControl", "IndexBuilt", "IndexRun", "build_in_process"]


def _report_nothing(done: float, total: float, message: str) -> None:
    pass


def _never() -> bool:
    return False


class _Progress(Protocol):
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def message(self) -> str: ...


@dataclass(frozen=True, slots=True)
class CallControl:
    """Progress and cancellation of one call; by default neither."""

    report: Callable[[float, float, str], None] = _report_nothing
    """Called with (done, total, message); total 0: unknown."""
    cancelled: Callable[[], bool] = _never
    """Called between steps; True stops the work."""

    def follow(self, progress: _Progress) -> None:
        """Pass the progress of a library call on to `report`; `cancelled` is not checked."""
        self.report(progress.done, progress.total, progress.message)


class IndexBuilt(NamedTuple):
    """Result of an index update: the index's name, numbers of chunks and vectors, notes."""

    name: str
    chunks: int
    """Chunks in the index."""
    embedded: int
    """Vectors computed by the model."""
    reused: int
    notes: tuple[str, ...] = ()
    """Sentences for the user."""


class IndexRun(Protocol):
    """Callable that builds or updates an index and waits for its end."""

    def __call__(
        self,
        workspace: Workspace,
        config: Config,
        name: str | None,
        doc_ids: Sequence[str] | None,
        control: CallControl,
    ) -> IndexBuilt:
        """Build or update an index.

        Args:
            name: of the index; None: the default.
            doc_ids: the documents to index; None: all.
        Raises:
            Cancelled: by the control.
            ChunkscopeError: the index could not be built; the previous one is unchanged.
        """
        ...


def build_in_process(
    workspace: Workspace, config: Config, name: str | None, doc_ids: Sequence[str] | None, control: CallControl
) -> IndexBuilt:
    """Build or update an index in this thread; documents that cannot be split become notes."""
    from chunking.indexing import build_index
    from chunking.indexing.run.shared_progress import started_in
    from chunking.store.index_run_file import RunOrigin

    with started_in(RunOrigin.AGENT):
        report = build_index(
            workspace, config, name=name, doc_ids=doc_ids, on_progress=control.follow, cancelled=control.cancelled
        )
    failed = (f"{one.source} could not be split: {one.error}" for one in report.failed)
    return IndexBuilt(
        report.name, report.chunks, report.embedded, report.reused, (*report.reasons, *report.warnings, *failed)
    )
