"""One deployment, several people: the door, whose workspace a session gets, and what a link or a lost role shows."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.deployment import EVERYONE, Deployment, Person, operator_settings
from chunking.errors import ChunkscopeError, QuotaError
from chunking.evaluation import Answer, Question, QuestionSet, save_set
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.store import Right, Role, Workspace
from chunking.store.workspace_file.saving import save_workspace
from components.kit.wording import plain
from components.server.upkeep import begin_upkeep
from components.session import identity, protection
from components.session import workspace as session_workspace
from components.session.workspace import kept_for_all
from components.workspaces import invitation_page, one_file
from tests.pages.opened import ROOT, ran, went
from tests.pages.uploading import confirmed

ANN, BOB, CAY = (Person(name[0] * 24, name.title(), f"{name}@example.com") for name in ("ann", "bob", "cay"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of a team's deployment."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def signed_in(monkeypatch: pytest.MonkeyPatch, person: Person | None) -> None:
    """Have the sign-in vouch for somebody."""
    monkeypatch.setattr(identity, "_signed_in", lambda way: person)


def documents(**address: str) -> AppTest:
    """The documents page in a new session."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for key, value in address.items():
        app.query_params[key] = value
    return ran(app.switch_page("pages/documents.py"))


def test_who_is_not_signed_in_sees_the_door_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No page, no workspace, nothing on the disk."""
    signed_in(monkeypatch, None)
    app = documents()
    assert [button.label for button in app.button] == ["Sign in"]
    assert not home.exists()


def test_each_person_has_a_workspace_of_their_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the samples; a link of one is refused to the other, until it is shared and after it is taken away."""
    signed_in(monkeypatch, ANN)
    app = documents()
    assert not app.error
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    (ours,) = here.workspaces.of(ANN.id)
    assert (home / "workspaces" / ours.id).is_dir()
    signed_in(monkeypatch, BOB)
    linked = documents(workspace=ours.id)
    assert [error.icon for error in linked.error] == [":material/error:"]
    assert here.workspaces.of(BOB.id) == []
    here.workspaces.share(ours.id, BOB.id, Role.VIEWER, ANN.id)
    seen = documents(workspace=ours.id)
    assert not seen.error
    here.people.suspend(BOB.id)
    assert [error.icon for error in ran(seen).error] == [":material/lock:"]


