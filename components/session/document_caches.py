"""Streamlit's caches of what is read from documents, questions and runs: emptied when everybody has left.

Each has a number of entries (`max_entries`), and an entry lasts as long as its version. Those that hold texts of the process rather than
of a page are in `chunking.text.byte_caches`.
"""

from __future__ import annotations

import inspect
from typing import Protocol, TypeVar

__all__ = ["clear_document_caches", "clear_when_empty"]


class _Cleared(Protocol):
    def clear(self) -> None: ...


Cached = TypeVar("Cached", bound=_Cleared)
_caches: dict[tuple[str, str], _Cleared] = {}
"""File and name of a function to it: a page's are made anew whenever the page runs."""


def clear_when_empty(cached: Cached) -> Cached:
    """Have a function of `st.cache_data` or `st.cache_resource` forget its answers when everybody has left."""
    function = inspect.unwrap(cached)  # type: ignore[arg-type]
    _caches[function.__code__.co_filename, function.__qualname__] = cached
    return cached


def clear_document_caches() -> None:
    """Let go of what was read and measured; who comes back has it read anew."""
    for cached in tuple(_caches.values()):
        cached.clear()
