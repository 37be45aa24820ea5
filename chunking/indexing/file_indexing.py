"""Index files in one call, by this process or by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from chunking.config import Config
from chunking.errors import Cancelled
from chunking.indexing.adding.adding_files import add_files
from chunking.indexing.adding.file_reading import FileReading, only_reading
from chunking.indexing.engine_options import EngineOptions, is_on_ray
from chunking.indexing.planning.index_plan import DEFAULT_NAME
from chunking.indexing.run.index_building import build_index
from chunking.indexing.run.run_records import Cancel, IndexProgress, IndexReport, OnProgress
from chunking.indexing.run.shared_progress import share_progress
from chunking.paths import AnyPath
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["index_files"]


class _Options(FileReading, EngineOptions, total=False):
    """How files are read, and which engine does the work."""


def index_files(
    workspace: Workspace,
    paths: AnyPath | Iterable[AnyPath],
    config: Config | None = None,
    *,
    name: str | None = None,
    again: bool = False,
    resume: str | None = None,
    on_run: Callable[[str], None] | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    embedder: Embedder | None = None,
    **options: Unpack[_Options],
) -> IndexReport:
    """Add files to a workspace and index it, in this process or by the processes of a Ray cluster.

    Both engines give the same rows and fingerprints, and each goes on from the other. On Ray (the extra `cluster`) the
    workspace's folder and the files must have the same paths on all machines.

    Args:
        name: of the index, as for `make_plan`.
        again: parse files again that the workspace has unchanged.
        resume: on Ray, the id of an unfinished run of the workspace: only what is missing is done, with its files and
            settings.
        on_run: on Ray, called with the id of the run, for `resume`.
        on_progress: called after each batch; on Ray after each part, and its counts are parts.
        cancelled: called between batches, on Ray twice a second; True stops.
        embedder: None: the configuration's, which on Ray each worker loads; else it must be picklable there.
        options: how files are read (`encoding`, `encodings`, `ocr`, `comments`, `parser` and `parsers`, as for
            `read_files`); and the engine: `engine` (`embedded` or `ray`), `address` and `workers` (`EngineOptions`).
    Raises:
        MissingPackageError: Ray or pylance is not installed.
        ConfigError: there is no such engine, or it has no such options; the settings need what a cluster cannot do yet,
            or are not those of the run to resume.
        LockedError: another process is writing to the workspace.
        ParseError: one of `paths` does not exist.
        Cancelled: `cancelled` returned True; what is done is kept, and the next run continues from it.
        ModelError, StoreError, EndpointError: as for `build_index`; on Ray, StoreError also if the workspace is in no
            folder.
    """
    if not is_on_ray(options, resume):
        with workspace.writer(), share_progress(workspace, name or DEFAULT_NAME) as shared:
            stop, reports = shared.stops(cancelled), shared.reports(on_progress, "files")
            documents, failed = add_files(
                workspace, paths, again=again, on_progress=reports, cancelled=stop, **only_reading(options)
            )
            shared.begin_plan()
            reports = shared.reports(on_progress)
            report = build_index(workspace, config, name=name, on_progress=reports, cancelled=stop, embedder=embedder)
        read = (f"{document.source}: {warning}" for document in documents for warning in document.warnings)
        return replace(report, failed=(*failed, *report.failed), warnings=(*read, *report.warnings))

    from chunking.indexing.cluster.cluster_index import build_on_engine, list_files, resume_run, start_run
    from chunking.indexing.cluster.ray_engine import engine_on_ray

    with workspace.writer(), share_progress(workspace, name or DEFAULT_NAME, "ray") as shared:
        stop, show = shared.stops(cancelled), shared.reports(on_progress, "parts")

        def poll() -> None:
            if stop is not None and stop():
                raise Cancelled("The run was stopped; what is done is kept, and --resume goes on from there.")

        def report_part(progress: IndexProgress) -> None:
            poll()
            if show is not None:
                show(progress)

        workers = options.get("workers")
        if resume is None:
            files = list_files(workspace, paths, options)
            reading = {option: bool(options.get(option)) for option in ("ocr", "comments")}
            run = start_run(workspace, files, config or Config(), name or DEFAULT_NAME, reading, workers, again=again)
        else:
            run = resume_run(workspace, resume, config, name)
        shared.describe(name=run.plan["name"], message="Starting Ray")
        if on_run is not None:
            on_run(run.id)
        with engine_on_ray(options.get("address"), workers, poll) as engine:
            shared.describe(workers=engine.workers)
            return build_on_engine(workspace, engine, run, embedder, report_part)
