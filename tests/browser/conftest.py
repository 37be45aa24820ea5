"""One app for the tests of this folder, and tabs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.app import new_tab, running_app


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app with a fresh workspace that it fills with the samples."""
    with running_app(Path(tmp_path_factory.mktemp("app")) / "workspace") as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new tab in a session of its own, wide, in light colours."""
    tab = new_tab(browser)
    yield tab
    tab.close()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A new tab; the test fails on any error in the page."""
    page = new_tab(browser)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []
