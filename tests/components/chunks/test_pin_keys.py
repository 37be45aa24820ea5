"""Keys of pins in a real Chromium: a random walk against a model in Python, pressed faster than the server answers."""

from __future__ import annotations

import random
import re
import zlib
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import settled
from tests.support.pin_keys import KEYS, PinKeys, Placed, walked_config, walked_document

pytestmark = pytest.mark.browser

STEPS = 500
_SHOWN = """() => {
    const [[doc, { scene }]] = window.chunkscope.places, { ruler } = scene.source;
    return { pins: scene.pins.map(({ kind, start, end }) => [kind, ruler.toPoint(start), ruler.toPoint(end)]),
             starts: [...scene.bands.starts], cursor: scene.cursor,
             outside: scene.outside < 0 ? null : ruler.toPoint(scene.outside), picked: scene.picked }; }"""
_ROOT = "[...document.querySelectorAll('*')].map((one) => one.shadowRoot).find((root) => root?.querySelector('.view'))"
_POINT_OF = f"""([first, last]) => {{
    const [[, {{ scene }}]] = window.chunkscope.places, {{ ruler }} = scene.source;
    for (const part of {_ROOT}.querySelectorAll('.part')) {{
        const at = ruler.toPoint(part.unit);
        if (at < first || at >= last || !part.textContent.trim()) continue;
        part.scrollIntoView({{ block: 'center' }});
        const box = part.getClientRects()[0];
        if (box?.width > 8) return [box.left + 4, box.top + box.height / 2];
    }}
    return null; }}"""
_SELECT = f"""([start, end]) => {{
    const [[, {{ scene }}]] = window.chunkscope.places, {{ ruler }} = scene.source,
        parts = [...{_ROOT}.querySelectorAll('.part')];
    const place = (point) => {{
        const unit = ruler.toUnit(point), part = parts.findLast((one) => one.unit <= unit);
        return [part.firstChild, Math.min(unit - part.unit, part.firstChild.length)];
    }};
    getSelection().setBaseAndExtent(...place(start), ...place(end));
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))); }}"""


class Walk:
    """The page and the model side by side."""

    def __init__(self, tab: Page, address: str, seed: int) -> None:
        self.tab, self.chance = tab, random.Random(seed)
        self.model = PinKeys(walked_document(seed), walked_config(seed))
        self.done: list[str] = []
        tab.goto(f"{address}/?app=pins_app&seed={seed}")
        tab.locator(".view[data-rev]").wait_for()
        settled(tab)
        tab.locator(".view .scroller").focus()

    def step(self) -> int:
        """Do one thing, or press some keys at once; how many."""
        what = self.chance.random()
        if len(self.model.starts) < 6 and self.model.left_out:  # before nothing is left
            return self.click_out(self.chance.choice(sorted(self.model.left_out))) + self.press("x")
        if what < 0.1:
            return self.click(self.chance.randrange(len(self.model.starts)))
        if what < 0.13 and self.model.left_out:
            return self.click_out(self.chance.choice(sorted(self.model.left_out)))
        if what < 0.18:
            return self.select()
        names = [*KEYS, "ArrowDown", "ArrowUp", "Control+z", "Control+y", "Enter", "Escape"]
        weights = [10, 8, 10, 10, 40, 20, 7, 4, 2, 1]
        keys = self.chance.choices(names, weights, k=self.chance.randint(1, 8))
        if self.chance.random() < 0.3:
            keys += [self.chance.choice([*KEYS])] * 2
        return self.press(*keys)

    def press(self, *keys: str) -> int:
        for key in keys:
            self.tab.keyboard.press(key)
            self.model.press(key)
        self.done.append(" ".join(keys))
        return len(keys)

    def click(self, chunk: int) -> int:
        point = self._point(self.model.own_start(chunk), self.model.ends[chunk])
        if point:
            self.tab.mouse.click(*point)
            self.model.click(chunk)
        self.done.append(f"click {chunk}")
        return 1

    def click_out(self, pin: Placed) -> int:
        point = self._point(pin.start, pin.end) if self.model.owner(pin.start) < 0 else None
        if point:
            self.tab.mouse.click(*point)
            last = [one for one in self.model.pins if one in self.model.left_out and one.start <= pin.start < one.end][
                -1
            ]
            self.model.click_out(last)
        self.done.append(f"click {pin}")
        return 1

    def select(self) -> int:
        """Select a few words, and press a key on them."""
        words = [*re.finditer(r"\w+", self.model.document.text)]
        first = self.chance.randrange(len(words) - 20)
        start, end = words[first].start(), words[first + self.chance.randint(0, 19)].end()
        self.tab.locator(".view .scroller").focus()
        self.tab.evaluate(_SELECT, [start, end])
        self.model.select(start, end)
        self.done.append(f"select {start} {end}")
        return 1 + self.press(*[self.chance.choice([*KEYS])] * self.chance.randint(1, 2))

    def _point(self, start: int, end: int) -> Any:
        return self.tab.evaluate(_POINT_OF, [start, end])

    def compare(self) -> None:
        """Wait until the page has answered all keys, and hold it against the model."""
        expect(self.tab.locator(".view:not([data-waits])")).to_be_attached()
        shown, model = self.tab.evaluate(_SHOWN), self.model
        cursor = model.cursor
        expected = {
            "pins": [[pin.kind.value, pin.start, pin.end] for pin in model.pins],
            "starts": model.starts,
            "cursor": cursor,
            "outside": model.place if cursor < 0 else None,
            "picked": model.owner(model.picked),
        }
        assert shown == expected, self.done[-12:]


