"""Workspaces for the pages, each test with one of its own."""

from __future__ import annotations

from tests.pages.page_fixtures import (  # noqa: F401
    _hasty,
    _own_cache,
    _stand_in,
    _started,
    built,
    dialogs,
    indexed,
    sample_folder,
    samples,
)
