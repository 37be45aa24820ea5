"""The common form of JSON and YAML: pairs, lists and texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["Key", "Literal", "Pairs", "is_container", "scalar_text"]

_ENCODED = re.compile(r"(?:data:[\w.+/-]{1,80}(?:;[\w=.-]{1,80})*,)?[A-Za-z0-9+/_\r\n-]{1000,}={0,2}\s*")
_CONSTANTS: dict[bool | None, str] = {True: "true", False: "false", None: "null"}


class Pairs(list[tuple[str, Any]]):
    """An object: keys and values in order, duplicates included."""


class Literal(str):
    """A value other than text (a number, an alias), as written."""

    __slots__ = ()


class Key(str):
    """A key with the comment above it."""

    comment: str = ""


def is_container(value: object) -> bool:
    """True for a non-empty object or list."""
    return isinstance(value, list) and bool(value)


def scalar_text(value: object) -> str:
    """A value as text; encoded data (base64) is replaced by its length.

    >>> scalar_text(True), scalar_text("a"), scalar_text([]), scalar_text(Pairs())
    ('true', 'a', '[]', '{}')
    """
    if isinstance(value, str):
        if len(value) >= 1000 and _ENCODED.fullmatch(value) and _is_varied(value):
            return f"[{len(value):,} characters of encoded data]"
        return value
    if isinstance(value, list):
        return "{}" if isinstance(value, Pairs) else "[]"
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else str(value)


def _is_varied(text: Sequence[str]) -> bool:
    """True for more distinct characters than a line of dashes has."""
    return len(set(text[:1000])) > 10