@pytest.mark.parametrize("seed", [1, 2])
def test_a_random_walk(scene_address: str, tab: Page, seed: int) -> None:
    """After each handful of keys and clicks, pins, chunks, the cursor and the picked chunk are those of the model."""
    walk, steps = Walk(tab, scene_address, seed), 0
    while steps < STEPS:
        steps += walk.step()
        walk.compare()
    settled(tab)
    expect(tab.get_by_text(f"stored: {len(walk.model.pins)} of", exact=False)).to_be_visible()


@pytest.fixture
def walk(scene_address: str, tab: Page, request: pytest.FixtureRequest) -> Walk:
    """A document that no other test changes."""
    return Walk(tab, scene_address, 100 + zlib.crc32(request.node.name.encode()) % 1_000_000)


@pytest.mark.parametrize("key", KEYS)
def test_the_same_key_takes_back_what_it_did(walk: Walk, key: str) -> None:
    """On the chunk after the one that was clicked, at once and slowly; the selection stays where it was; held down, a
    key acts once.
    """
    walk.click(1)
    walk.press("ArrowDown")
    for presses in (2, 1, 1, 4, 3, 1):
        walk.press(*[key] * presses)
        walk.compare()
    assert walk.model.pins == ()
    for _ in range(5):
        walk.tab.keyboard.down(key)  # the second time and from then on as a key that repeats
    walk.tab.keyboard.up(key)
    walk.model.press(key)
    walk.compare()
    assert len(walk.model.pins) == 1


def test_what_is_left_out_says_so_with_undo(walk: Walk) -> None:
    """By key, by button and by redo; the notice goes with the pin, and with the next one."""
    notice = walk.tab.locator(".view .notice")
    walk.click(2)
    expect(notice).to_be_hidden()
    walk.press("x")
    walk.compare()
    expect(notice).to_contain_text("Left out: ")
    notice.get_by_role("button", name="Undo").click()
    walk.model.press("Control+z")
    walk.compare()
    expect(notice).to_be_hidden()
    walk.press("Control+y")
    walk.compare()
    expect(notice).to_be_visible()
    walk.press("ArrowDown", "s")
    walk.compare()
    expect(notice).to_be_hidden()
    words = re.search(r"(w\d+\W+){4}", walk.model.document.text)
    assert words
    walk.tab.evaluate(_SELECT, [words.start(), words.end()])
    walk.model.select(words.start(), words.end())
    for shown in (True, False):  # the text stays selected, and its buttons at hand
        walk.tab.locator(".view .actions").get_by_role("button", name="Leave out").click()
        walk.model.press("x")
        walk.compare()
        expect(notice).to_be_visible(visible=shown)


def test_keys_in_a_field_are_its_own(walk: Walk) -> None:
    """Letters typed elsewhere set nothing; the cursor is where it was when the text has the keyboard again."""
    walk.click(1)
    walk.press("ArrowDown")
    field = "Object.assign(document.createElement('input'), { id: 'elsewhere' })"
    walk.tab.evaluate(f"() => document.querySelector('[data-testid=stMain]').prepend({field})")
    walk.tab.locator("#elsewhere").focus()
    expect(walk.tab.locator(".view .tick.cursor")).to_have_count(0)
    for key in "skxm":
        walk.tab.keyboard.press(key)
    walk.tab.locator(".view .scroller").focus()
    walk.compare()
    assert walk.model.pins == ()
