"""The five minutes with the guide, from the first page to the export: played without typing, by a test and by a
benchmark.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.browser.app import LONG, settled, widget

__all__ = ["Played", "play"]


@dataclass(frozen=True, slots=True)
class Played:
    """What somebody saw who clicked through the guide."""

    start: float
    """Recall in percent that the dial shows for how most people split."""
    better: float
    """The same, one click later."""
    measured: float
    """Recall in percent of the recommended configuration, on a real index."""
    seconds: float
    """From the address to the recommendation."""
    clicks: int


def play(page: Page, address: str, look: Callable[[str], None] = lambda _: None) -> Played:
    """Click through all steps.

    Args:
        page: a new tab.
        address: of an app whose workspace is fresh.
        look: called with the name of each step once it is on the screen.
    """
    clicks, began = 0, time.perf_counter()
    page.goto(address)
    begin = widget(page, "home-play").get_by_role("button")
    expect(begin).to_be_enabled()
    look("opened")

    def step(number: int) -> None:
        nonlocal clicks
        clicks += 1
        (begin if number == 1 else widget(page, f"guide-step-{number}").get_by_role("button").first).click()
        expect(widget(page, f"guide-step-{number}").get_by_test_id("stBaseButton-secondary").first).to_be_visible()

    step(1)
    start = _dial(page)
    expect(page.locator(".curve[data-state=done]")).to_have_count(2, timeout=LONG)  # what there is to look at
    look("split")
    step(2)
    page.locator(".card").first.wait_for()
    settled(page)
    look("asked")
    step(3)
    better = _dial(page, other=start)
    look("improved")
    step(4)
    widget(page, "tune-verdict").wait_for(timeout=LONG)
    expect(widget(page, "guide-step-5").get_by_role("button").first).to_be_enabled(timeout=LONG)
    seconds = time.perf_counter() - began
    expect(widget(page, "tune-progress")).to_have_count(0, timeout=LONG)
    settled(page)
    first = widget(page, "tune-numbers").get_by_test_id("stMetricValue").first
    measured = _percent(first.inner_text())
    look("chosen")
    step(5)
    expect(page.get_by_role("heading", name="Export")).to_be_visible()
    expect(page.get_by_test_id("stDownloadButton").first).to_be_visible(timeout=LONG)
    settled(page)
    look("shipped")
    return Played(start, better, measured, seconds, clicks)


def _dial(page: Page, *, other: float | None = None) -> float:
    """The recall that the dial shows, once it is there, and another than before."""
    number = page.locator(".dial .recall .number")
    number.wait_for(timeout=LONG)
    settled(page)
    if other is not None:
        expect(number).not_to_have_text(re.compile(rf"^{other:.1f}"), timeout=LONG)
    return _percent(number.inner_text())


def _percent(text: str) -> float:
    match = re.search(r"[\d.]+", text)
    assert match is not None, text
    return float(match.group())
