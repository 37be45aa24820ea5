"""Numbers of things with their noun."""

from __future__ import annotations

__all__ = ["count_text"]


def count_text(number: int, one: str, several: str = "") -> str:
    """A number with its noun in singular or plural.

    >>> count_text(1, "hit"), count_text(1200, "hit"), count_text(2, "index", "indexes")
    ('1 hit', '1,200 hits', '2 indexes')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"
