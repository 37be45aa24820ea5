"""The Agents page: client configurations, tools to try, the last calls; tokens when sharing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.agents import FULL_TOOLS
from chunking.parsing import parse
from chunking.store import Workspace
from components.agents.connect_panel import CLIENTS, Connection
from components.server.agents.call_log import CALLS, keep_texts
from tests.pages.agents_page import call, codes, on_tab
from tests.pages.app_session import open_page, run_app


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The app's workspace has no document; nobody offers it the samples."""
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "workspace"))
    emptied = Workspace.open(tmp_path / "workspace")
    emptied.put_document(parse(b"Words.", "a.md"))
    emptied.delete_documents(["a"])
    return tmp_path / "workspace"


def test_each_client_gets_the_address_of_this_server(indexed: Workspace) -> None:
    """All of them, on one's own machine without a token."""
    app = open_page("agents")
    assert not app.error
    for row in CLIENTS:
        app.segmented_control(key="agents.client").set_value(row.name)
        assert row.name == "ChatGPT" or any("mcp" in text for text in codes(run_app(app)))
    assert not any("Authorization" in text for text in codes(app))
    app.toggle(key="agents.write").set_value(True)
    assert codes(run_app(app))[0].endswith("/mcp?write=1")
    app.segmented_control(key="agents.client").set_value("Claude Desktop")
    assert "--write" in json.loads(codes(run_app(app))[0])["mcpServers"]["chunkscope"]["args"]


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


def test_a_client_that_cannot_connect_gets_a_reason() -> None:
    """Services on the web reach neither this machine nor, with a connector, what needs a token."""
    rows = {row.name: row for row in CLIENTS}
    local = Connection(
        "http://localhost:8501/mcp", "http://localhost:8501/mcp/research", needs_token=False, folder="/w"
    )
    team = Connection("https://chunks.example.com/mcp", "https://chunks.example.com/mcp/research", needs_token=True)
    assert not rows["ChatGPT"].text(local)
    assert not rows["Claude Desktop"].text(team)
    assert all(row.text(local) for name, row in rows.items() if name != "ChatGPT")
    assert all(row.where(to) for row in CLIENTS for to in (local, team))


def test_a_tool_is_tried_and_answers_as_to_an_agent(indexed: Workspace) -> None:
    """The answer is the JSON that an agent gets; what does not fit is one sentence."""
    app = on_tab("Try a tool", open_page("agents"))
    app.text_input(key="agents.search.query").set_value("gateway")
    app.selectbox(key="agents.search.mode").set_value("text")
    app.button[-1].click()
    run_app(app)
    shown_tools = json.loads(codes(app)[-1])
    assert shown_tools["results"]
    assert set(shown_tools["results"][0]) >= {"id", "title", "text", "url"}
    app.text_input(key="agents.search.query").set_value("")
    app.button[-1].click()
    assert len(run_app(app).error) == 1


@pytest.mark.parametrize("tool", [tool.name for tool in FULL_TOOLS if tool.name != "search"])
def test_each_tool_has_a_form(indexed: Workspace, tool: str) -> None:
    """Its first call answers, or says what it needs; nothing is deleted by one click."""
    app = on_tab("Try a tool", open_page("agents"))
    app.segmented_control(key="agents.tool").set_value(tool)
    run_app(app).button[-1].click()
    run_app(app)
    assert len(app.error) == (tool in {"evaluate", "collect", "delete"})
    assert codes(app)[0].startswith(tool)
    assert len(indexed.documents()) == 1


def test_documents_are_deleted_by_a_tick_and_a_click(indexed: Workspace) -> None:
    """As an agent with the right to write would."""
    indexed.put_document(parse(b"# Note\n\nThe gateway sleeps.", "note.md"))
    app = on_tab("Try a tool", open_page("agents"))
    app.segmented_control(key="agents.tool").set_value("delete")
    gone, stays = (row.doc_id for row in indexed.documents())
    run_app(app).multiselect(key="agents.delete.ids").set_value([gone])
    app.checkbox(key="agents.sure").set_value(True)
    app.button[-1].click()
    assert not run_app(app).error
    assert [row.doc_id for row in indexed.documents()] == [stays]


