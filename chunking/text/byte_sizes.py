"""Numbers of bytes as people say them."""

from __future__ import annotations

__all__ = ["GIGABYTE", "MEGABYTE", "bytes_text"]

MEGABYTE, GIGABYTE = 10**6, 10**9


def bytes_text(number: float) -> str:
    """A number of bytes with its unit.

    >>> bytes_text(300), bytes_text(51_000), bytes_text(5 * 10**6), bytes_text(1.5 * 10**9)
    ('300 bytes', '51 kB', '5.0 MB', '1.5 GB')
    """
    if number < 1_000:
        return f"{number:.0f} bytes"
    if number < MEGABYTE:
        return f"{number / 1_000:.0f} kB"
    return f"{number / MEGABYTE:.1f} MB" if number < GIGABYTE else f"{number / GIGABYTE:,.1f} GB"
