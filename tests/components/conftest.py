"""The components on a page of their own, and a tab to drive it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.app import running_app, sound_tab
from tests.support.scanning import scanned_once


@pytest.fixture(scope="package", autouse=True)
def _scanned() -> Iterator[None]:
    with scanned_once():
        yield


@pytest.fixture(
    scope="session"
)  # one of the package would end, and begin anew, wherever a test of another folder is run in between
def scene_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of scene_app.py; with `?app=NAME` that of another script beside it (see components_app.py)."""
    with running_app(
        Path(tmp_path_factory.mktemp("scene")) / "workspace", "tests/components/apps/components_app.py"
    ) as running:
        yield running


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A new tab in a session of its own; the test fails on any error in the page."""
    with sound_tab(browser) as page:
        yield page


@pytest.fixture
def own_tab(browser: Browser) -> Iterator[Page]:
    """As `tab`, for a test that listens to it or gives it scripts of its own."""
    with sound_tab(browser, again=False) as page:
        yield page
