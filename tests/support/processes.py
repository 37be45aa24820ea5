"""Which tests one process of a run takes, where there are several."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadFileScheduling

__all__ = ["ByNeed"]

ROOT = Path(__file__).parents[2]
_SHARED = ("mark.browser", "mark.model")
"""What takes seconds to start, once in each process that needs it: a browser with the app's scripts, and the embedding
model.
"""


class ByNeed(LoadFileScheduling):
    """The tests of a file go to one process, and so do all files that need the browser, and all that need the model."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _need(file) or file


@cache
def _need(file: str) -> str:
    """The first of what is shared that a file names."""
    text = (ROOT / file).read_text(encoding="utf-8") if file.startswith("tests/") else ""
    return next((need for need in _SHARED if need in text), "")
