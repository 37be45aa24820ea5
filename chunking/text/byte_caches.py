"""Caches of texts and typed queries in this process, bounded in bytes and listed for clearing.

`functools.lru_cache` counts entries. Four entries about texts of 20 million characters are half a gigabyte, for ever:
so it is only for results without text (`tests/test_caches.py` has the list). Here an entry counts with the bytes of its
value and of its arguments. Entries over the limit are evicted, least recently used first; a value larger than the
limit is not stored. All caches of texts together have a limit, too.
"""

from __future__ import annotations

import math
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache, update_wrapper
from threading import Lock
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast
from weakref import WeakSet

__all__ = [
    "LARGEST_TEXT",
    "MB",
    "MOST_OF_TEXTS",
    "ByteCache",
    "ListedCache",
    "byte_cache",
    "cached_bytes",
    "clear_caches",
    "drop_unused",
    "forget_texts",
    "list_cache",
    "listed_caches",
    "memory_of",
    "word_cache",
]

MB = 2**20
LARGEST_TEXT = 320 * MB
"""Limit in bytes of a cache of texts.

A text of 50 million characters fits, so that many questions about it prepare it once.
"""
MOST_OF_TEXTS = 512 * MB
"""Limit in bytes of all caches of texts together."""

Params = ParamSpec("Params")
Answer = TypeVar("Answer")


class ListedCache(Protocol):
    """A cache that the process can measure and clear."""

    @property
    def name(self) -> str:
        """Module and function that define the cache."""

    @property
    def holds_text(self) -> bool:
        """True if the cache contains document text, not only numbers by digest."""

    @property
    def most(self) -> int:
        """Limit of the cache in bytes."""

    @property
    def size(self) -> int:
        """Size of the cache in bytes."""

    def clear(self) -> None:
        """Remove all entries."""

    def drop_unused(self, seconds: float) -> None:
        """Remove entries unused for this many seconds."""


_listed: WeakSet[ListedCache] = WeakSet()
_of_texts: WeakSet[ByteCache[Any]] = WeakSet()
"""Caches that share `MOST_OF_TEXTS`."""
_listing = Lock()


def list_cache(cache: ListedCache) -> None:
    """Register a cache, weakly, for measuring and clearing."""
    with _listing:
        _listed.add(cache)


def listed_caches() -> tuple[ListedCache, ...]:
    """Return all registered caches, sorted by name."""
    with _listing:
        return tuple(sorted(_listed, key=lambda cache: cache.name))


def cached_bytes() -> int:
    """Return the bytes of all registered caches."""
    return sum(cache.size for cache in listed_caches())


def forget_texts() -> None:
    """Clear all registered caches of document text, after a document was deleted or replaced.

    Entries cannot be matched to documents, so other documents lose theirs too, which costs their next question a
    second.
    Vectors by digest stay: the model's time is expensive.
    """
    for cache in listed_caches():
        if cache.holds_text:
            cache.clear()


def clear_caches() -> None:
    """Clear all registered caches, as when the last visitor has left."""
    for cache in listed_caches():
        cache.clear()


def drop_unused(seconds: float) -> None:
    """Evict entries of all registered caches that were unused for this many seconds."""
    for cache in listed_caches():
        cache.drop_unused(seconds)


def _trim() -> None:
    """Evict the least recently used entries of all caches of texts until they fit their common limit."""
    with _listing:
        caches = tuple(_of_texts)
    while sum(cache.size for cache in caches) > MOST_OF_TEXTS:
        min(caches, key=lambda cache: cache.oldest).drop_oldest()


@dataclass(slots=True)
class _Entry:
    value: Any
    size: int
    used: float


class ByteCache(Generic[Answer]):
    """Least-recently-used cache bounded in bytes; threads may share it.

    All caches of text in the process together also stay within `MOST_OF_TEXTS`.

    Args:
        name: module and function that define it.
        most: limit in bytes of keys and values.
        size: function that returns the bytes of a value.
        holds_text: False if it has numbers by digest.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        name: str,
        most: int,
        *,
        size: Callable[[Answer], int] | None = None,
        holds_text: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.most, self.holds_text, self._size_of, self._clock = (
            name,
            most,
            holds_text,
            size or memory_of,
            clock,
        )
        self._size = 0
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = Lock()
        list_cache(self)
        if holds_text:
            with _listing:
                _of_texts.add(self)

    @property
    def size(self) -> int:
        """Bytes of keys and values."""
        return self._size

    @property
    def oldest(self) -> float:
        """Time of last use of the least recently used entry; infinite if empty."""
        with self._lock:
            return next(iter(self._entries.values())).used if self._entries else math.inf

    def drop_oldest(self) -> None:
        """Evict the least recently used entry."""
        with self._lock:
            if self._entries:
                self._drop(next(iter(self._entries)))

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def get(self, key: Hashable) -> Answer | None:
        """Return the cached value and count it as just used; None if it is not cached."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            entry.used = self._clock()
            return cast("Answer", entry.value)

    def put(self, key: Hashable, value: Answer) -> None:
        """Store a value, evicting the least recently used; one over the limit is not kept."""
        size = memory_of(key) + self._size_of(value)
        with self._lock:
            self._drop(key)
            if size > self.most:
                return
            self._entries[key] = _Entry(value, size, self._clock())
            self._size += size
            while self._size > self.most:
                self._drop(next(iter(self._entries)))
        if self.holds_text:
            _trim()

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries.clear()
            self._size = 0

    def drop_unused(self, seconds: float) -> None:
        """Evict entries unused for this many seconds."""
        before = self._clock() - seconds
        with self._lock:
            while self._entries and next(iter(self._entries.values())).used < before:  # in the order of use
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        self._size -= entry.size if entry else 0


