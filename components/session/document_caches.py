"""Streamlit's caches of what is read from documents, questions and runs: emptied when nobody uses them.

Each has a number of entries (`max_entries`), and an entry lasts as long as its version. Those that hold texts of the
process rather than of a page are in `chunking.text.byte_caches`.
"""

from __future__ import annotations

import inspect
import math
import time
from functools import update_wrapper
from typing import Any, TypeVar, cast

__all__ = ["clear_document_caches", "clear_unused_caches", "clear_when_unused"]

Cached = TypeVar("Cached")


class _Noted:
    """A cached function that notes when it was called last."""

    def __init__(self, cached: Any) -> None:
        update_wrapper(self, cached)
        self._cached = cached
        self.used = math.inf
        """Infinite where there is nothing to forget."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.used = time.monotonic()
        return self._cached(*args, **kwargs)

    def clear(self, *args: Any, **kwargs: Any) -> None:
        self._cached.clear(*args, **kwargs)


_caches: dict[tuple[str, str], _Noted] = {}
"""File and name of a function to it: a page's are made anew whenever the page runs."""


def clear_when_unused(cached: Cached) -> Cached:
    """Have a function of `st.cache_data` or `st.cache_resource` forget its answers when it was not called for some
    minutes, and when everybody has left."""
    function: Any = inspect.unwrap(cast("Any", cached))
    key = function.__code__.co_filename, function.__qualname__
    noted = _Noted(cached)
    noted.used = _caches[key].used if key in _caches else math.inf
    _caches[key] = noted
    return cast("Cached", noted)


def clear_unused_caches(seconds: float) -> None:
    """Let go of what was read by functions that nobody has called in so many seconds."""
    before = time.monotonic() - seconds
    for cached in tuple(_caches.values()):
        if cached.used < before:
            cached.used = math.inf  # first: who calls it meanwhile has it cleared later
            cached.clear()


def clear_document_caches() -> None:
    """Let go of what was read and measured; who comes back has it read anew."""
    for cached in tuple(_caches.values()):
        cached.clear()
