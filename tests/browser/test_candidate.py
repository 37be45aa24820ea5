"""A candidate index in a real Chromium: built beside the live one, reviewed, promoted, and taken back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from chunking.config import Config
from chunking.indexing import build_index
from chunking.parsing import parse_file
from chunking.samples import save_questions
from chunking.store import Workspace
from tests.browser.app import ROOT, new_tab, put_back, settled, widget
from tests.browser.shared_app import SharedApp
from tests.support.stand_in_model import stand_in_model

pytestmark = pytest.mark.browser

SETTINGS = "size=40&granularities=none&search.k=1&search.mode=text"


@pytest.fixture
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The FAQ with an index, and the sample questions about it."""
    samples = ROOT / "sample_data"
    workspace = Workspace.open(tmp_path_factory.mktemp("candidate") / "workspace")
    document = parse_file(samples / "faq" / "faq.txt", root=samples)
    workspace.put_document(document)
    save_questions(workspace, [document])
    with stand_in_model():
        build_index(workspace, Config(), name="main")
    return workspace


def test_built_reviewed_promoted_and_undone(browser: Browser, app_server: SharedApp, workspace: Workspace) -> None:
    """The picture, the answers with signs, and buttons that change which index is live; on a phone nothing is wider."""
    app, tab = app_server.show(workspace.folder or workspace.uri), new_tab(browser)  # type: ignore[arg-type]
    before = workspace.index("main").fingerprint
    tab.goto(f"{app}/index?{SETTINGS}")
    widget(tab, "index-candidate").get_by_role("button").click()
    widget(tab, "index-review").get_by_role("button").click()
    expect(tab.locator(".strips-row .candidate").first).to_be_attached()
    assert workspace.index().fingerprint == before
    widget(tab, "review-start").get_by_role("button").click()
    expect(tab.locator(".strips .lost", has_text="▼").nth(1)).to_be_attached()
    expect(tab.locator("[class*=st-key-review-changes] [role=grid]")).to_have_attribute(
        "aria-rowcount", re.compile(r"\d")
    )
    settled(tab)
    link = tab.url
    phone = new_tab(browser, width=390, colours="dark")
    phone.goto(link)
    expect(phone.locator(".strips-row").first).to_be_visible()
    settled(phone)
    assert phone.get_by_test_id("stMain").evaluate("main => main.scrollWidth") <= 390
    put_back(phone)
    widget(tab, "review-promote").get_by_role("button").click()
    undo = widget(tab, "review-undo-main").get_by_role("button")
    expect(undo).to_be_enabled()
    assert workspace.index().row.config.chunk.size == 40
    undo.click()
    expect(undo).to_have_count(0)
    assert workspace.index().fingerprint == before
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    put_back(tab)
