"""Tabs for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.app import new_tab, put_back, sound_tab


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new tab in a session of its own, wide, in light colours."""
    tab = new_tab(browser)
    yield tab
    put_back(tab)


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A new tab; the test fails on any error in the page."""
    with sound_tab(browser) as page:
        yield page
