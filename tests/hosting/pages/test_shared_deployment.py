"""One deployment, several people: the door, whose workspace a session gets, and what a link or a lost role shows."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chunking.evaluation import AnswerSpan, Question, QuestionSet, save_set
from chunking.parsing import parse
from chunking.store import Right, Role, Workspace
from components.kit.wording import plain
from components.server.upkeep import begin_upkeep
from components.session.workspace import for_shared_caches
from hosting.server import hosted_parts
from tests.hosting.pages.team import ANN, BOB, CAY, documents, signed_in, team_of, texts_of
from tests.pages.app_session import ROOT, run_app


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
    here = team_of(home)
    (ours,) = here.workspaces.of(ANN.id)
    assert (home / "workspaces" / ours.id).is_dir()
    signed_in(monkeypatch, BOB)
    linked = documents(workspace=ours.id)
    assert [error.icon for error in linked.error] == [":material/error:"]
    assert here.workspaces.of(BOB.id) == []
    here.workspaces.share(ours.id, BOB.id, Role.VIEWER, ANN.id)
    visible = documents(workspace=ours.id)
    assert not visible.error
    here.people.suspend(BOB.id)
    assert [error.icon for error in run_app(visible).error] == [":material/lock:"]
    assert [button.key for button in visible.button] == ["sign-out"]


@pytest.mark.parametrize("others", [0, 1])
def test_who_has_lost_a_workspace_finds_the_way_out(home: Path, monkeypatch: pytest.MonkeyPatch, others: int) -> None:
    """Also the last one, in the open page and under an address that still names it: to their own, to a new one, and
    out.
    """
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.record_visit(person)
    theirs = here.workspaces.create("Contracts", ANN.id)
    for _ in range(others):
        here.workspaces.create("Bob's", BOB.id)
    here.workspaces.share(theirs, BOB.id, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = documents(workspace=theirs)
    assert not app.error
    here.workspaces.unshare(theirs, BOB.id, ANN.id)
    for refused in (run_app(app), documents(workspace=theirs)):
        assert [error.icon for error in refused.error] == [":material/error:"]
        ways = {str(button.key) for button in refused.button}
        assert {"workspace.mine", "workspace.new", "workspace.open-file", "sign-out"} <= ways
        assert not ways & {"workspace.duplicate", "workspace.share", "workspace.delete"}
        assert not [caption.value for caption in refused.caption if "visibility" in caption.value]
        refused.button(key="workspace.mine").click()
        assert not run_app(refused).error
        assert [refused.query_params["workspace"]] == [one.id for one in here.workspaces.of(BOB.id)]


@pytest.mark.parametrize(("mode", "let_in"), [("demo", False), ("team", False), ("local", True)])
def test_app_py_alone_is_for_one_person(home: Path, monkeypatch: pytest.MonkeyPatch, mode: str, let_in: bool) -> None:
    """Without the layers of serve.py nobody is let in where people share the server: one sentence, and nothing on the
    disk.
    """
    monkeypatch.setattr(hosted_parts, "_protected", False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    signed_in(monkeypatch, ANN)
    app = documents()
    assert [error.icon for error in app.error] == ([] if let_in else [":material/lock:"])
    assert let_in or "serve.py" in app.error[0].value.replace("\\", "")
    assert bool(app.title) is let_in
    assert home.exists() is let_in


def test_serve_py_says_that_its_layers_are_there() -> None:
    """In a process of its own, since it changes Streamlit."""
    code = (
        "import serve, hosting.server.hosted_parts as one; print(one.is_protected(), len(serve.app._user_middleware) > "
        "3)"
    )
    team = {**os.environ, "CHUNKSCOPE_MODE": "team"}
    message = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=team, capture_output=True, text=True, check=True
    )
    assert message.stdout.split() == ["True", "True"]


@pytest.mark.parametrize("id", ["../../etc", "0" * 16, "<b>x</b>"])
def test_a_link_to_nothing_is_refused_as_one_to_a_strangers_workspace(
    home: Path, monkeypatch: pytest.MonkeyPatch, id: str
) -> None:
    """And no folder is made for it."""
    signed_in(monkeypatch, BOB)
    assert [error.icon for error in documents(workspace=id).error] == [":material/error:"]
    assert not (home / "workspaces").exists()


def test_who_lost_the_role_is_not_told_that_they_can_view(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one sentence, and it names nothing."""
    here = team_of(home)
    here.people.record_visit(ANN)
    id = here.workspaces.create("Ours", ANN.id)
    here.workspaces.share(id, BOB.id, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = documents(workspace=id)
    assert [caption for caption in app.caption if ":material/visibility:" in caption.value]
    here.workspaces.unshare(id, BOB.id, ANN.id)
    run_app(app)
    assert len(app.error) == 1
    assert not [caption for caption in app.caption if ":material/visibility:" in caption.value]


def test_what_the_server_keeps_is_nobodys(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the rights of who asks, and goes on for others when the one who asked first has lost the role."""
    here = team_of(home)
    here.people.record_visit(ANN)
    id = here.workspaces.create("Ours", ANN.id)
    for person, role in ((BOB, Role.EDITOR), (CAY, Role.VIEWER)):
        here.workspaces.share(id, person.id, role, ANN.id)
    place = here.workspaces.place(id)
    for_ann, for_bob, for_cay = (
        Workspace.open(place, access=here.workspaces.access(id, person.id)) for person in (ANN, BOB, CAY)
    )
    kept = for_shared_caches(for_bob)
    assert kept is for_shared_caches(for_ann)
    assert (kept.may(Right.WRITE), for_shared_caches(for_cay).may(Right.WRITE)) == (True, False)
    here.workspaces.unshare(id, BOB.id, ANN.id)
    assert len(kept.documents()) > 0


def test_a_wrong_setting_is_reported_by_the_first_page_and_the_log(
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


def test_nothing_of_a_session_is_left_for_the_next_person_in_its_tab(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor for nobody, who sees the door."""
    signed_in(monkeypatch, ANN)
    app = documents(q="secret")
    app.session_state["search.last"] = "what Ann has found"
    assert app.session_state["share.view"]["q"] == "secret"
    run_app(app)
    assert "search.last" in app.session_state
    signed_in(monkeypatch, BOB)
    run_app(app)
    assert "search.last" not in app.session_state
    assert "q" not in app.session_state["share.view"]
    assert "secret" not in str(app.query_params)
    here = team_of(home)
    (bobs,) = here.workspaces.of(BOB.id)
    assert app.query_params["workspace"] == bobs.id
    app.session_state["search.last"] = "what Bob has found"
    signed_in(monkeypatch, None)
    run_app(app)
    assert [button.label for button in app.button] == ["Sign in"]
    assert "search.last" not in app.session_state


def test_what_was_looked_at_stays_in_its_workspace(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings go along; questions under review or files not yet added would be saved to the wrong one."""
    signed_in(monkeypatch, ANN)
    app = documents(size="300", q="secret")
    here = team_of(home)
    other = here.workspaces.create("Other", ANN.id)
    run_app(app)
    app.session_state["asking"] = "questions of the first"
    app.button(key=f"workspace.switch.{other}").click()
    run_app(app)
    assert "asking" not in app.session_state
    assert app.query_params["workspace"] == other
    assert app.query_params["size"] == "300"
    assert "q" not in app.session_state["share.view"]


MARK = "Quicksilver"
"""A word of Ann's alone."""


def test_ids_of_another_persons_things_lead_nowhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a link to every page: document, chunk, question set, run, index and search of another's workspace; nor does a
    tab that was open show anything more once its role is taken away."""
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.record_visit(person)
    theirs = here.workspaces.create("Vault", ANN.id)
    target = Workspace.open(here.workspaces.place(theirs))
    target.put_document(parse(f"# {MARK}\n\nThe {MARK} is kept in the vault.".encode(), "vault.md"))
    (text,) = (target.document(row.doc_id).text for row in target.documents())
    questions = QuestionSet(
        "vault", (Question("q", f"Where is the {MARK}?", (AnswerSpan("vault", 0, len(text), text),)),)
    )
    save_set(target, questions)
    target.runs.put({"k" * 16: "{}"})
    signed_in(monkeypatch, BOB)
    link = {
        "doc": "vault",
        "chunk": "0",
        "questions": "vault",
        "run": "k" * 16,
        "against": "k" * 16,
        "index": "vault",
        "q": "vault",
    }
    app = documents(**link)
    for page in ("home", "documents", "chunks", "index", "search", "evaluate", "tune", "export"):
        visible = run_app(app.switch_page(f"pages/{page}.py"))
        assert not any(MARK in said for said in texts_of(visible)), page
    here.workspaces.share(theirs, BOB.id, Role.VIEWER, ANN.id)
    shared = documents(workspace=theirs, **link)
    assert any(MARK in said for said in texts_of(shared))
    here.workspaces.unshare(theirs, BOB.id, ANN.id)
    used = run_app(shared)
    assert [error.icon for error in used.error] == [":material/error:"]
    assert not any(MARK in said for said in texts_of(used))
