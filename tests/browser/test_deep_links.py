"""Every page by its address, with settings in it: the browser's console stays empty, and titles stay in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, Route, expect

from chunking.samples import HANDBOOK, SAMPLE_SET
from tests.browser.app import new_tab, running_app, settled, sound_tab

pytestmark = pytest.mark.browser

_DOCUMENT = f"doc={HANDBOOK}"
_QUESTIONS = f"questions={SAMPLE_SET.replace(' ', '+')}"
LINKS = (
    "",
    f"?{_DOCUMENT}&size=120",
    f"documents?{_DOCUMENT}",
    f"chunks?{_DOCUMENT}&overlap=15%25&chunk=4",
    "index?size=260",
    "search?q=frost&show=context",
    f"evaluate?{_QUESTIONS}&size=60",
    f"tune?{_QUESTIONS}",
    f"export?{_QUESTIONS}",
    "agents?size=120",
)
_WATCH = """() => {
    window.tops = [];
    const look = () => {
        const title = document.querySelector("h1");
        if (title?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) {
            const top = Math.round(title.getBoundingClientRect().top);
            if (top !== tops.at(-1)) tops.push(top);
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
"""Notes each height of the title, beginning with the first frame in which it is visible."""
_SCRIPT_OF_HTML = re.compile(r"/static/js/Html\.[^/]*\.js$")
"""Streamlit's, without which `st.html` draws nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app as `make app` starts it, which fills its workspace with the samples."""
    with running_app(Path(tmp_path_factory.mktemp("app")) / "workspace", "serve.py", stand_in=True) as running:
        yield running


@pytest.fixture(scope="module")
def watched(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A tab, and what went wrong in it: errors of its console and of its scripts, refused and failed requests."""
    page, faults = new_tab(browser), list[str]()

    def note_message(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(message.text)

    def note_answer(answer: Response) -> None:
        if answer.status >= 400:
            faults.append(f"{answer.status} {answer.url}")

    def note_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # what a page still asked when the next one was opened
            faults.append(f"{request.failure} {request.url}")

    page.on("console", note_message)
    page.on("response", note_answer)
    page.on("requestfailed", note_failure)
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page, faults
    page.close()


@pytest.mark.parametrize("link", LINKS)
def test_a_link_to_a_page_leaves_no_error(address: str, watched: tuple[Page, list[str]], link: str) -> None:
    """Nothing is asked that is not there, such as Streamlit's own addresses below the page's."""
    page, faults = watched
    faults.clear()
    page.goto(f"{address}/{link}")
    expect(page.get_by_role("link", name="Documents", exact=True)).to_be_visible()
    settled(page)
    assert faults == []


@pytest.mark.parametrize("page", ["", "chunks"])
def test_a_title_stays_where_it_is_drawn_first(browser: Browser, address: str, page: str) -> None:
    """In a browser that has fetched nothing before, and though the script of `st.html` comes after all others."""
    stopped: list[Route] = []
    with sound_tab(browser, again=False, alone=True) as tab:
        tab.add_init_script(f"({_WATCH})()")
        tab.route(_SCRIPT_OF_HTML, lambda route: stopped.append(route))
        tab.goto(f"{address}/{page}")
        expect(tab.locator("h1").first).to_be_visible()
        settled(tab)
        assert tab.get_by_test_id("stHtml").count() == 0
        for route in stopped:
            route.continue_()
        expect(tab.get_by_test_id("stHtml").first).to_be_attached()
        settled(tab)
        tab.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert len(tab.evaluate("tops")) == 1, tab.evaluate("tops")
