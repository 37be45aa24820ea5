"""The menu of workspaces in the browser: it closes when something in it is chosen, and its dialogs are read and left as
any other.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, expect

from chunking.store import Workspace
from tests.browser.app import new_tab, put_back, settled, widget
from tests.browser.shared_app import SharedApp

pytestmark = pytest.mark.browser

_CUT_SHORT = """button => [...button.querySelectorAll("*")].some(
    part => getComputedStyle(part).textOverflow === "ellipsis"
    && part.scrollWidth > part.clientWidth
    && part.getBoundingClientRect().right <= button.getBoundingClientRect().right)"""
"""Whether the label ends in an ellipsis within its button."""


@pytest.mark.parametrize(("act", "width"), [("new", 1440), ("open-file", 390)])
def test_a_dialog_of_the_menu(app_server: SharedApp, browser: Browser, tmp_path: Path, act: str, width: int) -> None:
    """One Escape closes it, the focus is on the menu's button again, and in the dark nothing in it is hard to read."""
    Workspace.open(tmp_path / "workspace")
    page = new_tab(browser, width=width, colours="dark")
    page.goto(f"{app_server.show(tmp_path / 'workspace')}/documents")
    settled(page)
    opener = widget(page, "workspace-switcher").get_by_role("button").first
    opener.click()
    widget(page, f"workspace-{act}").get_by_role("button").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_be_visible()
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    expect(page.locator("[data-testid=stDialog]:focus-within")).to_be_attached()
    page.evaluate(AXE_SCRIPT)
    cut_short = page.evaluate(
        "() => axe.run(document.querySelector('[data-testid=stDialog]'), { runOnly: ['color-contrast'] })"
    )
    assert cut_short["violations"] == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(opener).to_be_focused()
    put_back(page)


def test_a_long_name_stays_in_the_header(app_server: SharedApp, browser: Browser, tmp_path: Path) -> None:
    """It is cut short in its button, and runs over nothing beside it."""
    address = app_server.show(tmp_path / "home" / "default")
    page = new_tab(browser)
    page.goto(f"{address}/documents")
    settled(page)
    opener = widget(page, "workspace-switcher").get_by_role("button").first
    opener.click()
    widget(page, "workspace-new").get_by_role("button").click()
    page.get_by_role("dialog").get_by_label("Name").fill("W" * 80)
    page.keyboard.press("Enter")
    expect(opener).to_contain_text("W" * 80)
    assert opener.evaluate(_CUT_SHORT)
    put_back(page)
