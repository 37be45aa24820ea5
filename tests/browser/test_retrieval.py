"""Retrieval in a real Chromium: parents with what was found in them, the strip, the context, the map, two searches side
by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.config import Config
from chunking.indexing import build_index
from chunking.parsing import parse_file
from chunking.store import Workspace
from tests.browser.app import ROOT, new_tab, put_back, settled, sound_tab, widget
from tests.browser.shared_app import SharedApp
from tests.support.stand_in_model import stand_in_model

pytestmark = pytest.mark.browser

SAMPLES = ROOT / "sample_data"
QUESTION = "How are gateways updated, and what stops a rollout?"
LEVELS = {
    "size": "100",
    "parent_size": "500",
    "granularities": "2",
    "enrich.summaries": "true",
    "enrich.raptor": "true",
}


@pytest.fixture(scope="module")
def address(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with a handbook and a Chinese manual, in an index of every level and in one of chunks only."""
    folder = tmp_path_factory.mktemp("retrieval") / "workspace"
    workspace = Workspace.open(folder)
    workspace.put_documents(
        [
            parse_file(SAMPLES / source, root=SAMPLES)
            for source in ("handbook/operations-handbook.md", "manual-zh/产品使用手册.md")
        ]
    )
    with stand_in_model():
        build_index(workspace, Config.from_settings({"granularities": "none"}), name="plain")
        build_index(workspace, Config.from_settings(LEVELS), name="levels")
    return app_server.show(folder)


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A new tab; the test fails on any error in the page."""
    with sound_tab(browser, height=1000) as page:
        yield page


def link(address: str, retrieval: str = "chunk", *, query: str = QUESTION, index: str = "levels", **view: str) -> str:
    """A link to a search whose settings are those of the index with every level."""
    return (
        f"{address}/search?{urlencode({**LEVELS, 'q': query, 'index': index, 'search.retrieval': retrieval, **view})}"
    )


def go(tab: Page, address: str) -> None:
    """Open a link and wait for its search."""
    tab.goto(address)
    tab.locator(".pipeline .cell").first.wait_for(state="attached")
    settled(tab)
    expect(tab.get_by_test_id("stException")).to_have_count(0)


def test_child_to_parent_marks_what_was_found(tab: Page, address: str) -> None:
    """The card lists the chunks that were found in the parent; the text marks them inside it; a click on one goes
    there.
    """
    go(tab, link(address, "parent"))
    card = tab.locator(".card").first
    expect(card.locator(".tag.level")).to_have_text("parent")
    fold = card.get_by_role("button", name=re.compile(r"^\d+ of \d+ chunks found$"))
    fold.press("Enter")
    matching, total = map(int, re.findall(r"\d+", fold.inner_text()))
    expect(card.locator(".found li")).to_have_count(matching)
    expect(card.locator(".share i")).to_have_count(total)
    expect(card.locator(".share i.on")).to_have_count(matching)
    expect(tab.locator(".view .part.found").filter(visible=True).first).to_be_visible()
    expect(tab.locator(".view .rank").filter(has_text=re.compile("^1$"))).to_be_visible()
    card.locator(".found .link").last.click()
    settled(tab)
    expect(tab.locator(".card.opened .rank")).to_have_text("1")


def test_auto_merge_puts_a_parent_in_the_place_of_its_chunks(tab: Page, address: str) -> None:
    """Some results are parents with what was found in them, others chunks; the strip says how many came out."""
    go(tab, link(address, "merge", **{"search.k": "10"}))
    expect(tab.locator(".cell").filter(has_text="Parents")).to_contain_text("10 results")
    parents = tab.locator(".card").filter(has=tab.locator(".tag.level"))
    expect(parents.first).to_be_visible()
    assert 0 < parents.count() < tab.locator(".card").count()
    parents.first.get_by_role("button", name=re.compile("chunks found")).click()
    assert parents.first.locator(".found li").count() >= 2


def test_the_waterfall_goes_through_every_step(tab: Page, address: str) -> None:
    """With several sizes and a second look: a row a step, the last one the score on the card."""
    go(tab, link(address, "multi_granularity", **{"search.rerank": "title"}))
    card = tab.locator(".card").first
    card.get_by_role("button", name="Why this hit").click()
    steps = card.locator(".fall tr th:first-child").all_inner_texts()
    assert steps == ["step", "vector", "full text", "2× chunk", "headings", "score"]
    bars = card.locator(".fall .part").evaluate_all("bars => bars.map((bar) => bar.getBoundingClientRect().width)")
    assert len(bars) == len(steps) - 1
    assert max(bars) > 40
    assert card.locator(".fall .total td").last.inner_text() == card.locator(".score b").inner_text()
    expect(tab.locator(".cell").filter(has_text="Reranking")).not_to_have_class(re.compile("off"))


def test_another_search_opens_its_best_hit(tab: Page, address: str) -> None:
    """As the first one did: on its card and in the text, also if the card that was open is among the new ones."""
    go(tab, link(address))
    for rank in (2, 3):
        tab.locator(".card .open").nth(rank - 1).click()
        expect(tab.locator(".card.opened .rank")).to_have_text(str(rank))
        settled(tab)
        field = tab.get_by_role("searchbox").or_(tab.locator("[class*=st-key-search-field] input")).first
        field.fill(f"{QUESTION} Of ring {rank}?")
        field.press("Enter")
        expect(tab).to_have_url(re.compile(f"ring(%20|\\+){rank}"))
        settled(tab)
        expect(tab.locator(".card.opened .rank")).to_have_text("1")
        expect(tab.locator(".card [aria-current=true]")).to_have_count(1)
        assert tab.locator(".list").first.evaluate("list => list.scrollTop") == 0


def test_titles_of_all_pages_are_at_one_height(tab: Page, address: str) -> None:
    """In a row of their own as beside a field, with a result and without."""
    heights: dict[str, int] = {}
    pages = ("documents", "chunks", "index", "search", "search?q=rollout", "evaluate", "tune", "export", "agents")
    for width in (1440, 1366):
        tab.set_viewport_size({"width": width, "height": 900})
        for page in pages:
            tab.goto(f"{address}/{page}")
            settled(tab)
            expect(tab.get_by_test_id("stSkeleton")).to_have_count(0)
            box = tab.locator("h1").first.bounding_box()
            assert box is not None
            heights[f"{page} {width}"] = round(box["y"] + box["height"] / 2)
    assert len(set(heights.values())) == 1, heights


def test_summaries_and_clusters_can_be_read(tab: Page, address: str) -> None:
    """A section's summary leads to the section; the Chinese ones are Chinese."""
    go(tab, link(address, "hierarchical", query="设备安装的安全注意事项有哪些？", **{"search.k": "20"}))
    summary = tab.locator(".card").filter(has=tab.locator(".tag.level", has_text="summary")).first
    expect(summary.locator(".snippet")).to_contain_text(re.compile("[\u4e00-\u9fff]"))
    summary.locator(".open").press("Enter")
    settled(tab)
    expect(summary).to_have_class(re.compile("opened"))
    expect(tab.get_by_test_id("stException")).to_have_count(0)


