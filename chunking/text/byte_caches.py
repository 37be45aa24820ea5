"""Caches of the process that hold something of a document, or of what people typed: bounded in bytes, counted, and
listed here.

`functools.lru_cache` counts answers. Four answers about texts of 20 million letters are half a gigabyte, for ever: so
it is for answers that hold no text (`tests/test_caches.py` has the list). Here an answer counts for its bytes and those
of the texts it was asked for; what is over the bound goes, least used first, and an answer that is larger than the
bound by itself is not kept. All caches of texts together have a bound, too.
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
"""Bytes of a cache of texts: one of 50 million characters has room, so that a hundred questions about it prepare it
once.
"""
MOST_OF_TEXTS = 512 * MB
"""Bytes of all caches of texts together."""

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class ListedCache(Protocol):
    """A cache that the process can count and empty."""

    @property
    def name(self) -> str:
        """Where it is defined."""

    @property
    def holds_text(self) -> bool:
        """Whether it holds words of documents, not only numbers under a digest."""

    @property
    def most(self) -> int:
        """Bytes that it may hold."""

    @property
    def size(self) -> int:
        """Bytes that it holds."""

    def clear(self) -> None:
        """Let go of everything."""

    def drop_unused(self, seconds: float) -> None:
        """Let go of what nobody has asked for in so many seconds."""


_listed: WeakSet[ListedCache] = WeakSet()
_of_texts: WeakSet[ByteCache[Any]] = WeakSet()
"""Those that share `MOST_OF_TEXTS`."""
_listing = Lock()


def list_cache(cache: ListedCache) -> None:
    """Have a cache counted and emptied with the others, for as long as somebody else holds it."""
    with _listing:
        _listed.add(cache)


def listed_caches() -> tuple[ListedCache, ...]:
    """Every cache of texts in the modules imported so far, by name."""
    with _listing:
        return tuple(sorted(_listed, key=lambda cache: cache.name))


def cached_bytes() -> int:
    """Bytes that all of them hold."""
    return sum(cache.size for cache in listed_caches())


def forget_texts() -> None:
    """Empty those that hold words of documents: one was deleted or replaced.

    All of them, as a text is not known by its document: the next question of another one costs a second. Vectors under
    a digest stay until nobody asks for them: they cost the model's time.
    """
    for cache in listed_caches():
        if cache.holds_text:
            cache.clear()


def clear_caches() -> None:
    """Empty all of them: everybody has left."""
    for cache in listed_caches():
        cache.clear()


def drop_unused(seconds: float) -> None:
    """Let go of what nobody has asked for in so many seconds."""
    for cache in listed_caches():
        cache.drop_unused(seconds)


def _trim() -> None:
    """Let go of what was used least lately, wherever it is, until all texts have room together."""
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
    """Answers by key, the least used ones given up over a number of bytes. Threads may share it.

    Args:
        name: where it is defined.
        most: bytes of keys and answers.
        size: bytes of an answer.
        holds_text: False where it holds numbers under a digest.
        clock: seconds that only grow.
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
        """Bytes of keys and answers."""
        return self._size

    @property
    def oldest(self) -> float:
        """When the answer that was asked for least lately was; infinite where there is none."""
        with self._lock:
            return next(iter(self._entries.values())).used if self._entries else math.inf

    def drop_oldest(self) -> None:
        """Let go of that one."""
        with self._lock:
            if self._entries:
                self._drop(next(iter(self._entries)))

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def get(self, key: Hashable) -> Answer | None:
        """The answer that is kept; None where there is none."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            entry.used = self._clock()
            return cast("Answer", entry.value)

    def put(self, key: Hashable, value: Answer) -> None:
        """Keep an answer, unless it is larger than all may be together."""
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
        """Let go of everything."""
        with self._lock:
            self._entries.clear()
            self._size = 0

    def drop_unused(self, seconds: float) -> None:
        """Let go of what nobody has asked for in so many seconds."""
        before = self._clock() - seconds
        with self._lock:
            while self._entries and next(iter(self._entries.values())).used < before:  # in the order of use
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        self._size -= entry.size if entry else 0


class _Function(Generic[Asked, Answer]):
    """A function whose answers are kept."""

    __wrapped__: Callable[Asked, Answer]

    def __init__(self, function: Callable[Asked, Answer], most: int, size: Callable[[Answer], int]) -> None:
        update_wrapper(self, function)
        self.cache: ByteCache[tuple[Answer]] = ByteCache(_name(function), most, size=lambda held: size(held[0]))
        self.clear = self.cache.clear

    def __call__(self, *args: Asked.args, **kwargs: Asked.kwargs) -> Answer:
        key = (args, *sorted(kwargs.items())) if kwargs else args
        known = self.cache.get(key)
        if known is None:  # two threads that meet here both make it, as with `lru_cache`
            known = (self.__wrapped__(*args, **kwargs),)
            self.cache.put(key, known)
        return known[0]


def byte_cache(
    most: int, size: Callable[[Any], int] | None = None
) -> Callable[[Callable[Asked, Answer]], _Function[Asked, Answer]]:
    """Keep the answers of a pure function of hashable arguments, up to `most` bytes.

    Args:
        size: bytes of an answer; `memory_of` where it is None.

    >>> @byte_cache(most=1_000)
    ... def doubled(text: str) -> str:
    ...     return text * 2
    >>> doubled("ab"), doubled("c" * 900) == "c" * 1800, len(doubled.cache)
    ('abab', True, 1)
    """
    return lambda function: _Function(function, most, size or memory_of)


class _ShortAnswers:
    """An `lru_cache` as a listed cache."""

    holds_text = True

    def __init__(self, name: str, kept: _LruCache, each: int) -> None:
        self.name, self._kept, self._each = name, kept, each
        self._seen = (0, time.monotonic())
        """Calls so far, and when there was the last one that is known of."""

    @property
    def most(self) -> int:
        most: int = (self._kept.cache_info().maxsize or 0) * self._each
        return most

    @property
    def size(self) -> int:
        held: int = self._kept.cache_info().currsize * self._each
        return held

    def clear(self) -> None:
        self._kept.cache_clear()

    def drop_unused(self, seconds: float) -> None:
        info, now = self._kept.cache_info(), time.monotonic()
        if info.hits + info.misses != self._seen[0]:
            self._seen = (info.hits + info.misses, now)
        elif self._seen[1] <= now - seconds:
            self.clear()


class _LruCache(Protocol):
    def cache_info(self) -> Any: ...

    def cache_clear(self) -> None: ...


def word_cache(maxsize: int, each: int) -> Callable[[Callable[Asked, Answer]], Callable[Asked, Answer]]:
    """Keep answers about words, which are asked for too often for `byte_cache`: an `lru_cache` that is counted and
    emptied.

    Args:
        each: most bytes of a word and its answer; the caller sees to it that longer ones are not asked for here.
    """

    def keep(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
        kept = lru_cache(maxsize=maxsize)(function)
        kept.listed = _ShortAnswers(_name(function), kept, each)  # type: ignore[attr-defined]  # lives as long as the function
        list_cache(kept.listed)  # type: ignore[attr-defined]
        return cast("Callable[Asked, Answer]", kept)

    return keep


def _name(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def memory_of(value: Any) -> int:
    """Bytes of a value of plain data, an array or a dataclass, with all that it refers to; of other objects, their own.

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
