"""The front page in a real Chromium: its numbers, the way into the guide, and everybody can read it."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from chunking.samples import prepare
from chunking.store import Workspace
from tests.browser.app import new_tab, put_back, settled, widget
from tests.browser.axe_checks import LEVELS, sideways, violations
from tests.browser.shared_app import SharedApp
from tests.support.home_story import EVERY, put_story
from tests.support.stand_in_model import stand_in_model

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app over the samples, with a run of the baseline that missed a quarter, and one that found all."""
    target = Workspace.open(tmp_path_factory.mktemp("home") / "workspace")
    with stand_in_model():
        samples = prepare()
        with target.writer():
            samples.put_into(target)
        put_story(target)
    return app_server.show(target.folder)  # type: ignore[arg-type]


def numbers(tab: Page) -> list[int]:
    """The two large numbers of the picture."""
    return [int(text) for text in tab.locator(".home-found b").all_inner_texts()]


def test_the_story_is_read_and_played(address: str, tab: Page) -> None:
    """In the first window of a laptop; the guide is at its first step one click later, and Back leads here again."""
    tab.set_viewport_size({"width": 1366, "height": 768})
    tab.goto(address)
    expect(tab.locator(".home-example.found mark")).to_be_in_viewport()
    expect(tab.locator(".home-example.missed mark")).to_be_in_viewport()
    left, right = numbers(tab)
    assert left == pytest.approx(100 - 100 / EVERY, abs=1)
    assert right == 100
    assert tab.locator(".home-dots").first.locator("i:not(.lost)").count() == left
    bars = [box["width"] for bar in tab.locator(".home-tokens i").all() if (box := bar.bounding_box())]
    assert f"{round(100 * bars[1] / bars[0])} %" in tab.locator(".home-tokens span").last.inner_text()
    play = widget(tab, "home-play").get_by_role("button")
    play.focus()
    tab.keyboard.press("Enter")
    expect(widget(tab, "guide-step-1").get_by_test_id("stBaseButton-secondary")).to_be_visible()
    expect(tab).to_have_url(re.compile("/chunks[?]"))
    tab.locator(".view[data-rev]").first.wait_for()
    settled(tab)
    tab.go_back()
    expect(play).to_be_visible()


def test_everybody_can_read_it(address: str, browser: Browser) -> None:
    """In light and dark, and in small windows."""
    tab = new_tab(browser)
    for colours in ("light", "dark"):
        tab.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
        tab.goto(address)
        expect(tab.locator(".home-story")).to_be_visible()
        settled(tab)
        tab.evaluate(AXE_SCRIPT)
        assert violations(tab, {"runOnly": {"type": "tag", "values": LEVELS}}) == []
        assert sideways(tab) == []
    put_back(tab)
