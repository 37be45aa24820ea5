"""The menu of workspaces: each dialog opens, files go in and out within the quotas, and names are names."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.deployment import Person
from chunking.errors import ChunkscopeError, QuotaError, StoreError
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.store import Role, Workspace
from chunking.store.workspace_file.saving import save_workspace
from components.session import workspace as session_workspace
from components.workspaces import workspace_file_dialogs
from tests.hosting.pages.team import ANN, BOB, CAY, documents, menu_dialog, signed_in, team_of, texts_of
from tests.pages.app_session import run_app
from tests.pages.uploading import confirm


@pytest.mark.parametrize("act", ["new", "duplicate", "open-file", "rename", "delete", "share", "bin"])
def test_every_dialog_of_the_menu_opens(home: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """Each beside the button that asked for it, which is in the same run: no two things of it have one key."""
    signed_in(monkeypatch, ANN)
    here = team_of(home)
    assert not documents().error
    here.workspaces.delete(here.workspaces.create("Drafts", ANN.id), ANN.id)
    app = documents()
    app.button(key=f"workspace.{act}").click()
    app.run()
    assert not app.exception
    assert not app.error


def test_a_name_is_needed_and_taken_with_one_click(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button waits for no other run to be enabled; without a letter its dialog says so."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    app = run_app(AppTest.from_function(menu_dialog, args=("components.workspaces.switcher", "new_dialog")))
    assert not app.button(key="workspace.do.new").disabled
    app.button(key="workspace.do.new").click()
    app.run()
    assert len(app.error) == 1
    here = team_of(home)
    assert len(here.workspaces.of(ANN.id)) == 1


@pytest.mark.usefixtures("dialogs")
@pytest.mark.parametrize("begin", ["empty", "samples", "file"])
def test_a_new_workspace_begins_as_it_was_asked_to(home: Path, monkeypatch: pytest.MonkeyPatch, begin: str) -> None:
    """Empty it stays empty, and opens on the page where documents are dropped; a file asks for that."""
    signed_in(monkeypatch, ANN)
    app = documents()
    app.button(key="workspace.new").click()
    run_app(app)
    app.session_state["workspace.begin"] = begin
    app.button(key="workspace.new").click()
    if begin == "file":
        assert [one.key for one in run_app(app).button if one.key == "workspace.open"]
        return
    app.text_input(key="workspace.name.new").set_value("Mine")
    app.button(key="workspace.do.new").click()
    run_app(app)
    here = team_of(home)
    (mine,) = (one for one in here.workspaces.of(ANN.id) if one.name == "Mine")
    there = Workspace.open(here.workspaces.place(mine.id))
    assert bool(there.documents()) is (begin == "samples")
    assert not there.untouched


def test_a_workspace_goes_into_a_file_and_becomes_another_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is none makes no workspace, and leaves nothing behind."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = team_of(home)
    (ours,) = here.workspaces.of(ANN.id)
    sink = io.BytesIO()
    save_workspace(Workspace.open(here.workspaces.place(ours.id)), sink)
    created = workspace_file_dialogs._workspace_from(memoryview(sink.getvalue()), "Copied", ANN.id)
    assert {one.name for one in here.workspaces.of(ANN.id)} == {ours.name, "Copied"}
    assert len(Workspace.open(here.workspaces.place(created)).indexes()) == 2
    with pytest.raises(ChunkscopeError):
        workspace_file_dialogs._workspace_from(memoryview(b"no file of ours"), "Broken", ANN.id)
    assert len(here.workspaces.of(ANN.id)) == 2
    assert len(list((home / "workspaces").iterdir())) == 2


FILE_OVER = {
    "documents": {"CHUNKSCOPE_DOCUMENTS": "1"},
    "characters": {"CHUNKSCOPE_CHARACTERS": "1000"},
    "chunks": {"CHUNKSCOPE_CHUNKS": "100"},
    "free_disk": {"CHUNKSCOPE_FREE_DISK": "1000000"},
    "person_disk": {"CHUNKSCOPE_PERSON_DISK": "0.01"},
}
"""The operator's setting that refuses a file, and how it is set for that."""


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A workspace of two documents and an index of 100 to 1,000 chunks; its vectors take more than 10 MB."""
    folder = tmp_path_factory.mktemp("large") / "workspace"
    there = Workspace.open(folder)
    there.put_documents(
        [parse(f"# Pump {n}\n\n{' '.join(f'Word {m}.' for m in range(2_000))}".encode(), f"{n}.md") for n in range(2)]
    )
    build_index(there, Config.from_settings({"size": "32", "overlap": "0"}))
    there.vectors.put({f"{n:064x}": vector for n, vector in enumerate(np.eye(3_000, 1_024, dtype=np.float32))})
    sink = io.BytesIO()
    save_workspace(there, sink)
    return sink.getvalue()


@pytest.mark.parametrize("setting", FILE_OVER)
def test_a_file_that_is_opened_is_within_the_quotas(
    home: Path, monkeypatch: pytest.MonkeyPatch, large_file: bytes, setting: str
) -> None:
    """Like documents that are added; nothing of it is left on the list or on the disk."""
    for name, value in FILE_OVER[setting].items():
        monkeypatch.setenv(name, value)
    here = team_of(home)
    here.people.record_visit(ANN)
    with pytest.raises(QuotaError) as refused:
        workspace_file_dialogs._workspace_from(memoryview(large_file), "Copied", ANN.id)
    assert refused.value.where == setting
    assert here.workspaces.of(ANN.id) == here.workspaces.bin(ANN.id) == []
    assert not list(home.glob("workspaces/*"))


def test_a_file_that_has_grown_on_the_disk_is_not_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, large_file: bytes
) -> None:
    """What it takes once it is opened counts, not what it says of itself: it is deleted again, and the next one has
    room.
    """
    here = team_of(home)
    here.people.record_visit(ANN)
    monkeypatch.setenv("CHUNKSCOPE_PERSON_DISK", "0.1")
    real = workspace_file_dialogs.open_workspace_file

    def grown(file: Path, folder: Path, **named: Any) -> None:
        real(file, folder, **named)
        (folder / "more").write_bytes(bytes(100 * 10**6))

    monkeypatch.setattr(workspace_file_dialogs, "open_workspace_file", grown)
    with pytest.raises(QuotaError) as refused:
        workspace_file_dialogs._workspace_from(memoryview(large_file), "Grown", ANN.id)
    assert refused.value.where == "person_disk"
    assert here.workspaces.of(ANN.id) == []
    assert not list(home.glob("workspaces/*"))
    monkeypatch.setattr(workspace_file_dialogs, "open_workspace_file", real)
    workspace_file_dialogs._workspace_from(memoryview(large_file), "Fits", ANN.id)
    assert [one.name for one in here.workspaces.of(ANN.id)] == ["Fits"]


def test_one_file_of_a_person_is_opened_at_a_time(
    home: Path, monkeypatch: pytest.MonkeyPatch, large_file: bytes
) -> None:
    """Several at once would each find the room free; of all people a few are opened, and others wait and are told."""
    here = team_of(home)
    for person in (ANN, BOB, CAY):
        here.people.record_visit(person)
    monkeypatch.setattr(workspace_file_dialogs._OPENING, "patience", 0.01)
    refused: list[QuotaError] = []

    def inside(file: Path, folder: Path, **named: Any) -> None:
        with pytest.raises(QuotaError) as message:
            workspace_file_dialogs._workspace_from(memoryview(large_file), "Second", ANN.id)
        refused.append(message.value)
        raise StoreError("It ends here.")

    monkeypatch.setattr(workspace_file_dialogs, "open_workspace_file", inside)
    with workspace_file_dialogs._OPENING.take(BOB.id), pytest.raises(StoreError):
        workspace_file_dialogs._workspace_from(memoryview(large_file), "First", ANN.id)
    assert [one.where for one in refused] == ["turns"]
    with (
        workspace_file_dialogs._OPENING.take(ANN.id),
        workspace_file_dialogs._OPENING.take(BOB.id),
        pytest.raises(QuotaError, match="Others"),
    ):
        workspace_file_dialogs._workspace_from(memoryview(large_file), "Third", CAY.id)
    with workspace_file_dialogs._OPENING.take(CAY.id):
        pass


def test_a_workspace_that_the_disk_has_lost_is_not_one_with_the_samples(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence, and nothing is written where its folder was; another one can be worked in, and it can be deleted."""
    signed_in(monkeypatch, ANN)
    here = team_of(home)
    here.people.record_visit(ANN)
    lost, other = here.workspaces.create("Contracts", ANN.id), here.workspaces.create("Other", ANN.id)
    assert not documents(workspace=lost).error
    session_workspace.open_workspace.clear()
    shutil.rmtree(here.workspaces.place(lost))
    app = documents(workspace=lost)
    assert "Contracts" in app.error[0].value
    assert not here.workspaces.place(lost).exists()
    confirm(app, "workspace.delete", "workspace.done")
    assert [one.id for one in here.workspaces.bin(ANN.id)] == [lost]
    assert not documents(workspace=other).error


