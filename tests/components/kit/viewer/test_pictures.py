"""Markup that spans lines, and pictures: what is safe is drawn, and every character stays at its place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import settled, sound_tab
from tests.components.apps.made_documents import pictures_document
from tests.components.kit.viewer.viewer_tab import COPY, ROOT, SELECT, ready

pytestmark = pytest.mark.browser

_TEXTS = f"""(selector) => [...{ROOT}.querySelectorAll(selector)].map((part) => part.textContent)"""

_CAPTIONS = f"""() => [...{ROOT}.querySelectorAll('.line.figure')].map((line) =>
    [...line.querySelectorAll('.md-image')].map((part) => part.textContent).join(''))"""


@pytest.fixture
def addresses() -> list[str]:
    """Addresses that the page asked for."""
    return []


@pytest.fixture
def pictures(scene_address: str, browser: Browser, addresses: list[str]) -> Iterator[Page]:
    """The page of drawn_app.py with its pictures."""
    with sound_tab(browser, again=False) as page:
        page.on("request", lambda request: addresses.append(request.url))
        ready(page, f"{scene_address}/?app=drawn_app&case=pictures")
        yield page


def test_emphasis_spans_a_line_end_and_no_paragraph(pictures: Page) -> None:
    """Also in a quote and a list item; a blank line or the next item ends it. No character is lost."""
    assert pictures.evaluate(_TEXTS, ".part.md-strong") == [
        "pump that",
        "stands by the river",
        "over",
        "two lines",
        "that",
        "  goes on",
    ]
    assert pictures.evaluate(_TEXTS, ".part.md-em") == []
    assert "> " in pictures.evaluate(_TEXTS, ".part.hush")
    assert "".join(pictures.evaluate(_TEXTS, ".part")) == pictures_document().text


def test_only_a_modest_picture_in_the_text_is_drawn(pictures: Page, addresses: list[str]) -> None:
    """The others are boxes with their description; nothing is fetched."""
    drawn = pictures.locator(".view .box img")
    expect(drawn).to_have_count(1)
    assert drawn.evaluate(
        "async (node) => { await node.decode(); return [node.naturalWidth, node.naturalHeight]; }"
    ) == [
        64,
        64,
    ]
    captions = pictures.evaluate(_CAPTIONS)
    assert captions == [
        "A pump by the river",
        "Red noise",
        "Huge",
        "Drawn by code",
        "Elsewhere",
        "Not a picture",
    ]
    for caption in captions:
        expect(pictures.locator(".view .box", has_text=caption).first).to_be_visible()
    assert not [address for address in addresses if "example.org" in address]


def test_a_description_is_selected_as_the_text_that_it_is(pictures: Page) -> None:
    """A question about a picture has its exact characters; the address of a drawn one takes no room."""
    text = pictures_document().text
    start = text.index("by the river](")
    end = start + len("by the river")
    units = [len(text[:at].encode("utf-16-le")) // 2 for at in (start, end)]
    pictures.evaluate(SELECT, units)
    pictures.locator(".ask").wait_for()
    assert pictures.evaluate(COPY) == text[start:end]
    pictures.locator(".ask").click()
    settled(pictures)
    expect(pictures.get_by_text(f"asked: ({start}, {end})")).to_be_visible()
    box = pictures.locator(".view .box.drawn-picture").bounding_box()
    end_line = pictures.locator(".view .line", has_text="![Huge]").bounding_box()
    assert box is not None
    assert end_line is not None
    assert 0 <= end_line["y"] - (box["y"] + box["height"]) < 60


def test_the_legend_tells_what_is_in_sight(pictures: Page) -> None:
    """By keys too; it closes with Escape and when the focus leaves it."""
    legend = pictures.locator(".view .legend")
    sign, panel = legend.get_by_role("button"), legend.get_by_role("note")
    expect(panel).to_be_hidden()
    sign.focus()
    pictures.keyboard.press("Enter")
    expect(panel).to_be_visible()
    expect(sign).to_have_attribute("aria-expanded", "true")
    expect(panel.locator(".patch.b")).to_be_visible()
    for absent in (".bracket", ".sign-split", ".pinned-sign", ".hatched"):
        assert panel.locator(absent).count() == 0
    pictures.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(sign).to_be_focused()
    sign.click()
    expect(panel).to_be_visible()
    pictures.locator(".view .scroller").focus()
    expect(panel).to_be_hidden()
