"""A Chinese question over the English handbook, in a real Chromium, with the packaged multilingual model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from chunking.config import MULTILINGUAL_MODEL, Config
from chunking.indexing import build_index
from chunking.parsing import parse_file
from chunking.store import Workspace
from tests.browser.app import ROOT, running_app, settled
from tests.support.packaged_e5 import needs_e5

pytestmark = [pytest.mark.browser, pytest.mark.model, needs_e5]

SAMPLES = ROOT / "sample_data"
SETTINGS = {"embedding.model": MULTILINGUAL_MODEL, "search.trim": "0.97"}
QUESTION = "应急账户的密码放在哪里？"
ANSWER = "Its password lies in two sealed envelopes, one in the safe in Ghent and one with the security officer."


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app with the model itself, over the handbook alone."""
    folder = tmp_path_factory.mktemp("across") / "workspace"
    workspace = Workspace.open(folder)
    workspace.put_document(parse_file(SAMPLES / "handbook" / "operations-handbook.md", root=SAMPLES))
    build_index(workspace, Config.from_settings(SETTINGS))
    with running_app(folder) as app:
        yield app


def test_a_chinese_question_finds_highlights_and_cites_the_english_paragraph(tab: Page, address: str) -> None:
    """The trimmed span stands in its place with the rest dimmed; the hit says that the languages differ."""
    tab.goto(f"{address}/search?{urlencode({**SETTINGS, 'q': QUESTION})}")
    card = tab.locator(".card").first
    expect(card.locator(".snippet mark")).to_contain_text(ANSWER)
    expect(card).to_contain_text("operations-handbook.md")
    expect(card.locator(".tag").filter(has_text=re.compile("^trimmed$"))).to_be_visible()
    card.get_by_role("button", name="Why this hit").click()
    expect(card.get_by_role("group", name="Why this hit")).to_contain_text(re.compile("Chinese.*English"))
    card.locator(".open").press("Enter")
    settled(tab)
    marked = tab.locator(".view .word")
    expect(marked.filter(has_text="two sealed envelopes").first).to_be_in_viewport()
    expect(tab.locator(".view .trimmed").filter(visible=True).first).to_be_visible()
    assert ANSWER not in "".join(tab.locator(".view .trimmed").all_inner_texts())
