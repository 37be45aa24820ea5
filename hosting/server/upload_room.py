"""How much of the server's memory uploads take, in all and of each person; what there is no room for is not begun."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from components.session.host import UploadHolder

__all__ = ["UploadAllowance", "UploadRoom", "upload_room"]

_SHARE = 4
"""A person may take one of so many parts of the room."""


@dataclass(frozen=True, slots=True)
class UploadAllowance:
    """What uploads may take, in bytes."""

    total: int
    largest: int
    """A single file may be so large: a person's part is never smaller, if the room is not."""

    @property
    def share(self) -> int:
        """Of one person.

        >>> UploadAllowance(1_000, 50).share, UploadAllowance(100, 50).share, UploadAllowance(40, 50).share
        (250, 50, 40)
        """
        return min(self.total, max(self.total // _SHARE, self.largest))


class UploadRoom:
    """The account of it. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._coming: Counter[str] = Counter()
        self._holders: WeakKeyDictionary[UploadHolder, str] = WeakKeyDictionary()

    def watch(self, holder: UploadHolder, person: str) -> None:
        """Count what a holder keeps as a person's, for as long as there is the holder."""
        with self._lock:
            self._holders[holder] = person

    def take(self, person: str, size: int, room: UploadAllowance, kept: Callable[[], Mapping[str, int]]) -> bool:
        """Keep room for a file that is about to come; False where others have taken it.

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
        """The file is there, and kept by somebody, or it did not come."""
        with self._lock:
            self._coming[person] -= size
            self._coming = +self._coming


_room = UploadRoom()


def upload_room() -> UploadRoom:
    """That of this server."""
    return _room
