"""The page for agents: what to copy into a client, tools to try, the last calls; and tokens in the dialog over sharing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.agents import FULL_TOOLS
from chunking.deployment import EVERYONE
from chunking.errors import AccessError
from chunking.store import Role, Workspace
from components.agents.client_configs import CLIENTS, Connection
from components.server.agents.call_log import CALLS, RecordedCall
from components.session import identity
from tests.pages.opened import linked, opened, ran, said, went
from tests.pages.team import ANN, BOB, documents, menu_dialog, signed_in, team_of
from tests.support.stored_runs import filled


def codes(app: AppTest) -> list[str]:
    """What can be copied."""
    return [str(one.value) for one in app.code]


def on_tab(name: str, page: AppTest) -> AppTest:
    """The page with another of its tabs open."""
    page.session_state["agents.view"] = name
    return ran(page)


def test_each_client_gets_the_address_of_this_server(indexed: Workspace) -> None:
    """All of them, on one's own machine without a token."""
    app = opened("agents")
    assert not app.error
    for row in CLIENTS:
        app.segmented_control(key="agents.client").set_value(row.name)
        assert any("/mcp" in text for text in codes(ran(app)))
    assert not any("Authorization" in text for text in codes(app))
    app.toggle(key="agents.write").set_value(True)
    assert codes(ran(app))[0].endswith("/mcp?write=1")


@pytest.mark.parametrize("needs_token", [False, True])
def test_what_is_copied_can_be_read(needs_token: bool) -> None:
    """JSON is JSON; a token is named by a variable or asked for, and stands in no file."""
    to = Connection("https://chunks.example.com/mcp", "https://chunks.example.com/mcp/research", needs_token)
    for row in CLIENTS:
        text = row.text(to)
        assert row.where(to)
        if text.startswith("{"):
            assert json.loads(text)
        if row.language == "python":
            compile(text, row.name, "exec")
        if text:
            assert "https://chunks.example.com/mcp" in text
            assert ("Authorization" in text or "authorization" in text) is needs_token


def test_a_tool_is_tried_and_answers_as_to_an_agent(indexed: Workspace) -> None:
    """The answer is the JSON that an agent gets; what does not fit is one sentence."""
    app = on_tab("Try a tool", opened("agents"))
    app.text_input(key="agents.search.query").set_value("gateway")
    app.selectbox(key="agents.search.mode").set_value("text")
    app.button[-1].click()
    ran(app)
    found = json.loads(codes(app)[-1])
    assert found["results"]
    assert set(found["results"][0]) >= {"id", "title", "text", "url"}
    app.text_input(key="agents.search.query").set_value("")
    app.button[-1].click()
    assert len(ran(app).error) == 1


@pytest.mark.parametrize("tool", [tool.name for tool in FULL_TOOLS if tool.name != "search"])
def test_each_tool_has_a_form(indexed: Workspace, tool: str) -> None:
    """Called with nothing in it, it answers or says what it needs."""
    app = on_tab("Try a tool", opened("agents"))
    app.segmented_control(key="agents.tool").set_value(tool)
    ran(app).button[-1].click()
    ran(app)
    assert len(app.error) == (tool != "list_documents")


def test_the_last_calls_are_those_of_the_workspace(indexed: Workspace) -> None:
    """With what they returned and how long they took."""
    app = on_tab("Last calls", opened("agents"))
    assert not app.dataframe
    for uri in (indexed.uri, f"{indexed.uri}-another"):
        CALLS.add(uri, RecordedCall("search", "done", 12.3, 812, 0.0))
    (row,) = ran(app).dataframe[0].value.to_dict("records")
    assert (row["Tool"], row["Tokens"], row["Time"]) == ("search", 812, 12)


def test_who_lost_their_role_sees_no_calls(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says so, as every page does."""
    signed_in(monkeypatch, BOB)
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.seen(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    filled(here.workspaces.place(ours), {"a.md": "# A\n\n" + "Words of a document. " * 20})
    here.workspaces.share(ours, BOB.id, Role.VIEWER, ANN.id)
    CALLS.add(str(here.workspaces.place(ours)), RecordedCall("search", "done", 12.3, 812, 0.0, ours, ANN.id, "t" * 16, "Claude"))
    app = on_tab("Last calls", went(linked(workspace=ours), "agents"))
    (row,) = app.dataframe[0].value.to_dict("records")
    assert (row["Agent"], row["For"]) == ("Claude", ANN.name)
    here.workspaces.unshare(ours, BOB.id, ANN.id)
    ran(app)
    assert not app.dataframe
    assert app.error


def test_a_demo_has_no_page_for_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless its operator says otherwise."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    assert not identity.deployment().settings.answers_agents
    monkeypatch.setenv("CHUNKSCOPE_AGENTS", "on")
    identity._deployment.cache_clear()
    assert identity.deployment().settings.answers_agents
    monkeypatch.undo()
    identity._deployment.cache_clear()


def shared_dialog() -> AppTest:
    """The dialog over sharing, as a page."""
    return AppTest.from_function(menu_dialog, args=("share_dialog", "share_dialog"), default_timeout=60)


def test_a_token_is_shown_once_to_who_makes_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens the workspace; another session sees that it is there, and not what it is; a click revokes it."""
    signed_in(monkeypatch, ANN)
    assert not documents().error
    here = team_of(home)
    (ours,) = here.workspaces.of(ANN.id)
    app = ran(shared_dialog())
    next(one for one in app.text_input if one.placeholder.startswith("Claude")).set_value("Claude")
    next(one for one in app.button if "token" in one.label).click()
    ran(app)
    (token,) = (text for text in codes(app) if text.startswith("csk_"))
    found = here.agent_tokens.find(token)
    assert (found.workspace, found.person, found.role, found.used) == (ours.id, ANN.id, Role.VIEWER, None)
    other = ran(shared_dialog())
    assert "Claude" in said(other)
    assert not [text for text in codes(other) if text.startswith("csk_")]
    other.button(key=f"share.agent.{found.id}").click()
    other.run()
    with pytest.raises(AccessError):
        here.agent_tokens.find(token)


def test_a_viewer_is_offered_a_viewers_token(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And no more; also who is there by everyone's role."""
    here = team_of(home)
    for person in (ANN, BOB):
        here.people.seen(person)
    ours = here.workspaces.create("Contracts", ANN.id)
    here.workspaces.share(ours, EVERYONE, Role.VIEWER, ANN.id)
    signed_in(monkeypatch, BOB)
    app = shared_dialog()
    app.session_state["workspace.chosen"] = ours
    roles: list[Any] = next(one for one in ran(app).selectbox if "agent" in one.label).options
    assert len(roles) == 1
