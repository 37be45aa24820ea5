"""Measuring in a real Chromium: load the questions, run, read the numbers, open a question that failed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from chunking.config import Config
from chunking.evaluation import evaluate, load_set, read_questions, to_csv, to_jsonl, unanswered, unjudged_results
from chunking.indexing import build_index
from chunking.parsing import parse_file
from chunking.store import Workspace
from tests.browser.app import ROOT, new_tab, put_back, settled, widget
from tests.browser.shared_app import SharedApp
from tests.support.stand_in_model import stand_in_model

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
    """Every step by its button; the link then restores the numbers, on a phone too, where nothing is wider than the
    screen.
    """
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
    settled(tab)  # else the fold's rows, as they come, push what is clicked next from under the pointer
    failed = tab.get_by_text(re.compile(r"Not fully found \([1-9]"))
    number = int(re.findall(r"\d+", failed.inner_text())[0])
    failed.click()
    rows = tab.locator("[class*=st-key-evaluate-table]")  # the table of results may be drawn before it
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


QUERIES = (
    "orchard price", "backup", "reset gateway", "warranty", "battery", "radio range",
    "api limit", "add user", "export csv", "frost alarm",
    "language", "firmware", "cancel plan", "frost night", "delete account",
    "login", "penguins", "volcanoes", "submarines", "violins",
)  # fmt: skip
"""The last four are about nothing in the FAQ."""


def test_twenty_queries_labelled_by_keyboard(browser: Browser, app_server: SharedApp, tmp_path: Path) -> None:
    """From a list, stopped after a reload and gone on with, one label taken back; the set measures, is exported and
    comes back.
    """
    workspace, samples = Workspace.open(tmp_path / "workspace"), ROOT / "sample_data"
    document = parse_file(samples / "faq" / "faq.txt", root=samples)
    workspace.put_document(document)
    config = Config.from_settings({"size": "60", "granularities": "none"})
    with stand_in_model():
        build_index(workspace, config, name="main")
    app, tab = app_server.show(tmp_path / "workspace"), new_tab(browser)

    def board(number: int) -> Locator:
        panel = tab.locator(".labelling")
        expect(panel.locator(".facts")).to_contain_text(f"{number} of {len(QUERIES)}")
        return panel

    tab.goto(f"{app}/evaluate")
    tab.get_by_role("button", name="Label queries").click()
    listed = "query\n" + "\n".join(f'"{one}"' for one in (*QUERIES, "  ORCHARD price?"))
    tab.locator("input[type=file]").set_input_files(
        {"name": "log.csv", "mimeType": "text/csv", "buffer": listed.encode()}
    )
    tab.get_by_role("button", name="Begin labelling").click()
    sent = board(1).locator(".passage").count()
    assert sent > 3
    for number in range(1, 11):
        board(number).press("j")  # the second passage answers, the third does not
        for key in ("Space", "3", "n", "Enter"):
            tab.keyboard.press(key)
    expect(board(11)).to_be_visible()
    tab.reload()
    if (
        tab.get_by_role("tab", name="Add questions").count()
        or not tab.get_by_role("button", name="Label queries").count()
    ):
        tab.get_by_role("tab", name="Add questions").click()
    tab.get_by_role("button", name="Label queries").click()
    tab.get_by_role("button", name="Go on").click()
    for number in range(11, 17):
        board(number).press("Space")
        tab.keyboard.press("Enter")
    board(17).press("s")
    board(18).press("u")
    for number in range(17, 21):
        board(number).press("0")
    tab.get_by_role("button", name="Evaluate this set").click()
    expect(tab.get_by_role("tab", name="Questions", exact=True)).to_be_visible()
    settled(tab)

    kept = load_set(workspace, "Real queries").questions
    assert [one.text for one in kept.questions] == list(QUERIES)
    assert [one.unanswerable for one in kept.questions] == [False] * 16 + [True] * 4
    assert all(one.pool and one.pool.depth == 10 and one.pool.configurations == 3 for one in kept.questions)
    assert all(document.text[span.start : span.end] == span.text for one in kept.questions for span in one.answers)
    assert [(len(one.answers), len(one.judged)) for one in kept.questions[:10]] == [(1, 2)] * 10
    with stand_in_model():
        run = evaluate(workspace, kept, config)
    unjudged, without = unjudged_results(run, kept), unanswered(run, kept)
    assert unjudged is not None
    assert without is not None
    assert unjudged.unjudged > 0
    assert without.correct.n == 4
    tab.reload()
    settled(tab)
    expect(widget(tab, "evaluate-unanswered")).to_contain_text(f"{without.right} of 4")
    expect(widget(tab, "evaluate-cards")).to_be_visible()
    expect(tab.get_by_text(f"{unjudged.unjudged} of {unjudged.hits}").first).to_be_visible()
    assert tab.get_by_test_id("stException").count() == 0
    put_back(tab)
    for write in (to_jsonl, to_csv):
        assert (
            read_questions(write(kept, [document]).encode(), "back", [document]).questions.questions == kept.questions
        )
