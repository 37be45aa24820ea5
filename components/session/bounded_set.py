"""A set for facts about people, workspaces and settings that cannot grow without bound."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

__all__ = ["BoundedSet"]


class BoundedSet:
    """A thread-safe set of the last `most` keys added.

    A key about a workspace contains its address.

    >>> known = BoundedSet(2)
    >>> for key in "abc":
    ...     known.add(key)
    >>> ["a" in known, "b" in known, "c" in known]
    [False, True, True]
    """

    def __init__(self, most: int = 2_000) -> None:
        self._most = most
        self._keys: OrderedDict[Hashable, None] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._keys

    def add(self, key: Hashable) -> None:
        """Add a key; evicts the oldest one if there are too many."""
        with self._lock:
            self._keys[key] = None
            self._keys.move_to_end(key)
            while len(self._keys) > self._most:
                self._keys.popitem(last=False)

    def discard(self, key: Hashable) -> None:
        """Remove a key if present."""
        with self._lock:
            self._keys.pop(key, None)
