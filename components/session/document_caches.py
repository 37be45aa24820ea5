"""Streamlit caches of documents, questions and runs, evicted when unused.

Each has a number of entries (`max_entries`), and an entry is valid for one version. Caches of texts that no page owns
are in `chunking.text.byte_caches`.
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
    """A cached function with the time of its last call."""

    def __init__(self, cached: Any) -> None:
        update_wrapper(self, cached)
        self._cached = cached
        self.used = math.inf
        """Time of the last call; infinite if the cache is empty."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.used = time.monotonic()
        return self._cached(*args, **kwargs)

    def clear(self, *args: Any, **kwargs: Any) -> None:
        self._cached.clear(*args, **kwargs)


_caches: dict[tuple[str, str], _Noted] = {}
"""File and name of a function to its cache; a page's functions are defined anew whenever the page runs."""


def clear_when_unused(cached: Cached) -> Cached:
    """Register a Streamlit-cached function, to be cleared when unused or when everybody has left.

    Decorator for functions of `st.cache_data` and `st.cache_resource`.
    """
    function: Any = inspect.unwrap(cast("Any", cached))
    key = function.__code__.co_filename, function.__qualname__
    noted = _Noted(cached)
    noted.used = _caches[key].used if key in _caches else math.inf
    _caches[key] = noted
    return cast("Cached", noted)


def clear_unused_caches(seconds: float) -> None:
    """Clear the registered caches whose functions were not called for `seconds`."""
    before = time.monotonic() - seconds
    for cached in tuple(_caches.values()):
        if cached.used < before:
            cached.used = math.inf  # before clearing: a call meanwhile sets it again
            cached.clear()


def clear_document_caches() -> None:
    """Clear every cache registered by `clear_when_unused`."""
    for cached in tuple(_caches.values()):
        cached.clear()
