"""Paths: text, `pathlib` and anything with `__fspath__` are the same everywhere, and `~` is a name like any other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking import Config, Workspace, add_files, export_file, load_questions, parse_file
from chunking.errors import ChunkscopeError, ConfigError, NotFoundError, ParseError, QuestionError, StoreError
from chunking.evaluation import Imported
from chunking.indexing import read_files
from chunking.parsing import find_files, parse_file_guarded
from chunking.paths import begins_with_home, paths_of
from tests.support.facts import tells
from tests.support.stored_runs import filled

TEXT = "# Backups\n\nA full copy is kept for thirty days.\n"


class Place:
    """A path of somebody's own: it is not a text, and its `str` is no path."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return self._path


KINDS = pytest.mark.parametrize("kind", [str, Path, Place])
Kind = Callable[[str], os.PathLike[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a document, a question about it and a configuration."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "handbook.md").write_text(TEXT)
    (tmp_path / "questions.jsonl").write_text('{"question": "How long is a copy kept?", "answer": "thirty days"}\n')
    (tmp_path / "settings.yaml").write_text("chunk:\n  size: 123\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@KINDS
def test_files_are_read_from_every_kind_of_path(folder: Path, kind: Kind) -> None:
    """With and without a root, in this process and in a guarded one."""
    assert parse_file(kind("docs/handbook.md")).source == "handbook.md"
    assert parse_file(kind("docs/handbook.md"), root=kind("docs")).source == "handbook.md"
    assert parse_file(kind("docs/handbook.md"), root=kind(".")).source == "docs/handbook.md"
    (document,) = parse_file_guarded(kind("docs/handbook.md"), root=kind("."))
    assert document.text == TEXT.strip() or document.text == TEXT
    assert find_files([kind("docs")]) == find_files(kind("docs")) == [(Path("docs/handbook.md"), Path("docs"))]
    assert Config.from_file(kind("settings.yaml")).chunk.size == 123


@KINDS
def test_a_workspace_opens_from_every_kind_of_path(folder: Path, kind: Kind) -> None:
    """Opened by its class or by name; files are added one or several; questions find their answers."""
    workspace = Workspace(kind("workspace"))
    assert workspace.folder == Path("workspace")
    assert [one.source for one in add_files(workspace, kind("docs"))[0]] == ["handbook.md"]
    assert [one.source for one in add_files(workspace, [kind("docs/handbook.md")])[0]] == ["handbook.md"]
    assert len(read_files([kind("docs")]).documents) == 1
    imported = load_questions(Workspace.open(kind("workspace"), create=False), kind("questions.jsonl"))
    assert isinstance(imported, Imported)
    ((question,), problems) = imported.questions.questions, imported.problems
    assert (question.answers[0].text, problems) == ("thirty days", ())


@KINDS
def test_exports_go_to_every_kind_of_path(folder: Path, kind: Kind) -> None:
    """To a file, or into a folder under the export's own name; what was there is replaced."""
    workspace = filled(folder / "workspace", {"handbook.md": TEXT})
    file = export_file(workspace, "chunks-jsonl", kind("chunks.jsonl"))
    assert (file, file.read_text().count("\n")) == (Path("chunks.jsonl"), sum(workspace.index().levels.values()))
    (folder / "out").mkdir()
    file = export_file(workspace, "config", kind("out"))
    assert Config.from_file(file) == workspace.index().config
    assert export_file(workspace, "chunks-csv", kind("chunks.jsonl"), levels=["parent"]).read_text() != ""
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_exports_that_cannot_be_written(folder: Path) -> None:
    """No such export, no such folder, nothing to export: what was there before still is."""
    workspace = filled(folder / "workspace", {"handbook.md": TEXT})
    (folder / "kept.jsonl").write_text("kept")
    with pytest.raises(ConfigError, match="chunks-jsonl"):
        export_file(workspace, "chunk", "kept.jsonl")
    with pytest.raises(ConfigError, match="x9"):
        export_file(workspace, "chunks-jsonl", "kept.jsonl", levels=["x9"])
    with pytest.raises(NotFoundError):
        export_file(workspace, "chunks-jsonl", "kept.jsonl", index="other")
    with pytest.raises(ChunkscopeError, match="nowhere"):
        export_file(workspace, "chunks-jsonl", "nowhere/kept.jsonl")
    assert (folder / "kept.jsonl").read_text() == "kept"


@pytest.mark.parametrize("name", ["~", "~/docs", "~nobody/docs"])
def test_home_is_not_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A workspace is refused there and makes no folder; a file is looked for under its name."""
    monkeypatch.setenv("HOME", str(folder / "docs"))
    with pytest.raises(StoreError) as refused:
        Workspace(name)
    assert tells(str(refused.value), f"{name} expanded")
    with pytest.raises(StoreError):
        Workspace.open(name, create=False)
    for read in (parse_file, Config.from_file):
        with pytest.raises((ParseError, ConfigError)):
            read(f"{name}/handbook.md")
    assert not [path for path in folder.iterdir() if path.name.startswith("~")]


def test_a_folder_of_that_name_is_named_in_full(folder: Path) -> None:
    """Somebody has made one: it is a name like any other, behind other folders."""
    (folder / "~old").mkdir()
    with pytest.raises(StoreError):
        Workspace("~old")
    assert Workspace(folder / "~old").documents() == []
    assert (begins_with_home(Path("~old")), begins_with_home(Path())) == (True, False)


def test_an_invalid_path_is_refused(folder: Path) -> None:
    """Nothing, or something else; the error is of its kind."""
    with pytest.raises(StoreError):
        Workspace("  ")
    with pytest.raises(TypeError):
        Workspace(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        paths_of(3)  # type: ignore[arg-type]
    with pytest.raises(QuestionError):
        load_questions(Workspace("memory://"), "nowhere.jsonl")
    with pytest.raises(QuestionError):
        load_questions(Workspace("memory://"), "questions.jsonl")
    with pytest.raises(ParseError):
        parse_file("docs")
