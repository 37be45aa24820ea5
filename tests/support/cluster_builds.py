"""An engine of cluster builds in one process, files to build from, and the tables to compare."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from chunking.config import Config
from chunking.indexing import IndexProgress, IndexReport
from chunking.indexing.cluster.build_tasks import BuildJob, embed_partition
from chunking.indexing.cluster.cluster_index import build_on_engine, list_files, start_run
from chunking.indexing.cluster.ray_engine import Calls
from chunking.store import IndexRow, Workspace
from tests.support.store_rows import FakeEmbedder

LEVELS = Config.from_settings({"size": "40", "overlap": "8", "parent_size": "120", "granularities": "3,8"})
"""The larger sizes are over what the embedder reads, so their vectors are means of windows."""

MAIL = b"Subject: Valves\nContent-Type: message/rfc822\n\nSubject: Before\n\nThe finch is small and sings.\n"
PAGE = "<html><body><h1>Pumps</h1><p>Check the oil level before each start.</p></body></html>"
WORDS = ("valve", "pump", "pressure", "check", "the", "oil", "level", "before", "you", "start", "it")
STAMP = 1_700_000_000


class LoopEngine:
    """BuildEngine that runs all parts in this process, in a random order.

    Args:
        loses: called with a task's name, its part and arguments; True if its worker always dies.
    """

    workers = 2

    def __init__(self, seed: int = 0, loses: Callable[[str, str, tuple[Any, ...]], bool] | None = None) -> None:
        self.ran: list[tuple[str, str]] = []
        """Each task that was done, with its part."""
        self._order, self._loses = random.Random(seed), loses

    def each(self, job: BuildJob, task: Callable[..., Any], calls: Calls) -> Iterator[tuple[str, str]]:
        for part in self._shuffled(calls):
            if self._loses is not None and self._loses(task.__name__, part, calls[part]):
                yield part, "WorkerCrashedError"
                continue
            task(job, part, *calls[part])
            self.ran.append((task.__name__, part))
            yield part, ""

    def embed(self, job: BuildJob, calls: Calls) -> Iterator[tuple[str, str]]:
        def task(job: BuildJob, part: str, *arguments: Any) -> None:
            embed_partition(job, job.load_embedder(), part, *arguments)

        task.__name__ = embed_partition.__name__
        yield from self.each(job, task, calls)

    def _shuffled(self, calls: Calls) -> list[str]:
        return self._order.sample(list(calls), len(calls))


def use_engine(monkeypatch: pytest.MonkeyPatch, engine: LoopEngine) -> None:
    """Give sweeps on Ray another engine: Ray is not started."""
    monkeypatch.setattr(
        "chunking.evaluation.sweep.cluster_rounds.engine_on_ray", lambda *arguments: nullcontext(engine)
    )


class Killed(BaseException):
    """The driver's end: nothing of the library catches it."""


def killed_at(step: int) -> Callable[[IndexProgress], None]:
    """Return an `on_progress` that ends the driver at the step with this number, the first being 1."""
    steps = count(1)

    def report(_: IndexProgress) -> None:
        if next(steps) == step:
            raise Killed

    return report


def build(
    workspace: Workspace,
    files: Path,
    engine: LoopEngine | None = None,
    embedder: FakeEmbedder | None = None,
    on_progress: Callable[[IndexProgress], None] | None = None,
    config: Config = LEVELS,
    again: bool = False,
) -> IndexReport:
    """Build by the loop engine, or go on with the unfinished run of the same files."""
    with workspace.writer():
        run = start_run(workspace, list_files(workspace, files), config, "main", {"ocr": False}, 1, again=again)
        return build_on_engine(workspace, engine or LoopEngine(), run, embedder or FakeEmbedder(), on_progress)


class DyingEmbedder(FakeEmbedder):
    """Embedder that ends its process once, at the first text after the file `flag` was written."""

    def __init__(self, flag: Path) -> None:
        super().__init__()
        self.flag = flag

    def embed(self, *arguments: Any, **options: Any) -> np.ndarray:
        if self.flag.exists():
            self.flag.unlink()
            os._exit(9)
        return super().embed(*arguments, **options)


def write_files(folder: Path, pages: int = 2) -> int:
    """Write files of several formats to a folder, two of which cannot be read; returns their number."""
    chance = random.Random(7)
    files: dict[str, bytes] = {"mail.eml": MAIL, "mail_before.md": b"# Birds\n\nThe finch sings.\n"}
    files |= {"Page.html": PAGE.encode(), "page.md": PAGE.encode(), "empty.md": b"", "broken.docx": b"PK\x03\x04none"}
    for name in ("a/guide.md", "a_guide.md", "a guide.md", *(f"page{number}.md" for number in range(pages))):
        words = " ".join(chance.choices(WORDS, k=200))
        files[name] = f"# {name}\n\n## Start\n\n{words}.\n\n## Stop\n\nThe same in all: turn it off.\n".encode()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (STAMP, STAMP))
    return len(files)


KEYS = {"documents": "doc_id", "sections": "section_id", "files": "hash", "embeddings": "key"}


def tables(workspace: Workspace) -> dict[str, pa.Table]:
    """Return the tables of a workspace with one index, each sorted by its key."""
    import lancedb

    connection = lancedb.connect(workspace.uri)
    names = {**KEYS, workspace.indexes()[0].table: "id"}
    there = set(connection.list_tables().tables)
    result = {
        name if name in KEYS else "chunks": connection.open_table(name).to_arrow().sort_by(key)
        for name, key in names.items()
        if name in there
    }
    return {name: rows for name, rows in result.items() if rows.num_rows}


def same_row(one: IndexRow, other: IndexRow) -> bool:
    """True if two registry rows differ in nothing but table, dates and speed."""
    return one == replace(
        other,
        table=one.table,
        created=one.created,
        updated=one.updated,
        tokens_per_second=one.tokens_per_second,
    )


def check_equal(workspace: Workspace, expected: Workspace) -> None:
    """Compare all tables bit for bit, and the rows of the registry."""
    ours, theirs = tables(workspace), tables(expected)
    assert ours.keys() == theirs.keys()
    for name, rows in ours.items():
        assert rows.schema == theirs[name].schema, name
        assert rows.equals(theirs[name]), name
    assert same_row(workspace.indexes()[0], expected.indexes()[0])
