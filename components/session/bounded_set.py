"""What the server has learnt in its life of people, workspaces and settings: a set that does not grow for ever."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

__all__ = ["BoundedSet"]


class BoundedSet:
    """The keys that were added last; safe between threads. Where one is about a workspace, its address is part of it.

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
        """Know a key; the one that was added longest ago is forgotten where there are too many."""
        with self._lock:
            self._keys[key] = None
            self._keys.move_to_end(key)
            while len(self._keys) > self._most:
                self._keys.popitem(last=False)

    def discard(self, key: Hashable) -> None:
        """Forget a key; one that is not known is fine."""
        with self._lock:
            self._keys.pop(key, None)
