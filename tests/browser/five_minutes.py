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

__all__ = ["Numbers", "Played", "Story", "play"]


class Numbers(NamedTuple):
    """A configuration's recall in percent and context tokens a question, as a page shows them."""

    recall: float
    tokens: float


class Story(NamedTuple):
    """The front page's numbers, as it rounds them."""

    baseline: Numbers
    better: Numbers
    token_share: int
    """Context tokens of the default settings in percent of the baseline's."""


@dataclass(frozen=True, slots=True)
class Played:
    """What somebody saw who clicked through the guide."""

    story: Story
    """What the front page shows before the first click."""
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
    waits: tuple[float, ...]
    """Seconds from the click of each step until it stands, what is only read not counted."""

    @property
    def seconds(self) -> float:
        """Seconds of all steps."""
        return sum(self.waits)

    @property
    def clicks(self) -> int:
        """Number of clicks, one a step."""
        return len(self.waits)

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
    waits, began = list[float](), 0.0
    page.goto(address)
    begin = widget(page, "home-play").get_by_role("button")
    expect(begin).to_be_enabled()
    story = _story(page)
    look("opened")

    def step(number: int) -> None:
        nonlocal began
        began = time.perf_counter()
        (begin if number == 1 else widget(page, f"guide-step-{number}").get_by_role("button").first).click()
        expect(widget(page, f"guide-step-{number}").get_by_test_id("stBaseButton-secondary").first).to_be_visible()

    def there() -> None:
        waits.append(time.perf_counter() - began)

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
    return Played(story, baseline, better, recommended, report, ranks, tuple(waits))


def _story(page: Page) -> Story:
    """Read the picture of the front page."""
    numbers = page.locator(".home-found b")
    expect(numbers).to_have_count(2)
    theirs, ours = page.locator(".home-tokens span").all_inner_texts()
    left, right = map(int, numbers.all_inner_texts())
    tokens, _, share = ours.partition("(")
    return Story(Numbers(left, _number(theirs)), Numbers(right, _number(tokens)), round(_number(share)))


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
