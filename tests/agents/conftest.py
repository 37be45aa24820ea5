"""Workspaces that agents ask: the shelf, and the samples; the embedding model is a stand-in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.agents import AppAddress, Toolbox
from chunking.config import Config
from chunking.evaluation import QuestionSet, add_question, answer_span, read_questions, save_set
from chunking.indexing import add_files, build_index
from chunking.store import Role, RoleAccess, Workspace
from tests.support.shelf import SHELF
from tests.support.stand_in_model import stand_in_model

SAMPLES = Path(__file__).parents[2] / "sample_data"
APP = AppAddress("http://127.0.0.1:8501")


@pytest.fixture(scope="package", autouse=True)
def _stand_in() -> Iterator[None]:
    """What agents get is tested here, not the model that makes the vectors."""
    with stand_in_model():
        yield


@pytest.fixture(scope="package")
def shelf_place(tmp_path_factory: pytest.TempPathFactory, _stand_in: None) -> Path:
    """The folder of a workspace with three documents and an index of small chunks. Not to be written to."""
    files = tmp_path_factory.mktemp("shelf") / "files"
    for source, text in SHELF.items():
        path = files / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    place = files.parent / "workspace"
    workspace = Workspace.open(place)
    add_files(workspace, [files])
    build_index(workspace, Config.from_settings({"size": "32", "min_size": "0"}))
    return place


@pytest.fixture(scope="package")
def shelf(shelf_place: Path) -> Toolbox:
    """The toolbox of a viewer of the shelf."""
    workspace = Workspace.open(shelf_place, create=False, access=RoleAccess(Role.VIEWER))
    return Toolbox(lambda: workspace, APP)


@pytest.fixture
def own_shelf(shelf_place: Path, tmp_path: Path) -> Toolbox:
    """The toolbox of the owner of a copy, which reads the files of one folder."""
    place = shutil.copytree(shelf_place, tmp_path / "own")
    (tmp_path / "files").mkdir()
    workspace = Workspace.open(place)
    return Toolbox(lambda: workspace, APP, (tmp_path / "files",))


@pytest.fixture
def question_shelf(own_shelf: Toolbox) -> Toolbox:
    """The own shelf, with two questions."""
    workspace = own_shelf.open_workspace()
    document = workspace.document("guide_handbook")
    questions = QuestionSet("shelf", ())
    for text, quote in (
        ("How long are copies kept?", "A full copy is kept for thirty days"),
        ("Who makes accounts?", "Accounts are made by an administrator"),
    ):
        start = document.text.index(quote)
        questions = add_question(questions, text, [answer_span(document, start, start + len(quote))])
    save_set(workspace, questions)
    return own_shelf


@pytest.fixture(scope="package")
def samples_place(tmp_path_factory: pytest.TempPathFactory, _stand_in: None) -> Path:
    """The folder of a workspace with the samples, an index with the defaults, and their questions. Not to be written
    to.
    """
    place = tmp_path_factory.mktemp("samples") / "workspace"
    workspace = Workspace.open(place)
    documents, failed = add_files(workspace, [SAMPLES])
    assert not failed
    build_index(workspace)
    file = SAMPLES / "questions.jsonl"
    save_set(workspace, read_questions(file.read_bytes(), file.name, documents).questions)
    return place


@pytest.fixture(scope="package")
def samples(samples_place: Path) -> Toolbox:
    """The toolbox of a viewer of the samples."""
    workspace = Workspace.open(samples_place, create=False, access=RoleAccess(Role.VIEWER))
    return Toolbox(lambda: workspace, APP)


@pytest.fixture
def empty(tmp_path: Path) -> Toolbox:
    """The toolbox of a workspace with nothing in it."""
    workspace = Workspace.open(tmp_path / "empty")
    return Toolbox(lambda: workspace)


@pytest.fixture
def own_shelf_place(shelf_place: Path, tmp_path: Path) -> Path:
    """The folder of a copy to change, beside a folder `files` with one file."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "pumps.md").write_text("# Pumps\n\nA pump drips.", encoding="utf-8")
    return Path(shutil.copytree(shelf_place, tmp_path / "own"))
