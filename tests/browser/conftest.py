"""Tabs for the tests of this folder."""

from __future__ import annotations

from tests.browser.tab_fixtures import page, tab  # noqa: F401