HOSTILE = (
    "<b onload=x>[a](javascript:1) :red[b] $x$ ![c](http://x.example/c.png) \u202egnp.\u2066exe\u200b\x07 "
    + "w" * 10_000
)


def test_a_hostile_name_is_a_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a person and of a workspace: no markup, no mark that turns the direction, one line; in the header, the
    dialogs, the door.
    """
    evil = Person("e" * 24, HOSTILE, HOSTILE)
    signed_in(monkeypatch, evil)
    assert not documents().error
    here = team_of(home)
    (ours,) = here.workspaces.of(evil.id)
    here.workspaces.rename(ours.id, HOSTILE, evil.id)
    here.people.record_visit(BOB)
    here.workspaces.share(ours.id, BOB.id, Role.VIEWER, evil.id)
    app = documents(workspace=ours.id)
    app.button(key="workspace.share").click()
    texts = texts_of(run_app(app))
    rows = [str(value) for frame in app.dataframe for value in frame.value.to_numpy().ravel()]
    signed_in(monkeypatch, CAY)
    requests = documents(invitation=here.invitations.make(ours.id, Role.VIEWER, evil.id))
    texts += texts_of(requests)
    named = [text for text in texts if "javascript" in text]
    assert len(named) >= 4
    for text in named:
        assert "](javascript" not in text
        assert " <b" not in f" {text}"
        assert ":red[" not in text
        assert "![" not in text
    assert [row for row in rows if "javascript" in row] != []
    assert not any(mark in text for text in [*texts, *rows] for mark in "\u202e\u2066\u200b\x07")
    assert all(len(text) < 2_000 for text in [*named, *rows])
