"""The viewer in a real Chromium: what is drawn is what was cut, and what a person does arrives."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.viewing.messages.packing import pack_json
from tests.browser.app import settled, sound_tab
from tests.components.apps.made_documents import long_document, scene_document, spans
from tests.components.kit.viewer.viewer_tab import ROOT, after_repaint, ready, section_on_top, set_size, top_of

pytestmark = pytest.mark.browser


_DRAWN = f"""() => [...{ROOT}.querySelectorAll('.part')].map((part) => ({{
    text: part.textContent, unit: part.unit, first: +(part.dataset.first ?? -1), last: +(part.dataset.c ?? -1),
    look: part.className,
    hatched: getComputedStyle(part.classList.contains('own') ? part : part.parentNode).backgroundImage }}))"""


@pytest.fixture(scope="module")
def still(scene_address: str, browser: Browser) -> Iterator[Page]:
    """The page as it opens, for tests that only look."""
    with sound_tab(browser) as page:
        ready(page, scene_address)
        yield page


def test_each_band_holds_exactly_its_characters(still: Page) -> None:
    """With emoji, Chinese and Windows line ends, the text between two ticks is the slice of the document."""
    document, parts = scene_document(), still.evaluate(_DRAWN)
    cut = spans(document, 120, 30)
    drawn = ["".join(p["text"] for p in parts if p["first"] <= i <= p["last"]) for i in range(len(cut.starts))]
    assert drawn == [document.text[start:end] for start, end in zip(cut.starts, cut.ends, strict=True)]
    assert "".join(p["text"] for p in parts) == document.text


def test_overlaps_are_hatched_and_nothing_else_is(still: Page) -> None:
    """The hatched text is what two chunks share."""
    document, cut = scene_document(), spans(scene_document(), 120, 30)
    shared = "".join(document.text[start:end] for start, end in zip(cut.starts[1:], cut.ends[:-1], strict=True))
    parts = still.evaluate(_DRAWN)
    assert "".join(p["text"] for p in parts if p["first"] < p["last"]) == shared
    drawn = [p for p in parts if p["text"].strip()]
    assert all(
        ("gradient" in p["hatched"]) == (p["first"] < p["last"])
        for p in drawn
        if "own" in p["look"] or p["first"] == p["last"]
    )


def test_a_document_stays_text_whatever_it_holds(still: Page) -> None:
    """Script and image tags of the document are shown, not run; so are those in a heading, in outline and prefix."""
    expect(still.locator(".view").get_by_text("<script>window.broken = 1</script>").first).to_be_visible()
    assert still.locator(".view img, .view script, .view b, .outline img, .outline b").count() == 0
    assert still.evaluate("window.broken") is None


def test_ticks_number_chunks_and_mark_flags(still: Page) -> None:
    """Each chunk has its number at its start, a flagged one a sign; the tooltip says why, in code points."""
    cut = spans(scene_document(), 120, 30)
    assert still.locator(".view .tick").count() == len(cut.starts)
    assert still.locator(".view .tick.flagged .number").inner_text() == "2▲"
    still.locator(".view .tick.flagged .prefix").hover()
    tip = still.locator(".view .tip")
    expect(tip).to_contain_text("Chunk 2")
    line, box = still.locator(".view .tick.flagged .prefix").bounding_box(), tip.bounding_box()
    assert line is not None
    assert box is not None
    assert (
        box["y"] >= line["y"] + line["height"] or box["y"] + box["height"] <= line["y"]
    )  # the line under the pointer is not covered
    expect(tip).to_contain_text(f"characters {cut.starts[2]}–{cut.ends[2]} (120)")
    expect(tip).to_contain_text("120 tokens with prefix (117 text, 3 prefix)")
    expect(tip).to_contain_text("part of a table")


def test_prefixes_stand_apart_and_can_be_hidden(scene_address: str, tab: Page) -> None:
    """A prefix is a line of its own and no part of the chunk's text."""
    ready(tab, scene_address)
    assert tab.locator(".view .prefix").nth(3).inner_text().endswith("😀 Grüße, 世界 › Windows line ends")
    after_repaint(tab, lambda: tab.get_by_text("show prefixes").click())
    assert tab.locator(".view .prefix").count() == 0


def test_a_click_picks_and_the_pick_keeps_its_place(scene_address: str, tab: Page) -> None:
    """The page hears of the pick; after another cut the same place is picked; an overlap gives the earlier chunk on the
    second click.
    """
    ready(tab, scene_address)
    after_repaint(tab, lambda: tab.locator(".view .prefix").nth(3).click())
    expect(tab.get_by_text(re.compile(r"picked:\s*3\s*at:\s*270"))).to_be_visible()
    assert tab.locator(".view .tick.picked").count() == 1
    set_size(tab, 400)
    expect(tab.get_by_text(re.compile(r"picked:\s*0\s*at:\s*270"))).to_be_visible()
    set_size(tab, 120)
    overlap = tab.locator(".view .part.shared").first
    after_repaint(tab, lambda: overlap.click(position={"x": 4, "y": 8}))
    expect(tab.get_by_text(re.compile(r"picked:\s*1\b"))).to_be_visible()
    after_repaint(tab, lambda: tab.locator(".view .part.shared").first.click(position={"x": 4, "y": 8}))
    expect(tab.get_by_text(re.compile(r"picked:\s*0\b"))).to_be_visible()


