"""One size, measured through the product's public functions, so that it also measures an earlier version.

`growth_run` starts two processes a size, `build` and then `use`, each of which prints its figures as JSON. The process
imports `chunking` from the tree that it is started in, and this module from the tree that holds it.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from benchmarks.growth.clustered_vectors import ClusteredEmbedder
from benchmarks.growth.corpus import (
    CHUNKS_A_DOCUMENT,
    document_path,
    document_text,
    document_title,
    queries,
    write_documents,
)
from benchmarks.growth.process_figures import disk_bytes, measured
from chunking import Config, Workspace, add_files, build_index, parse, search
from chunking.indexing import IndexPhase, IndexProgress, staleness
from chunking.store import measure_recall

__all__ = ["build", "main", "use"]

_NAME = "main"
_QUERIES, _WARM_UP = 50, 10
_SAMPLE = 60
"""Chunks from which recall is measured."""
_CHANGES = 3
"""Documents added, changed and deleted in turn, each with an index run; the median counts."""
_BATCHES, _BATCH = 2, 100
"""Batches of new documents, one for so many documents that are there."""
_DEPTHS = (1, 5, 50)
"""Results for which storage calls are counted."""


def main(words: list[str]) -> None:
    """Run a stage: its name, the number of chunks, a folder, and settings as JSON."""
    stage, chunks, folder, settings = words
    config = Config.from_settings(json.loads(settings))
    _warm_up(config)
    print(json.dumps({"build": build, "use": use}[stage](int(chunks), Path(folder), config)))


def _embedder(chunks: int) -> ClusteredEmbedder:
    return ClusteredEmbedder(max(64, chunks // 500))


def _warm_up(config: Config) -> None:
    """Import the product's modules and load the tokenizer, which each process does once, whatever the size."""
    workspace, embedder = Workspace.open("memory://"), _embedder(0)
    workspace.put_document(parse(document_text(0).encode(), document_path(0)))
    build_index(workspace, config, name=_NAME, embedder=embedder)
    search(workspace, queries(1)[0], config.search, index=_NAME, embedder=embedder)


def build(chunks: int, folder: Path, config: Config) -> dict[str, Any]:
    """Add all documents and build the index; returns the figures."""
    documents = chunks // CHUNKS_A_DOCUMENT
    files = folder / "files"
    for first in range(0, documents, 1_000):
        write_documents(files, range(first, min(first + 1_000, documents)))
    workspace, embedder = Workspace.open(folder / "workspace"), _embedder(chunks)
    with measured(f"{chunks:,} chunks: adding {documents:,} files") as adding:
        result = add_files(workspace, files, root=files)
    found, failed = len(result[0]), result[1]
    del result  # an earlier version returns every document, text included
    if failed or found != documents:
        raise RuntimeError(f"{found} of {documents} documents were added; {[str(one) for one in failed[:3]]}")
    watch = _Phases()
    with measured("planning and building") as building:
        report = build_index(
            workspace,
            config,
            name=_NAME,
            embedder=embedder,
            on_plan=lambda _: watch.planned(),
            on_progress=watch.report,
        )
        watch.end()
    place, table = folder / "workspace", workspace.index(_NAME).row.table
    return {
        "documents": report.documents,
        "chunks": report.chunks,
        "characters": sum(path.stat().st_size for path in files.rglob("*.md")),
        "add": adding.as_record(),
        "build": building.as_record(),
        "planning": watch.planning,
        "embedding": embedder.seconds,
        "phases": dict(watch.seconds),
        "vector_index": workspace.index(_NAME).row.built.vector_index,
        "disk": {
            "workspace": disk_bytes(place),
            "table": disk_bytes(place / f"{table}.lance" / "data"),
            "indexes": disk_bytes(place / f"{table}.lance" / "_indices"),
            "documents": disk_bytes(place / "documents.lance"),
            "embeddings": disk_bytes(place / "embeddings.lance"),
        },
        "commits": _commits(place),
    }


class _Phases:
    """Seconds by phase: what passes between two reports belongs to the earlier one's phase."""

    def __init__(self) -> None:
        self.planning = 0.0
        self.seconds: dict[str, float] = defaultdict(float)
        self._began = self._last = perf_counter()
        self._phase = "prepare"

    def planned(self) -> None:
        self._last = perf_counter()
        self.planning = self._last - self._began

    def report(self, progress: IndexProgress) -> None:
        self.end()
        self._phase = phase_name(progress)

    def end(self) -> None:
        now = perf_counter()
        self.seconds[self._phase] += now - self._last
        self._last = now


def phase_name(progress: IndexProgress) -> str:
    """Return `prepare`, `load`, `split`, `write`, or the step of the end: `text`, `vectors`, `tidy`."""
    if progress.phase is IndexPhase.FINISH:
        message = progress.message.lower()
        return "text" if "full-text" in message else "vectors" if "vector" in message else "tidy"
    return "write" if progress.phase is IndexPhase.EMBED else str(progress.phase)


def _commits(place: Path) -> int:
    """Return the versions of all tables of a workspace, as many as there were commits."""
    import lancedb

    tables = lancedb.connect(place)
    return sum(tables.open_table(path.stem).version for path in place.glob("*.lance"))


