"""Measuring in a real Chromium: load the questions, run, read the numbers, open a question that failed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from chunking.parsing import parse_file
from chunking.store import Workspace
from tests.browser.app import ROOT, new_tab, put_back, settled, widget
from tests.browser.shared_app import SharedApp

pytestmark = pytest.mark.browser

SETTINGS = "size=40&search.k=1&search.mode=text"
"""Poor ones, so that something fails."""


@pytest.fixture(scope="module")
def app(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with the FAQ alone: small enough to be measured in seconds."""
    folder = tmp_path_factory.mktemp("evaluating") / "workspace"
    samples = ROOT / "sample_data"
    Workspace.open(folder).put_document(parse_file(samples / "faq" / "faq.txt", root=samples))
    return app_server.show(folder)


def test_from_the_samples_to_a_failed_question_in_its_document(browser: Browser, app: str) -> None:
    """Every step by its button; the link then restores the numbers, on a phone too, where nothing is wider than the screen."""
    tab = new_tab(browser)
    tab.goto(f"{app}/evaluate?{SETTINGS}")
    tab.get_by_role("button", name="Load the sample questions").click()
    expect(tab.get_by_role("tab", name="Questions", exact=True)).to_be_visible()
    settled(tab)
    tab.get_by_role("button", name=re.compile(r"Evaluate these settings on \d+ questions")).click()
    cards = widget(tab, "evaluate-cards")
    expect(cards).to_contain_text(re.compile(r"Recall[\s\S]*\d+\.\d %[\s\S]*\d+\.\d to \d+\.\d %"))
    expect(widget(tab, "evaluate-why").get_by_test_id("stPlotlyChart")).to_be_visible()
    tab.get_by_text("All metrics").click()
    expect(widget(tab, "evaluate-metrics")).to_contain_text("Precision Ω")
    failed = tab.get_by_text(re.compile(r"Not fully found \([1-9]"))
    number = int(re.findall(r"\d+", failed.inner_text())[0])
    failed.click()
    rows = tab.get_by_test_id("stDataFrame").first
    expect(rows.locator("[role=grid]")).to_have_attribute("aria-rowcount", str(number + 1))
    rows.locator(".dvn-scroller").click(position={"x": 15, "y": 90})
    expect(tab.get_by_test_id("stAlert").filter(has_text=re.compile(r"(Outranked|Split)\."))).to_be_visible()
    expect(tab.locator(".view .answer").first).to_be_attached()
    expect(tab).to_have_url(re.compile("run=[0-9a-f]{16}"))
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    link = tab.url
    put_back(tab)
    phone = new_tab(browser, width=420, colours="dark")
    phone.goto(link)
    expect(widget(phone, "evaluate-cards")).to_contain_text("Recall")
    settled(phone)
    assert phone.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= 420
    put_back(phone)
