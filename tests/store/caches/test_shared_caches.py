"""Caches that several processes write: each row once, and the work for it done once (law 7)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chunking.embedding import CachedEmbedder
from chunking.errors import Cancelled
from chunking.store import Workspace
from chunking.store.engine.schema import EMBEDDINGS, ENCODINGS, GENERATED_TEXTS, NAMED_RECORDS
from tests.support.embedding_process import SIZE
from tests.support.store_rows import FakeEmbedder

GROUPS = 6


def keys_of(workspace: Workspace, table: str) -> Counter[str]:
    """The keys of a cache, and how many rows each has."""
    return Counter(row["key"] for row in workspace._tables.read("reading", table, ["key"]))


def test_two_processes_embed_each_text_once(tmp_path: Path) -> None:
    """Both go through the same texts at the same time: each text reaches one model, and has one row."""
    command = [sys.executable, "-m", "tests.support.embedding_process", str(tmp_path), str(GROUPS)]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for process in both:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in both:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        calls = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    finally:
        for process in both:
            process.kill()
            process.wait()
    embedded = Counter(text for texts in calls for text in texts)
    assert (len(embedded), set(embedded.values())) == (GROUPS * SIZE, {1})
    rows = keys_of(Workspace.open(tmp_path), EMBEDDINGS)
    assert (len(rows), set(rows.values())) == (GROUPS * SIZE, {1})


def test_what_another_has_embedded_meanwhile_is_not_embedded_again(tmp_path: Path) -> None:
    """It is looked up again before the model is asked; the other one came between the two looks."""
    one, other = FakeEmbedder(), FakeEmbedder()
    mine = CachedEmbedder(one, Workspace.open(tmp_path).vectors)
    theirs = CachedEmbedder(other, Workspace.open(tmp_path).vectors)
    one.prepare = lambda: theirs.embed(["a", "b"])  # type: ignore[method-assign, assignment]
    assert np.array_equal(mine.embed(["a", "b", "c"])[:2], theirs.embed(["a", "b"]))
    assert (sorted(one.embedded_texts), sorted(other.embedded_texts)) == (["c"], ["a", "b"])
    assert mine.texts_reused == 2


def test_a_key_has_one_row_whoever_puts_it(tmp_path: Path) -> None:
    """In every cache, from several threads with a connection each; a vector of another length takes the place of the
    one there.
    """

    def put(number: int) -> None:
        workspace = Workspace.open(tmp_path)
        workspace.vectors.put({"a": np.ones(3, np.float32), str(number): np.ones(3, np.float32)})
        workspace.texts.put({"a": "text"}, "model")
        workspace.encodings.put("a", b"bytes")
        workspace.runs.put({"a": "{}"})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(put, range(4)))
    workspace = Workspace.open(tmp_path)
    assert keys_of(workspace, EMBEDDINGS) == Counter(["a", *"0123"])
    assert [keys_of(workspace, table).total() for table in (GENERATED_TEXTS, ENCODINGS, NAMED_RECORDS)] == [1, 1, 1]
    workspace.vectors.put({"a": np.zeros(2, np.float32)})
    assert workspace.vectors.get(["a"])["a"].tolist() == [0.0, 0.0]
    assert keys_of(workspace, EMBEDDINGS)["a"] == 1


def test_who_waits_for_a_claim_can_be_stopped(tmp_path: Path) -> None:
    """The other goes on, and its claim is free afterwards."""
    mine, theirs = Workspace.open(tmp_path).vectors, Workspace.open(tmp_path).vectors

    def stop() -> None:
        raise Cancelled("Stopped.")

    def wait() -> None:
        with theirs.claim(["a"], stop):
            pass

    with ThreadPoolExecutor(1) as pool:
        with mine.claim(["a"], stop), pytest.raises(Cancelled):
            pool.submit(wait).result(timeout=60)
        pool.submit(wait).result(timeout=60)
