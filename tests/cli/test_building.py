"""`index`: its report to the letter, what it embeds and what not, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import ENGLISH_MODEL
from chunking.store import Workspace
from tests.cli.command import GUIDE, Run
from tests.support.disks import mounted, remount

REPORT = {
    "documents": int,
    "chunks": int,
    "vectors": int,
    "embedded": int,
    "reused": int,
    "removed": int,
    "failed": list,
    "seconds": float,
    "fingerprint": str,
    "name": str,
    "fallback_level": str,
    "reasons": list,
    "levels": dict,
    "written": dict,
}
COUNTS = ("documents", "chunks", "vectors", "embedded", "reused", "removed")
ENGLISH = ("--set", f"embedding.model={ENGLISH_MODEL}")
SMALL = ("--set", "size=32", "--set", "min_size=0", *ENGLISH)


def texts(run: Run, *words: object) -> set[str]:
    """What `chunk` says is embedded."""
    return {row["embedding_content"] for row in run("chunk", *words).rows}


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file of a folder with its size and time: equal before and after when nothing was written. Looking at a lock
    may touch it.
    """
    stats = ((path, path.stat()) for path in folder.rglob("*") if path.name != "writer.lock")
    return {str(path.relative_to(folder)): (status.st_size, status.st_mtime_ns) for path, status in stats}


def test_index_prints_one_report_and_its_plan_on_stderr(run: Run, guide: Path, tmp_path: Path) -> None:
    """Keys, order and types; the data alone on stdout, plan and progress on stderr."""
    ran = run("index", guide, "--workspace", tmp_path / "w", *SMALL)
    report = ran.row
    assert list(report) == list(REPORT)
    assert all(isinstance(report[key], REPORT[key]) for key in report), report
    assert (report["documents"], report["removed"], report["failed"], report["name"]) == (1, 0, [], "main")
    assert report["chunks"] == len(run("chunk", guide, *SMALL).rows) == report["levels"]["chunk"]
    assert report["embedded"] + report["reused"] == report["vectors"] == sum(report["levels"].values())
    words = f"Vectors: {report['vectors']} in all, {report['embedded']} to embed and {report['reused']} reused."
    assert f"Chunks: {report['chunks']}. {words}\n" in ran.err
    assert f"{report['chunks']} of {report['chunks']} chunks: " in ran.err
    (row,) = run("indexes", "--workspace", tmp_path / "w").row["indexes"]
    assert row["fingerprint"] == report["fingerprint"] != ""


def test_a_second_run_embeds_only_new_texts(run: Run, guide: Path, tmp_path: Path) -> None:
    """Unchanged: 0. Another size: the texts that are new. Back again: 0, and the same fingerprint."""
    index = ("index", guide, "--workspace", tmp_path / "w")
    first = run(*index, *SMALL).row
    again = run(*index, *SMALL).row
    assert (again["embedded"], again["reused"], again["removed"]) == (0, first["vectors"], 0)
    other = ("--set", "size=40", "--set", "min_size=0", *ENGLISH)
    new = texts(run, guide, *other) - texts(run, guide, *SMALL)
    changed = run(*index, *other).row
    assert 0 < len(new) < changed["vectors"]
    assert changed["embedded"] == len(new)
    back = run(*index, *SMALL).row
    assert (back["embedded"], back["fingerprint"]) == (0, first["fingerprint"])
    assert first["fingerprint"] == again["fingerprint"] != changed["fingerprint"]


def test_a_changed_file_is_a_new_version(run: Run, guide: Path, tmp_path: Path) -> None:
    """Its other chunks are reused; the changed one and the larger one around it are embedded, those that are gone
    counted.
    """
    index = ("index", guide, "--workspace", tmp_path / "w", *SMALL)
    first = run(*index).row
    (guide / "pump/guide.md").write_text(GUIDE.replace("under four bar", "under five bar"))
    second = run(*index).row
    assert (second["documents"], second["chunks"], second["embedded"], second["removed"]) == (1, first["chunks"], 2, 2)
    (document,) = run("documents", "--workspace", tmp_path / "w").row["documents"]
    assert len(document["versions"]) == 1


