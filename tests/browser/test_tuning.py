"""Tuning in a real Chromium: a comparison run, stopped, gone on with, read, looked into, and taken over."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.config import Config
from chunking.evaluation import Answered, AnswerSpan, EvaluationRun, Found, Question, QuestionSet, run_key, save_set
from chunking.evaluation.runs.run import DEPTH, documents_key, model_key
from chunking.model import Document
from chunking.parsing import parse_file
from chunking.store import Workspace
from tests.browser.app import LONG, ROOT, new_tab, put_back, settled, widget
from tests.browser.shared_app import SharedApp

pytestmark = pytest.mark.browser

SAMPLES = ROOT / "sample_data"


@pytest.fixture(scope="module")
def app(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with one document, six unmeasured questions, and twenty that two runs have answered."""
    folder = tmp_path_factory.mktemp("tuning") / "workspace"
    workspace = Workspace.open(folder)
    document = parse_file(SAMPLES / "faq" / "faq.txt", root=SAMPLES)
    workspace.put_document(document)
    lines = [line for line in document.text.splitlines() if len(line) > 60][:6]
    questions = []
    for number, line in enumerate(lines):
        start = document.text.index(line)
        questions.append(
            Question(f"q{number}", line[:50], (AnswerSpan(document.doc_id, start, start + len(line), line),))
        )
    save_set(workspace, QuestionSet("Mine", tuple(questions)))
    put_twenty(workspace, document)
    return app_server.show(folder)


def put_twenty(workspace: Workspace, document: Document) -> None:
    """Two runs on twenty questions, as if they had been measured: 90 % for 300 tokens, 75 % for 100."""
    places = [60 * number for number in range(20)]
    answers = [AnswerSpan(document.doc_id, place, place + 40, document.text[place : place + 40]) for place in places]
    question_set = QuestionSet(
        "Twenty", tuple(Question(f"q{number}", f"Question {number}?", (one,)) for number, one in enumerate(answers))
    )
    save_set(workspace, question_set)
    for size, missed, tokens in (("300", 2, 300), ("100", 5, 100)):
        config = Config.from_settings({"size": size})
        key = run_key(
            documents_key(workspace.documents()), question_set, config, n=5, depth=DEPTH, model=model_key(config)
        )
        starts = [
            place + 40 if number < missed else place for number, place in enumerate(places)
        ]  # a missed one: what stands behind it
        hits = [(Found(document.doc_id, start, start + 40, tokens, start, start + 40),) for start in starts]
        answered = tuple(
            Answered(one.id, some, 0.9, None) for one, some in zip(question_set.questions, hits, strict=True)
        )
        run = EvaluationRun(
            key, "", config, question_set.name, question_set.fingerprint, document.doc_id, answered, 5, DEPTH
        )
        workspace.runs.put({key: run.to_json()})


def chip(tab: Page, key: str, value: str) -> None:
    """Press a value of a setting, and wait until the page knows."""
    tab.locator(f".st-key-tune-values-{key}").get_by_role("button", name=value, exact=True).click()
    settled(tab)


def test_a_comparison_from_its_start_to_the_current_settings(browser: Browser, app: str) -> None:
    """Progress in two tabs, cancel, go on, the front, a question in both runs, and one click to use what was found."""
    tab, other = new_tab(browser), new_tab(browser)
    tab.goto(f"{app}/tune?questions=Mine")
    begin = widget(tab, "tune-start").get_by_role("button")
    expect(begin).to_have_text("Compare 17 configurations")
    for value in ("175", "250"):
        chip(tab, "size", value)
    chip(tab, "overlap", "20%")
    chip(tab, "search-retrieval", "Multi-granularity")
    expect(begin).to_have_text("Compare 4 configurations")  # two sizes, what is in force, and the baseline
    begin.click()
    expect(tab.get_by_role("progressbar")).to_be_visible()
    other.goto(f"{app}/tune?questions=Mine")
    cancel = widget(other, "tune-cancel").get_by_role("button")
    expect(cancel).to_have_count(1)  # while the page runs anew, the one of before still stands there
    cancel.click()
    expect(tab.get_by_text("Cancelled. Finished runs")).to_be_visible()
    tab.get_by_role("button", name="Continue").click()
    expect(widget(tab, "tune-progress")).to_contain_text(re.compile(r"of 24 questions"), timeout=LONG)
    expect(tab.get_by_text(re.compile(r"Done in .*: 4 configurations run"))).to_be_visible(timeout=LONG)

    expect(widget(tab, "decision-card-baseline")).to_contain_text("%")
    expect(widget(tab, "decision-card-recommended")).to_contain_text("6")  # questions: too few to decide
    points = tab.locator(".js-plotly-plot .scatterlayer .point")
    expect(points).to_have_count(4)
    widget(tab, "decision-why").locator("summary").click()
    rows = tab.locator(".board .list .row")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="current")).to_have_class(re.compile("against|picked"))  # what a change would change
    last = rows.filter(has_not_text=re.compile("current|picked")).last
    last.locator("button.vs").click()
    expect(last).to_have_class(re.compile("against"))
    expect(tab.get_by_text(re.compile("No difference|is better")).first).to_be_visible()
    expect(widget(tab, "tune-question").locator(".view[data-rev]")).to_have_count(2)
    expect(widget(tab, "tune-question").locator(".view .answer").first).to_be_visible()

    fresh = rows.filter(has_not_text=re.compile("current|Baseline")).first
    fresh.locator("button.pick").click()
    expect(fresh).to_have_class(re.compile("picked"))
    widget(tab, "tune-use").get_by_role("button").click()
    expect(tab.get_by_text(re.compile("^All pages"))).to_be_visible()
    expect(tab).to_have_url(re.compile(r"[?&]size=(100|300)"))
    for one in (tab, other):
        expect(one.get_by_test_id("stException")).to_have_count(0)
        put_back(one)


def test_twenty_questions_recommend_what_nobody_regrets(browser: Browser, app: str) -> None:
    """The one with 90 %, not the cheaper one with 75 %; for now, with the number of questions that would decide."""
    tab = new_tab(browser)
    tab.goto(f"{app}/tune?questions=Twenty")
    card = widget(tab, "decision-card-recommended")
    expect(card).to_contain_text("90.0")
    expect(card).to_contain_text(re.compile(r"20 questions.*about \d+"))
    expect(card.get_by_role("button")).to_be_visible()
    widget(tab, "decision-why").locator("summary").click()
    first = tab.locator(".board .list .row").first
    expect(first).to_contain_text("recommended for now")
    expect(first).to_contain_text("90.0 %")
    tab.locator(".board .list .row").last.locator("button.vs").click()
    expect(tab.get_by_text("No significant difference.")).to_be_visible()
    expect(tab.get_by_text(re.compile("chance (explains|does not)"))).to_have_count(0)
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    put_back(tab)