@pytest.mark.parametrize("others", [0, 1])
def test_who_has_lost_a_workspace_finds_the_way_out(home: Path, monkeypatch: pytest.MonkeyPatch, others: int) -> None:
    """Also the last one, in the open page and under an address that still names it: to their own, to a new one, and out."""
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    for person in (ANN, BOB):
        here.people.seen(person)
    theirs = here.workspaces.create("Contracts", ANN.id)
    for _ in range(others):
        here.workspaces.create("Bob's", BOB.id)
    here.workspaces.share(theirs, BOB.id, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = documents(workspace=theirs)
    assert not app.error
    here.workspaces.unshare(theirs, BOB.id, ANN.id)
    for refused in (ran(app), documents(workspace=theirs)):
        assert [error.icon for error in refused.error] == [":material/error:"]
        ways = {str(button.key) for button in refused.button}
        assert {"workspace.mine", "workspace.new", "workspace.open-file", "sign-out"} <= ways
        assert not ways & {"workspace.duplicate", "workspace.share", "workspace.delete"}
        assert not [caption.value for caption in refused.caption if "visibility" in caption.value]
        refused.button(key="workspace.mine").click()
        assert not ran(refused).error
        assert [refused.query_params["workspace"]] == [one.id for one in here.workspaces.of(BOB.id)]


@pytest.mark.parametrize(("mode", "let_in"), [("demo", False), ("team", False), ("local", True)])
def test_app_py_alone_is_for_one_person(home: Path, monkeypatch: pytest.MonkeyPatch, mode: str, let_in: bool) -> None:
    """Without the layers of serve.py nobody is let in where people share the server: one sentence, and nothing on the disk."""
    monkeypatch.setattr(protection, "_protected", False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    signed_in(monkeypatch, ANN)
    app = documents()
    assert [error.icon for error in app.error] == ([] if let_in else [":material/lock:"])
    assert let_in or "serve.py" in app.error[0].value.replace("\\", "")
    assert bool(app.title) is let_in
    assert home.exists() is let_in


def test_serve_py_says_that_its_layers_are_there() -> None:
    """In a process of its own, since it changes Streamlit."""
    code = "import serve, components.session.protection as one; print(one.is_protected(), len(serve.app._user_middleware) > 3)"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "True"]


@pytest.mark.parametrize("id", ["../../etc", "0" * 16, "<b>x</b>"])
def test_a_link_to_nothing_is_refused_as_one_to_a_strangers_workspace(home: Path, monkeypatch: pytest.MonkeyPatch, id: str) -> None:
    """And no folder is made for it."""
    signed_in(monkeypatch, BOB)
    assert [error.icon for error in documents(workspace=id).error] == [":material/error:"]
    assert not (home / "workspaces").exists()


def test_who_lost_the_role_is_not_told_that_they_can_view(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one sentence, and it names nothing."""
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    id = here.workspaces.create("Ours", ANN.id)
    here.workspaces.share(id, BOB.id, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = documents(workspace=id)
    assert [caption for caption in app.caption if ":material/visibility:" in caption.value]
    here.workspaces.unshare(id, BOB.id, ANN.id)
    ran(app)
    assert len(app.error) == 1
    assert not [caption for caption in app.caption if ":material/visibility:" in caption.value]


def test_visitors_of_a_demo_have_copies_of_their_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the index of the samples; what one deletes the other still has."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setattr(identity, "_cookie", lambda: "")  # each session is a visitor's then
    first, second = documents(), documents()
    assert not first.error
    folders = sorted((home / "visits").glob("*/workspace"))
    assert len(folders) == 2
    ours, theirs = (Workspace.open(folder) for folder in folders)
    assert len(ours.indexes()) == 1
    ours.delete_documents([ours.documents()[0].doc_id])
    assert len(theirs.documents()) == len(ours.documents()) + 1
    assert not ran(first).error
    assert not ran(second).error
    assert len(list((home / "visits").iterdir())) == 2


def look_at_jobs() -> None:
    """What the header does every second by itself while a job runs, and nothing else."""
    from components.session.jobs.job_chip import _draw

    _draw("documents")


def test_looking_is_no_click(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The idle time of a visitor goes on in a tab that is left open."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setattr(identity, "_cookie", lambda: "v" * 43)
    assert not documents().error
    (mark,) = home.glob("visits/*/clicked")
    os.utime(mark, (1e9, 1e9 + 1))
    ran(AppTest.from_function(look_at_jobs, default_timeout=60))
    assert mark.stat().st_mtime == 1e9 + 1


def test_a_file_is_the_base_of_a_demo(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its documents are the visitor's, and the samples are not there."""
    there = Workspace.open(tmp_path / "there")
    there.put_document(parse(b"# Pump\n\nSwitch the pump off.", "pump.md"))
    with (tmp_path / "demo.chunkscope").open("wb") as sink:
        save_workspace(there, sink)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setenv("CHUNKSCOPE_DEMO_BASE", str(tmp_path / "demo.chunkscope"))
    monkeypatch.setattr(identity, "_cookie", lambda: "")
    app = documents()
    assert not app.error
    (folder,) = (home / "visits").glob("*/workspace")
    assert [row.source for row in Workspace.open(folder).documents()] == ["pump.md"]


def test_a_workspace_goes_into_a_file_and_becomes_another_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is none makes no workspace, and leaves nothing behind."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    (ours,) = here.workspaces.of(ANN.id)
    sink = io.BytesIO()
    save_workspace(Workspace.open(here.workspaces.place(ours.id)), sink)
    made = one_file._opened(memoryview(sink.getvalue()), "Copied", ANN.id)
    assert {one.name for one in here.workspaces.of(ANN.id)} == {ours.name, "Copied"}
    assert len(Workspace.open(here.workspaces.place(made)).indexes()) == 1
    with pytest.raises(ChunkscopeError):
        one_file._opened(memoryview(b"no file of ours"), "Broken", ANN.id)
    assert len(here.workspaces.of(ANN.id)) == 2
    assert len(list((home / "workspaces").iterdir())) == 2


@pytest.mark.parametrize("action", ["new", "duplicate", "open-file", "rename", "delete", "share"])
def test_each_action_of_the_switcher_opens_its_dialog(home: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    """The dialog stands beside the button that opened it, in one run."""
    signed_in(monkeypatch, ANN)
    app = documents()
    app.button(key=f"workspace.{action}").click()
    ran(app)
    assert not app.exception
    assert not app.error


def test_a_workspace_that_the_disk_has_lost_is_not_one_with_the_samples(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence, and nothing is written where its folder was; another one can be worked in, and it can be deleted."""
    signed_in(monkeypatch, ANN)
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    here.people.seen(ANN)
    lost, other = here.workspaces.create("Contracts", ANN.id), here.workspaces.create("Other", ANN.id)
    assert not documents(workspace=lost).error
    session_workspace._open.clear()
    shutil.rmtree(here.workspaces.place(lost))
    app = documents(workspace=lost)
    assert "Contracts" in app.error[0].value
    assert not here.workspaces.place(lost).exists()
    confirmed(app, "workspace.delete", "workspace.done")
    assert [one.id for one in here.workspaces.bin(ANN.id)] == [lost]
    assert not documents(workspace=other).error


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
    there.put_documents([parse(f"# Pump {n}\n\n{' '.join(f'Word {m}.' for m in range(2_000))}".encode(), f"{n}.md") for n in range(2)])
    build_index(there, Config.from_settings({"size": "32", "overlap": "0"}))
    there.vectors.put({f"{n:064x}": vector for n, vector in enumerate(np.eye(3_000, 1_024, dtype=np.float32))})
    sink = io.BytesIO()
    save_workspace(there, sink)
    return sink.getvalue()


@pytest.mark.parametrize("setting", FILE_OVER)
def test_a_file_that_is_opened_is_within_the_quotas(home: Path, monkeypatch: pytest.MonkeyPatch, large_file: bytes, setting: str) -> None:
    """Like documents that are added; nothing of it is left on the list or on the disk."""
    for name, value in FILE_OVER[setting].items():
        monkeypatch.setenv(name, value)
    with pytest.raises(QuotaError) as refused:
        one_file._opened(memoryview(large_file), "Copied", ANN.id)
    assert refused.value.where == setting
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    assert here.workspaces.of(ANN.id) == here.workspaces.bin(ANN.id) == []
    assert not list(home.glob("workspaces/*"))


def test_what_the_server_keeps_is_nobodys(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the rights of who asks, and goes on for others when the one who asked first has lost the role."""
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    id = here.workspaces.create("Ours", ANN.id)
    for person, role in ((BOB, Role.EDITOR), (CAY, Role.VIEWER)):
        here.workspaces.share(id, person.id, role, ANN.id)
    place = here.workspaces.place(id)
    for_ann, for_bob, for_cay = (Workspace.open(place, access=here.workspaces.access(id, who.id)) for who in (ANN, BOB, CAY))
    kept = kept_for_all(for_bob)
    assert kept is kept_for_all(for_ann)
    assert (kept.may(Right.WRITE), kept_for_all(for_cay).may(Right.WRITE)) == (True, False)
    here.workspaces.unshare(id, BOB.id, ANN.id)
    assert len(kept.documents()) > 0


def test_a_wrong_setting_is_told_by_the_first_page_and_the_log(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is let in meanwhile."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "teem")
    app = documents()
    assert not app.title
    assert "CHUNKSCOPE_MODE" in app.error[0].value.replace("\\", "")
    begin_upkeep(threading.Event())
    assert "CHUNKSCOPE_MODE is 'teem'" in caplog.text


def test_no_sentence_on_a_page_names_a_folder_of_the_host(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library's error does, as of a workspace that cannot be read."""
    signed_in(monkeypatch, ANN)
    documents()
    (folder,) = (home / "workspaces").iterdir()
    shown = plain(f"The workspace {folder}/documents.lance cannot be read.")
    assert str(home.parent) not in shown.replace("\\", "")
    assert folder.name not in shown
    assert shown.endswith("read.")


HOSTILE = "<b onload=x>[a](javascript:1) :red[b] $x$ ![c](http://x.example/c.png) \u202egnp.\u2066exe\u200b\x07 " + "w" * 10_000


def said_by(app: AppTest) -> list[str]:
    """Every text in what a page sends to the browser, but its tables' cells and what stands in fields to write in."""

    def texts(message: Any) -> Iterator[str]:
        for field, value in message.ListFields():
            if message.DESCRIPTOR.name == "TextInput" and field.name in ("default", "value"):
                continue  # what stands in a field is no markup there
            for one in value if field.is_repeated else [value]:
                if field.type == field.TYPE_STRING and isinstance(one, str):
                    yield one
                elif field.type == field.TYPE_MESSAGE and hasattr(one, "ListFields"):
                    yield from texts(one)

    def nodes(block: Any) -> Iterator[Any]:
        yield block
        for child in getattr(block, "children", {}).values():
            yield from nodes(child)

    return [text for node in nodes(app._tree) if getattr(node, "proto", None) is not None for text in texts(node.proto)]


def test_a_hostile_name_is_a_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a person and of a workspace: no markup, no mark that turns the direction, one line; in the header, the dialogs, the door."""
    evil = Person("e" * 24, HOSTILE, HOSTILE)
    signed_in(monkeypatch, evil)
    assert not documents().error
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    (ours,) = here.workspaces.of(evil.id)
    here.workspaces.rename(ours.id, HOSTILE, evil.id)
    here.people.seen(BOB)
    here.workspaces.share(ours.id, BOB.id, Role.VIEWER, evil.id)
    app = documents(workspace=ours.id)
    app.button(key="workspace.share").click()
    texts = said_by(ran(app))
    rows = [str(value) for frame in app.dataframe for value in frame.value.to_numpy().ravel()]
    signed_in(monkeypatch, CAY)
    asked = documents(invitation=here.invitations.make(ours.id, Role.VIEWER, evil.id))
    texts += said_by(asked)
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


@pytest.mark.parametrize("act", ["new", "duplicate", "open-file", "rename", "delete", "share", "bin"])
def test_every_dialog_of_the_menu_opens(home: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """Each beside the button that asked for it, which is in the same run: no two things of it have one key."""
    signed_in(monkeypatch, ANN)
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    assert not documents().error
    here.workspaces.delete(here.workspaces.create("Drafts", ANN.id), ANN.id)
    app = documents()
    app.button(key=f"workspace.{act}").click()
    app.run()
    assert not app.exception
    assert not app.error


def menu_dialog(module: str, name: str) -> None:
    """A page that is nothing but a dialog of the menu."""
    from importlib import import_module

    getattr(import_module(f"components.workspaces.{module}"), name)()


def test_a_name_is_needed_and_taken_with_one_click(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button waits for no other run to be enabled; without a letter its dialog says so."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    app = ran(AppTest.from_function(menu_dialog, args=("dialogs", "new_dialog")))
    assert not app.button(key="workspace.do.new").disabled
    app.button(key="workspace.do.new").click()
    app.run()
    assert len(app.error) == 1
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    assert len(here.workspaces.of(ANN.id)) == 1


def test_nothing_is_shared_with_everyone_by_an_empty_field(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their role is a row of its own."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    (ours,) = here.workspaces.of(ANN.id)
    app = ran(AppTest.from_function(menu_dialog, args=("share_dialog", "share_dialog")))
    next(one for one in app.button if one.label == "Share").click()
    app.run()
    assert len(app.error) == 1
    assert len(here.workspaces.shares(ours.id, ANN.id)) == 1
    app.selectbox(key="share.everyone").select(Role.VIEWER)
    app.run()  # here no part of a page runs alone, which the dialog asks for once the role is given
    assert {share.person for share in here.workspaces.shares(ours.id, ANN.id)} == {ANN.id, EVERYONE}
    app.selectbox(key="share.everyone").select(None)
    app.run()
    assert len(here.workspaces.shares(ours.id, ANN.id)) == 1


@pytest.mark.parametrize("page", ["", "documents", "evaluate?run=1"])
def test_the_link_of_an_invitation_leads_to_no_page(home: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    """It is the address of the app, on whichever page it was made."""
    monkeypatch.setattr("streamlit.context", SimpleNamespace(url=f"https://chunkscope.example.com/{page}"))
    assert invitation_page.invitation_link("t") == "https://chunkscope.example.com/?invitation=t"


def test_an_invitation_is_accepted_by_a_click(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening it gives nothing, its token leaves the address; a used one is one sentence, and leads on."""
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    here.people.seen(ANN)
    ours = here.workspaces.create("Contracts", ANN.id)
    token = here.invitations.make(ours, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = documents(invitation=token)
    assert [title.value for title in app.title] == ["Invitation to Contracts"]
    assert "invitation" not in app.query_params
    assert here.workspaces.role(ours, BOB.id) is None
    app.button(key="invitation.accept").click()
    ran(app)
    assert not app.error
    assert here.workspaces.role(ours, BOB.id) is Role.VIEWER
    assert app.query_params["workspace"] == ours
    again = documents(invitation=token)
    assert ["already" in error.value for error in again.error] == [True]
    again.button(key="invitation.go").click()
    assert "Documents" in [title.value for title in ran(again).title]


PAGES = {
    "documents": "documents.delete",
    "chunks": "",
    "index": "index.build",
    "search": "",
    "evaluate": "evaluate.start",
    "tune": "tune.estimate",
    "export": "",
}
"""Each page with a button of it that changes the workspace."""


def test_a_viewer_sees_why_and_whom_to_ask(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every page; what is left to press raises no refusal, and changes nothing."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    (ours,) = here.workspaces.of(ANN.id)
    theirs = Workspace.open(here.workspaces.place(ours.id))
    here.workspaces.share(ours.id, BOB.id, Role.VIEWER, ANN.id)
    stamps = theirs.table_stamps()
    signed_in(monkeypatch, BOB)
    app = documents(workspace=ours.id)
    for page, writes in PAGES.items():
        went(app, page)
        assert not app.error, (page, [error.value for error in app.error])
        assert [ANN.name in caption.value for caption in app.caption].count(True) == 1
        offered = {str(button.key): button for button in app.button}
        if writes:
            assert offered[writes].disabled
            assert ANN.name in offered[writes].help
        for key in [key for key, button in offered.items() if not button.disabled and not key.startswith(("workspace.", "sign-out"))]:
            if key in {str(button.key) for button in app.button}:
                app.button(key=key).click()
                ran(app)
                assert not app.error, (page, key)
                went(app, page)
    assert theirs.table_stamps() == stamps


def share_dialog_alone() -> None:
    """A page that is nothing but the dialog, as when it runs again by itself."""
    from components.workspaces.share_dialog import share_dialog

    share_dialog()


@pytest.mark.usefixtures("dialogs")
def test_an_open_dialog_is_empty_for_who_has_lost_the_role(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is in the workspace, and what was done in it, among what it does not show any more."""
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    for person in (ANN, BOB):
        here.people.seen(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    here.workspaces.share(ours, BOB.id, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = AppTest.from_function(share_dialog_alone, default_timeout=60)
    app.session_state["workspace.chosen"] = ours
    assert len(ran(app).dataframe) == 1
    here.workspaces.unshare(ours, BOB.id, ANN.id)
    here.workspaces.note(ours, ANN.id, "added", f"{MARK}.pdf")
    assert [error.icon for error in ran(app).error] == [":material/error:"]
    assert not app.dataframe
    assert not any(MARK in text or ANN.name in text for text in said_by(app))


def test_nothing_of_a_session_is_left_for_the_next_person_in_its_tab(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor for nobody, who sees the door."""
    signed_in(monkeypatch, ANN)
    app = documents(q="secret")
    app.session_state["search.last"] = "what Ann has found"
    assert app.session_state["share.view"]["q"] == "secret"
    ran(app)
    assert "search.last" in app.session_state
    signed_in(monkeypatch, BOB)
    ran(app)
    assert "search.last" not in app.session_state
    assert "q" not in app.session_state["share.view"]
    assert "secret" not in str(app.query_params)
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    (bobs,) = here.workspaces.of(BOB.id)
    assert app.query_params["workspace"] == bobs.id
    app.session_state["search.last"] = "what Bob has found"
    signed_in(monkeypatch, None)
    ran(app)
    assert [button.label for button in app.button] == ["Sign in"]
    assert "search.last" not in app.session_state


def test_what_was_looked_at_stays_in_its_workspace(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings go along; questions under review or files not yet added would be saved to the wrong one."""
    signed_in(monkeypatch, ANN)
    app = documents(size="300", q="secret")
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    other = here.workspaces.create("Other", ANN.id)
    ran(app)
    app.session_state["asking"] = "questions of the first"
    app.button(key=f"workspace.switch.{other}").click()
    ran(app)
    assert "asking" not in app.session_state
    assert app.query_params["workspace"] == other
    assert app.query_params["size"] == "300"
    assert "q" not in app.session_state["share.view"]


MARK = "Quicksilver"
"""A word of Ann's alone."""


def test_ids_of_another_persons_things_lead_nowhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a link to every page: document, chunk, question set, run, index and search of another's workspace; nor does a tab that was open
    show anything more once its role is taken away."""
    here = Deployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    for person in (ANN, BOB):
        here.people.seen(person)
    theirs = here.workspaces.create("Vault", ANN.id)
    target = Workspace.open(here.workspaces.place(theirs))
    target.put_document(parse(f"# {MARK}\n\nThe {MARK} is kept in the vault.".encode(), "vault.md"))
    (text,) = (target.document(row.doc_id).text for row in target.documents())
    questions = QuestionSet("vault", (Question("q", f"Where is the {MARK}?", (Answer("vault", 0, len(text), text),)),))
    save_set(target, questions)
    target.runs.put({"k" * 16: "{}"})
    signed_in(monkeypatch, BOB)
    link = {"doc": "vault", "chunk": "0", "questions": "vault", "run": "k" * 16, "against": "k" * 16, "index": "vault", "q": "vault"}
    app = documents(**link)
    for page in ("documents", "chunks", "index", "search", "evaluate", "tune", "export"):
        seen = ran(app.switch_page(f"pages/{page}.py"))
        assert not any(MARK in said for said in said_by(seen)), page
    here.workspaces.share(theirs, BOB.id, Role.VIEWER, ANN.id)
    shared = documents(workspace=theirs, **link)
    assert any(MARK in said for said in said_by(shared))
    here.workspaces.unshare(theirs, BOB.id, ANN.id)
    taken = ran(shared)
    assert [error.icon for error in taken.error] == [":material/error:"]
    assert not any(MARK in said for said in said_by(taken))
