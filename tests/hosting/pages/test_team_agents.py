"""Agents in a team: the page for them, and tokens in the dialog over sharing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.deployment import EVERYONE
from chunking.errors import AccessError
from chunking.store import Role
from components.server.agents.call_log import CALLS, RecordedCall, keep_texts
from components.session import host
from hosting.hosted_deployment import HostedDeployment
from tests.hosting.pages.team import ANN, BOB, documents, menu_dialog, signed_in, team_of
from tests.pages.agents_page import call, codes, on_tab
from tests.pages.app_session import go_to, open_link, page_text, run_app
from tests.support.stored_runs import filled


def share_contracts(here: HostedDeployment) -> str:
    """Id of a workspace of Ann's in which Bob is a viewer."""
    for person in (ANN, BOB):
        here.people.record_visit(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    filled(here.workspaces.place(ours), {"a.md": "# A\n\n" + "Words of a document. " * 20})
    here.workspaces.share(ours, BOB.id, Role.VIEWER, ANN.id)
    return ours


def test_only_the_person_an_agent_acts_for_reads_what_it_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others who share the workspace see that it was called."""
    here = team_of(home)
    ours = share_contracts(here)
    number = keep_texts({"query": "secret"}, '{"results": []}')
    CALLS.add(
        str(here.workspaces.place(ours)), call(number, workspace=ours, person=ANN.id, token="t" * 16, agent="Claude")
    )
    for person, reads in ((BOB, False), (ANN, True)):
        signed_in(monkeypatch, person)
        app = on_tab("Last calls", go_to(open_link(workspace=ours), "agents"))
        assert len(app.dataframe) == 1
        assert any("secret" in text for text in codes(app)) is reads


def test_who_lost_their_role_sees_no_calls(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says so, as every page does."""
    signed_in(monkeypatch, BOB)
    here = team_of(home)
    ours = share_contracts(here)
    CALLS.add(
        str(here.workspaces.place(ours)),
        RecordedCall("search", "done", 12.3, 812, 0.0, ours, ANN.id, "t" * 16, "Claude"),
    )
    app = on_tab("Last calls", go_to(open_link(workspace=ours), "agents"))
    (row,) = app.dataframe[0].value.to_dict("records")
    assert (row["Agent"], row["For"]) == ("Claude", ANN.name)
    here.workspaces.unshare(ours, BOB.id, ANN.id)
    run_app(app)
    assert not app.dataframe
    assert app.error


def test_a_demo_has_no_page_for_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless its operator says otherwise."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    assert not host.deployment().settings.answers_agents
    monkeypatch.setenv("CHUNKSCOPE_AGENTS", "on")
    host._host.cache_clear()
    assert host.deployment().settings.answers_agents
    monkeypatch.undo()
    host._host.cache_clear()


def shared_dialog() -> AppTest:
    """The dialog over sharing, as a page."""
    return AppTest.from_function(menu_dialog, args=("hosting.dialogs.share_dialog", "share_dialog"), default_timeout=60)


def test_a_token_is_shown_once_to_who_makes_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens the workspace; another session sees that it is there, and not what it is; a click revokes it."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = team_of(home)
    (ours,) = here.workspaces.of(ANN.id)
    app = run_app(shared_dialog())
    next(one for one in app.text_input if one.placeholder.startswith("Claude")).set_value("Claude")
    next(one for one in app.button if "token" in one.label).click()
    run_app(app)
    (token,) = (text for text in codes(app) if text.startswith("csk_"))
    result = here.agent_tokens.find(token)
    assert (result.workspace, result.person, result.role, result.used) == (ours.id, ANN.id, Role.VIEWER, None)
    other = run_app(shared_dialog())
    assert "Claude" in page_text(other)
    assert not [text for text in codes(other) if text.startswith("csk_")]
    other.button(key=f"share.agent.{result.id}").click()
    other.run()
    with pytest.raises(AccessError):
        here.agent_tokens.find(token)


def test_a_viewer_is_offered_a_viewers_token(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more; also who is there by everyone's role."""
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.record_visit(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    here.workspaces.share(ours, EVERYONE, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = shared_dialog()
    app.session_state["workspace.chosen"] = ours
    roles: list[Any] = next(one for one in run_app(app).selectbox if "agent" in one.label).options
    assert len(roles) == 1
