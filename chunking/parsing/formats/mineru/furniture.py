"""Running heads and feet that the layout parser took for text on some of their pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chunking.parsing.formats.mineru.items import Item, ItemKind

__all__ = ["mark_furniture"]

_NEAR = 0.02
"""How far from its place on other pages it may stand."""
_HEADS_AND_FEET = frozenset({"page header", "page footer"})
_COULD_BE = frozenset({ItemKind.TEXT, ItemKind.HEADING})


def mark_furniture(items: Iterable[Item]) -> list[Item]:
    """The items, with every text made furniture that stands as a head or foot on another page, in the same words and
    place.
    """
    items = list(items)
    known: dict[str, list[Item]] = {}
    for item in items:
        if item.reason in _HEADS_AND_FEET and item.text:
            known.setdefault(item.text, []).append(item)
    return [_marked(item, known.get(item.text, ())) if item.kind in _COULD_BE else item for item in items]


def _marked(item: Item, alike: Sequence[Item]) -> Item:
    for other in alike[:10]:
        here, there = item.place.bbox, other.place.bbox
        if here and there and item.place.page != other.place.page and abs(here[1] - there[1]) <= _NEAR:
            return replace(item, kind=ItemKind.FURNITURE, reason=other.reason)
    return item
