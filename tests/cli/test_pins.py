"""`--pins FILE`: the same boundaries from the files alone and in an index, and what is told of a bad file."""

from __future__ import annotations

from pathlib import Path

from chunking.model import PinKind
from chunking.parsing import parse_file
from chunking.splitting.pins.stored_pins import PIN_FILE, PinnedDocument, StoredPin, write_pins
from chunking.store import Workspace
from chunking.store.documents.listed_changes import changes_of
from tests.cli.command import Run
from tests.support.facts import tells

SMALL = ("--set", "size=64", "--set", "min_size=0")


def pin_file(guide: Path, place: Path) -> Path:
    """A split, and a span that is left out."""
    document = parse_file(next(guide.rglob("*.md")), root=guide)
    split, out = document.text.index("The pressure"), document.text.index("Q: Why")
    pins = (
        StoredPin.of(document, PinKind.SPLIT, split),
        StoredPin.of(document, PinKind.LEAVE_OUT, out, document.text.index("```sh"), "old"),
    )
    place.write_text(
        write_pins([PinnedDocument("", document.source, pins), PinnedDocument("", "gone.md", pins[:1])]),
        encoding="utf-8",
    )
    return place


def test_pins_of_a_file(run: Run, guide: Path, tmp_path: Path) -> None:
    """`chunk` and `index` split alike; the workspace keeps pins once and exports them; a dry run keeps none."""
    pins = pin_file(guide, tmp_path / "pins.json")
    printed = run("chunk", guide, "--pins", pins, *SMALL)
    assert tells(printed.err.splitlines(), "pins.json gone.md 1 pins")
    contents = [row["content"] for row in printed.rows]
    assert any(content.startswith("The pressure must") for content in contents)
    assert not any("seal is worn" in content for content in contents)
    assert len(contents) != len(run("chunk", guide, *SMALL).rows)
    workspace = tmp_path / "w"
    planned = run("index", guide, "--workspace", workspace, "--pins", pins, "--dry-run", *SMALL)
    assert f"Chunks: {len(contents)}." in planned.err
    assert not workspace.exists()
    report = run("index", guide, "--workspace", workspace, "--pins", pins, *SMALL).row
    assert report["levels"]["chunk"] == len(contents)
    rows = run("export", "chunks-jsonl", "--workspace", workspace, "--levels", "chunk").rows
    assert [row["content"] for row in rows] == contents
    again = run("index", guide, "--workspace", workspace, "--pins", pins, *SMALL).row
    assert (again["embedded"], again["fingerprint"]) == (0, report["fingerprint"])
    stored = Workspace.open(workspace)
    (document,) = stored.documents()
    assert len(changes_of(stored, document.doc_id, PIN_FILE)) == 2
    assert "2 pins" in run("export", "config", "--workspace", workspace).out
    exported = tmp_path / "exported.json"
    exported.write_text(run("export", "pins", "--workspace", workspace).out, encoding="utf-8")
    assert [row["content"] for row in run("chunk", guide, "--pins", exported, *SMALL).rows] == contents


def test_a_bad_pin_file(run: Run, guide: Path, tmp_path: Path) -> None:
    """One sentence, and nothing is printed."""
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")
    for name, sentence in (("bad.json", "list of pins"), ("missing.json", "cannot be read")):
        ran = run("chunk", guide, "--pins", tmp_path / name)
        assert ran.code != 0
        assert sentence in ran.err
        assert not ran.out
