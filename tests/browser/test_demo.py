"""The five-minute demo in a real Chromium: see, drag, pick, jump, upload, index, search, share."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import new_tab, put_back, running_app, settled, unfold, widget

pytestmark = pytest.mark.browser

QUESTION = "What makes a firmware rollout stop by itself?"
CHINESE_QUESTION = "出现错误代码 E34，要怎么解决？"


def painted(page: Page) -> None:
    """Wait until the viewer has drawn and nothing is under way."""
    page.locator(".view[data-rev]").wait_for()
    settled(page)


def chunk_count(page: Page) -> int:
    """The number under "Chunks" beside the text."""
    return int(
        page.get_by_test_id("stMetric")
        .filter(has_text="Chunks")
        .get_by_test_id("stMetricValue")
        .inner_text()
        .replace(",", "")
    )


def eventually(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for a condition that no locator can express."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def first_opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The first page that anybody asks a server for, by a link to it; the workspace is fresh, and the app fills it with
    the samples.
    """
    with running_app(Path(tmp_path_factory.mktemp("app")) / "workspace", "serve.py") as running:
        page = new_tab(browser)
        page.goto(f"{running}/index")
        yield page
        put_back(page)


@pytest.fixture(scope="module")
def address(first_opened: Page) -> str:
    """That app."""
    return first_opened.url.partition("/index")[0]


@pytest.fixture(scope="module")
def indexed(first_opened: Page, address: str) -> str:
    """The app with the index "main", which the samples come with."""
    expect(first_opened.get_by_text(re.compile("Up to date"))).to_be_visible()
    return address


@pytest.fixture(scope="module")
def first_screen(browser: Browser, address: str) -> Iterator[Page]:
    """The app as it opens, for tests that leave its settings alone."""
    page = new_tab(browser)
    page.goto(f"{address}/chunks")
    painted(page)
    yield page
    put_back(page)


def test_a_deep_link_is_framed_on_a_server_that_has_just_started(first_opened: Page) -> None:
    """Streamlit would show the bare page; see components/session/page/page_entry.py."""
    expect(first_opened.get_by_role("link", name="Documents")).to_be_visible()
    expect(first_opened.get_by_role("button", name="Build the index")).to_be_visible()


def test_the_first_screen_shows_the_sample_handbook_cut_into_chunks(first_screen: Page) -> None:
    """Nothing has to be typed or uploaded to see bands over a text."""
    expect(first_screen.get_by_text("Roost Operations Handbook").first).to_be_visible()
    assert first_screen.locator(".view .tick").count() >= 2
    assert chunk_count(first_screen) > 20


def test_the_link_of_the_page_is_copied(first_screen: Page) -> None:
    """With its settings; where the clipboard is refused it stands in a field, selected."""
    page, copy = first_screen, first_screen.locator(".copy-link")
    unfold(page, re.compile("^Advanced"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copy.get_by_role("button").click()
    expect(copy.get_by_role("status")).not_to_be_empty()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    copy.get_by_role("button").click()
    expect(copy.get_by_role("textbox")).to_be_focused()
    assert (
        copy.get_by_role("textbox").evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)")
        == page.url
    )
    expect(copy.get_by_role("button")).to_have_text("Copy link")  # no longer what the first press said
    expect(copy.get_by_role("status")).not_to_be_empty()
    page.reload()
    painted(page)


def test_back_goes_back_one_step(browser: Browser, address: str) -> None:
    """To the document and page before, never to a place of a slider; the settings stay as they are."""
    page = new_tab(browser)
    page.goto(f"{address}/?doc=faq_faq&q=frost")  # the query stands in the address of every page
    painted(page)
    steps = page.evaluate("history.length")
    box = widget(page, "settings-size").get_by_role("textbox")
    for size in ("120", "200"):
        box.fill(size)
        box.press("Enter")
        expect(page).to_have_url(re.compile(f"size={size}"))
        painted(page)
    assert page.evaluate("history.length") == steps
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_role("heading", name="Documents")).to_be_visible()
    settled(page)
    assert page.evaluate("history.length") == steps + 1
    page.go_back()
    painted(page)
    expect(page).to_have_url(re.compile("/chunks[?]doc=faq_faq.*size=200"))
    put_back(page)


def test_the_outline_scrolls_the_text(first_screen: Page) -> None:
    """A click on a section brings its heading to the top of the text, without a trip to the server."""
    first_screen.locator(".outline").get_by_text("Capacity and cost").click()
    expect(first_screen.locator(".view").get_by_text("## Capacity and cost")).to_be_in_viewport()
    first_screen.locator(".view .scroller").evaluate("scroller => scroller.scrollTop = 0")


def test_a_picked_chunk_shows_all_of_itself(first_screen: Page) -> None:
    """Place, size, what the model reads with the prefix apart, and every field: in sight on a laptop, with nothing
    moved for it.
    """
    first_screen.set_viewport_size({"width": 1366, "height": 768})
    text, size = first_screen.locator(".view"), widget(first_screen, "settings-size")
    places = text.bounding_box(), size.bounding_box()
    first_screen.locator(".view .prefix").nth(2).click()
    card = widget(first_screen, "chunk-card")
    expect(card.get_by_role("tab", name="All fields")).to_be_in_viewport()
    assert (text.bounding_box(), size.bounding_box()) == places
    expect(card).to_contain_text("Chunk 2")
    expect(card).to_contain_text("Prefix")
    expect(card).to_contain_text(re.compile(r"characters [\d,]+ to [\d,]+"))
    card.get_by_role("tab", name="All fields").click()
    expect(card).to_contain_text("chunk_id")
    expect(first_screen).to_have_url(re.compile(r"chunk=2"))
    first_screen.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(text.locator(".scroller")).to_be_focused()