def test_a_dry_run_makes_no_folder(run: Run, guide: Path, tmp_path: Path) -> None:
    """It says what would be done, warns of what a run would warn of, and writes nothing."""
    index = ("index", guide, "--workspace", tmp_path / "deep" / "w", *SMALL)
    dry = run(*index, "--dry-run")
    assert not (tmp_path / "deep").exists()
    wet = run(*index)
    assert list(dry.row) == list(REPORT)
    assert [dry.row[key] for key in (*COUNTS, "failed", "name")] == [
        wet.row[key] for key in (*COUNTS, "failed", "name")
    ]
    assert dry.err == wet.err[: len(dry.err)] != ""


def test_a_dry_run_leaves_a_workspace_as_it_is(run: Run, guide: Path, tmp_path: Path) -> None:
    """Down to the last file's time; a changed document is counted as it would be."""
    index = ("index", guide, "--workspace", tmp_path / "w", *SMALL)
    run(*index)
    before = files_of(tmp_path / "w")
    (guide / "pump/guide.md").write_text(GUIDE.replace("seal", "gasket"))
    (guide / "new.md").write_text("# New\n\nA second document.")
    dry = run(*index, "--dry-run").row
    assert files_of(tmp_path / "w") == before
    wet = run(*index).row
    assert [dry[key] for key in COUNTS] == [wet[key] for key in COUNTS]


def test_failed_files_are_in_the_report(run: Run, guide: Path, tmp_path: Path) -> None:
    """The others are indexed; exit code 1."""
    (guide / "empty.md").write_bytes(b"")
    (guide / "pump/binary.md").write_bytes(bytes(range(256)) * 10)
    ran = run("index", guide, tmp_path / "none.md", "--workspace", tmp_path / "w", *SMALL)
    assert ran.code == 1
    (report,) = ran.rows
    assert report["documents"] == 1
    assert [failure["source"] for failure in report["failed"]] == [
        str(tmp_path / "none.md"),
        "empty.md",
        "pump/binary.md",
    ]
    for failure in report["failed"]:
        assert list(failure) == ["source", "error"]
        assert f"chunkscope: {failure['error']}\n" in ran.err
    assert run("search", "pressure", "--workspace", tmp_path / "w", "--mode", "text").row["results"]


def test_where_nothing_can_be_read_no_index_is_made(run: Run, tmp_path: Path) -> None:
    """An empty index would answer every question with nothing."""
    (tmp_path / "empty.md").write_bytes(b"")
    ran = run("index", tmp_path / "empty.md", "--workspace", tmp_path / "w")
    assert ran.code == 1
    assert (ran.rows[0]["documents"], ran.rows[0]["failed"][0]["source"]) == (0, "empty.md")
    assert run("indexes", "--workspace", tmp_path / "w").row == {"indexes": []}


