"""Distribution of test files over the processes of a parallel run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

__all__ = ["ByNeed"]

ROOT = Path(__file__).parents[2]
_SHARED = ("mark.browser", "mark.model")
"""Marks of resources that take seconds to start in each process: the browser, and the embedding model."""


class ByNeed(LoadFileScheduling):
    """Scheduler that keeps a file's tests, and all files that share a resource, in one process."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _need(file) or file


@cache
def _need(file: str) -> str:
    """Return the first shared resource that a file uses."""
    text = (ROOT / file).read_text(encoding="utf-8") if file.startswith("tests/") else ""
    return next((need for need in _SHARED if need in text), "")
