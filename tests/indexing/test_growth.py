"""Twice as many documents are twice the work: no function is called in the square of them."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Config
from chunking.indexing import build_index, save, staleness
from chunking.parsing import parse
from chunking.store import Workspace
from tests.support.store_rows import FakeEmbedder

FEW = 12
SMALL = Config.from_settings({"size": "40", "overlap": "0"})


def work(folder: Path, documents: int) -> tuple[int, dict[str, int]]:
    """Storage calls, and calls of each function of the library, to save, index, look over and index again."""
    output = [parse(f"# Title {n}\n\nSome words of number {n}.\n".encode(), f"d{n}.md") for n in range(documents)]
    workspace, profile = Workspace.open(folder), cProfile.Profile()
    with profile:
        save(workspace, output)
        build_index(workspace, SMALL, embedder=FakeEmbedder())
        assert not staleness(workspace, workspace.indexes()[0])
        build_index(workspace, SMALL, embedder=FakeEmbedder())
    rows = pstats.Stats(profile).stats.items()  # type: ignore[attr-defined]
    return workspace.calls, {
        f"{file}:{line} {name}": row[1] for (file, line, name), row in rows if "/chunking/" in file
    }


def test_no_function_is_called_in_the_square_of_the_documents(tmp_path: Path) -> None:
    """Counted over a whole life of an index; a call a document and some for the whole are what it may take."""
    work(tmp_path / "first", 2)  # what is loaded once
    (few_calls, few), (many_calls, many) = (work(tmp_path / str(count), count) for count in (FEW, 2 * FEW))
    assert many_calls - few_calls <= 2 * FEW
    assert {
        name: (few.get(name, 0), calls)
        for name, calls in many.items()
        if calls > 5 * FEW and calls > 2.5 * few.get(name, 0)
    } == {}


def rows_read(folder: Path, documents: int, patch: pytest.MonkeyPatch) -> tuple[int, int, int]:
    """Rows of all queries in a run after one change of one document: in a new process, the next, and staleness."""
    output = [parse(f"# Title {n}\n\nSome words of number {n}.\n".encode(), f"d{n}.md") for n in range(documents)]
    first = Workspace.open(folder)
    save(first, output)
    build_index(first, SMALL, embedder=FakeEmbedder())
    workspace, rows = Workspace.open(folder), [0]
    start = workspace._tables.start

    def counted(what: str, query: Any) -> Callable[[], Any]:
        def result() -> Any:
            table = wait()
            rows[0] += table.num_rows
            return table

        wait = start(what, query)
        return result

    def of(work: Callable[[], object]) -> int:
        before = rows[0]
        work()
        return rows[0] - before

    def change(text: str) -> None:
        save(workspace, [parse(f"# Title 1\n\nOther words {text}.\n".encode(), "d1.md")])

    patch.setattr(workspace._tables, "start", counted)
    change("now")
    fresh = of(lambda: build_index(workspace, SMALL, embedder=FakeEmbedder()))
    change("again")
    warm = of(lambda: build_index(workspace, SMALL, embedder=FakeEmbedder()))
    return fresh, warm, of(lambda: staleness(workspace, workspace.indexes()[0]))


def test_a_run_for_one_document_reads_each_other_document_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once in the workspace after each change of it, and once in the index; nothing of it afterwards."""
    monkeypatch.setattr("chunking.store.engine.table_upkeep._SMALL", -1)  # upkeep is not due, as in a large table
    few, many = (rows_read(tmp_path / str(count), count, monkeypatch) for count in (FEW, 2 * FEW))
    assert [after - before for before, after in zip(few, many, strict=True)] == [2 * FEW, FEW, 0]
