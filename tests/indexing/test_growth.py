"""Twice as many documents are twice the work: no function is called in the square of them."""

from __future__ import annotations

import cProfile
import pstats
from pathlib import Path

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
