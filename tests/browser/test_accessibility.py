"""Every page for everybody: axe finds nothing of level A or AA, and rows are picked without a mouse."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, expect

from chunking.config import Config
from chunking.evaluation import Answered, AnswerSpan, EvaluationRun, Found, Question, QuestionSet, save_set
from chunking.evaluation.runs.run import DEPTH
from chunking.parsing import parse
from chunking.store import Workspace
from tests.browser.app import LONG, new_tab, put_back, settled
from tests.browser.axe_checks import LEVELS, sideways, violations
from tests.browser.shared_app import SharedApp
from tests.support.stored_runs import put_current_run

pytestmark = pytest.mark.browser

PAGES = (
    "documents?doc=pumps",
    "?doc=pumps&chunk=1&questions=Mine&compare=size%3D16",
    "index",
    "search?q=where+does+the+key+hang",
    "search?q=where+does+the+key+hang&show=context",
    "evaluate?questions=Mine",
    "tune?questions=Mine",
    "export?questions=Mine",
    "agents",
    "",
)


@pytest.fixture(scope="module")
def address(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with two documents, questions on them, and a run that missed one."""
    folder = tmp_path_factory.mktemp("accessible") / "workspace"
    workspace = Workspace.open(folder)
    text = "# Pumps\n\nThe cellar key hangs beside the door.\n\n## Filter\n\n|a|b|\n|-|-|\n|c|4|\n\n```sh\nmake\n```\n"
    pumps = parse(text.encode(), "pumps.md")
    workspace.put_document(pumps)
    workspace.put_document(parse(b"# Wells\n\nThe well is covered in winter.\n", "wells.md"))
    start = text.index("beside")
    gold = AnswerSpan(pumps.doc_id, start, start + 15, text[start : start + 15])
    questions = QuestionSet(
        "Mine", tuple(Question(f"q{number}", f"Where is key {number}?", (gold,)) for number in range(3))
    )
    save_set(workspace, questions)
    answered = tuple(
        Answered(one.id, (Found(pumps.doc_id, start - missed, start + 15 - missed, 9, start, start + 15),), 0.9, None)
        for one, missed in zip(questions.questions, (0, 20, 0), strict=True)
    )
    run = EvaluationRun("", "", Config(), questions.name, questions.fingerprint, pumps.doc_id, answered, 5, DEPTH)
    put_current_run(workspace, questions, run)
    return app_server.show(folder)


def test_every_page_in_light_and_dark(address: str, browser: Browser) -> None:
    """With an index and hits, also in small windows, where nothing scrolls sideways; in dark, where only colours
    differ, the contrasts.
    """
    tab = new_tab(browser)
    tab.goto(f"{address}/index")
    tab.get_by_role("button", name="Build the index").click()
    expect(tab.get_by_text(re.compile(r"Done: \d+ chunks"))).to_be_visible(timeout=LONG)
    wrong: dict[str, list[str]] = {}
    for page in PAGES:
        tab.goto(f"{address}/{page}")
        settled(tab)
        expect(tab.get_by_test_id("stSkeleton")).to_have_count(0)
        expect(tab.get_by_role("heading", level=1)).to_have_count(1)
        tab.evaluate(AXE_SCRIPT)
        wrong[page] = violations(tab, {"runOnly": {"type": "tag", "values": LEVELS}})
        tab.emulate_media(color_scheme="dark")
        expect(tab.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
        settled(tab)
        wrong[f"{page} in small windows"] = sideways(tab)
        wrong[f"{page} in dark"] = violations(tab, {"runOnly": {"type": "rule", "values": ["color-contrast"]}})
        tab.emulate_media(color_scheme="light")
    assert {page: problems for page, problems in wrong.items() if problems} == {}
    put_back(tab)


def test_a_strip_of_sizes_is_no_picture_before_it_is_drawn(address: str, browser: Browser) -> None:
    """A screen reader that comes to it in this moment would find a picture without words."""
    tab = new_tab(browser)
    tab.add_init_script(
        "const soon = requestAnimationFrame; requestAnimationFrame = (call) => (/this.draw/.test(call) ? 0 : "
        "soon(call));"
    )
    tab.goto(f"{address}/{PAGES[1]}")
    sizes = tab.locator(".strip")
    expect(sizes).to_be_visible()
    settled(tab)
    expect(sizes).not_to_have_attribute("role", "img")


def test_rows_are_picked_with_the_arrow_keys(address: str, tab: Page) -> None:
    """A document on Documents, a question on Evaluate."""
    tab.goto(f"{address}/documents")
    settled(tab)
    expect(tab.get_by_role("heading", name="Pumps", level=2)).to_be_visible()
    tab.get_by_test_id("data-grid-canvas").first.press("ArrowDown")
    expect(tab.get_by_role("heading", name="Wells", level=2)).to_be_visible()
    tab.keyboard.press("ArrowUp")
    expect(tab.get_by_role("heading", name="Pumps", level=2)).to_be_visible()

    tab.goto(f"{address}/evaluate?questions=Mine")
    expect(tab.get_by_role("heading", name="Where is key 0", level=2)).to_be_visible()
    settled(tab)
    questions = tab.locator("[class*=st-key-evaluate-table]")  # the table of results may be drawn before it
    questions.get_by_test_id("data-grid-canvas").press("ArrowDown")
    expect(tab.get_by_role("heading", name="Where is key 1", level=2)).to_be_visible()