def test_what_a_search_found_can_be_fetched(indexed: Workspace) -> None:
    """Ids of an answer are offered to the next tool, as an agent passes them on."""
    app = on_tab("Try a tool", open_page("agents"))
    app.text_input(key="agents.search.query").set_value("gateway")
    app.selectbox(key="agents.search.mode").set_value("text")
    app.button[-1].click()
    first = json.loads(codes(run_app(app))[-1])["results"][0]
    app.segmented_control(key="agents.tool").set_value("fetch")
    assert run_app(app).selectbox(key="agents.fetch.id").options[0] == first["title"]
    app.button[-1].click()
    assert json.loads(codes(run_app(app))[-1])["id"] == first["id"]


def test_hostile_names_stay_text(workspace: Path) -> None:
    """In what can be opened, in a refusal, in a field; Chinese and Arabic too."""
    hostile = '<img src=x onerror="alert(1)"> [me](javascript:alert(1)) $x$'
    document = parse("# 网关 مرحبا\n\nThe gateway restarts.".encode(), "a.md")
    Workspace.open(workspace).put_document(replace(document, title=hostile))
    app = on_tab("Try a tool", open_page("agents"))
    app.text_input(key="agents.search.query").set_value("gateway")
    app.button[-1].click()
    shown = [str(one.value) for one in run_app(app).markdown if "open_in_new" in str(one.value)]
    assert len(shown) == 1
    assert shown[0].count("<") == shown[0].count("\\<")
    assert "](javascript" not in shown[0]
    app.segmented_control(key="agents.tool").set_value("toc")
    field = run_app(app).selectbox(key="agents.toc.doc")
    field.options.append(f"{hostile}!")
    field.set_value(f"{hostile}!")
    app.button[-1].click()
    assert len(run_app(app).error) == 1
    assert "](javascript" not in app.error[0].value
    assert app.error[0].value.count("<") == app.error[0].value.count("\\<")


def test_the_last_calls_are_those_of_the_workspace(indexed: Workspace) -> None:
    """Calls show what they returned and their time; a picked one stays picked when more come."""
    app = on_tab("Last calls", open_page("agents"))
    assert not app.dataframe
    for uri in (indexed.uri, f"{indexed.uri}-another"):
        CALLS.add(uri, call(keep_texts({"query": "gate"}, '{"results": []}')))
    (row,) = run_app(app).dataframe[0].value.to_dict("records")
    assert (row["Tool"], row["Tokens"], row["Time (ms)"], row["Returned"]) == ("search", 812, 12, "5 results")
    assert codes(app) == ['search {"query": "gate"}', '{\n  "results": []\n}']
    CALLS.add(indexed.uri, call(keep_texts({"query": "later"}, '{"results": []}')))
    rows = run_app(app).dataframe[0].value.to_dict("records")
    assert [one["●"] for one in rows] == ["", "●"]
    assert "gate" in codes(app)[0]


def test_texts_of_a_call_go_with_the_documents(indexed: Workspace) -> None:
    """A document that is deleted is quoted no longer."""
    CALLS.add(indexed.uri, call(keep_texts({"query": "gate"}, "Words of a document.")))
    app = on_tab("Last calls", open_page("agents"))
    assert codes(app)
    indexed.delete_documents([indexed.documents()[0].doc_id])
    assert not codes(run_app(app))
    assert len(app.dataframe) == 1


@pytest.mark.parametrize("tab", ["Connect", "Try a tool", "Last calls"])
def test_an_empty_workspace_says_what_comes_first(workspace: Path, tab: str) -> None:
    """A way to the page that adds documents, then to the one that builds the index."""
    assert links(on_tab(tab, open_page("agents"))) == ["documents"]
    Workspace.open(workspace).put_document(parse(b"# A\n\nThe gateway restarts.", "a.md"))
    assert links(on_tab(tab, open_page("agents"))) == ["index"]


def links(app: AppTest) -> list[str]:
    """Pages that the page leads to."""
    return [str(one.proto.page) for one in app.get("page_link")]


def test_an_index_that_is_out_of_date_is_reported(indexed: Workspace) -> None:
    """With the way to the page that builds it."""
    assert not links(open_page("agents"))
    indexed.put_document(parse(b"# Note\n\nThe gateway sleeps.", "note.md"))
    assert links(open_page("agents")) == ["index"]
