"""Partitions of texts by the hashes that are their cache keys, so that each has one owner."""

from __future__ import annotations

__all__ = ["key_spans", "partition_count"]

_FEWEST_TEXTS, _MOST_TEXTS = 64, 2_000
"""Texts in a partition, about: enough for full batches, and the most that a killed worker embeds again."""
_PARTITIONS = 4
"""Partitions for each worker, unless they would be too small, so that all end at about the same time."""
_KEYS = 16**8
"""Number of the beginnings of keys, of eight hexadecimal digits, that partitions divide."""


def partition_count(texts: int, workers: int) -> int:
    """Return the number of partitions for some texts.

    >>> partition_count(0, 2), partition_count(1_000, 2), partition_count(100_000, 2)
    (1, 8, 50)
    """
    size = min(_MOST_TEXTS, max(_FEWEST_TEXTS, -(-texts // (_PARTITIONS * workers))))
    return max(1, -(-texts // size))


def key_spans(count: int) -> list[tuple[str, str]]:
    """Return the first key of each partition, and the first after its last; empty for no bound.

    >>> key_spans(2)
    [('', '80000000'), ('80000000', '')]
    """
    bounds = [f"{-(-place * _KEYS // count):08x}" if place else "" for place in range(count)]
    return list(zip(bounds, [*bounds[1:], ""], strict=True))
