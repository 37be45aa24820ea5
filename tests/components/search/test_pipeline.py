"""The pipeline strip: what its stages say, and what it does in Chromium."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.config import SearchMode
from chunking.retrieval import Stage
from components.search.pipeline import PHASES, phases
from tests.browser.app import new_tab, put_back
from tests.components.apps.made_search_result import parent_result, search_result


class TestPhases:
    def test_there_are_always_six(self) -> None:
        """In the same order, whatever ran: the strip never changes its shape."""
        for result in (search_result(), parent_result(), search_result(mode=SearchMode.TEXT)):
            assert [row["key"] for row in phases(result)] == [phase.key for phase in PHASES]

    def test_what_did_not_run_is_off_and_says_how_to_turn_it_on(self) -> None:
        """A search of chunks has no second look and merges nothing."""
        rows = {row["key"]: row for row in phases(search_result())}
        assert not rows["rerank"]["on"]
        assert "Turn on" in rows["rerank"]["does"]
        assert not rows["merge"]["on"]
        assert rows["legs"]["on"]

    def test_counts_and_times_are_those_of_the_stages(self) -> None:
        """Each stage stands under its phase; the phases' times add up to the search's."""
        result = parent_result()
        rows = {row["key"]: row for row in phases(result)}
        assert rows["legs"]["facts"] == [("100", "vector", "meaning"), ("34", "full text", "words")]
        assert rows["merge"]["facts"] == [("5", "results", "")]
        assert rows["assemble"]["facts"] == [(f"{result.context.tokens:,}", "tokens", "")]
        assert sum(row["milliseconds"] for row in rows.values()) == pytest.approx(
            sum(stage.milliseconds for stage in result.stages)
        )
        assert sum(len(row["stages"]) for row in rows.values()) == len(result.stages)

    def test_legs_over_several_sizes_are_one_number_a_leg(self) -> None:
        """And each size has its line in the table of every step."""
        stages = (
            Stage("vector", 100, 2.0, "legs"),
            Stage("vector x2", 40, 1.0, "legs"),
            Stage("text summaries", 7, 1.0, "legs"),
            Stage("multi-granularity", 120, 0.1, "fusion"),
        )
        rows = phases(replace(search_result(), stages=stages))
        assert rows[0]["facts"] == [("140", "vector", "meaning"), ("7", "full text", "words")]
        assert [name for name, *_ in rows[0]["stages"]] == ["vector", "vector, 2× chunks", "full text, summaries"]
        assert rows[1]["facts"] == [("120", "multi-granularity", "")]

    def test_a_stage_without_a_name_here_is_named_as_it_is(self) -> None:
        """A new second look needs no change on screen."""
        rows = phases(replace(search_result(), stages=(Stage("colour_match", 9, 1.0, "rerank"),)))
        assert rows[2]["facts"] == [("9", "colour match", "")]


@pytest.fixture
def address(scene_address: str) -> str:
    """Strip and context on a page of their own."""
    return f"{scene_address}/?app=pipeline_app"


@pytest.mark.browser
class TestInChromium:
    def test_every_step_opens_with_the_keyboard(self, address: str, tab: Page) -> None:
        """Seven stages and their sum, of which only the evidence is off; the table is behind one button."""
        tab.goto(address)
        expect(tab.locator(".cell")).to_have_count(8)
        expect(tab.locator(".cell.off .title")).to_have_text(["Evidence"])
        expect(tab.locator(".pipeline table")).to_be_hidden()
        more = tab.get_by_role("button", name="Every step")
        more.press("Enter")
        expect(more).to_have_attribute("aria-expanded", "true")
        expect(tab.locator(".pipeline tr").filter(has_text="query embedded")).to_contain_text("9.0 ms")

    def test_on_a_phone_the_stages_wait_behind_the_sum(self, address: str, browser: Browser) -> None:
        """Hits come first there; nothing is wider than the screen."""
        page = new_tab(browser, width=420)
        page.goto(address)
        expect(page.locator(".cell.sum")).to_be_visible()
        expect(page.locator(".cell").first).to_be_hidden()
        page.get_by_role("button", name="Every step").click()
        expect(page.locator(".cell").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 420
        put_back(page)

    def test_a_segment_leads_to_its_passage_and_text_stays_text(self, address: str, tab: Page) -> None:
        """Widths are shares of the budget; what stands in a document runs nowhere."""
        tab.goto(address)
        segments, passages = tab.locator(".segment"), tab.locator(".context li")
        expect(segments).to_have_count(4)
        expect(passages).to_have_count(4)
        widths = [segment.bounding_box()["width"] for segment in segments.all()]
        tokens = [int(text.split()[0]) for text in tab.locator(".context .head .quiet").all_inner_texts()]
        assert sorted(range(4), key=lambda n: widths[n]) == sorted(range(4), key=lambda n: tokens[n])
        segments.nth(2).press("Enter")
        expect(passages.nth(2)).to_have_class("here")
        assert tab.evaluate("window.broken") is None
        assert tab.locator(".context img, .context script").count() == 0
