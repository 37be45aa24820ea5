"""The outline in a real Chromium: it scrolls the viewer and follows it, with the mouse and with keys."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from components.chunks.outline import guess_sentences
from tests.components.apps.made_documents import guessed_document, long_document
from tests.components.kit.viewer.viewer_tab import ready, section_on_top, set_size

pytestmark = pytest.mark.browser


def test_a_click_scrolls_the_text_and_tells_the_page(scene_address: str, tab: Page) -> None:
    """The section's heading comes to the top of the viewer; Python gets its index."""
    ready(tab, f"{scene_address}/?case=long")
    tab.locator(".outline").get_by_title("Section 6", exact=True).click()
    expect(tab.get_by_text(re.compile(r"section:\s*6"))).to_be_visible()
    assert section_on_top(tab, long_document(), "Section 6")
    expect(tab.locator(".outline .here .title")).to_have_text("Section 6")


def test_the_outline_marks_the_section_scrolled_to(scene_address: str, tab: Page) -> None:
    """Scrolled to the end, the last section is the one marked, and in sight."""
    ready(tab, f"{scene_address}/?case=long")
    tab.locator(".view .scroller").evaluate("(node) => { node.scrollTop = 1e9; }")
    expect(tab.locator(".outline .here .title")).to_have_text(re.compile("Section 99[89]"))
    assert tab.locator(".outline .row").count() < 60


def test_counts_are_the_chunks_that_start_in_a_section(scene_address: str, tab: Page) -> None:
    """They follow the viewer's boundaries."""
    ready(tab, scene_address)
    counts = tab.locator(".outline .count")
    assert counts.all_inner_texts()[0] == "8"
    set_size(tab, 400)
    expect(counts.first).to_have_text("2")


def test_the_filter_finds_sections(scene_address: str, tab: Page) -> None:
    """Typing narrows the tree; Enter goes to the first one found."""
    ready(tab, f"{scene_address}/?case=long")
    box = tab.get_by_label("Filter sections")
    box.fill("section 77")
    assert tab.locator(".outline .row .title").all_inner_texts() == [
        "Section 77",
        *(f"Section 77{n}" for n in range(10)),
    ]
    box.press("Enter")
    expect(tab.get_by_text(re.compile(r"section:\s*77"))).to_be_visible()
    assert section_on_top(tab, long_document(), "Section 77")
    box.fill("no such thing")
    expect(tab.get_by_text("No section has this in its title.")).to_be_visible()


def test_the_tree_is_worked_with_keys(scene_address: str, tab: Page) -> None:
    """Arrows move, open and close; Enter goes there."""
    ready(tab, scene_address)
    tree = tab.get_by_role("tree")
    tree.focus()
    tab.keyboard.press("ArrowLeft")
    assert tab.locator(".outline .row").count() == 1
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    expect(tab.locator(".outline .focus .title")).to_have_text("Second section")
    assert tree.get_attribute("aria-activedescendant") == tab.locator(".outline .focus").get_attribute("id")
    tab.keyboard.press("Enter")
    expect(tab.get_by_text(re.compile(r"section:\s*2"))).to_be_visible()


def test_a_guessed_heading_says_so(scene_address: str, tab: Page) -> None:
    """A sign and a sentence for the pointer, the keyboard and a screen reader; nothing for the heading that the file
    declares.
    """
    ready(tab, f"{scene_address}/?case=guessed")
    rows = tab.locator(".outline .row")
    expect(rows).to_have_count(3)
    (sentence,) = {row.get_attribute("aria-description") for row in rows.all()[1:]}
    assert rows.first.get_attribute("aria-description") is None
    assert sentence == guess_sentences(guessed_document())[1]
    assert [sign.get_attribute("title") for sign in tab.locator(".outline .guess:not(:empty)").all()] == [sentence] * 2
    tip = tab.get_by_role("tooltip")
    tab.get_by_label("Filter sections").press("ArrowDown")
    expect(tip).to_be_hidden()
    tab.keyboard.press("ArrowDown")
    expect(tip).to_have_text(sentence)
    tab.keyboard.press("Tab")
    expect(tip).to_be_hidden()
