"""Files that a reader of a workspace keeps open while others write to it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from chunking.store import TextQuery, Workspace
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.support import store_rows as made

OPEN = Path("/proc/self/fd")


def files_of(folder: Path) -> list[str]:
    """Those below a folder that this process has open."""
    result = []
    for link in OPEN.iterdir():
        with suppress(OSError):
            result.append(os.readlink(link))
    return [file for file in result if file.startswith(str(folder))]


def add_to(writer: Workspace, number: int) -> None:
    """One more document in the same index."""
    document = made.document(f"more{number}", "A lazy dog sleeps.", "The fox came again.")
    with writer.writer():
        writer.put_documents([document])
        index = writer.index("main")
        rows = made.chunks(document)
        index.replace_document(document, rows, made.vectors(rows), "f")
        index.optimize()
        writer.publish(index)


def replace_all(writer: Workspace, number: int) -> None:
    """Another table under the same name."""
    fill(writer, INSTALL, MANUAL).optimize()


@pytest.mark.skipif(not OPEN.exists(), reason="the system does not tell which files are open")
@pytest.mark.parametrize("change", [replace_all, add_to])
def test_a_reader_lets_go_what_was_replaced(tmp_path: Path, change: Callable[[Workspace, int], None]) -> None:
    """Somebody else's builds do not leave it with ever more files of keyword indexes that no search asks any more."""
    folder = tmp_path / "w"
    writer, reader = Workspace.open(folder), Workspace.open(folder)
    replace_all(writer, 0)
    counts = []
    for number in range(10):
        change(writer, number)
        index = reader.index("main")
        assert index.text_search(TextQuery("fox"), 3)
        assert index.vector_search(made.vector("fox"), 3)
        counts.append(len(files_of(folder)))
    assert min(counts[6:]) <= max(counts[:6]), (
        counts
    )  # the engine closes some a moment later; more with every write would be a leak
