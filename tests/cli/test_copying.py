"""`save` and `open`: from the words to what is on disk."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import Run


def test_a_workspace_goes_into_one_file_and_comes_back(run: Run, samples: Path, tmp_path: Path) -> None:
    """With its fingerprints; what is searched finds the same."""
    file, target = tmp_path / "samples.chunkscope", tmp_path / "opened"
    saved = run("save", file, "--workspace", samples)
    assert saved.code == 0
    assert saved.row["bytes"] == file.stat().st_size
    row = run("open", file, "--workspace", target).row
    assert row["indexes"] == saved.row["indexes"] != {}
    assert row["documents"] == saved.row["rows"]["documents"]
    before, after = (
        run("search", "restore a backup", "--workspace", folder, "--k", 5).row for folder in (samples, target)
    )
    assert [one["chunk_id"] for one in before["results"]] == [one["chunk_id"] for one in after["results"]]
    assert before["fingerprint"] == after["fingerprint"]
    again = run("open", file, "--workspace", target)
    assert (again.code, again.out, again.err.count("\n")) == (1, "", 1)


def test_a_file_that_is_no_workspace_file_opens_nothing(run: Run, tmp_path: Path) -> None:
    """One line, and nothing made."""
    file = tmp_path / "x.chunkscope"
    file.write_bytes(b"x")
    ran = run("open", file, "--workspace", tmp_path / "opened")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["x.chunkscope"]
    assert run("save", tmp_path / "y", "--workspace", tmp_path / "missing").code == 1
