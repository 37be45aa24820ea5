"""Memory of what follows from something immutable, so that it is worked out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

__all__ = ["Memo"]

Value = TypeVar("Value")

_MISSING = object()


class Memo:
    """Values by key, each made at the first call; threads may share it, and may both make a value.

    Args:
        most: values held before the memory is emptied; None: no limit.
    """

    def __init__(self, most: int | None = None) -> None:
        self._values: dict[Hashable, Any] = {}
        self._most = most

    def get(self, key: Hashable) -> Any:
        """The value remembered under a key; None where there is none."""
        return self._values.get(key)

    def of(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value remembered under a key, or else made now.

        >>> memo = Memo()
        >>> memo.of("size", lambda: 3), memo.of("size", lambda: 4)
        (3, 3)
        """
        value = self._values.get(key, _MISSING)
        if value is _MISSING:
            value = make()
            if self._most is not None and len(self._values) >= self._most:
                self._values.clear()
            self._values[key] = value
        return cast(Value, value)
