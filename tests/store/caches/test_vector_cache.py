"""The cache of embeddings."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from chunking.store import Workspace
from chunking.store.cache_tables import WORTH_AN_INDEX
from chunking.store.engine import key_hashes


def test_vectors_come_back_bit_by_bit(workspace: Workspace) -> None:
    """Of any dimension side by side; unknown keys are left out; no keys, no call."""
    rows = {f"key {n}": np.random.default_rng(n).normal(size=3 + n % 2).astype(np.float32) for n in range(50)}
    workspace.vectors.put(rows)
    before = workspace.calls
    result = workspace.vectors.get([*rows, "nobody", "key 0"])
    assert workspace.calls - before == 1
    assert result.keys() == rows.keys()
    assert all(np.array_equal(result[key], rows[key]) and result[key].dtype == np.float32 for key in rows)
    assert workspace.vectors.get([]) == {}
    assert workspace.vectors.stored_keys(["key 3", "nobody"]) == {"key 3"}


def test_an_empty_cache_knows_nothing(workspace: Workspace) -> None:
    """There is no table yet."""
    assert workspace.vectors.get(["a"]) == {}
    assert workspace.vectors.stored_keys(["a"]) == set()
    workspace.vectors.put({})
    assert workspace._tables.names() == []


def test_many_keys_take_a_call_a_thousand(workspace: Workspace) -> None:
    """And the same answers once there is an index over them."""
    keys = [f"{n:064x}" for n in range(WORTH_AN_INDEX)]
    matrix = np.arange(2 * len(keys), dtype=np.float32).reshape(-1, 2)
    workspace.vectors.put(dict(zip(keys, matrix, strict=True)))
    for _ in range(2):
        before = workspace.calls
        result = workspace.vectors.get(keys[:2500])
        assert workspace.calls - before == 3
        assert np.array_equal(np.stack([result[key] for key in keys[:2500]]), matrix[:2500])
        workspace.tidy()


def test_new_keys_cost_no_query_once_many_were(workspace: Workspace) -> None:
    """The keys are read once; this process's writes add to them, and another's make them be read again."""
    other = Workspace.open(workspace.uri)

    def vectors(first: int, count: int) -> dict[str, np.ndarray]:
        return {f"{n:064x}": np.float32([n, 1]) for n in range(first, first + count)}

    def calls(keys: Iterable[str]) -> int:
        before = workspace.calls
        sizes.append(len(workspace.vectors.get(list(keys))))
        return workspace.calls - before

    sizes: list[int] = []
    workspace.vectors.put(vectors(0, 500))
    assert calls(vectors(5_000, 1_000)) == 1
    assert calls(vectors(5_000, 1_000)) == 2  # counts the rows and reads their keys instead
    assert [calls(vectors(first, 1_000)) for first in (6_000, 7_000)] == [0, 0]
    workspace.vectors.put(vectors(6_000, 700))
    assert calls(vectors(6_500, 400)) == 1
    assert calls(vectors(7_000, 400)) == 0
    other.vectors.put(vectors(7_000, 300))
    assert calls(vectors(7_000, 400)) == 1
    assert sizes == [0, 0, 0, 0, 200, 0, 300]


def test_the_keys_of_a_large_table_are_read_for_many_only(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of one that is too large never."""
    workspace.vectors.put({f"{n:064x}": np.float32([n, 1]) for n in range(30)})
    monkeypatch.setattr(key_hashes, "_FEW", 1)
    reader = Workspace.open(workspace.uri)
    for limit, reads in ((10, False), (10_000, True)):
        monkeypatch.setattr(key_hashes, "_MOST", limit)
        for name in "abcde":
            assert reader.vectors.get([name]) == {}
        assert bool(reader.vectors._key_hashes._stamp) is reads