def test_what_an_index_lacks_leads_to_the_index_page(tab: Page, address: str) -> None:
    """One line, one link; the hits are there all the same."""
    go(tab, link(address, "multi_granularity", index="plain"))
    line = widget(tab, "search-stale")
    expect(line).to_contain_text("holds one granularity")
    expect(tab.locator(".card").first).to_be_visible()
    line.get_by_role("link", name="Go to Index").click()
    expect(tab.get_by_role("heading", name="Index", exact=True)).to_be_visible()


def test_the_context_under_a_budget(tab: Page, address: str) -> None:
    """What is typed is in force: segments, words and the link follow."""
    go(tab, link(address, show="context"))
    expect(tab.locator(".context .words")).to_contain_text("No budget is set")
    field = widget(tab, "context-budget").locator("input")
    field.fill("300")
    field.press("Enter")
    expect(tab.locator(".context .words")).to_contain_text(re.compile(r"of 300 context tokens in \d passages?"))
    expect(tab).to_have_url(re.compile("search.budget=300"))
    settled(tab)
    expect(tab.locator(".context li").first).to_contain_text("[1]")


def test_two_searches_side_by_side(tab: Page, address: str) -> None:
    """What each found alone is told on its cards; a click on a hit of both opens it on both sides; a link restores it
    all.
    """
    go(tab, link(address, "parent", show="compare", **{"with": "index=plain&search.mode=text"}))
    boards = tab.locator(".board")
    expect(boards).to_have_count(2)
    expect(boards.nth(1).locator(".card")).to_have_count(5)
    tags = [boards.nth(side).locator(".tag.note, .tag.only").count() for side in (0, 1)]
    assert tags == [boards.nth(side).locator(".card").count() for side in (0, 1)]
    both = boards.first.locator(".card").filter(has=tab.locator(".tag.note")).first
    rank = re.findall(r"\d+", both.locator(".tag.note").inner_text())[0]
    both.locator(".open").press("Enter")
    expect(boards.nth(1).locator(".card.opened .rank")).to_have_text(rank)
    expect(widget(tab, "compare-summary")).to_contain_text(re.compile(r"◧ \d+ only here · ◨ \d+ only there"))


