"""`sample`: documents of a table into a workspace."""

from __future__ import annotations

from pathlib import Path

import lancedb
import pyarrow as pa

from chunking.store import Workspace
from tests.cli.command import Run, check


def test_the_record_and_the_documents(run: Run, tmp_path: Path) -> None:
    """What is left out is told on stderr; wrong columns fail in a line."""
    rows = {"text": ["# One", None, "# Three"], "key": [1, 2, 3]}
    lancedb.connect(tmp_path / "lake").create_table("notes", pa.table(rows))
    words = ("sample", tmp_path / "lake", "--workspace", tmp_path / "w")
    ran = run(*words, "--id", "key", "--seed", "5")
    keys = {"place": str, "table": str, "version": int, "columns": dict, "seed": int, "size": int, "rows": int}
    counted = {"of_rows": int, "without_text": int, "without_id": int, "added": str, "documents": int, "failed": list}
    check(ran.row, {**keys, **counted})
    assert (ran.row["documents"], ran.row["without_text"], ran.row["seed"]) == (2, 1, 5)
    assert "1 document without text" in ran.err
    assert [row.source for row in Workspace.open(tmp_path / "w").documents()] == ["notes/1.md", "notes/3.md"]
    wrong = run(*words, "--text", "key")
    assert (wrong.code, wrong.out, len(wrong.err.splitlines())) == (2, "", 1)
