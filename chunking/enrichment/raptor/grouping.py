"""The groups of one level of the tree: of the whole, then inside of each; none longer than a summary can be made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from chunking.enrichment.raptor.mixture import memberships
from chunking.enrichment.raptor.reducing import DIMENSIONS, Reduce, Rows

__all__ = ["group"]

Members = NDArray[np.intp]
FEW = DIMENSIONS + 1
"""So many different rows are one group, as in the paper's code: there are too few to reduce and fit."""


def group(
    rows: Rows, lengths: Members, limit: int, reduce: Reduce, threshold: float, check: Callable[[], None]
) -> list[tuple[int, ...]]:
    """Groups of rows that are alike; a row may be in several, and is in one at least.

    Args:
        rows: (n, d) unit rows, n > 1.
        lengths: (n,) tokens of each row's text.
        limit: most tokens of a group, but for groups of two or three; a row that stood alone may come on top.
        check: called before each fit; raises to stop.
    Returns:
        Fewer groups than rows, each of two or more, ascending, in the order of their first rows; none holds no more
        than another.
    """
    found = _without_singles(
        _unique(_split(rows, np.arange(len(rows)), lengths, limit, reduce, threshold, check)), rows
    )
    if len(found) >= len(rows):
        found = list(_halved(np.arange(len(rows)), rows, lengths, limit))
    return found


def _split(
    rows: Rows,
    members: Members,
    lengths: Members,
    limit: int,
    reduce: Reduce,
    threshold: float,
    check: Callable[[], None],
) -> Iterator[tuple[int, ...]]:
    """Groups of some rows: those of the mixture, and those of each that is too long again."""
    check()
    groups = [members[some] for some in _clusters(rows[members], reduce, threshold, check)]
    for some in groups:
        if len(some) <= 2 or int(lengths[some].sum()) <= limit:
            yield tuple(some.tolist())
        elif len(some) < len(members):
            yield from _split(rows, some, lengths, limit, reduce, threshold, check)
        else:  # the mixture finds no parts in it
            yield from _halved(some, rows, lengths, limit)


def _clusters(rows: Rows, reduce: Reduce, threshold: float, check: Callable[[], None]) -> list[Members]:
    """Global groups, each in its local ones. Rows that are alike are taken as one: no mixture can tell them apart."""
    different, place = np.unique(rows.round(6), axis=0, return_inverse=True)
    if len(different) <= FEW:
        return [np.arange(len(rows))]
    found = []
    for some in memberships(reduce(different, True), threshold):
        check()
        local = [np.arange(len(some))] if len(some) <= FEW else memberships(reduce(different[some], False), threshold)
        found += [np.flatnonzero(np.isin(place, some[part])) for part in local]
    return found


def _halved(members: Members, rows: Rows, lengths: Members, limit: int) -> Iterator[tuple[int, ...]]:
    """Halves along the direction in which they differ most, and their halves, until each is short enough."""
    if len(members) <= 3 or int(lengths[members].sum()) <= limit:
        yield tuple(members.tolist())
        return
    centred = rows[members] - rows[members].mean(axis=0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(centred @ axis, kind="stable")
    for half in np.array_split(order, 2):
        yield from _halved(members[np.sort(half)], rows, lengths, limit)


def _unique(groups: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Without those whose rows another has all: their summary would say nothing more."""
    kept: list[frozenset[int]] = []
    holders: dict[int, list[frozenset[int]]] = {}
    for some in sorted(set(groups), key=lambda some: (-len(some), some)):
        own = frozenset(some)
        if not any(own <= other for other in holders.get(some[0], ())):
            kept.append(own)
            for row in some:
                holders.setdefault(row, []).append(own)
    return sorted(tuple(sorted(own)) for own in kept)


def _without_singles(groups: list[tuple[int, ...]], rows: Rows) -> list[tuple[int, ...]]:
    """A row alone joins the group whose middle is nearest: a summary of one text is no summary."""
    several, alone = [set(some) for some in groups if len(some) > 1], [some[0] for some in groups if len(some) == 1]
    if not several:
        return [tuple(range(len(rows)))]
    middles = np.stack([rows[sorted(some)].mean(axis=0) for some in several])
    for row in alone:
        several[int((middles @ rows[row]).argmax())].add(row)
    return sorted(tuple(sorted(some)) for some in several)
