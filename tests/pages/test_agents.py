"""The page for agents: what to copy into a client, tools to try, the last calls."""

from __future__ import annotations

import json

import pytest

from chunking.agents import FULL_TOOLS
from chunking.store import Workspace
from components.agents.client_configs import CLIENTS, Connection
from components.server.agents.call_log import CALLS, RecordedCall
from tests.pages.agents_page import codes, on_tab
from tests.pages.opened import opened, ran


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
