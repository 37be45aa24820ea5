"""The page Agents in Chromium: a link of an answer opens the very span, and what an agent calls appears on the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chunking.config import Config
from chunking.indexing import add_files, build_index
from chunking.store import Workspace
from tests.browser.app import running_app, settled
from tests.components.server.agents.agent_client import call
from tests.support.shelf import HANDBOOK, MANUAL
from tests.support.stand_in_model import stand_in_model

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of an app over an English and a Chinese document in chunks that are smaller than the app's own."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "files").mkdir()
    (folder / "files" / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "files" / "manual.md").write_text(MANUAL, encoding="utf-8")
    workspace = Workspace.open(folder / "workspace")
    with stand_in_model():
        add_files(workspace, [folder / "files"])
        build_index(workspace, Config.from_settings({"size": "32", "min_size": "0"}))
    with running_app(folder / "workspace", "serve.py", stand_in=True) as app:
        yield app


def search(address: str, query: str) -> dict[str, Any]:
    """The first hit that an agent gets."""
    reply = call(f"{address}/mcp", "search", {"query": query, "mode": "text", "detail": True})
    hit: dict[str, Any] = reply.result["structuredContent"]["results"][0]
    return hit


@pytest.mark.parametrize("query", ["restore a backup", "人为损坏"])
def test_a_link_opens_the_very_span(address: str, tab: Page, query: str) -> None:
    """Split as the index is, with the chunk picked that was cited, and in view."""
    hit = search(address, query)
    tab.goto(hit["url"])
    settled(tab)
    picked = tab.locator(".view .picked")
    expect(picked.first).to_be_in_viewport()
    shown = "".join("".join(picked.all_inner_texts()).split())
    for line in filter(None, hit["text"].splitlines()):
        assert "".join(line.strip("#>-* ").split()) in shown


def test_a_call_appears_and_another_one_stays_picked(address: str, tab: Page) -> None:
    """In a tab that is open already, within seconds; the keyboard picks."""
    search(address, "restore a backup")
    tab.goto(f"{address}/agents")
    tab.get_by_role("tab", name="Last calls").click()
    settled(tab)
    table = tab.get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    shown = tab.get_by_test_id("stCode").first
    expect(shown).to_contain_text("restore a backup")
    newest = table.locator("tbody tr").first
    expect(newest).to_contain_text("search")
    call(f"{address}/mcp", "toc", {"doc": "handbook"})
    expect(newest).to_contain_text("toc")
    expect(shown).to_contain_text("restore a backup")


def test_a_tool_is_called_by_the_keyboard(address: str, tab: Page) -> None:
    """Enter in the field; the answer cites links into this app."""
    tab.goto(f"{address}/agents")
    tab.get_by_role("tab", name="Try a tool").press("Enter")
    field = tab.get_by_role("textbox", name="Query")
    field.fill("人为损坏")
    field.press("Enter")
    link = tab.get_by_test_id("stMarkdown").get_by_role("link").first
    expect(link).to_be_visible()
    assert str(link.get_attribute("href")).startswith(f"{address}/?doc=manual")
