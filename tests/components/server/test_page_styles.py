"""The app's sheets are on every page, and each page's own rules are about that page."""

from __future__ import annotations

import re

import pytest

from components.server import page_styles
from components.server.page_styles import SHEETS, STYLES, draw_styles, note_sent
from tests.support.product import ROOT

_OWN = re.compile(r"\.(st-key-|home-|glossary\b|decision\b)")


def sheet_text(sheet: str) -> str:
    """A sheet without its comments."""
    text = (ROOT / "components" / sheet).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_the_app_draws_them_only_where_its_page_lacks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit alone sends its page without them."""
    drawn: list[str] = []
    monkeypatch.setattr(page_styles.st, "html", drawn.append)
    monkeypatch.setattr(page_styles, "_sent", False)
    draw_styles()
    assert drawn == [STYLES]
    note_sent()
    draw_styles()
    assert drawn == [STYLES]


def test_they_are_one_element() -> None:
    """Nothing in a sheet ends it; Streamlit leaves out a style with a tag in it."""
    assert STYLES.startswith("<style>")
    assert STYLES.endswith("</style>")
    assert STYLES.count("<") == 2
    assert len(set(SHEETS)) == len(SHEETS)


@pytest.mark.parametrize("sheet", [sheet for sheet in SHEETS if not sheet.startswith("kit/")])
def test_the_rules_of_a_page_name_what_is_on_it(sheet: str) -> None:
    """Else they would change the other pages."""
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", sheet_text(sheet))
    selectors = [selector.strip() for rule in rules for selector in rule.split(",\n")]
    assert selectors
    assert [selector for selector in selectors if not _OWN.search(selector)] == []
