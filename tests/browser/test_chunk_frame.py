"""`show_chunks` in a host that draws: the app's viewer in a sandboxed frame, driven by the protocol of MCP Apps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from playwright.sync_api import Browser, FrameLocator, Page, expect

from chunking.agents import AppAddress, Toolbox
from chunking.agents.mcp import build_server
from chunking.config import Config
from chunking.indexing import add_files, build_index
from chunking.store import Workspace
from tests.browser.app import sound_tab
from tests.support.event_loop import run_in_thread
from tests.support.shelf import HANDBOOK, MANUAL
from tests.support.stand_in_model import stand_in_model

pytestmark = pytest.mark.browser

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
HOSTILE = "<img src=x onerror=parent.pwned=1><script>alert(1)</script>"
_HOST = """<!doctype html><meta charset="utf-8"><body><script>
const told = [], opened = [], theme = %s, result = %s, width = %s;
const frame = document.body.appendChild(document.createElement("iframe"));
Object.assign(frame, { width, height: 520, srcdoc: %s });
frame.sandbox = "allow-scripts";
const post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
addEventListener("message", ({ data }) => {
  told.push(data.method);
  if (data.method === "ui/initialize")
    post({ id: data.id, result: { protocolVersion: "2026-01-26", hostContext: { theme } } });
  if (data.method === "ui/notifications/initialized") post({ method: "ui/notifications/tool-result", params: result });
  if (data.method === "ui/open-link") { opened.push(data.params.url); post({ id: data.id, result: {} }); }
  if (data.method === "ui/notifications/size-changed") frame.height = data.params.height;
});
</script>"""


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    """Of a workspace with an English and a Chinese document in small chunks."""
    folder = tmp_path_factory.mktemp("frame")
    (folder / "files").mkdir()
    (folder / "files" / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "files" / "manual.md").write_text(f"😀 {MANUAL}", encoding="utf-8")
    with stand_in_model():
        workspace = Workspace.open(folder / "workspace")
        add_files(workspace, [folder / "files"])
        build_index(workspace, Config.from_settings({"size": "32", "min_size": "0"}))
        yield Toolbox(lambda: workspace, AppAddress("http://127.0.0.1:8501"))


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A tab that ends without an error in its page."""
    with sound_tab(browser, again=False) as page:
        yield page


def _answer(toolbox: Toolbox, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The answer as the host passes it to the frame, and the page that the tool names."""

    async def main() -> tuple[dict[str, Any], str]:
        async with Client(build_server(lambda context: toolbox)) as client:
            (tool,) = [one for one in (await client.list_tools()).tools if one.name == "show_chunks"]
            answer = await client.call_tool("show_chunks", arguments)
            (page,) = (await client.read_resource(tool.meta["ui"]["resourceUri"])).contents
            return answer.model_dump(mode="json", by_alias=True, exclude_none=True), page.text

    return run_in_thread(main)


def _shown(
    tab: Page, place: Path, answer: dict[str, Any], page: str, theme: str = "light", width: int = 700
) -> FrameLocator:
    guarded = page.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{_POLICY}">', 1)
    texts = [json.dumps(one).replace("</", "<\\/") for one in (theme, answer, width, guarded)]
    file = place / "host.html"
    file.write_text(_HOST % tuple(texts), encoding="utf-8")
    tab.goto(file.as_uri())
    return tab.frame_locator("iframe")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_host_draws_the_chunks_and_the_hits(toolbox: Toolbox, tab: Page, tmp_path: Path, theme: str) -> None:
    """Under a policy that lets nothing be fetched, in a sandbox of another origin; the host learns the size."""
    answer, page = _answer(toolbox, {"doc": "handbook", "query": "To restore a backup, stop the service"})
    frame = _shown(tab, tmp_path, answer, page, theme)
    expect(frame.locator(".view .tick").first).to_be_visible()
    expect(frame.locator(".view")).to_contain_text("To restore a backup")
    expect(frame.locator(".view .scroller")).to_be_visible()
    assert frame.locator("html").evaluate("node => node.style.colorScheme") == theme
    assert "ui/notifications/size-changed" in tab.evaluate("told")
    assert answer["structuredContent"]["hits"]


def test_offsets_are_those_of_the_document(toolbox: Toolbox, tab: Page, tmp_path: Path) -> None:
    """Code points, not halves of surrogate pairs: what is drawn of Chinese after an emoji is the text."""
    answer, page = _answer(toolbox, {"doc": "manual"})
    frame = _shown(tab, tmp_path, answer, page)
    for words in ("😀", "净水器说明书", "人为损坏不在保修范围之内。"):
        expect(frame.locator(".view")).to_contain_text(words)


def test_a_narrow_frame_keeps_its_height(toolbox: Toolbox, tab: Page, tmp_path: Path) -> None:
    """A host makes the frame as high as what is drawn; what is drawn is no part of that height, or both would shrink to
    nothing.
    """
    answer, page = _answer(toolbox, {"doc": "handbook"})
    frame = _shown(tab, tmp_path, answer, page, width=360)
    expect(frame.locator(".view .tick").first).to_be_visible()
    tab.wait_for_function("() => told.filter((one) => one?.endsWith('size-changed')).length > 1")
    assert tab.evaluate("() => Number(frame.height)") > 400
    assert frame.locator("html").evaluate("node => node.scrollWidth - node.clientWidth") == 0


def test_a_line_says_what_is_drawn_and_opens_it_in_the_app(toolbox: Toolbox, tab: Page, tmp_path: Path) -> None:
    """By the keyboard too; the host is asked, since nothing in the frame may leave it."""
    answer, page = _answer(toolbox, {"doc": "handbook", "query": "To restore a backup, stop the service"})
    frame = _shown(tab, tmp_path, answer, page)
    head = frame.locator("header")
    expect(head).to_contain_text(str(answer["structuredContent"]["chunks"]))
    expect(head.get_by_role("heading")).to_have_text(answer["structuredContent"]["title"])
    head.get_by_role("button").press("Enter")
    tab.wait_for_function("() => opened.length")
    assert tab.evaluate("opened") == [answer["structuredContent"]["url"]]


def test_a_hostile_title_is_text(toolbox: Toolbox, tab: Page, tmp_path: Path) -> None:
    """Also under no policy of the host's."""
    answer, page = _answer(toolbox, {"doc": "handbook"})
    answer["structuredContent"] |= {"title": HOSTILE, "notes": [HOSTILE], "url": "javascript:alert(1)"}
    frame = _shown(tab, tmp_path, answer, page)
    expect(frame.locator(".view .line").first).to_be_visible()
    expect(frame.locator("header")).to_contain_text("<img")
    assert frame.locator("header img, header script, header button").count() == 0


@pytest.mark.parametrize("arguments", [{"doc": "nobody"}, {"doc": "handbook", "query": "x" * 3_000}])
def test_a_refusal_is_read_in_the_frame(toolbox: Toolbox, tab: Page, tmp_path: Path, arguments: dict[str, str]) -> None:
    """One sentence, and no empty viewer."""
    answer, page = _answer(toolbox, arguments)
    assert answer["isError"]
    frame = _shown(tab, tmp_path, answer, page)
    expect(frame.locator("header")).to_have_text(answer["content"][0]["text"])
    expect(frame.locator("main")).to_be_hidden()