def test_keys_move_pick_and_clear(scene_address: str, tab: Page) -> None:
    """j, k and arrows move, Enter picks, Escape clears; what is reached is said aloud."""
    ready(tab, scene_address)
    tab.locator(".view .scroller").focus()
    for key in ("j", "ArrowDown", "j", "k"):
        tab.keyboard.press(key)
    expect(tab.locator(".view .tick.cursor")).to_have_attribute("data-c", "1")
    expect(tab.locator(".view [aria-live]")).to_contain_text("Chunk 1, characters 90–210")
    after_repaint(tab, lambda: tab.keyboard.press("Enter"))
    expect(tab.get_by_text(re.compile(r"picked:\s*1\b"))).to_be_visible()
    after_repaint(tab, lambda: tab.keyboard.press("Escape"))
    expect(tab.get_by_text(re.compile(r"picked:\s*None"))).to_be_visible()


def test_marks_stand_out_and_bands_step_back(scene_address: str, tab: Page) -> None:
    """Hit, neighbour, word and answer spans are drawn at their places, the hit with its rank."""
    ready(tab, scene_address)
    after_repaint(tab, lambda: tab.get_by_text("show marks").click())
    document, cut, parts = scene_document(), spans(scene_document(), 120, 30), tab.evaluate(_DRAWN)
    text = {
        kind: "".join(p["text"] for p in parts if kind in p["look"].split())
        for kind in ("hit", "near", "word", "answer")
    }
    assert text["hit"] == document.text[cut.starts[1] : cut.ends[1]]
    assert text["near"] == document.text[cut.starts[2] : cut.ends[2]]
    assert text["word"] == document.text[2:6]
    assert text["answer"] == document.text[cut.starts[1] + 5 : cut.starts[1] + 20]
    assert tab.locator(".view .rank").all_inner_texts() == ["1"]
    expect(tab.locator(".view")).to_have_class(re.compile("quiet"))


def test_the_text_travels_once_and_a_step_is_small(scene_address: str, own_tab: Page) -> None:
    """A 1 MB document: its text comes in one message; a slider step takes under 60 KB; running the page again sends no
    text.
    """
    received: list[bytes] = []
    text = pack_json(long_document().text).encode()
    own_tab.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(_bytes(frame))))
    ready(own_tab, f"{scene_address}/?case=long")
    assert sum(text in frame for frame in received) == 1
    assert sum(map(len, received)) < len(long_document().text)
    set_size(own_tab, 900)
    received.clear()
    slider = own_tab.locator(".st-key-settings-size input[type=range]")
    after_repaint(own_tab, lambda: slider.press("ArrowRight"))
    assert 0 < sum(map(len, received)) <= 60_000
    after_repaint(own_tab, lambda: own_tab.get_by_role("button", name="run again").click())
    own_tab.get_by_role("link", name="Other").click()
    expect(own_tab.get_by_text("another page")).to_be_visible()
    own_tab.get_by_role("link", name="Workbench").click()
    own_tab.locator(".view[data-rev]").wait_for()
    settled(own_tab)
    assert not any(text in frame for frame in received)


def test_only_what_is_on_screen_is_in_the_page(scene_address: str, tab: Page) -> None:
    """Of a 1 MB document a few screens are drawn, at both ends."""
    ready(tab, f"{scene_address}/?case=long")
    assert sum(len(part["text"]) for part in tab.evaluate(_DRAWN)) < 20_000
    tab.evaluate(f"{ROOT}.querySelector('.scroller').scrollTop = 1e9")
    tab.wait_for_timeout(300)
    assert top_of(tab, long_document(), len(long_document().text) - 1) is not None
    assert sum(len(part["text"]) for part in tab.evaluate(_DRAWN)) < 20_000


def test_the_place_stays_while_boundaries_move(scene_address: str, tab: Page) -> None:
    """The first line on screen stays at its height, whatever the size."""
    ready(tab, f"{scene_address}/?case=long")
    document = long_document()
    tab.locator(".outline").get_by_title("Section 3", exact=True).click()
    tab.wait_for_timeout(300)
    assert section_on_top(tab, document, "Section 3")
    start = next(section.start for section in document.sections if section.title == "Section 3")
    before = top_of(tab, document, start)
    for size in (64, 700, 256):
        set_size(tab, size)
        assert top_of(tab, document, start) == pytest.approx(before, abs=1.5)


def test_a_jump_from_python_scrolls_and_picks(scene_address: str, tab: Page) -> None:
    """`Goto` brings the viewer there and picks the chunk."""
    ready(tab, f"{scene_address}/?case=long")
    tab.get_by_role("button", name="jump to the end").click()
    expect(tab.locator(".view .tick.picked")).to_be_visible()
    last = len(spans(long_document(), 120, 30).starts) - 1
    expect(tab.get_by_text(re.compile(rf"picked:\s*{last}\b"))).to_be_visible()


def _bytes(frame: str | bytes) -> bytes:
    return frame if isinstance(frame, bytes) else frame.encode()


def test_a_setting_that_got_lost_on_its_way_is_sent_again(scene_address: str, own_tab: Page) -> None:
    """A run of the whole page can swallow a value; here the message itself is thrown away, once."""
    own_tab.add_init_script(
        """const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (message) {
            if (window.lose) { window.lose = 0; window.lost = 1; } else send.call(this, message);
        };"""
    )
    ready(own_tab, scene_address)
    own_tab.evaluate("window.lose = 1")
    own_tab.locator(".st-key-settings-size #box").fill("77")
    expect(own_tab.get_by_text(re.compile(r"size:\s*77"))).to_be_visible()
    assert own_tab.evaluate("window.lost") == 1
