"""Index runs on Ray on this machine against the embedded engine: the same files, in turn, each in a process of its own.

    python -m benchmarks engines

Ray's start is told apart: it takes the same few seconds for any corpus. With vectors made from a hash of the text only
what the engines do themselves counts; with the default model, what a user waits for.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.growth.clustered_vectors import ClusteredEmbedder
from benchmarks.growth.corpus import CHUNKS_A_DOCUMENT, write_documents
from benchmarks.report import Row, Table
from chunking import Config, Workspace
from chunking.indexing import index_files
from chunking.indexing.cluster.ray_session import ray_session

__all__ = ["run"]

WORKERS, ROUNDS = 2, 2
CHUNKS = {"hash": 10_000, "model": 2_000}
"""Chunks of the corpus by what makes the vectors."""
SETTINGS = {"granularities": "none", "search.retrieval": "chunk"}
"""One level, so that the index has as many rows as chunks."""
MOST = 1.5
"""Maximum time on Ray, without its start, as a multiple of the embedded engine's."""
_WORDS = {"hash": "vectors from a hash of the text", "model": "the default model"}


def run() -> Table:
    """Index the same files by both engines in turn, and compare the times and the rows."""
    rows, fingerprints = [], defaultdict[str, set[str]](set)
    starts: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for vectors, chunks in CHUNKS.items():
            times = defaultdict[str, list[float]](list)
            files = Path(folder) / vectors
            write_documents(files, range(chunks // CHUNKS_A_DOCUMENT))
            for turn in range(ROUNDS):
                for engine in ("ray", "embedded"):
                    done = _measured(engine, vectors, files, Path(folder) / f"{engine}-{vectors}-{turn}")
                    times[engine].append(done["seconds"])
                    fingerprints[vectors].add(done["fingerprint"])
                    if engine == "ray":
                        starts.append(done["start"])
            ours, theirs = median(times["ray"]), median(times["embedded"])
            rows.append(
                Row(
                    f"files to index, {chunks:,} chunks, {_WORDS[vectors]}",
                    f"{ours:.0f} s on Ray",
                    f"{theirs:.0f} s embedded",
                    f"{ours / theirs:.2f} × the time",
                    f"≤ {MOST} ×",
                    ours <= MOST * theirs,
                )
            )
    if any(len(one) != 1 for one in fingerprints.values()):
        raise RuntimeError("the engines' indexes have different fingerprints")
    rows.append(Row("start of Ray, before that", f"{median(starts):.1f} s", "", "", "said apart"))
    notes = (
        f"{WORKERS} workers on this machine; {ROUNDS} runs of each engine in turn, the median counts. Both read the "
        "files, split, embed and write, and the indexes have one fingerprint. A run ends when its index can be "
        "searched.",
    )
    return Table("Ray on one machine", rows, notes)


def _measured(engine: str, vectors: str, files: Path, workspace: Path) -> dict[str, float | str]:
    """Index files in a process of its own; returns its seconds, Ray's start, and the index's fingerprint."""
    words = [sys.executable, "-m", "benchmarks.engines", engine, vectors, str(files), str(workspace)]
    done = subprocess.run(words, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _index(engine: str, vectors: str, files: Path, folder: Path) -> dict[str, float | str]:
    config = Config.from_settings(SETTINGS)
    embedder = ClusteredEmbedder(64) if vectors == "hash" else None
    workspace, began = Workspace.open(folder), perf_counter()
    if engine == "embedded":
        report = index_files(workspace, files, config, root=files, embedder=embedder)
        return {"seconds": perf_counter() - began, "start": 0.0, "fingerprint": report.fingerprint}
    with ray_session(None, WORKERS):
        started = perf_counter()
        report = index_files(workspace, files, config, engine="ray", workers=WORKERS, root=files, embedder=embedder)
        ended = perf_counter()
    return {"seconds": ended - started, "start": started - began, "fingerprint": report.fingerprint}


if __name__ == "__main__":
    print(json.dumps(_index(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))))
