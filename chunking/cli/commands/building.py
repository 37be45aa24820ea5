"""The commands `index` (files to a workspace and its index) and `write` (an index to a vector store)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chunking.cli.commands.files import (
    add,
    config_of,
    engine_options,
    existing_paths,
    inputs_of,
    read,
    reading_options,
    show_files,
)
from chunking.cli.streams import complain, say, show_progress, write_row
from chunking.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from chunking.indexing import IndexProgress, Plan
    from chunking.indexing.run.run_records import Cancel, OnProgress
    from chunking.store import Workspace

__all__ = ["ChunkProgressLines", "PartProgressLines", "index", "write"]

_TENTHS = 10
"""Steps at which progress is printed: each tenth of the chunks."""


def index(arguments: argparse.Namespace) -> int:
    """Add files to a workspace, build or update an index, and print the report as one object.

    `--dry-run` writes nothing, and without any document no index is made. Exit code 1 if a file or document failed.
    """
    from chunking.indexing import index_documents
    from chunking.indexing.engine_options import is_on_ray
    from chunking.indexing.planning.index_plan import DEFAULT_NAME
    from chunking.indexing.run.shared_progress import share_progress, started_in
    from chunking.store import Workspace
    from chunking.store.index_run_file import RunOrigin

    if is_on_ray(engine_options(arguments), arguments.resume):
        return _index_on_ray(arguments)
    config = config_of(arguments)
    with ExitStack() as stack:
        if arguments.dry_run:
            workspace = stack.enter_context(_open_for_dry_run(arguments.workspace))
        else:
            workspace = Workspace.open(arguments.workspace, sole_writer=arguments.sole_writer)
            # Held from before the files get their ids: another process could give the same ones meanwhile.
            stack.enter_context(workspace.writer())
        on_progress: OnProgress | None = ChunkProgressLines()
        stop: Cancel | None = None
        if arguments.dry_run:
            documents, failed, _ = read(arguments.paths, arguments, workspace)
        else:
            stack.enter_context(started_in(RunOrigin.TERMINAL))
            shared = stack.enter_context(share_progress(workspace, arguments.name or DEFAULT_NAME))
            stop, files = shared.stops(), shared.reports(show_files, "files")
            added = add(arguments.paths, arguments, workspace, on_progress=files, cancelled=stop)
            documents, failed, on_progress = [], added.failed, shared.reports(on_progress)
            shared.begin_plan()
        nothing = not documents and not workspace.documents()  # then no empty index is made
        report = index_documents(
            workspace,
            documents,
            config,
            name=arguments.name,
            dry_run=arguments.dry_run or nothing,
            on_plan=_show_plan,
            on_progress=on_progress,
            cancelled=stop,
        )
    for reason in (*report.reasons, *report.warnings):
        say(reason)
    record = replace(report, failed=(*failed, *report.failed)).as_record()
    write_row(record)
    return int(bool(record["failed"]))


def _index_on_ray(arguments: argparse.Namespace) -> int:
    """Index files by several processes or machines, and print the report as one object."""
    from chunking.indexing import index_files
    from chunking.indexing.run.shared_progress import started_in
    from chunking.store import Workspace
    from chunking.store.index_run_file import RunOrigin

    inputs = inputs_of(arguments)
    if arguments.dry_run or arguments.edits or arguments.pins or inputs.edits or inputs.pins:
        raise ConfigError(
            "--engine ray does not support --dry-run, edits and pins yet; index without them, then give edits and pins "
            "without --engine ray.",
            where="--engine",
        )
    has_settings = arguments.config or arguments.set
    paths, missing = existing_paths(arguments.paths)
    with started_in(RunOrigin.TERMINAL), redirect_stdout(sys.stderr):  # where Ray reports workers that died
        report = index_files(
            Workspace.open(arguments.workspace, sole_writer=arguments.sole_writer),
            paths,
            config_of(arguments) if has_settings or not arguments.resume else None,
            name=arguments.name,
            resume=arguments.resume,
            again=arguments.again,
            on_run=lambda run: say(f"Run {run}; if it is stopped or killed, go on with --resume {run}."),
            on_progress=PartProgressLines(),
            **engine_options(arguments),
            **reading_options(arguments, inputs),
        )
    failed = [*missing, *report.failed]
    for failure in failed:
        complain(failure.error)
    for warning in report.warnings:
        say(warning)
    write_row(report.as_record() | {"failed": [failure.as_record() for failure in failed]})
    return int(bool(failed))


class PartProgressLines:
    """Progress of a build on a cluster as lines on stderr: parts of each stage, at each tenth."""

    def __init__(self) -> None:
        self._last = ("", -1)

    def __call__(self, progress: IndexProgress) -> None:
        if show_progress(progress.done, progress.total, "parts", progress.message, left=progress.seconds_left):
            return
        place = (progress.message, _TENTHS * progress.done // max(progress.total, 1))
        if place != self._last:
            self._last = place
            say(f"{progress.message}: {progress.done:,} of {progress.total:,}")


def write(arguments: argparse.Namespace) -> int:
    """Synchronise an index into another vector store and print the counts of rows as one object."""
    from chunking.indexing import staleness
    from chunking.integrations import write_index
    from chunking.model import CHUNK
    from chunking.store import Workspace

    workspace = Workspace.open(arguments.workspace, create=False)
    if stale := staleness(workspace, workspace.index(arguments.name).row):
        say(stale)
    report = write_index(
        workspace,
        arguments.what,
        arguments.to,
        index=arguments.name,
        collection=arguments.collection,
        levels=tuple(arguments.levels.split(",")) if arguments.levels else (CHUNK,),
        on_progress=ChunkProgressLines(),
    )
    write_row({"what": arguments.what, "to": arguments.to, "collection": arguments.collection, **report.as_record()})
    return 0


class ChunkProgressLines:
    """Progress of an index build as lines on stderr, one per step and per tenth of the chunks."""

    def __init__(self) -> None:
        self._last = ("", -1)

    def __call__(self, progress: IndexProgress) -> None:
        if show_progress(progress.done, progress.total, "chunks", progress.message, left=progress.seconds_left):
            return
        place = (progress.message, _TENTHS * progress.done // max(progress.total, 1))
        if place != self._last:
            self._last = place
            say(f"{progress.done:,} of {progress.total:,} chunks: {progress.message}")


@contextmanager
def _open_for_dry_run(uri: str) -> Iterator[Workspace]:
    """Open the workspace; if there is none, an empty temporary one, so that a dry run makes no folder."""
    from chunking.store import Workspace

    with TemporaryDirectory() as elsewhere:
        try:
            workspace = Workspace.open(uri, create=False)
        except NotFoundError:
            workspace = Workspace.open(elsewhere)
        yield workspace


def _show_plan(plan: Plan) -> None:
    for warning in plan.warnings:
        say(warning)
    about = "about " if plan.about else ""
    number, rough = plan.rounded, "about " if plan.estimate else ""
    say(
        f"Chunks: {rough}{number(plan.chunks):,}. Vectors: {rough}{number(plan.vectors):,} in all, "
        f"{about}{number(plan.new):,} to embed and {rough}{number(plan.reused):,} reused."
    )
    if plan.estimate is not None:
        say(
            f"Estimated from {plan.estimate.sampled:,} of {plan.estimate.documents:,} documents: "
            f"{plan.estimate.least_chunks:,} to {plan.estimate.most_chunks:,} chunks (95 % confidence interval)."
        )
    if plan.held:
        say(f"The current index holds {plan.held:,} vectors, of which {rough}{number(plan.removed):,} will be removed.")
    for line in _plan_details(plan):
        say(line)


def _plan_details(plan: Plan) -> Iterator[str]:
    """Yield sentences on a plan's levels, late chunking and language model requests."""
    if plan.levels.keys() - {"chunk"}:
        levels = (f"{plan.rounded(count):,} {level}" for level, count in plan.levels.items())
        yield f"Levels: {'about ' if plan.estimate else ''}{', '.join(levels)}."
    if plan.encode:
        about = "about " if plan.estimate else ""
        yield f"Documents to encode for late chunking: {about}{plan.rounded(plan.encode):,}."
    needs = plan.needs
    if needs is not None:
        cost = "" if needs.cost is None else f", for about {needs.cost:,.2f}"
        yield (
            f"Language model: {plan.rounded(needs.requests):,} requests, {plan.rounded(needs.cached):,} cached; "
            f"about {needs.prompt_tokens:,} "
            f"tokens read and at most {needs.answer_tokens:,} written{cost}."
        )
