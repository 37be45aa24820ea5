"""Snapshots in the app: what their visitors see, and that results alone show no word of the documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.session import host
from hosting.hosted_deployment import HostedDeployment
from hosting.snapshots import Shows
from tests.hosting.pages.team import ANN, BOB, documents, menu_dialog, signed_in, team_of
from tests.pages.app_session import ROOT, run_app
from tests.support.stored_runs import filled, with_runs


def frozen(home: Path, shows: Shows) -> tuple[HostedDeployment, str, str]:
    """A deployment with a snapshot by Ann, of a workspace with the samples' index and a run: id and token."""
    here = team_of(home)
    here.people.record_visit(ANN)
    ours = here.workspaces.create("Contracts", ANN.id)
    with_runs(
        filled(
            here.workspaces.place(ours), {"secret.md": "# Xylophone\n\n" + "Quartz stands in every line here. " * 12}
        )
    )
    return here, ours, here.snapshots.make(ours, "Review", shows, ANN.id)


def words_of(app: AppTest) -> str:
    """Everything that a page has sent."""
    return "".join(str(getattr(node, "proto", "")) for node in app._tree)


def test_results_alone_are_seen_without_a_word_of_the_documents(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every page; somebody who is an owner elsewhere sees no more by this address."""
    _, ours, token = frozen(home, Shows.REPORT)
    signed_in(monkeypatch, ANN)
    app = documents(snapshot=token, workspace=ours, doc="secret")
    for page in sorted((ROOT / "pages").glob("*.py")):
        run_app(app.switch_page(f"pages/{page.name}"))
        assert not app.error
        assert "Review" in words_of(app)
        assert not {"Xylophone", "Quartz"} & set(re.findall(r"\w+", words_of(app)))
        assert [title.value for title in app.title] == (["Results"] if page.stem == "evaluate" else [])
        assert app.query_params["snapshot"] == token


def counted() -> None:
    """A page that says whose searches its session's are."""
    import streamlit as st

    from components.session.host import host

    st.caption(host().counted_as())


def test_each_who_reads_a_snapshot_has_their_own_searches(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have one id among them, and one who searches in a loop keeps nobody else waiting."""
    here, _, token = frozen(home, Shows.DOCUMENTS)
    signed_in(monkeypatch, BOB)

    def open_one(address: str) -> AppTest:
        app = AppTest.from_function(counted)
        app.query_params["snapshot"] = address
        return run_app(app)

    sessions = [open_one(token), open_one(token)]
    first, second = (app.caption[0].value for app in sessions)
    assert first != second
    assert run_app(sessions[0]).caption[0].value == first
    assert {name.partition("/")[0] for name in (first, second)} == {f"snapshot-{here.snapshots.find(token).id}"}
    assert open_one("").caption[0].value == BOB.id


def paid() -> None:
    """A page that says for whom its session's requests to models count."""
    import streamlit as st

    from components.session.host import host

    st.caption(host().paid_by())


def test_a_snapshot_comes_with_no_limit_of_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to models count for who reads it, as anywhere else; for who made it where nobody is signed in."""
    here, ours, token = frozen(home, Shows.DOCUMENTS)
    monkeypatch.setenv("CHUNKSCOPE_OPEN_SNAPSHOTS", "1")
    host._host.cache_clear()
    tokens = [token, here.snapshots.make(ours, "Another", Shows.DOCUMENTS, ANN.id), ""]
    message = {}
    for person in (BOB, None):
        signed_in(monkeypatch, person)
        for address in tokens:
            app = AppTest.from_function(paid)
            app.query_params["snapshot"] = address
            message[person, address] = run_app(app).caption[0].value
    assert {message[BOB, address] for address in tokens} == {BOB.id}
    assert [message[None, address] for address in tokens] == [ANN.id, ANN.id, ""]


def test_an_open_dialog_serves_nobody_by_a_snapshots_address(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dialog runs without the door: who has put a snapshot's token into the address of an open tab would be its
    visitor, who may keep as much as they like. The page itself goes on for the person, without that address."""
    here, _, token = frozen(home, Shows.DOCUMENTS)
    signed_in(monkeypatch, BOB)
    tab = documents()
    before = len(here.workspaces.of(BOB.id))
    for name, field in (("new_dialog", "workspace.do.new"), ("open_dialog", "workspace.open")):
        app = AppTest.from_function(
            menu_dialog,
            args=(f"components.workspaces.{'workspace_file_dialogs' if name == 'open_dialog' else 'switcher'}", name),
        )
        app.session_state["identity.whose"] = tab.session_state["identity.whose"]
        run_app(app)
        assert [button.key for button in app.button] == [field]
        app.query_params["snapshot"] = token
        run_app(app)
        assert [str(button.key) for button in app.button] == []
        assert "load the page" in app.error[0].value
    tab.query_params["snapshot"] = token
    assert not run_app(tab).error
    assert tab.session_state["identity.whose"] == BOB.id
    assert "snapshot" not in tab.query_params
    assert not [one for one in here.people.all() if one.id.startswith("snapshot-")]
    assert len(here.workspaces.of(BOB.id)) == before


def test_a_snapshot_is_read_until_it_is_revoked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By who signs in, or by anybody where the operator says so; as a viewer, who gets no other workspace by it."""
    here, ours, token = frozen(home, Shows.DOCUMENTS)
    signed_in(monkeypatch, None)
    assert [button.label for button in documents(snapshot=token).button] == ["Sign in"]
    signed_in(monkeypatch, BOB)
    app = documents(snapshot=token, workspace=ours)
    assert not app.error
    assert "secret" in words_of(app)
    assert here.snapshots.of(ours, ANN.id)[0].visits == 1
    assert here.workspaces.of(BOB.id) == []
    monkeypatch.setenv("CHUNKSCOPE_OPEN_SNAPSHOTS", "1")
    host._host.cache_clear()
    signed_in(monkeypatch, None)
    assert "secret" in words_of(run_app(documents(snapshot=token)))
    forged = documents(snapshot=token[:-1] + ("A" if token[-1] != "A" else "B"))
    here.snapshots.revoke(token.split(".")[0], ANN.id)
    closed = run_app(app)
    assert [error.value for error in closed.error] == [error.value for error in forged.error] != []
    assert "secret" not in words_of(closed)
    closed.button(key="snapshot.leave").click()
    assert [button.label for button in run_app(closed).button] == ["Sign in"]
    assert [button.label for button in documents().button] == ["Sign in"]


def test_an_address_stands_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the click that makes the snapshot, and it opens what was frozen."""
    here, ours, _ = frozen(home, Shows.DOCUMENTS)
    signed_in(monkeypatch, ANN)
    app = AppTest.from_function(menu_dialog, args=("hosting.dialogs.share_dialog", "share_dialog"), default_timeout=60)
    app.session_state["workspace.chosen"] = ours
    run_app(app)
    assert not app.code
    app.button[[button.form_id for button in app.button].index("share.snapshot")].click()
    (shown,) = run_app(app).code
    token = shown.value.partition("snapshot=")[2]
    assert here.snapshots.find(token).id == here.snapshots.of(ours, ANN.id)[0].id
    assert [shown.value for shown in run_app(app).code] == [shown.value]