class _Function(Generic[Params, Answer]):
    """A function with a cache of its results."""

    __wrapped__: Callable[Params, Answer]

    def __init__(self, function: Callable[Params, Answer], most: int, size: Callable[[Answer], int]) -> None:
        update_wrapper(self, function)
        self.cache: ByteCache[tuple[Answer]] = ByteCache(_name(function), most, size=lambda entry: size(entry[0]))
        self.clear = self.cache.clear

    def __call__(self, *args: Params.args, **kwargs: Params.kwargs) -> Answer:
        key = (args, *sorted(kwargs.items())) if kwargs else args
        cached = self.cache.get(key)
        if cached is None:  # two threads that meet here both make it, as with `lru_cache`
            cached = (self.__wrapped__(*args, **kwargs),)
            self.cache.put(key, cached)
        return cached[0]


def byte_cache(
    most: int, size: Callable[[Any], int] | None = None
) -> Callable[[Callable[Params, Answer]], _Function[Params, Answer]]:
    """Return a decorator that caches a pure function's results, up to `most` bytes with arguments.

    None is cached too. The function gets `cache` (ByteCache) and `clear()`; its arguments must be hashable.

    Args:
        size: function that returns the bytes of a result; None: `memory_of`.

    >>> @byte_cache(most=1_000)
    ... def doubled(text: str) -> str:
    ...     return text * 2
    >>> doubled("ab"), doubled("c" * 900) == "c" * 1800, len(doubled.cache)
    ('abab', True, 1)
    """
    return lambda function: _Function(function, most, size or memory_of)


class _ShortAnswers:
    """A listed cache around an `lru_cache`."""

    holds_text = True

    def __init__(self, name: str, kept: _LruCache, each: int) -> None:
        self.name, self._kept, self._each = name, kept, each
        self._last_use = (0, time.monotonic())
        """Number of calls at the last check, and the time of that check."""

    @property
    def most(self) -> int:
        most: int = (self._kept.cache_info().maxsize or 0) * self._each
        return most

    @property
    def size(self) -> int:
        total: int = self._kept.cache_info().currsize * self._each
        return total

    def clear(self) -> None:
        self._kept.cache_clear()

    def drop_unused(self, seconds: float) -> None:
        info, now = self._kept.cache_info(), time.monotonic()
        if info.hits + info.misses != self._last_use[0]:
            self._last_use = (info.hits + info.misses, now)
        elif self._last_use[1] <= now - seconds:
            self.clear()


class _LruCache(Protocol):
    def cache_info(self) -> Any: ...

    def cache_clear(self) -> None: ...


def word_cache(maxsize: int, each: int) -> Callable[[Callable[Params, Answer]], Callable[Params, Answer]]:
    """Return a decorator that caches results about single words in a registered `lru_cache`.

    It is faster than `byte_cache`.

    Args:
        maxsize: maximum number of words.
        each: upper bound in bytes of a word and its result; the caller must not pass longer words.
    """

    def keep(function: Callable[Params, Answer]) -> Callable[Params, Answer]:
        kept = lru_cache(maxsize=maxsize)(function)
        kept.listed = _ShortAnswers(_name(function), kept, each)  # type: ignore[attr-defined]  # lives as long as the function
        list_cache(kept.listed)  # type: ignore[attr-defined]
        return cast("Callable[Params, Answer]", kept)

    return keep


def _name(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def memory_of(value: Any) -> int:
    """Return the bytes of plain data, arrays or dataclasses with their contents.

    Other objects count with their own size.

    >>> memory_of("a" * 1000) > 1000, memory_of(("a" * 1000, ["b" * 1000])) > 2000
    (True, True)
    """
    if isinstance(value, str | bytes | int | float | None):
        return sys.getsizeof(value)
    if isinstance(value, Mapping):
        return sys.getsizeof(value) + sum(memory_of(key) + memory_of(one) for key, one in value.items())
    if isinstance(value, tuple | list | AbstractSet):
        return sys.getsizeof(value) + sum(map(memory_of, value))
    if is_dataclass(value):
        return sys.getsizeof(value) + sum(memory_of(getattr(value, field.name)) for field in fields(value))
    array: int | None = getattr(value, "nbytes", None)
    return sys.getsizeof(value) if array is None else array + 128
