"""A workspace with one small index."""

from __future__ import annotations

from tests.store.index_fixtures import index, workspace  # noqa: F401
