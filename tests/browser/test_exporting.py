"""The report in a real Chromium: made on the page, downloaded, and opened with no server and no network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.export import gather, report_html
from tests.browser.app import new_tab, put_back, settled, widget
from tests.browser.shared_app import SharedApp
from tests.support.shelf import SHELF
from tests.support.stored_runs import EVIL, filled, questions_about, run_of, with_runs

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an index, a question set and two runs."""
    place = tmp_path_factory.mktemp("exporting") / "workspace"
    with_runs(filled(place, dict(SHELF)))
    return place


@pytest.fixture(scope="module")
def address(app_server: SharedApp, folder: Path) -> str:
    """The app with that workspace."""
    return app_server.show(folder)


def test_the_downloaded_report_opens_offline(browser: Browser, address: str, tmp_path: Path) -> None:
    """It asks for nothing but itself, says its headline, draws its plots on light and dark paper, and fits a phone."""
    tab = new_tab(browser)
    tab.goto(f"{address}/export?questions=sample")
    settled(tab)
    tab.get_by_role("button", name="Create the report").click()
    expect(tab.get_by_role("button", name="Download report.html")).to_be_visible()
    widget(tab, "export-report-preview").locator("label").click()
    expect(tab.frame_locator("iframe").locator(".card.recommended")).to_be_visible()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download report.html").click()
    download.value.save_as(tmp_path / "report.html")
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download chunks.jsonl").click()
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith('{"chunk_id"')
    put_back(tab)
    for width, colours in ((1440, "light"), (420, "dark")):
        asked_for, errors = open_export(browser, tmp_path / "report.html", width, colours)
        assert asked_for == [(tmp_path / "report.html").as_uri()]
        assert errors == []


def open_export(browser: Browser, file: Path, width: int, colours: str) -> tuple[list[str], list[str]]:
    """The addresses that a report asks for and the errors it makes, opened with the network off."""
    tab = new_tab(browser, width=width, colours=colours, alone=True)  # type: ignore[arg-type]
    tab.context.set_offline(True)
    asked_for: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda request: asked_for.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    tab.goto(file.as_uri())
    expect(tab.locator(".card.recommended")).to_be_visible()
    expect(tab.locator(".plot .main-svg").first).to_be_visible()
    expect(tab.locator(".plot[data-plot=pareto] .points path").first).to_be_attached()
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    if width > 1000:
        plot = tab.locator(".plot[data-plot=pareto]").bounding_box()
        assert plot is not None
        assert plot["y"] + plot["height"] <= 768  # the first screen of a laptop
        assert printed_pages(tab) <= 2
    tab.locator("details#board > summary").click()
    expect(tab.locator(".plot[data-plot=intervals] .main-svg").first).to_be_visible()
    tab.context.close()
    return asked_for, errors


def printed_pages(tab: Page) -> int:
    """The number of pages of A4 that a browser prints."""
    return len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4", prefer_css_page_size=True)))


def test_hostile_texts_do_nothing_in_a_browser(browser: Browser, folder: Path, tmp_path: Path) -> None:
    """Neither scripts nor images of a document are loaded, in the page or in a label under the mouse."""
    material = gather_hostile(tmp_path)
    (tmp_path / "report.html").write_text(material, encoding="utf-8")
    tab = new_tab(browser)
    asked_for: list[str] = []
    tab.on("request", lambda request: asked_for.append(request.url))
    tab.goto((tmp_path / "report.html").as_uri())
    tab.locator("details#board > summary").click()
    expect(tab.locator(".plot[data-plot=intervals] .main-svg").first).to_be_visible()
    tab.locator(".plot[data-plot=intervals] .points path").first.hover(force=True)
    expect(tab.locator(".plot[data-plot=intervals] .hoverlayer")).to_contain_text("script")
    assert tab.evaluate("window.hacked === undefined")
    assert len(asked_for) == 1
    tab.close()


def gather_hostile(folder: Path) -> str:
    """A report in which every text is an attack."""
    workspace = filled(folder / "workspace", {"a.md": f"# A {EVIL}\n\n{'Some text. ' * 30}"})
    documents = [workspace.document(row.doc_id) for row in workspace.documents()]
    questions = questions_about(documents, 5, name=EVIL, text=EVIL)
    workspace.question_sets.put({questions.name: questions.to_json()})
    for key in "ab":
        run = run_of(questions, [1], key=key * 16, label=f"<script>{EVIL}", why=EVIL)
        workspace.runs.put({run.key: run.to_json()})
    return report_html(gather(workspace, wants_index=False, run_keys=["a" * 16, "b" * 16]))
