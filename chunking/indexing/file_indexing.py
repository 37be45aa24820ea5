"""Index files in one call, by this process or by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack

from chunking.config import Config
from chunking.indexing.adding_files import add_files
from chunking.indexing.file_reading import FileReading
from chunking.indexing.index_plan import DEFAULT_NAME
from chunking.indexing.run.index_building import build_index
from chunking.indexing.run.run_records import Cancel, IndexReport, OnProgress
from chunking.indexing.run.shared_progress import share_progress
from chunking.paths import AnyPath
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["index_files"]


def index_files(
    workspace: Workspace,
    paths: AnyPath | Iterable[AnyPath],
    config: Config | None = None,
    *,
    engine: Literal["embedded", "ray"] = "embedded",
    name: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    resume: str | None = None,
    on_run: Callable[[str], None] | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    embedder: Embedder | None = None,
    **reading: Unpack[FileReading],
) -> IndexReport:
    """Add files to a workspace and index it, in this process or by the processes of a Ray cluster.

    Both engines give the same rows and fingerprints, and each goes on from the other.

    Args:
        engine: `embedded`, this process; or `ray` (the extra `cluster`).
        address, workers, resume, on_run: of the engine ray; see `cluster.cluster_index.index_on_ray`.
        on_progress, cancelled, embedder: as for `build_index`; on Ray, the counts are parts.
        reading: how files are read, as for `read_files`.
    Raises:
        ChunkscopeError: as `add_files` and `build_index`, or `index_on_ray`.
    """
    if engine == "ray":
        from chunking.indexing.cluster.cluster_index import index_on_ray

        return index_on_ray(
            workspace,
            paths,
            config,
            name=name,
            address=address,
            workers=workers,
            resume=resume,
            on_run=on_run,
            on_progress=on_progress,
            cancelled=cancelled,
            embedder=embedder,
            **reading,
        )
    with workspace.writer(), share_progress(workspace, name or DEFAULT_NAME) as shared:
        stop = shared.stops(cancelled)
        reports = shared.reports(on_progress, "files")
        documents, failed = add_files(workspace, paths, on_progress=reports, cancelled=stop, **reading)
        shared.begin_plan()
        reports = shared.reports(on_progress)
        report = build_index(workspace, config, name=name, on_progress=reports, cancelled=stop, embedder=embedder)
    read = (f"{document.source}: {warning}" for document in documents for warning in document.warnings)
    return replace(report, failed=(*failed, *report.failed), warnings=(*read, *report.warnings))
