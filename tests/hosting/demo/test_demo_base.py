"""The template of demos: a folder, or a file that is opened once; nobody changes it, and a damaged one leaves nothing
behind.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chunking.deployment import operator_settings
from chunking.errors import AccessError, NotFoundError, WorkspaceFileError
from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.workspace_file.opening import open_workspace_file
from chunking.store.workspace_file.saving import save_workspace
from hosting.demo import visits
from hosting.health.checks import examine
from hosting.hosted_deployment import HostedDeployment
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.support.file_hashes import digest

ANN, BOB = "a" * 24, "b" * 24


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A workspace with an index, saved to a file; the workspace itself is somewhere else."""
    there = Workspace.open(tmp_path / "elsewhere" / "workspace")
    fill(there, INSTALL, MANUAL)
    with (tmp_path / "base.chunkscope").open("wb") as sink:
        save_workspace(there, sink)
    return tmp_path / "base.chunkscope"


def started(tmp_path: Path, base: Path) -> HostedDeployment:
    """A demo, as a server starts with it."""
    home = str(tmp_path / "home")
    return HostedDeployment(
        operator_settings({"CHUNKSCOPE_MODE": "demo", "CHUNKSCOPE_HOME": home, "CHUNKSCOPE_DEMO_BASE": str(base)})
    )


def findings(here: HostedDeployment) -> list[bool]:
    """Whether the base is well, as the doctor says it."""
    return [one.well for one in examine(here, {}.get) if "demo template" in one.what]


def test_visitors_get_copies_of_what_is_in_a_file(tmp_path: Path, file: Path) -> None:
    """With its index; what one changes is in neither the other's copy, nor the base, nor the file, and nobody writes to
    the base.
    """
    here, arguments = started(tmp_path, file), file.read_bytes()
    base = here.base.open()
    before = digest(base.uri)
    ann, bob = (Workspace.open(here.visits.click(person, here.base.open).folder) for person in (ANN, BOB))
    ann.delete_documents(["install"])
    ann.drop_index("main")
    assert (len(bob.documents()), [row.name for row in bob.indexes()]) == (2, ["main"])
    with pytest.raises(AccessError):
        base.put_document(parse(b"# New", "new.md"))
    assert digest(base.uri) == before
    assert file.read_bytes() == arguments


def test_the_base_is_opened_once_for_many_visitors(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By many visitors at the same time, and after a restart; another file takes its place at the next start."""
    open_one: list[Path] = []
    monkeypatch.setattr(
        visits, "open_workspace_file", lambda one, folder: open_one.append(open_workspace_file(one, folder).folder)
    )
    here = started(tmp_path, file)
    with ThreadPoolExecutor(8) as pool:
        bases = {one.uri for one in pool.map(lambda _: here.base.open(), range(16))}
    assert bases == {started(tmp_path, file).base.open().uri} == {str(folder) for folder in open_one}
    other = Workspace.open(tmp_path / "other")
    fill(other, MANUAL)
    with file.open("wb") as sink:
        save_workspace(other, sink)
    os.utime(file, (1, 1))
    assert len(here.base.open().documents()) == 2
    assert len(started(tmp_path, file).base.open().documents()) == 1
    assert len(open_one) == 2
    assert [folder.name for folder in open_one[0].parent.iterdir()] == [open_one[1].name]


def test_the_doctor_looks_without_opening_it(tmp_path: Path, file: Path) -> None:
    """Before the first start and after it; a damaged one and none are told, and leave nothing."""
    here = started(tmp_path, file)
    assert findings(here) == [True]
    assert not (tmp_path / "home").exists()
    here.base.open()
    assert findings(here) == [True]
    (tmp_path / "broken.chunkscope").write_bytes(file.read_bytes()[:-40])
    for name, error in (("broken.chunkscope", WorkspaceFileError), ("none.chunkscope", NotFoundError)):
        wrong = started(tmp_path, tmp_path / name)
        assert findings(wrong) == [False]
        with pytest.raises(error):
            wrong.base.open()
    assert len(list((tmp_path / "home" / "bases").iterdir())) == 1


def test_a_folder_is_taken_as_it_is(tmp_path: Path, file: Path) -> None:
    """Without a copy of it."""
    folder = tmp_path / "elsewhere" / "workspace"
    base = started(tmp_path, folder).base.open()
    assert base.uri == str(folder)
    with pytest.raises(AccessError):
        base.delete_documents(["install"])
    assert not (tmp_path / "home").exists()
