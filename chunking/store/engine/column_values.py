"""Values as columns hold them: compact JSON, and text that the engine can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from chunking.store.engine.filters import clean

__all__ = ["box", "cleaned", "packed"]


def cleaned(row: dict[str, Any]) -> dict[str, Any]:
    """A row without lone surrogates, in its texts and in its lists of texts."""

    def one(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value)
        return [clean(part) if isinstance(part, str) else part for part in value] if isinstance(value, list) else value

    return {name: one(value) for name, value in row.items()}


def packed(value: object) -> str:
    """Compact JSON; escaped to ASCII, so that any text comes back as it was."""
    return json.dumps(value, separators=(",", ":"), default=_plain)


def box(values: Sequence[float]) -> tuple[float, float, float, float]:
    """A box, of which JSON made a list."""
    left, top, right, bottom = values
    return (left, top, right, bottom)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
