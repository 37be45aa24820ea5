"""Sharing on the pages: roles given by a dialog or an invitation, what a viewer sees, and what is left of a role that
was taken away.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from chunking.deployment import EVERYONE
from chunking.store import Role, Workspace
from hosting.dialogs import invitation_page
from tests.hosting.pages.team import ANN, BOB, documents, menu_dialog, signed_in, team_of, texts_of
from tests.pages.app_session import go_to, run_app


def test_nothing_is_shared_with_everyone_by_an_empty_field(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their role is a row of its own."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = team_of(home)
    (ours,) = here.workspaces.of(ANN.id)
    app = run_app(AppTest.from_function(menu_dialog, args=("hosting.dialogs.share_dialog", "share_dialog")))
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


@pytest.mark.parametrize("own", [True, False], ids=["own role", "everyone's"])
def test_who_has_a_role_of_their_own_can_leave(home: Path, monkeypatch: pytest.MonkeyPatch, own: bool) -> None:
    """Who is there by everyone's role has nothing to give up, and is not offered it."""
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.record_visit(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    here.workspaces.share(ours, BOB.id if own else EVERYONE, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = AppTest.from_function(menu_dialog, args=("hosting.dialogs.share_dialog", "share_dialog"), default_timeout=60)
    app.session_state["workspace.chosen"] = ours
    assert ("share.leave" in {str(one.key) for one in run_app(app).button}) is own
    assert not app.error


@pytest.mark.parametrize("page", ["", "documents", "evaluate?run=1"])
def test_the_link_of_an_invitation_leads_to_no_page(home: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    """It is the address of the app, on whichever page it was made."""
    monkeypatch.setattr("streamlit.context", SimpleNamespace(url=f"https://chunkscope.example.com/{page}"))
    assert invitation_page.invitation_link("t") == "https://chunkscope.example.com/?invitation=t"


def test_an_invitation_is_accepted_by_a_click(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening it gives nothing, its token leaves the address; a used one is one sentence, and leads on."""
    here = team_of(home)
    here.people.record_visit(ANN)
    ours = here.workspaces.create("Contracts", ANN.id)
    token = here.invitations.make(ours, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = documents(invitation=token)
    assert [title.value for title in app.title] == ["Invitation to Contracts"]
    assert "invitation" not in app.query_params
    assert here.workspaces.role(ours, BOB.id) is None
    app.button(key="invitation.accept").click()
    run_app(app)
    assert not app.error
    assert here.workspaces.role(ours, BOB.id) is Role.VIEWER
    assert app.query_params["workspace"] == ours
    again = documents(invitation=token)
    assert ["already" in error.value for error in again.error] == [True]
    again.button(key="invitation.go").click()
    assert "Documents" in [title.value for title in run_app(again).title]


PAGES = {
    "home": "",
    "documents": "documents.delete",
    "chunks": "",
    "index": "index.build",
    "search": "",
    "evaluate": "evaluate.start",
    "tune": "",
    "export": "",
}
"""Each page with a button of it that changes the workspace."""


def test_a_viewer_sees_why_and_whom_to_ask(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every page; what is left to press raises no refusal, and changes nothing."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = team_of(home)
    (ours,) = here.workspaces.of(ANN.id)
    theirs = Workspace.open(here.workspaces.place(ours.id))
    here.workspaces.share(ours.id, BOB.id, Role.VIEWER, ANN.id)
    stamps = theirs.table_stamps()
    signed_in(monkeypatch, BOB)
    app = documents(workspace=ours.id)
    for page, writes in PAGES.items():
        go_to(app, page)
        assert not app.error, (page, [error.value for error in app.error])
        assert [ANN.name in caption.value for caption in app.caption].count(True) == 1
        offered = {str(button.key): button for button in app.button}
        if writes:
            assert offered[writes].disabled
            assert ANN.name in offered[writes].help
        for key in [
            key
            for key, button in offered.items()
            if not button.disabled and not key.startswith(("workspace.", "sign-out", "home.own"))
        ]:
            if key in {str(button.key) for button in app.button}:
                app.button(key=key).click()
                run_app(app)
                assert not app.error, (page, key)
                go_to(app, page)
    assert theirs.table_stamps() == stamps


def share_dialog_alone() -> None:
    """A page that is nothing but the dialog, as when it runs again by itself."""
    from hosting.dialogs.share_dialog import share_dialog

    share_dialog()


@pytest.mark.usefixtures("dialogs")
def test_an_open_dialog_is_empty_for_who_has_lost_the_role(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is in the workspace, and what was done in it, among what it does not show any more."""
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.record_visit(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    here.workspaces.share(ours, BOB.id, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = AppTest.from_function(share_dialog_alone, default_timeout=60)
    app.session_state["workspace.chosen"] = ours
    assert len(run_app(app).dataframe) == 1
    here.workspaces.unshare(ours, BOB.id, ANN.id)
    here.workspaces.note(ours, ANN.id, "added", "Quicksilver.pdf")
    assert [error.icon for error in run_app(app).error] == [":material/error:"]
    assert not app.dataframe
    assert not any("Quicksilver" in text or ANN.name in text for text in texts_of(app))
