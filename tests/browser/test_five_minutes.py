"""The five minutes in a real Chromium with the real model: nothing is typed, and recall rises.
`benchmarks.five_minutes` times them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.app import new_tab, running_app
from tests.browser.five_minutes import play

pytestmark = pytest.mark.browser


def test_five_clicks_lead_to_a_recommended_configuration(browser: Browser, tmp_path: Path) -> None:
    """Recall of how most people split, one click later, and measured: visibly higher each time; no key is pressed."""
    page = new_tab(browser, width=1366, height=768)
    page.add_init_script("addEventListener('keydown', () => (window.typed = true), true)")
    with running_app(tmp_path / "workspace") as address:
        played = play(page, address)
        typed = page.evaluate("window.typed")
        page.close()
    print(f"\n{played}")
    assert typed is None
    assert played.clicks == 5
    assert played.start < 75
    assert played.better > played.start + 15
    assert played.measured > played.start + 15
    assert played.seconds > 0