def test_equal_file_names_in_two_folders_stay_two_documents(run: Run, tmp_path: Path) -> None:
    """However often both are given."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.md").write_text(f"# In {folder}\n\nText of {folder}.")
    both = ("index", tmp_path / "a/x.md", tmp_path / "b", tmp_path / "b/x.md", "--workspace", tmp_path / "w")
    first, again = run(*both).row, run(*both).row
    assert [first[key] for key in ("documents", "embedded", "removed")] == [2, 2, 0]
    assert [again[key] for key in ("documents", "embedded", "removed")] == [2, 0, 0]
    titles = {row["doc_id"]: row["title"] for row in run("documents", "--workspace", tmp_path / "w").row["documents"]}
    assert titles == {"x": "In a", "x_2": "In b"}


def test_several_indexes_over_the_same_documents(run: Run, guide: Path, tmp_path: Path) -> None:
    """Each has its settings; the newest answers where none is named."""
    index = ("index", guide, "--workspace", tmp_path / "w")
    assert run(*index, *SMALL, "--name", "small").row["name"] == "small"
    assert run(*index, "--name", "大").row["name"] == "大"
    listed = run("indexes", "--workspace", tmp_path / "w").row["indexes"]
    assert [(row["name"], row["settings"]) for row in listed] == [
        ("大", {}),
        ("small", {"size": "32", "min_size": "0", "embedding.model": ENGLISH_MODEL}),
    ]
    search = ("search", "pressure", "--workspace", tmp_path / "w", "--mode", "text")
    small, large = (run(*search, "--name", name).row for name in ("small", "大"))
    assert [small["fingerprint"], large["fingerprint"]] == [row["fingerprint"] for row in reversed(listed)]
    assert run(*search).row == large
    run(*index, *SMALL, "--name", "small")
    assert run(*search).row == small


def test_warnings_of_the_plan(run: Run, guide: Path, tmp_path: Path) -> None:
    """A model that cannot read the texts, chunks over its limit and shortened prefixes are said before the run."""
    (guide / "zh.md").write_text(f"# {'很长的标题' * 30}\n\n" + "水泵在更换滤芯之前必须关闭。" * 60)
    ran = run("index", guide / "zh.md", "--workspace", tmp_path / "w", "--set", "size=300", "--dry-run", *ENGLISH)
    assert "cannot read" in ran.err
    assert "longer than the 256 tokens" in ran.err
    assert (
        "shortened prefix"
        in run("index", guide / "zh.md", "--workspace", tmp_path / "w", "--set", "size=32", "--dry-run").err
    )


@pytest.mark.parametrize("words", [["--set", "size=0"], ["--set", "sise=1"], ["--config", "none.yaml"], []])
def test_wrong_usage_makes_no_workspace(run: Run, guide: Path, tmp_path: Path, words: list[str]) -> None:
    """Nor does a workspace left out."""
    ran = run("index", guide, *(["--workspace", tmp_path / "w", *words] if words else []))
    assert (ran.code, ran.out) == (2, "")
    assert not (tmp_path / "w").exists()


# -- a workspace that cannot be written


def test_a_locked_workspace_is_a_sentence(run: Run, own_samples: Path, guide: Path) -> None:
    """Whoever comes second is told at once, and reads as before."""
    before = files_of(own_samples)
    with Workspace.open(own_samples).writer():
        for words in (("index", guide), ("delete", "faq_faq")):
            ran = run(*words, "--workspace", own_samples)
            assert (ran.code, ran.out) == (1, "")
            assert "Another process is writing" in ran.complaint
        assert run("search", "三灯", "--workspace", own_samples, "--mode", "text").row["results"]
        assert run("index", guide, "--workspace", own_samples, "--dry-run").code == 0
    assert files_of(own_samples) == before


@pytest.mark.parametrize("place", ["file", "file/below", "", "\0"])
def test_a_place_where_no_workspace_can_be(run: Run, guide: Path, tmp_path: Path, place: str) -> None:
    """A file stands there, or it is no name at all."""
    (tmp_path / "file").write_text("mine")
    ran = run("index", guide, "--workspace", tmp_path / place if place.strip("\0") else place)
    assert (ran.code, ran.out) == (1, "")
    assert "orkspace" in ran.complaint
    assert (tmp_path / "file").read_text() == "mine"


def test_a_read_only_disk(run: Run, guide: Path, tmp_path: Path) -> None:
    """One sentence; what is on it can be searched."""
    with mounted(tmp_path / "disk", "size=30m") as disk:
        assert run("index", guide, "--workspace", disk / "w", *SMALL).code == 0
        remount(disk, "ro")
        for words in (("index", guide, "--workspace", disk / "w"), ("index", guide, "--workspace", disk / "new")):
            ran = run(*words)
            assert (ran.code, ran.out) == (1, "")
            assert "read-only" in ran.complaint
        assert run("search", "pressure", "--workspace", disk / "w").row["results"]
