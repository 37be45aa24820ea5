"""The cache of embeddings."""

from __future__ import annotations

import numpy as np

from chunking.store import Workspace
from chunking.store.cache_tables import WORTH_AN_INDEX


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
