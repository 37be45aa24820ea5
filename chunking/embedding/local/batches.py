"""Batches of texts of similar length, bounded by their tokens with padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["plan_batches"]


def plan_batches(token_ids: Sequence[Sequence[int]], batch_tokens: int) -> Iterator[list[int]]:
    """Group texts so that little is padded and a batch stays in the processor's cache.

    Longest first, so that a model that needs too much memory fails at once. Ties are ordered by the tokens
    themselves: the same set of texts makes the same batches in whatever order it comes, and so the same vectors
    to the last bit.

    Args:
        token_ids: Each text's tokens, special ones included.
        batch_tokens: Most tokens in a batch, padding included; a longer text makes a batch of its own.
    Yields:
        Indices into `token_ids`; together each index once.
    >>> list(plan_batches([[1], [1, 2, 3], [1, 2], [1, 2, 4]], batch_tokens=6))
    [[3, 1], [2, 0]]
    """
    order = sorted(range(len(token_ids)), key=lambda i: (len(token_ids[i]), token_ids[i]), reverse=True)
    first = 0
    while first < len(order):
        longest = max(len(token_ids[order[first]]), 1)
        after = first + max(1, batch_tokens // longest)
        yield order[first:after]
        first = after
