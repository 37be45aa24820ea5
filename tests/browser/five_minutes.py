"""The five minutes with the guide, from the first page to the export: played without typing, by a test and by a
benchmark.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from playwright.sync_api import Page, expect

from tests.browser.app import LONG, settled, widget

__all__ = ["Numbers", "Played", "play"]


class Numbers(NamedTuple):
    """A configuration's recall in percent and context tokens a question, as a page shows them."""

    recall: float
    tokens: float


@dataclass(frozen=True, slots=True)
class Played:
    """What somebody saw who clicked through the guide."""

    baseline: Numbers
    """What the dial shows of how most people split."""
    better: Numbers
    """The same, two clicks later."""
    recommended: Numbers
    """What Tune shows of the recommended configuration."""
    report: str
    """Text of the report on the last page."""
    ranks: tuple[int | None, int | None]
    """Rank of the hit with the gold answer in each of the two searches; None: it is in none."""
    seconds: float
    """From the first click to the report, what is only read not counted."""
    clicks: int

    @property
    def start(self) -> float:
        """Recall of the baseline."""
        return self.baseline.recall

    @property
    def measured(self) -> float:
        """Recall of the recommended configuration."""
        return self.recommended.recall


def play(page: Page, address: str, look: Callable[[str], None] = lambda _: None) -> Played:
    """Click through all steps.

    Args:
        page: a new tab.
        address: of an app whose workspace is fresh.
        look: called with the name of each step once it is on the screen.
    """
    clicks, seconds, began = 0, 0.0, 0.0
    page.goto(address)
    begin = widget(page, "home-play").get_by_role("button")
    expect(begin).to_be_enabled()
    look("opened")

    def step(number: int) -> None:
        nonlocal clicks, began
        clicks, began = clicks + 1, time.perf_counter()
        (begin if number == 1 else widget(page, f"guide-step-{number}").get_by_role("button").first).click()
        expect(widget(page, f"guide-step-{number}").get_by_test_id("stBaseButton-secondary").first).to_be_visible()

    def there() -> None:
        nonlocal seconds
        seconds += time.perf_counter() - began

    step(1)
    baseline = _dial(page)
    there()
    expect(page.locator(".curve[data-state=done]")).to_have_count(2, timeout=LONG)  # what there is to look at
    look("split")
    step(2)
    page.locator(".card").first.wait_for()
    settled(page)
    there()
    ranks = _answer_rank(page, "this"), _answer_rank(page, "other")
    look("asked")
    step(3)
    better = _dial(page, other=baseline.recall)
    there()
    look("improved")
    step(4)
    widget(page, "tune-verdict").wait_for(timeout=LONG)
    expect(widget(page, "guide-step-5").get_by_role("button").first).to_be_enabled(timeout=LONG)
    expect(widget(page, "tune-progress")).to_have_count(0, timeout=LONG)
    settled(page)
    there()
    shown = re.findall(r"\d[\d.,]*", widget(page, "decision-card-recommended").inner_text())
    recommended = Numbers(_number(shown[0]), _number(shown[1]))
    look("chosen")
    step(5)
    expect(widget(page, "export-download-report")).to_be_visible(timeout=LONG)
    report = page.frame_locator("iframe").last.locator("body").inner_text(timeout=LONG)
    settled(page)
    there()
    look("shipped")
    return Played(baseline, better, recommended, report, ranks, seconds, clicks)


def _dial(page: Page, *, other: float | None = None) -> Numbers:
    """What the dial shows as measured, once it is there, and another recall than before."""
    dial = page.locator(".dial")
    number = dial.locator(".recall .number")
    number.wait_for(timeout=LONG)
    settled(page)
    if other is not None:
        expect(number).not_to_have_text(re.compile(rf"^{other:.1f}"), timeout=LONG)
    expect(dial.locator(".tag")).to_have_class(re.compile("measured"))
    return Numbers(_number(number.inner_text()), _number(dial.locator(".tokens b").inner_text()))


def _answer_rank(page: Page, side: str) -> int | None:
    """Rank of the first card of a search that marks the gold answer."""
    cards = widget(page, f"compare-{side}").locator(".card:has(.snippet.answered mark)")
    return int(cards.first.locator(".rank").inner_text()) if cards.count() else None


def _number(text: str) -> float:
    match = re.search(r"[\d.,]+", text)
    assert match is not None, text
    return float(match.group().replace(",", ""))
