"""Clicks on a page that never comes to rest: each is applied once, in order; so also after a reload and without a
connection.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import new_tab, put_back

pytestmark = pytest.mark.browser

SECTIONS, LETTERS = 12, "ABCDEFGHIJKLMNOPQRST"


@pytest.fixture
def clicks_address(scene_address: str) -> str:
    """The page of clicks_app.py."""
    return f"{scene_address}/?app=clicks_app"


def open_page(tab: Page, address: str) -> Page:
    """The page, once its outline is there."""
    tab.goto(address)
    expect(tab.get_by_text(f"Section {SECTIONS - 1}", exact=True)).to_be_visible()
    return tab


def click(tab: Page, number: int) -> str:
    """Click on the section of an event's number, once; gives what is to be written down."""
    section = str(number * 5 % SECTIONS)
    tab.get_by_text(f"Section {section}", exact=True).click()
    return section


def wait_until_confirmed(tab: Page) -> None:
    """Wait for the server's word on every event, which comes after what the event has drawn."""
    tab.wait_for_function(
        "!Object.values(JSON.parse(sessionStorage.getItem('chunkscope.events') ?? '{}')).flat().length"
    )


def expect_done(tab: Page, clicks: list[str]) -> None:
    """Exactly these are written down."""
    expect(tab.get_by_test_id("stCode").first).to_have_text(" ".join(clicks))


def test_two_hundred_clicks_and_drags(clicks_address: str, tab: Page) -> None:
    """180 fast clicks while a slider is dragged 20 times; the slider's last place counts."""
    open_page(tab, f"{clicks_address}&session=many")
    places = {number: tab.get_by_text(f"Section {number}", exact=True).bounding_box() for number in range(SECTIONS)}
    slider = tab.get_by_role("slider", name="Size")
    clicks = []
    for number in range(180):
        section = number * 5 % SECTIONS
        box = places[section]
        assert box
        tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        clicks.append(str(section))
        if number % 9 == 0:
            slider.fill(str(number))
    expect_done(tab, clicks)
    slider.fill("250")
    expect(tab.get_by_text("size: 251")).to_be_visible()
    expect(tab.locator("[data-pending]")).to_have_count(0)
    wait_until_confirmed(tab)


def test_a_reload_in_the_middle(clicks_address: str, tab: Page) -> None:
    """What the first life of the page could not tell, its second does; what it told is not told again."""
    open_page(tab, f"{clicks_address}&session=reload")
    clicks = [click(tab, number) for number in range(6)]
    tab.reload()
    expect_done(open_page(tab, tab.url), clicks)
    clicks += [click(tab, number) for number in range(6, 9)]
    expect_done(tab, clicks)


def test_without_a_connection(clicks_address: str, own_tab: Page) -> None:
    """Clicks wait, marked, until the server is there again."""
    sockets: list[str] = []
    own_tab.on("websocket", lambda socket: sockets.append(socket.url))
    own_tab.add_init_script(
        "const Real = window.WebSocket; window.all = []; window.WebSocket = class extends Real {"
        " constructor(...given) { super(...given); window.all.push(this); } };"
    )
    open_page(own_tab, f"{clicks_address}&session=offline")
    clicks = [click(own_tab, 0)]
    expect_done(own_tab, clicks)
    own_tab.evaluate("window.all.forEach((socket) => socket.close())")
    clicks += [click(own_tab, number) for number in range(1, 6)]
    expect_done(own_tab, clicks)
    assert len(sockets) > 1
    wait_until_confirmed(own_tab)


def test_two_tabs_have_click_numbers_of_their_own(clicks_address: str, tab: Page) -> None:
    """Each has numbers of its own."""
    other = new_tab(tab.context.browser) if tab.context.browser else None
    assert other
    open_page(tab, f"{clicks_address}&session=two")
    open_page(other, f"{clicks_address}&session=two")
    clicks = []
    for number in range(8):
        page = (tab, other)[number % 2]
        clicks.append(click(page, number))
        expect_done(page, clicks)
    put_back(other)


def test_a_noted_click_is_acted_on_once(clicks_address: str, tab: Page) -> None:
    """The run that is cut short before it comes to the button loses nothing."""
    open_page(tab, f"{clicks_address}&session=once")
    tab.get_by_role("button", name="Once").click()
    expect_done(tab, ["once"])


def test_clicks_in_a_fragment(clicks_address: str, tab: Page) -> None:
    """The run of the fragment is asked for while the page runs, and then a run of the whole page: neither click is
    lost.
    """
    open_page(tab, f"{clicks_address}&session=inside")
    clicks = []
    for number, letter in enumerate(LETTERS):
        tab.get_by_role("button", name=letter.lower(), exact=True).click()
        clicks += [letter, click(tab, number)]
    listed = tab.get_by_test_id("stCode").first
    for letter in LETTERS:
        expect(listed).to_contain_text(letter)
    expect(listed).to_have_text(re.compile(rf"^(\S+ ){{{len(clicks) - 1}}}\S+$"))


@pytest.mark.parametrize("first", ["fragment", "page"])
def test_a_fragment_and_the_page_in_one_moment(first: str, clicks_address: str, tab: Page) -> None:
    """The browser tells of both in one message, as of the fragment alone: a button of the page and a value of it count
    all the same.
    """
    open_page(tab, f"{clicks_address}&session=moment-{first}&calm")
    inside = [".st-key-inside-A button"]
    outside = [".st-key-once button", ".st-key-tick input"]
    for selector in (*inside, *outside):
        tab.locator(selector).wait_for(state="attached")
    order = inside + outside if first == "fragment" else outside + inside
    tab.evaluate("(order) => order.forEach((selector) => document.querySelector(selector).click())", order)
    expect(tab.get_by_text("ticked: True")).to_be_visible()
    expect_done(tab, ["A", "once"])


def test_a_message_that_was_overtaken_takes_nothing_away(clicks_address: str, tab: Page) -> None:
    """Streamlit cleans up after it, and draws the later one some milliseconds after: who clicks between them clicks on
    what is there.
    """
    open_page(tab, f"{clicks_address}&session=overtaken&calm")
    section = tab.get_by_text("Section 3", exact=True)
    root = section.evaluate_handle("(section) => section.getRootNode()")
    data = {
        "doc": "",
        "titles": ["Section 3"],
        "levels": [1],
        "parents": [-1],
        "starts": [0],
        "ends": [9],
        "height": 500,
        "guesses": [],
    }
    tab.evaluate("([root, data]) => chunkscope.mount('outline', {parentElement: root, data})()", [root, data])
    assert section.is_visible()
    root.evaluate("(root) => root.host.remove()")
    tab.wait_for_function("chunkscope.alive.outline === 0")
