"""`--edits FILE`: the same documents from the files alone and in an index, and what is told of a bad file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from chunking.model import BlockType
from chunking.parsing import parse_file
from chunking.parsing.edits import EDIT_FILE, EditedDocument, LeaveOut, SetType, write_edits
from chunking.store import Workspace
from chunking.store.documents.listed_changes import changes_of
from chunking.text.anchors import Anchor
from tests.cli.command import Run
from tests.support.facts import tells

SMALL = ("--set", "size=64", "--set", "min_size=0")


def edit_file(guide: Path, place: Path) -> Path:
    """A heading, a block that is left out, and one that is not in the document."""
    document = parse_file(next(guide.rglob("*.md")), root=guide)
    first, *_, second = [
        block for block in document.blocks if block.type not in (BlockType.HEADING, BlockType.METADATA)
    ]
    edits = (
        SetType(anchor=Anchor.of(document.text, first.start, first.end), type=BlockType.HEADING, level=2),
        LeaveOut(anchor=Anchor.of(document.text, second.start, second.end)),
        LeaveOut(anchor=Anchor(0, 30, "nothing like it stands in there", before="never", after="ever")),
    )
    listed = [
        EditedDocument("", document.source, edits),
        EditedDocument("", "gone.md", (replace(edits[0], id="other"),)),
    ]
    place.write_text(write_edits(listed), encoding="utf-8")
    return place


def test_edits_of_a_file(run: Run, guide: Path, tmp_path: Path) -> None:
    """`parse`, `chunk` and `index` read alike; the workspace keeps them, once, and exports the same file; a dry run
    keeps none.
    """
    edits = edit_file(guide, tmp_path / "edits.json")
    parsed = run("parse", guide, "--edits", edits)
    (row,) = parsed.rows
    assert len(row["left_out"]) == 1
    assert tells(parsed.err.splitlines(), "edits.json gone.md 1", "guide.md nothing like it")
    assert len(row["sections"]) == len(run("parse", guide).row["sections"]) + 1
    printed = run("chunk", guide, "--edits", edits, *SMALL)
    contents = [one["content"] for one in printed.rows]
    workspace = tmp_path / "w"
    planned = run("index", guide, "--workspace", workspace, "--edits", edits, "--dry-run", *SMALL)
    assert f"Chunks: {len(contents)}." in planned.err
    assert not workspace.exists()
    report = run("index", guide, "--workspace", workspace, "--edits", edits, *SMALL).row
    rows = run("export", "chunks-jsonl", "--workspace", workspace, "--levels", "chunk").rows
    assert [one["content"] for one in rows] == contents
    again = run("index", guide, "--workspace", workspace, "--edits", edits, *SMALL).row
    assert (again["embedded"], again["fingerprint"]) == (0, report["fingerprint"])
    stored = Workspace.open(workspace)
    (document,) = stored.documents()
    assert len(changes_of(stored, document.doc_id, EDIT_FILE)) == 3
    exported = tmp_path / "exported.json"
    exported.write_text(run("export", "edits", "--workspace", workspace).out, encoding="utf-8")
    assert [one["content"] for one in run("chunk", guide, "--edits", exported, *SMALL).rows] == contents


def test_a_bad_edit_file(run: Run, guide: Path, tmp_path: Path) -> None:
    """One sentence, and nothing is printed."""
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    for name in ("bad.json", "missing.json"):
        ran = run("chunk", guide, "--edits", tmp_path / name)
        assert ran.code != 0
        assert name in ran.err
        assert not ran.out
