"""`export`: what there is to take away, where it goes, and what goes wrong."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from chunking.config import Config
from chunking.export import EXPORTS
from chunking.store import Workspace
from tests.cli.command import ROOT, Run
from tests.support.shelf import SHELF
from tests.support.stored_runs import filled, keys_of, with_runs


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an index, a question set and two runs; for reading only."""
    place = tmp_path_factory.mktemp("exporting") / "w"
    with_runs(filled(place, dict(SHELF)))
    return place


@pytest.mark.parametrize("name", [row.name for row in EXPORTS])
def test_everything_in_the_table_can_be_written(run: Run, kept: Path, tmp_path: Path, name: str) -> None:
    """Into a folder, under its own name; one object says what, where, how much and its hash. The same again: the same
    bytes.
    """
    first = run("export", name, "--workspace", kept, "--out", tmp_path).row
    data = Path(first["file"]).read_bytes()
    assert (first["what"], first["bytes"], first["sha256"]) == (name, len(data), hashlib.sha256(data).hexdigest())
    assert Path(first["file"]) == tmp_path / next(row.file for row in EXPORTS if row.name == name)
    again = run("export", name, "--workspace", kept, "--out", tmp_path / "again").row
    assert again["sha256"] == first["sha256"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([Path(first["file"]).name, "again"])


def test_an_export_without_a_file_goes_to_stdout(run: Run, kept: Path) -> None:
    """Data alone: lines of JSON, a configuration."""
    rows = run("export", "langchain", "--workspace", kept, "--text", "embedded").rows
    index = Workspace.open(kept).index()
    assert [row["page_content"] for row in rows] == [chunk.embedding_content for chunk in index.by_level("chunk")]
    printed = run("export", "config", "--workspace", kept, "--name", "main").out
    assert Config.from_yaml(printed) == index.config
    assert yaml.safe_load(printed)["chunk"]["size"] == 48


def test_parquet_on_stdout(kept: Path, tmp_path: Path) -> None:
    """Bytes as they are."""
    file = tmp_path / "chunks.parquet"
    words = [sys.executable, "-m", "chunking", "export", "chunks-parquet", "--workspace", str(kept), "--vectors"]
    with file.open("wb") as out:
        assert subprocess.run(words, stdout=out, cwd=ROOT, check=False, timeout=240).returncode == 0
    assert "vector" in pq.read_table(file).column_names


def test_chosen_runs_and_levels(run: Run, kept: Path) -> None:
    """A run by how its key begins; levels by name."""
    keys = keys_of(Workspace.open(kept))
    rows = run("export", "questions-jsonl", "--workspace", kept, "--run", keys["size 48"][:8]).rows
    assert [[one["run"] for one in row["results"]] for row in rows] == [[keys["size 48"]]] * 40
    both = run("export", "questions-jsonl", "--workspace", kept, "--run", *keys.values()).rows
    assert len(both[0]["results"]) == 2
    rows = run("export", "chunks-jsonl", "--workspace", kept, "--levels", "parent,x2").rows
    assert {row["level"] for row in rows} == {"parent", "x2"}
    document = Workspace.open(kept).documents()[1]
    rows = run("export", "chunks-jsonl", "--workspace", kept, "--documents", document.source).rows
    assert {row["doc_id"] for row in rows} == {document.doc_id}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("chunks-jsonl", "--name", "other"), 1, "no index 'other'"),
        (("report", "--run", "zzz"), 1, "There is no run 'zzz'"),
        (("chunks-csv", "--levels", "x9"), 2, "no level 'x9'"),
        (("chunks-csv", "--levels", "chunk,"), 2, "no level ''"),
        (("report", "--metric", "beauty"), 1, "There is no metric 'beauty'"),
        (("report", "--budget", "0"), 1, "budget is 0"),
        (("cluster-job", "--sample", "none.md"), 1, "none.md"),
        (("langchain", "--documents", "none.md"), 1, "none.md"),
        (("config", "--documents", "none.md"), 2, "leave out --documents"),
        (("config", "--out", "none/there/file.yaml"), 1, "cannot be written"),
    ],
)
def test_exporting_a_missing_index_is_one_sentence(
    run: Run, kept: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    """One sentence, nothing on stdout."""
    ran = run("export", *words, "--workspace", kept)
    assert (ran.code, ran.out) == (code, "")
    assert says in ran.err.splitlines()[-1]


def test_an_unknown_export_or_workspace_is_refused(run: Run, kept: Path, tmp_path: Path) -> None:
    """Something that cannot be exported; a workspace that is not there, and is not made."""
    assert run("export", "everything", "--workspace", kept).code == 2
    ran = run("export", "config", "--workspace", tmp_path / "none")
    assert (ran.code, ran.out) == (1, "")
    assert not (tmp_path / "none").exists()


def test_nothing_measured_is_a_sentence(run: Run, tmp_path: Path) -> None:
    """A report needs runs, questions a set."""
    filled(tmp_path / "w", {"a.md": "# A\n\nText."})
    assert "no run" in run("export", "report", "--workspace", tmp_path / "w").complaint
    assert "no questions to export" in run("export", "questions-csv", "--workspace", tmp_path / "w").complaint


def test_a_file_is_replaced_whole_or_not_at_all(
    run: Run, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When writing fails midway, what was there before still is, and nothing lies beside it."""
    (tmp_path / "chunks.jsonl").write_text("mine")

    def full(*_: object, **__: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("chunking.export.chunk_exports.chunk_record", full)
    ran = run("export", "chunks-jsonl", "--workspace", kept, "--out", tmp_path)
    assert ran.code == 1
    assert "No space left on device" in ran.err.splitlines()[-1]
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("chunks.jsonl", "mine")]


def test_an_index_that_is_out_of_date_says_so(run: Run, kept: Path, tmp_path: Path) -> None:
    """On stderr; what it holds is written."""
    shutil.copytree(kept, tmp_path / "own")
    from chunking.parsing import parse

    Workspace.open(tmp_path / "own").put_document(parse(b"# New\n\nText", "new.md"))
    ran = run("export", "chunks-jsonl", "--workspace", tmp_path / "own")
    assert ran.code == 0
    assert "Out of date" in ran.err
    assert json.loads(ran.out.splitlines()[0])["chunk_id"]