def use(chunks: int, folder: Path, config: Config) -> dict[str, Any]:
    """Open the workspace, search it, change it; returns the figures."""
    documents, embedder = chunks // CHUNKS_A_DOCUMENT, _embedder(chunks)
    with measured(f"{chunks:,} chunks: opening") as opening:
        workspace = Workspace.open(folder / "workspace")
        index = workspace.index(_NAME)
    figures: dict[str, Any] = {"open": opening.as_record()}
    with measured("searching") as searching:
        figures["search"] = _search(workspace, config, embedder)
    figures["search"]["peak"] = searching.peak
    with measured("recall"):
        figures["recall"] = _recall(workspace, config)
    figures["list_first"], figures["list_again"] = _timed(workspace.documents), _timed(workspace.documents)
    figures["stale"] = _timed(lambda: staleness(workspace, workspace.index(_NAME).row))
    figures["stale_again"] = _timed(lambda: staleness(workspace, workspace.index(_NAME).row))
    changes = _Changes(workspace, config, embedder, folder / "files", documents)
    figures |= changes.one_by_one()
    figures["batches"] = changes.batches(max(1, documents // _BATCH))
    with measured("recall after the changes"):
        figures["recall_after"] = _recall(workspace, config)
    with measured("searching after the changes"):
        figures["search_after"] = _search(workspace, config, embedder)
    figures["vector_index_after"] = workspace.index(_NAME).row.built.vector_index
    figures["rows_after"] = workspace.index(_NAME).row.chunks
    figures["disk_after"] = disk_bytes(folder / "workspace")
    figures["commits_after"] = _commits(folder / "workspace")
    del index
    return figures


def _timed(call: Callable[[], object]) -> float:
    started = perf_counter()
    call()
    return perf_counter() - started


def _search(workspace: Workspace, config: Config, embedder: ClusteredEmbedder) -> dict[str, Any]:
    """Return milliseconds of hybrid searches and their storage calls."""

    def ask(query: str, k: int = config.search.k) -> Any:
        own = Config.from_settings({"search.k": str(k)}, config).search
        return search(workspace, query, own, index=_NAME, embedder=embedder)

    texts = queries(_QUERIES + _WARM_UP)
    first = _timed(lambda: ask(texts[0]))
    for query in texts[1:_WARM_UP]:
        ask(query)
    times = [_timed(lambda query=query: ask(query)) * 1000 for query in texts[_WARM_UP:]]
    calls = [ask(query, k).storage_calls for query in texts[-3:] for k in _DEPTHS]
    return {
        "first": first * 1000,
        "p50": median(times),
        "p95": quantiles(times, n=20, method="inclusive")[-1],
        "calls": sorted(set(calls)),
    }


def _recall(workspace: Workspace, config: Config) -> dict[str, float]:
    """Return the recall of the ten nearest against exact search, and milliseconds of both."""
    own = config.search
    exact, found = measure_recall(workspace.index(_NAME), (own.probes,), (own.refine,), _SAMPLE)
    return {"recall": found.recall_at_10, "milliseconds": found.milliseconds, "exact": exact.milliseconds}


class _Changes:
    """Documents added, changed and deleted, each with the index run after it."""

    def __init__(
        self, workspace: Workspace, config: Config, embedder: ClusteredEmbedder, files: Path, documents: int
    ) -> None:
        self.workspace = workspace
        self.config = config
        self.embedder = embedder
        self.files = files
        self.documents = documents
        titles = {document_title(documents // 3 + turn): turn for turn in range(_CHANGES)}
        ids = {titles[row.title]: row.doc_id for row in workspace.documents() if row.title in titles}
        self.deleted = [ids[turn] for turn in range(_CHANGES)]

    def one_by_one(self) -> dict[str, Any]:
        """Return medians of adding, changing and deleting one document, and of the list after a write."""
        kinds: Mapping[str, Callable[[int], object]] = {
            "added": lambda turn: self.save([self.documents + turn], 0),
            "changed": lambda turn: self.save([self.documents // 2 + turn], 1),
            "deleted": lambda turn: self.workspace.delete_documents([self.deleted[turn]]),
        }
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for turn in range(_CHANGES):
            for kind, write in kinds.items():
                rows[kind].append(self.step(kind, lambda write=write, turn=turn: write(turn)))
        return {
            kind: {key: median(one[key] for one in some) for key in some[0]}
            | {"peak": max(one["peak"] for one in some)}
            for kind, some in rows.items()
        }

    def batches(self, size: int) -> dict[str, float]:
        """Return the mean figures of adding batches of documents, with an index run after each."""
        rows = []
        for turn in range(_BATCHES):
            first = self.documents + _CHANGES + turn * size
            rows.append(self.step(f"{size} added", lambda first=first: self.save(range(first, first + size), 0)))
        return {"documents": size, **{key: sum(one[key] for one in rows) / len(rows) for key in rows[0]}}

    def step(self, kind: str, write: Callable[[], object]) -> dict[str, float]:
        """Write, list the documents, ask for staleness, and run the index; returns the figures."""
        with measured(f"{kind}: writing") as writing:
            write()
        listing = _timed(self.workspace.documents)
        stale = _timed(lambda: staleness(self.workspace, self.workspace.index(_NAME).row))
        with measured(f"{kind}: index run") as running:
            build_index(self.workspace, self.config, name=_NAME, embedder=self.embedder)
        return {
            "writing": writing.seconds,
            "running": running.seconds,
            "processor": running.processor,
            "written": writing.written + running.written,
            "peak": max(writing.peak, running.peak),
            "list": listing,
            "stale": stale,
        }

    def save(self, numbers: Sequence[int], version: int) -> None:
        """Write files, and add them."""
        paths = write_documents(self.files, numbers, version)
        add_files(self.workspace, paths, root=self.files)


if __name__ == "__main__":
    main(sys.argv[1:])
