"""Text drawn as what it is keeps its exact characters: code in colours, words from right to left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from components.kit.rich_text.code_tokens import KINDS, block_tokens, code_blocks
from tests.browser.app import settled, sound_tab
from tests.components.apps.made_documents import drawn_document
from tests.components.kit.viewer.viewer_tab import ROOT, ready

pytestmark = pytest.mark.browser

_PARTS = f"""() => [...{ROOT}.querySelectorAll('.part')].map((part) => ({{
    text: part.textContent, unit: part.unit, names: part.className, direction: getComputedStyle(part.closest('.line')).unicodeBidi,
    left: part.getBoundingClientRect().left, right: part.getBoundingClientRect().right }}))"""
_SELECT = f"""([from, to]) => {{ const parts = [...{ROOT}.querySelectorAll('.part')];
    const place = (unit) => {{ const part = parts.findLast((one) => one.unit <= unit); return [part.firstChild, unit - part.unit]; }};
    getSelection().setBaseAndExtent(...place(from), ...place(to)); }}"""


@pytest.fixture(scope="module")
def drawn(scene_address: str, browser: Browser) -> Iterator[Page]:
    """The page of drawn_app.py."""
    with sound_tab(browser) as page:
        ready(page, f"{scene_address}/?app=drawn_app")
        yield page


def units(offset: int) -> int:
    """A character's place as browsers count it."""
    return len(drawn_document().text[:offset].encode("utf-16-le")) // 2


def test_every_character_is_there_once(drawn: Page) -> None:
    """Whatever is drawn, the parts one after the other are the text."""
    parts = drawn.evaluate(_PARTS)
    assert "".join(part["text"] for part in parts) == drawn_document().text
    assert [part["unit"] for part in parts] == sorted(part["unit"] for part in parts)


def test_words_of_code_have_their_kind(drawn: Page) -> None:
    """The same spans as the lexer's; nothing else has a colour."""
    document = drawn_document()
    wanted = [(document.text[start:end], f"k-{KINDS[kind]}") for start, end, kind in block_tokens(document.text, code_blocks(document))]
    found = [(part["text"], name) for part in drawn.evaluate(_PARTS) for name in part["names"].split() if name.startswith("k-")]
    assert "".join(text for text, _ in found) == "".join(text for text, _ in wanted)
    assert {name for _, name in found} == {name for _, name in wanted}


def test_a_hebrew_sentence_is_read_from_right_to_left_and_asked_about_by_its_characters(drawn: Page) -> None:
    """It begins at the right; what is selected in it are its characters in reading order, numbers and Latin names too."""
    text = drawn_document().text
    start, end = text.index("Shutoff valve"), text.index(" מטר")
    parts = drawn.evaluate(_PARTS)
    line = [part for part in parts if units(text.index("המים")) <= part["unit"] < units(text.index("مرحبا") - 1) and part["text"].strip()]
    latin = next(part for part in parts if part["text"].startswith("A file"))
    frame = drawn.locator(".view .shown").bounding_box()
    assert frame
    assert max(part["right"] for part in line) > frame["x"] + frame["width"] - 40  # at the right edge
    assert latin["left"] < frame["x"] + 100
    drawn.evaluate(_SELECT, [units(start), units(end)])
    drawn.locator(".ask").click()
    settled(drawn)
    expect(drawn.get_by_text(f"asked: ({start}, {end})")).to_be_visible()


def test_a_mark_that_turns_the_direction_is_seen_and_turns_nothing(drawn: Page) -> None:
    """The letters behind it stay where they are, in the text as in the outline."""
    parts = drawn.evaluate(_PARTS)
    place = next(number for number, part in enumerate(parts) if "turn" in part["names"])
    before, mark, after = parts[place - 1 : place + 2]
    assert mark["text"] == "\u202e"
    assert before["right"] <= mark["right"] <= after["left"] + 1
    assert mark["right"] - mark["left"] > 5  # its sign
    expect(drawn.locator(".outline .title", has_text="שלום")).to_have_css("direction", "rtl")
