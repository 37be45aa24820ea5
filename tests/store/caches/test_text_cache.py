"""The caches of written texts and of encodings."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from chunking.store import Workspace
from chunking.store.cache_tables import WORTH_AN_INDEX


def test_texts_come_back_by_key(workspace: Workspace) -> None:
    """In one call, also for a workspace that is opened anew; unknown keys are left out; no keys, no call."""
    texts = {"a": "About pumps.", "b": "关于水泵。", "c": "", "d": "'; drop table\n\x00"}
    workspace.texts.put(texts, "tiny-llm")
    reopened = Workspace.open(workspace.uri)
    assert reopened.texts.get([*texts, "nobody", "a"]) == texts
    before = workspace.calls
    workspace.texts.get(list(texts))
    assert workspace.calls - before == 1
    assert workspace.texts.get([]) == {}
    assert workspace.calls - before == 1
    assert workspace.texts.stored_keys(["b", "nobody"]) == {"b"}


def test_a_key_has_one_text(workspace: Workspace) -> None:
    """Written again it is replaced; the model stands beside it."""
    workspace.texts.put({"a": "one"}, "first")
    workspace.texts.put({"a": "two", "b": "\ud800"}, "second")
    assert workspace.texts.get(["a", "b"]) == {"a": "two", "b": "\ufffd"}
    rows = workspace._tables.read("reading", "written", ("key", "model"))
    assert {row["key"]: row["model"] for row in rows} == {"a": "second", "b": "second"}


def test_threads_may_put_side_by_side(workspace: Workspace) -> None:
    """Answers of a language model come in any order, from several threads."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: workspace.texts.put({f"key {n}": f"text {n}", "shared": "same"}, "m"), range(12)))
        list(pool.map(lambda n: workspace.encodings.put(f"key {n}", bytes([n])), range(12)))
    result = workspace.texts.get([f"key {n}" for n in range(12)] + ["shared"])
    assert result == {f"key {n}": f"text {n}" for n in range(12)} | {"shared": "same"}
    assert workspace._tables.table("written").count_rows() == 13
    assert workspace.encodings.stored_keys([f"key {n}" for n in range(13)]) == {f"key {n}" for n in range(12)}


def test_empty_caches_know_nothing(workspace: Workspace) -> None:
    """There are no tables yet, and asking or tidying makes none."""
    assert (workspace.texts.get(["a"]), workspace.texts.stored_keys(["a"])) == ({}, set())
    assert (workspace.encodings.get("a"), workspace.encodings.stored_keys(["a"])) == (None, set())
    workspace.texts.put({}, "m")
    workspace.tidy()
    assert workspace._tables.names() == []


def test_many_texts_get_an_index(workspace: Workspace) -> None:
    """A call a thousand keys, and the same answers before and after."""
    texts = {f"{n:064x}": f"text {n}" for n in range(WORTH_AN_INDEX)}
    workspace.texts.put(texts, "m")
    expected = list(texts)[:2500]
    for _ in range(2):
        before = workspace.calls
        assert workspace.texts.get(expected) == {key: texts[key] for key in expected}
        assert workspace.calls - before == 3
        workspace.tidy()
    assert [one.columns for one in workspace._tables.table("written").list_indices()] == [["key"]]


@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_an_encoding_comes_back_byte_for_byte(workspace: Workspace, size: int) -> None:
    """Of any length; another of the same key takes its place."""
    data = os.urandom(size)
    workspace.encodings.put("key", b"before")
    workspace.encodings.put("key", data)
    assert Workspace.open(workspace.uri).encodings.get("key") == data
    assert workspace.encodings.get("key' OR '1'='1") is None


def test_encodings_are_bounded(workspace: Workspace) -> None:
    """The ones saved first go; tidying a workspace under the bound deletes none."""
    for n in range(6):
        workspace.encodings.put(f"key {n}", bytes(10))
    workspace.encodings.put("key 0", bytes(10))  # the newest now
    workspace.tidy()
    assert len(workspace.encodings.stored_keys([f"key {n}" for n in range(6)])) == 6
    assert workspace.encodings.trim(35) == 3
    assert workspace.encodings.stored_keys([f"key {n}" for n in range(6)]) == {"key 0", "key 4", "key 5"}
    assert workspace.encodings.trim(0) == 3


def test_caches_outlive_documents_and_indexes(workspace: Workspace) -> None:
    """They belong to texts: what is built again finds them."""
    from tests.store.indexed import INSTALL, fill

    fill(workspace, INSTALL)
    workspace.texts.put({"a": "text"}, "m")
    workspace.encodings.put("e", b"data")
    workspace.delete_documents(["install"])
    workspace.drop_index("main")
    workspace.tidy()
    assert (workspace.texts.get(["a"]), workspace.encodings.get("e")) == ({"a": "text"}, b"data")
