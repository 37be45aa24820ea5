"""A person's access to a workspace by their role in the directory.

The store checks it before every call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from chunking.store.access import ROLES, Right, Role

__all__ = ["FreshAnswer", "WorkspaceAccess"]

T = TypeVar("T")
_FRESH = 0.5
"""Seconds for which no change by another process is assumed; changes of this one count at once."""


class FreshAnswer(Generic[T]):
    """Memoised answer of the directory, asked again once it may have changed.

    Args:
        revision: changes with every write of this process.
        ask: reads the directory.
    """

    def __init__(self, revision: Callable[[], int], ask: Callable[[], T]) -> None:
        self._revision, self._ask = revision, ask
        self._last: tuple[int, float, T] | None = None
        """Revision, time and value of the last answer."""

    def now(self) -> T:
        """Return the answer, asked again after 0.5 s or a write of this process."""
        last, time_now = self._last, time.monotonic()
        revision = self._revision()
        if last is None or last[0] != revision or time_now - last[1] > _FRESH:
            self._last = last = (revision, time_now, self._ask())
        return last[2]


class WorkspaceAccess:
    """A person's access to a workspace, as the directory has it now.

    Args:
        key: names workspace and person, for caches.
        role: the person's present role.
        note: adds a line to the activity list, from what was done and the name it was done to.
    """

    def __init__(self, key: str, role: FreshAnswer[Role | None], note: Callable[[str, str], object]) -> None:
        self.key = key
        self._role, self._note = role, note

    @property
    def role(self) -> Role | None:
        """The role now; None if there is none (any more)."""
        return self._role.now()

    def allows(self, right: Right) -> bool:
        """True if the person has the right now."""
        role = self.role
        return role is not None and right in ROLES[role]

    def note(self, what: str, name: str) -> None:
        """Add a line to the activity list."""
        self._note(what, name)