def test_dragging_the_size_moves_the_boundaries_and_the_address(page: Page, address: str) -> None:
    """With the keyboard on the slider, as with the mouse: more chunks for a smaller size, and the link says so."""
    page.goto(f"{address}/chunks")
    painted(page)
    before = chunk_count(page)
    revision = page.locator(".view").get_attribute("data-rev")
    slider = widget(page, "settings-size").locator("#slide")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    expect(page.locator(".view")).not_to_have_attribute("data-rev", str(revision))
    expect(page).to_have_url(re.compile(r"size=\d+"))
    settled(page)
    assert chunk_count(page) > before
    knob = slider.bounding_box()
    assert knob is not None
    page.mouse.move(knob["x"] + 40, knob["y"] + knob["height"] / 2)
    page.mouse.down()
    page.mouse.move(knob["x"] + knob["width"] * 0.8, knob["y"] + knob["height"] / 2, steps=8)
    page.mouse.up()
    eventually(lambda: chunk_count(page) < before)


def test_the_outline_follows_a_typed_pattern(page: Page, address: str) -> None:
    """The text is painted first; then the outline lists the sections that the pattern begins, and no more of them are
    awaited.
    """
    page.goto(f"{address}/chunks")
    painted(page)
    first = page.locator(".outline .row").first
    before = first.get_attribute("aria-setsize")
    unfold(page, re.compile("^Advanced"))
    unfold(page, re.compile("^Patterns$"))
    widget(page, "settings-headings_from").locator("textarea").fill("1: ^The")
    expect(first).not_to_have_attribute("aria-setsize", str(before))
    expect(page.locator(".view[data-stale]")).to_have_count(0)


def test_uploads_are_read_and_a_bad_one_says_why(page: Page, address: str) -> None:
    """Several at once: the good ones are added, the bad one has its sentence, and nothing is lost."""
    page.goto(f"{address}/documents")
    settled(page)
    page.locator("input[type=file]").set_input_files(
        [
            {
                "name": "release-notes.md",
                "mimeType": "text/markdown",
                "buffer": b"# Release notes\n\n## 2.4\n\nThe pump got quieter.\n",
            },
            {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""},
            {"name": "picture.md", "mimeType": "text/markdown", "buffer": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8},
        ]
    )
    expect(page.get_by_text("Before adding")).to_be_visible()
    expect(page.get_by_text(re.compile(r"empty\.txt is empty"))).to_be_visible()
    expect(page.get_by_text(re.compile(r"picture\.md "))).to_be_visible()
    page.get_by_role("button", name="Add 1 document").click()
    expect(page.get_by_text(re.compile(r"release-notes\.md: added, "))).to_be_visible()
    page.goto(f"{address}/?doc=release-notes")
    painted(page)
    expect(page.locator(".view").get_by_text("The pump got quieter.")).to_be_visible()
    page.goto(f"{address}/documents?doc=release-notes")
    settled(page)
    page.get_by_role("button", name="Delete …").click()
    page.get_by_role("button", name="Delete it").click()
    expect(page.get_by_role("heading", name="Release notes")).not_to_be_visible()


def test_a_hit_opens_in_its_place_and_says_why(page: Page, indexed: str) -> None:
    """The first hit answers the question; it is marked in the text, and its score is explained."""
    page.goto(f"{indexed}/search")
    page.get_by_placeholder("Ask a question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.locator(".card").first.wait_for()
    settled(page)
    first = page.locator(".card").first
    expect(first).to_contain_text("characters")
    first.get_by_text("Why this hit").click()
    expect(first).to_contain_text(re.compile("cosine", re.IGNORECASE))
    expect(first).to_contain_text("BM25")
    expect(page.locator(".view .rank").filter(has_text="1").first).to_be_visible()
    page.locator(".card .snippet").nth(1).click()
    expect(page.locator(".card").nth(1)).to_have_class(re.compile("opened"))


def test_a_chinese_question_finds_the_chinese_manual(page: Page, indexed: str) -> None:
    """And no note says that the model cannot read it."""
    page.goto(f"{indexed}/search")
    page.get_by_placeholder("Ask a question").fill(CHINESE_QUESTION)
    page.keyboard.press("Enter")
    first = page.locator(".card").first
    first.wait_for()
    expect(first).to_contain_text("E34")
    expect(page.get_by_text(re.compile("cannot read"))).to_have_count(0)


def test_a_link_shows_the_same_in_a_new_session(page: Page, browser: Browser, indexed: str) -> None:
    """Settings, document and chunk; query and index."""
    page.goto(f"{indexed}/?size=120&overlap=15%25&doc=faq_faq&chunk=3")
    painted(page)
    expect(widget(page, "settings-size").locator("#box")).to_have_value("120")
    expect(widget(page, "chunk-card")).to_contain_text("Chunk 3")
    link, count = page.url, chunk_count(page)
    other = new_tab(browser, alone=True)
    other.goto(link)
    painted(other)
    assert chunk_count(other) == count
    other.goto(f"{indexed}/search?q=credit&index=main&search.mode=text")
    expect(other.locator(".card").first).to_be_visible()
    expect(other.get_by_placeholder("Ask a question")).to_have_value("credit")
    other.context.close()


def test_two_tabs_at_once_do_not_disturb_each_other(page: Page, browser: Browser, address: str) -> None:
    """Each session has its own settings over the same documents."""
    page.goto(f"{address}/chunks")
    painted(page)
    count = chunk_count(page)
    other = new_tab(browser)
    other.goto(f"{address}/?size=500")
    painted(other)
    assert chunk_count(other) < count
    page.reload()
    painted(page)
    assert chunk_count(page) == count
    put_back(other)
