"""Account of the memory that uploads take, in total and per person."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from components.session.host import UploadHolder

__all__ = ["UploadAllowance", "UploadRoom", "upload_room"]

_SHARE = 4
"""A person may use this fraction (1/n) of the memory."""


@dataclass(frozen=True, slots=True)
class UploadAllowance:
    """Limits of the memory for uploads, in bytes."""

    total: int
    largest: int
    """Largest single file: a person's share is never smaller, unless the total is."""

    @property
    def share(self) -> int:
        """Bytes that one person may use.

        >>> UploadAllowance(1_000, 50).share, UploadAllowance(100, 50).share, UploadAllowance(40, 50).share
        (250, 50, 40)
        """
        return min(self.total, max(self.total // _SHARE, self.largest))


class UploadRoom:
    """Account of the bytes that uploads take, by person. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._coming: Counter[str] = Counter()
        self._holders: WeakKeyDictionary[UploadHolder, str] = WeakKeyDictionary()

    def watch(self, holder: UploadHolder, person: str) -> None:
        """Count a holder's bytes as a person's while the holder exists."""
        with self._lock:
            self._holders[holder] = person

    def take(self, person: str, size: int, room: UploadAllowance, kept: Callable[[], Mapping[str, int]]) -> bool:
        """Reserve memory for a coming file; False if others use too much.

        Args:
            kept: person to the bytes that the server itself keeps of them.
        Raises:
            ValueError: the person's own part is full.
        """
        with self._lock:
            total = self._coming + Counter(kept())
            for holder, owner in self._holders.items():
                total[owner] += holder.bytes_held
            if total[person] + size > room.share:
                raise ValueError(person)
            if total.total() + size > room.total:
                return False
            self._coming[person] += size
            return True

    def give_back(self, person: str, size: int) -> None:
        """Release the reservation of a file that failed, or that its holder counts now."""
        with self._lock:
            self._coming[person] -= size
            self._coming = +self._coming


_room = UploadRoom()


def upload_room() -> UploadRoom:
    """Return this server process's account of uploads."""
    return _room
