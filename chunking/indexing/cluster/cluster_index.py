"""Start a run of a build by many processes, or go on with one that was killed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.allowed import allowed
from chunking.config import Config
from chunking.errors import ConfigError, StoreError
from chunking.indexing.adding.file_reading import FileReading
from chunking.indexing.adding.parser_choices import ParserChoices
from chunking.indexing.cluster.build_driver import BuildDriver
from chunking.indexing.cluster.build_tasks import BuildJob, ListedFile, code_version
from chunking.indexing.cluster.cluster_limits import check_settings
from chunking.indexing.cluster.part_spans import part_spans
from chunking.indexing.cluster.ray_engine import BuildEngine
from chunking.indexing.cluster.run_folder import ALL, PLAN, RunFolder
from chunking.indexing.cluster.update_driver import UpdateDriver
from chunking.indexing.run.run_records import IndexPhase, IndexProgress, IndexReport, OnProgress
from chunking.paths import AnyPath, paths_of
from chunking.store import Workspace
from chunking.store.engine.schema import DOCUMENTS

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["build_on_engine", "list_files", "resume_run", "start_run"]


def build_on_engine(
    workspace: Workspace,
    engine: BuildEngine,
    run: RunFolder,
    embedder: Embedder | None = None,
    on_progress: OnProgress | None = None,
) -> IndexReport:
    """Do what is missing of a run by an engine; the caller holds the workspace's lock."""

    clock = _StageClock()

    def on_stage(phase: IndexPhase, what: str, done: int, total: int) -> None:
        step, steps = (done, total) if phase is IndexPhase.FINISH else (0, 0)
        left = None if step else clock.left(what, done, total)
        if on_progress is not None:
            on_progress(IndexProgress(done, total, what, step, steps, phase, seconds_left=left))

    plan = run.plan
    job = BuildJob(
        run=run.place,
        workspace=workspace.bulk_writer().place,
        config=Config.from_yaml(plan["settings"]),
        code=plan["code"],
        embedder=embedder,
        **plan["options"],
    )
    driver = UpdateDriver if plan["updates"] else BuildDriver
    return driver(workspace, engine, job, plan["name"], on_stage).run()


class _StageClock:
    """Estimator of the seconds left in a stage, from its parts so far."""

    def __init__(self) -> None:
        self._stage, self._began, self._first = "", 0.0, 0

    def left(self, stage: str, done: int, total: int) -> float | None:
        """Return the seconds left; None before a part of the stage is done."""
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._began, self._first = stage, now, done
        worked = done - self._first
        return (now - self._began) * (total - done) / worked if worked > 0 else None


def start_run(
    workspace: Workspace,
    files: Sequence[ListedFile],
    config: Config,
    name: str,
    options: Mapping[str, bool],
    workers: int | None = None,
    *,
    again: bool = False,
) -> RunFolder:
    """Return a new run of some files, or the unfinished one of the very same files and settings.

    Raises:
        ConfigError, StoreError: a cluster cannot build this (`cluster_limits`).
    """
    check_settings(config)
    place = workspace.bulk_writer().place
    plan = {
        "name": name,
        "settings": config.to_yaml(),
        "code": code_version(),
        "options": dict(options),
        "again": again,
        "files": [list(file) for file in files],
    }
    for run in RunFolder.unfinished(place):
        stored = run.plan
        if {key: stored.get(key) for key in plan} == plan and _can_go_on(workspace, run):
            return run
    workspace.tidy()  # of what a build that was given up has left
    run = RunFolder.create(place)
    parts = part_spans([file.size for file in files], workers or os.cpu_count() or 1)
    run.write(PLAN, ALL, {**plan, "parts": parts, "updates": bool(workspace.documents())})
    return run


def _can_go_on(workspace: Workspace, run: RunFolder) -> bool:
    """False if a workspace that was empty when the run began has got documents of another."""
    if run.plan["updates"] or not workspace.documents():
        return True
    tables = run.read("tables", ALL)
    if tables is None:
        return False
    try:
        return workspace.bulk_writer().is_committed(DOCUMENTS, f"{run.id}/{DOCUMENTS}", tables["versions"][DOCUMENTS])
    except StoreError:  # versions are gone, as another run has tidied
        return False


def resume_run(workspace: Workspace, run_id: str, config: Config | None = None, name: str | None = None) -> RunFolder:
    """Return an unfinished run to go on with.

    Raises:
        ConfigError: the run is of other code, or has other settings or another name than are given.
        NotFoundError: there is no such run.
    """
    run = RunFolder.open(workspace.bulk_writer().place, run_id)
    plan = run.plan
    if (config is not None and config.to_yaml() != plan["settings"]) or name not in (None, plan["name"]):
        raise ConfigError(
            f"The run {run_id} goes on with its own settings and name; leave them out, or start another run.",
            where="resume",
        )
    if plan["code"] != code_version():
        raise ConfigError(
            f"The run {run_id} was started by another version of Chunkscope or pylance ({plan['code']}); start it "
            "again without --resume.",
            where="resume",
        )
    if not _can_go_on(workspace, run):
        raise ConfigError(
            f"The run {run_id} was for a workspace without documents, and now it has some; start it again without "
            "--resume.",
            where="resume",
        )
    return run


def list_files(
    workspace: Workspace, paths: AnyPath | Iterable[AnyPath], reading: FileReading | None = None
) -> list[ListedFile]:
    """Return the files to read, in the order of the listing. Raises ParseError."""
    from chunking.parsing import clean_source, find_files

    reading, places = reading or {}, paths_of(paths)
    allowed().check_paths(places)
    parser_of = ParserChoices.of(workspace, reading.get("parser"), reading.get("parsers"))
    encodings = reading.get("encodings") or {}
    listed: list[ListedFile] = []
    for path, root in find_files(places):
        allowed().check_paths([path])
        source = clean_source(path.relative_to(root).as_posix())
        own = encodings.get(source, reading.get("encoding"))
        listed.append(
            ListedFile(
                str(path.absolute()), str(root.absolute()), source, own, parser_of(source), *_size_and_change(path)
            )
        )
    return listed


def _size_and_change(path: Path) -> tuple[int, int]:
    try:
        facts = path.stat()
    except OSError:  # reading it says why
        return 0, 0
    return facts.st_size, facts.st_mtime_ns
