"""The program installed from the wheel: the app on the samples and on documents of one's own, without torch."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import settled, widget
from tests.wheel.building import Venv

pytestmark = pytest.mark.browser

GUIDE = (
    "# Pump P-7\n\n## Start\n\nThe pump is primed with glycol before its first start.\n\n## Stop\n\nClose the "
    "valve first.\n"
)
QUESTIONS = '{"question": "What is the pump primed with?", "answer": "glycol"}\n'


def test_it_opens_on_the_samples_twice_and_ends_with_all_that_it_started(tab: Page, venv: Venv) -> None:
    """The first screen shows boundaries; a second start takes another port; Ctrl+C leaves nothing running."""
    with venv.serving() as first, venv.serving() as second:
        assert first.port != second.port
        tab.goto(f"http://127.0.0.1:{first.port}/chunks")
        settled(tab)
        expect(tab.locator(".view[data-rev]").first).to_be_visible()
        assert (first.stop(), second.stop()) == (0, 0)
    assert venv.processes() == []
    assert [path.name for path in (venv.home / ".local" / "share").iterdir()] == ["chunkscope"]
    assert not list(venv.site_packages.rglob(".workspaces"))


def test_it_opens_on_documents_of_ones_own(tab: Page, venv: Venv) -> None:
    """They alone are there, under the name of their folder, with the settings and the questions that were given."""
    docs = venv.home / "my-docs"
    docs.mkdir()
    (docs / "pump.md").write_text(GUIDE, encoding="utf-8")
    (venv.home / "q.jsonl").write_text(QUESTIONS, encoding="utf-8")
    (venv.home / "settings.yaml").write_text("chunk: {size: 64, min_size: 8}\n", encoding="utf-8")
    with venv.serving("./my-docs", "--questions", "q.jsonl", "--config", "settings.yaml") as served:
        tab.goto(served.address)
        settled(tab)
        expect(tab.locator(".view[data-rev]").first).to_contain_text("glycol")
        expect(widget(tab, "workspace-switcher")).to_contain_text("my-docs")
        expect(tab).to_have_url(re.compile(r"questions=q&.*size=64|size=64.*questions=q"))
        tab.goto(f"http://127.0.0.1:{served.port}/documents")
        settled(tab)
        expect(tab.get_by_role("region", name="Text of Pump P-7")).to_be_visible()  # the table of documents is a canvas


def test_two_packages_are_installed_and_no_other(venv: Venv) -> None:
    """Neither `components` nor `pages`, which others' programs may be called."""
    folders = {path.name for path in venv.site_packages.iterdir() if path.is_dir() and path.suffix != ".dist-info"}
    assert folders == {"chunking", "chunkscope_app"}