def test_the_map_and_the_tree(tab: Page, address: str) -> None:
    """Points with the hits among them; the clusters as a tree; both named for who cannot see them."""
    go(tab, link(address, show="map"))
    expect(tab.get_by_test_id("stPlotlyChart").locator(".legend")).to_contain_text("hits, with their ranks")
    expect(tab.get_by_text(re.compile("\\d+ chunks; this plane shows \\d+%"))).to_be_visible()
    tab.get_by_text("Section", exact=True).click()
    expect(tab.get_by_test_id("stPlotlyChart").filter(has_text="Devices in the field")).to_be_visible()
    tab.get_by_text("Summary tree", exact=True).click()
    expect(tab.get_by_text(re.compile(r"\d+ clusters of similar chunks"))).to_be_visible()
    expect(tab.locator(".icicle, .iciclelayer .slice").first).to_be_visible()


def test_every_tab_opens_at_the_first_click_and_outlives_a_page(tab: Page, address: str) -> None:
    """The link follows; another page and back leads to the same look."""
    go(tab, link(address))
    for name in ("Context", "Map", "Compare", "Hits", "Map"):
        tab.get_by_role("tab", name=name).click()
        expect(tab).to_have_url(re.compile(f"show={name.lower()}") if name != "Hits" else re.compile(r"^(?!.*show=)"))
        settled(tab)
        expect(tab.get_by_role("tab", selected=True)).to_have_text(name)
    tab.get_by_role("link", name="Index").first.click()
    expect(tab.get_by_role("heading", name="Index", exact=True)).to_be_visible()
    tab.get_by_role("link", name="Search", exact=True).first.click()
    expect(tab.get_by_role("tab", selected=True)).to_have_text("Map")


def test_every_view_fits_a_phone(browser: Browser, address: str) -> None:
    """Nothing is wider than the screen, in the dark too."""
    page = new_tab(browser, width=420, height=900, colours="dark")
    go(page, link(address, "merge"))
    expect(widget(page, "search-controls")).to_be_hidden()  # folded: hits come first
    widget(page, "search-unfolded").locator("label").click()
    expect(widget(page, "search-controls")).to_be_visible()
    for view in ("Hits", "Context", "Map", "Compare"):
        page.get_by_role("tab", name=view).click()
        expect(page).to_have_url(re.compile(f"show={view.lower()}") if view != "Hits" else re.compile(r"^(?!.*show=)"))
        settled(page)
        expect(page.get_by_role("tab", selected=True)).to_have_text(view)
        assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= 420, view
        expect(page.get_by_test_id("stException")).to_have_count(0)
    put_back(page)
