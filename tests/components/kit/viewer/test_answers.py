"""Answers in the viewer: what the boundaries make of them is seen, said and counted; and a question about selected
text.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from tests.browser.app import settled
from tests.components.apps.made_documents import question_set, scene_document, spans
from tests.components.kit.viewer.viewer_tab import ROOT, after_repaint, ready, set_size

pytestmark = pytest.mark.browser

_PLACE = f"""(unit) => {{
    for (const part of {ROOT}.querySelectorAll('.part')) {{
        const index = unit - part.unit;
        if (index < 0 || index >= part.firstChild.length) continue;
        const range = document.createRange();
        range.setStart(part.firstChild, index); range.setEnd(part.firstChild, index + 1);
        const box = range.getBoundingClientRect();
        return [box.left, box.right, (box.top + box.bottom) / 2]; }} }}"""


@pytest.fixture
def answered(scene_address: str, tab: Page) -> Page:
    """The page with its answers shown."""
    ready(tab, scene_address)
    after_repaint(tab, lambda: tab.get_by_text("show answers").click())
    expect(tab.locator(".fates")).to_be_visible()
    return tab


def fates(tab: Page) -> list[str]:
    """What the line above the text counts."""
    return [re.sub(r"\s+", " ", text).strip() for text in tab.locator("button.fate").all_inner_texts()]


def select(tab: Page, start: int, end: int) -> None:
    """Drag the mouse over characters of the document."""
    text = scene_document().text
    left, _, top = tab.evaluate(_PLACE, len(text[:start].encode("utf-16-le")) // 2)
    _, right, bottom = tab.evaluate(_PLACE, len(text[: end - 1].encode("utf-16-le")) // 2)
    tab.mouse.move(left + 0.5, top)
    tab.mouse.down()
    tab.mouse.move(right - 0.5, bottom, steps=4)
    tab.mouse.up()


def heard(tab: Page) -> Locator:
    """The line of the page that says what was asked about."""
    return tab.get_by_test_id("stMarkdown").filter(has_text="asked:")


def test_answers_are_whole_split_or_lost(answered: Page) -> None:
    """By more than colour: a pattern, a sign in the margin, a count; a split answer says so."""
    document, parts = scene_document(), answered.locator(".view .part.answer")
    for name in ("intact", "split", "missed"):
        drawn = "".join(answered.locator(f".view .part.answer.{name}").all_text_contents())
        expected = {"intact": ["q0"], "split": ["q1"], "missed": ["q2"]}[name]
        assert drawn == "".join(
            answer.text for one in question_set(document).questions if one.id in expected for answer in one.answers
        )
    styles = {
        name: answered.locator(f".part.answer.{name}").first.evaluate("e => getComputedStyle(e).textDecorationStyle")
        for name in ("intact", "split", "missed")
    }
    assert styles == {"intact": "solid", "split": "dashed", "missed": "wavy"}
    assert fates(answered) == ["✓ 2 intact", "✂\ufe0e 1 split", "✕ 1 missed"]
    assert answered.locator(".view .sign:not(.covered)").all_inner_texts() == ["✂\ufe0e", "✕"]  # the worst of a line
    expect(answered.locator(".view .tick.cutting")).to_have_attribute("data-c", "1")
    expect(answered.locator(".view .prefix .cut")).to_contain_text("splits an answer")
    answered.locator(".view .part.answer.split").first.hover()
    expect(answered.locator(".view .tip")).to_contain_text("Answer split between chunks 0 and 1谁在边界上？")
    parts.first.hover()
    expect(answered.locator(".view .tip")).to_contain_text("Answer intact in chunk 0Who is <b>first</b>? 😀")
    assert answered.locator(".view .tip b").count() == 0


def test_answers_follow_the_size_and_only_letters_travel(answered: Page) -> None:
    """A larger chunk makes the split answer intact; nothing of the questions is sent again."""
    received: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: received.append(frame if isinstance(frame, bytes) else frame.encode()))

    answered.on("websocket", listen)
    answered.reload()
    answered.locator(".view[data-rev]").wait_for()
    after_repaint(answered, lambda: answered.get_by_text("show answers").click())
    question = b"Where is the rest?"
    assert sum(question in frame for frame in received) == 1
    set_size(answered, 400)
    assert fates(answered) == ["✓ 3 intact", "✂\ufe0e 0 split", "✕ 1 missed"]
    assert sum(question in frame for frame in received) == 1
    answered.remove_listener("websocket", listen)


def test_the_next_split_answer_is_one_click_or_key_away(answered: Page) -> None:
    """It is brought into sight, marked, and said."""
    answered.set_viewport_size({"width": 1440, "height": 300})
    answered.get_by_role("button", name="1 missed: go to the next").click()
    expect(answered.locator(".view .answer.missed.reached")).to_be_visible()
    expect(answered.locator(".view [aria-live]")).to_contain_text("Answer in no chunk: Where is the rest?")
    answered.locator(".view .scroller").focus()
    answered.keyboard.press("x")
    expect(answered.locator(".view .answer.split.reached").first).to_be_visible()
    expect(answered.locator(".view [aria-live]")).to_contain_text("Answer split between chunks 0 and 1")


def test_selected_text_is_asked_about_in_exact_characters(answered: Page) -> None:
    """Emoji, Chinese, two chunks with a prefix line between them: the selection is sent exactly."""
    document, cut = scene_document(), spans(scene_document(), 120, 30)
    button = answered.locator(".view .ask")
    for start, end in ((19, 39), (85, 108), (int(cut.starts[1]) - 5, int(cut.ends[0]) + 3)):
        expect(button).to_be_hidden()
        select(answered, start, end + (start == 19))
        expect(button).to_be_visible()
        expect(
            answered.locator(".view .tip")
        ).to_be_hidden()  # the pointer is on a chunk, whose card would cover the selection
        assert not heard(answered).get_by_text(f"({start}, {end})").count()  # nothing is sent before it is asked for
        after_repaint(answered, button.click)
        expect(heard(answered)).to_contain_text(re.compile(rf"{start}\D+{end}\b"))
        settled(answered)
    expect(answered.get_by_text(re.compile(r"picked:\s*None"))).to_be_visible()  # selecting picks nothing
    assert document.text[19:39] == document.text[19:40].rstrip()  # white space around is not part of an answer


def test_a_chunk_is_asked_about_with_the_keyboard(answered: Page) -> None:
    """Q asks about the chunk at the cursor."""
    answered.locator(".view .scroller").focus()
    answered.keyboard.press("j")
    answered.keyboard.press("j")
    after_repaint(answered, lambda: answered.keyboard.press("q"))
    cut = spans(scene_document(), 120, 30)
    expect(heard(answered)).to_contain_text(re.compile(rf"{cut.starts[1]}\D+{cut.ends[1]}\b"))
