"""`write`: an index to another vector store."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.parsing import parse
from chunking.store import Workspace
from tests.cli.command import Run, check
from tests.support.shelf import SHELF
from tests.support.stored_runs import filled


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an index; for reading only."""
    place = tmp_path_factory.mktemp("writing") / "w"
    filled(place, dict(SHELF))
    return place


def test_a_second_run_writes_nothing(run: Run, kept: Path, tmp_path: Path) -> None:
    """One object says what was done; progress is on stderr."""
    count = Workspace.open(kept).index().count()
    ran = run("write", "parquet", "--workspace", kept, "--to", tmp_path / "store")
    row = ran.row
    keys = {
        "what": str,
        "to": str,
        "collection": str,
        "written": int,
        "unchanged": int,
        "deleted": int,
        "without_vector": int,
    }
    check(row, {**keys, "seconds": float, "index": str, "fingerprint": str})
    assert (row["written"], row["unchanged"], row["deleted"]) == (count, 0, 0)
    assert str(count) in ran.err
    again = run("write", "parquet", "--workspace", kept, "--to", tmp_path / "store").row
    assert (again["written"], again["unchanged"]) == (0, count)


def test_levels_and_collections(run: Run, kept: Path, tmp_path: Path) -> None:
    """By name."""
    row = run("write", "lancedb", "--workspace", kept, "--to", tmp_path, "--collection", "larger", "--levels", "x2").row
    assert (row["collection"], row["written"]) == ("larger", Workspace.open(kept).index().count("x2"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("papyrus", "--to", "x"), 2),
        (("parquet",), 2),
        (("parquet", "--to", "x", "--levels", "parent"), 2),
        (("parquet", "--to", "x", "--name", "other"), 1),
    ],
)
def test_a_wrong_argument_of_write_makes_nothing(
    run: Run, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int
) -> None:
    """Nothing on stdout, nothing made."""
    monkeypatch.chdir(tmp_path)
    ran = run("write", *words, "--workspace", kept)
    assert (ran.code, ran.out) == (code, "")
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_is_out_of_date_says_so(run: Run, tmp_path: Path) -> None:
    """What it holds is written."""
    filled(tmp_path / "w", {"a.md": "# A\n\nText."}).put_document(parse(b"# New\n\nText", "new.md"))
    ran = run("write", "parquet", "--workspace", tmp_path / "w", "--to", tmp_path / "store")
    assert ran.row["written"] == 1
    assert len(ran.err.splitlines()) == 2
