"""Building with a language model in a real Chromium: what it would cost, the fall when its server dies, and every page
meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import LONG, new_tab, put_back, settled, unfold, widget
from tests.browser.shared_app import SharedApp
from tests.support.llm_server import KEY, LLMServer, running

pytestmark = pytest.mark.browser

SETTINGS = "prefix=context&parent_size=600&granularities=2&enrich.summaries=true"
SENTENCE = "Tells how a reading gets from the sensor to the chart."


@pytest.fixture(scope="module")
def server() -> Iterator[LLMServer]:
    """A language model on this machine."""
    with running() as started:
        started.answer = SENTENCE
        yield started


@pytest.fixture(scope="module")
def app(app_server: SharedApp, server: LLMServer, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with that server configured, and its prices."""
    priced = {"CHUNKSCOPE_LLM_PRICE_IN": "2", "CHUNKSCOPE_LLM_PRICE_OUT": "8", "CHUNKSCOPE_LLM_RETRIES": "1"}
    return app_server.show(tmp_path_factory.mktemp("building") / "workspace", {**server.environment(), **priced})


def open_index_page(browser: Browser, address: str) -> Page:
    """A tab in which a traceback or a message with the key would be seen."""
    tab = new_tab(browser)
    tab.goto(address)
    settled(tab)
    return tab


def sound(tab: Page) -> None:
    """No traceback, and no key."""
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    assert KEY not in tab.content()


def test_the_bill_stands_there_before_anything_is_sent(browser: Browser, app: str, server: LLMServer) -> None:
    """Requests, tokens, cost and the fallback level; the server is asked only by its button."""
    tab = open_index_page(browser, f"{app}/index?{SETTINGS}&enrich.generator=llm")
    needs = widget(tab, "index-needs")
    expect(needs).to_contain_text("Requests")
    expect(needs).to_contain_text(re.compile(r"≈ \d+\.\d\d"))
    expect(tab.get_by_text("1 Full · requested")).to_be_visible()
    assert not server.requests
    expect(widget(tab, "endpoint-llm")).to_contain_text(f"test-writer at {server.url.split('/')[2]}")
    tab.get_by_role("button", name="Check").click()
    expect(tab.get_by_text("✓ It responds")).to_be_visible()  # the button's help begins with the same words
    assert [request.path.rsplit("/", 1)[-1] for request in server.requests] == ["models"]
    sound(tab)
    put_back(tab)


def test_a_prompt_is_seen_changed_and_put_back(browser: Browser, app: str) -> None:
    """The built-in text stands in a field; the address never has it."""
    tab = open_index_page(browser, f"{app}/index?{SETTINGS}&enrich.generator=llm")
    prompt = tab.get_by_text("Summary prompt: built-in")
    field = tab.get_by_label("Summary prompt", exact=True)
    settled(tab)
    unfold(tab, "Enrichment")
    prompt.click()
    expect(field).to_have_value(re.compile("Summarise the text"))
    field.fill("Say it shortly: {text}")
    field.press("Control+Enter")
    expect(tab.get_by_text("Summary prompt: changed")).to_be_visible()
    settled(tab)
    assert "prompt" not in tab.url
    tab.get_by_role("button", name=re.compile("Restore the built-in")).click()
    expect(tab.get_by_text("Summary prompt: built-in")).to_be_visible()
    sound(tab)
    put_back(tab)


def test_the_server_dies_midway_and_the_page_says_at_which_fallback_level_the_run_went_on(
    browser: Browser, app: str, server: LLMServer
) -> None:
    """Why, what was done instead, and that it can be had again; the card keeps it, and no page has a traceback."""
    tab = open_index_page(browser, f"{app}/index?{SETTINGS}&enrich.generator=llm")
    expect(tab.get_by_role("button", name="Build the index")).to_be_enabled()
    server.die_after(12)
    done = tab.get_by_text(re.compile(r"Done: \d+ chunks"))
    tab.get_by_role("button", name="Build the index").click()
    expect(done).to_be_visible(timeout=LONG)
    notice = tab.get_by_test_id("stAlert").filter(has_text="Built at fallback level 2 of 4, contextual")
    expect(notice).to_contain_text("The LLM endpoint at 127.0.0.1")
    expect(notice).to_contain_text("are cached")
    card = tab.locator("[class*=st-key-index-card]").filter(has_text="main")
    expect(card).to_contain_text("fallback level 2 of 4")
    expect(card).to_contain_text("2 Contextual · built")
    expect(card).to_contain_text("Built at fallback level 2 of 4, contextual, instead of full")
    card.get_by_text("Contents").click()
    expect(card).to_contain_text(
        re.compile(r"[\d,]+ chunks · [\d,]+ chunks at ×2 · [\d,]+ parents · [\d,]+ section summaries")
    )
    expect(card).to_contain_text(re.compile(r"Written: [\d,]+ contexts by rule"))
    expect(widget(tab, "index-needs")).to_contain_text(re.compile(r"Cached\s*\d*[1-9]"))
    sound(tab)
    for page in ("", "chunks", "documents", "search?q=battery"):
        tab.goto(f"{app}/{page}")
        settled(tab)
        sound(tab)
    put_back(tab)


def test_parents_and_the_room_for_a_context_are_seen_while_the_size_changes(browser: Browser, app: str) -> None:
    """Brackets next to the chunks, their number, and a note in place of a context follow the slider."""
    tab = open_index_page(browser, f"{app}/?{SETTINGS}&doc=handbook_operations-handbook&chunk=4")
    tab.locator(".view[data-rev]").wait_for()
    expect(tab.locator(".view .line.grouped.top").first).to_be_attached()
    expect(tab.locator(".view .prefix").first).to_contain_text("a context, up to")
    expect(widget(tab, "chunk-card")).to_contain_text(
        re.compile(r"Parent \d+: (chunks \d+ to \d+|this chunk alone), characters")
    )
    facts = tab.get_by_text(re.compile(r"⊏ \d+ parents"))
    before = facts.inner_text()
    slider = widget(tab, "settings-size").locator("#slide")
    slider.focus()
    for _ in range(8):
        tab.keyboard.press("ArrowLeft")
    expect(facts).not_to_have_text(before)
    settled(tab)
    tab.get_by_text("Chunks at ×2", exact=True).click()
    expect(tab.get_by_role("radio", name="Chunks at ×2", checked=True)).to_be_visible()
    tip = tab.locator(".view .tip").filter(has_text="×2 chunk")
    while not tip.count():  # a tooltip tells what was drawn when the mouse came
        tab.mouse.move(2, 2)
        tab.locator(".view .number").nth(1).hover()
        tab.wait_for_timeout(100)
    sound(tab)
    put_back(tab)
