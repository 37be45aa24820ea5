"""Where a document's lines stand on its pages, and their form on the wire."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.model import Document, Location
from chunking.viewing.messages.packing import pack_columns, steps
from components.kit.wording import page_word

__all__ = ["has_places", "lines_message", "page_of"]

Ints = NDArray[np.int32]

_SHARE = 10_000
"""Boxes travel in parts of ten thousand: a tenth of a pixel on a picture of 1,000 pixels."""
_NOWHERE = (-1.0 / _SHARE,) * 4
"""The box of a line without one."""


def has_places(document: Document) -> bool:
    """Whether there is a page to look at: the format says where on it lines stand. Slides and sheets are named, not shown."""
    return page_word(document.format) == "page" and any(location.bbox is not None for location in document.locations)


def page_of(document: Document, offset: int) -> int | None:
    """The page of the first text at or after `offset`; None where the document has no pages."""
    if not document.locations:
        return None
    place = bisect_right(document.locations, offset, key=attrgetter("end"))
    return document.locations[min(place, len(document.locations) - 1)].page


def lines_message(locations: Iterable[Location]) -> tuple[str, int]:
    """All places, packed for papers.js, and how many they are."""
    found = list(locations)
    starts, ends = _ints([line.start for line in found]), _ints([line.end for line in found])
    boxes = np.array([line.bbox or _NOWHERE for line in found], dtype=np.float64).reshape(-1, 4)
    left, top, right, bottom = np.rint(boxes * _SHARE).astype(np.int32).T
    gaps = starts - np.concatenate([[0], ends[:-1]]) if found else starts
    columns = (gaps, ends - starts, steps(_ints([line.page for line in found])), left, top, right - left, bottom - top)
    return pack_columns(columns, {}), len(found)


def _ints(values: list[Any]) -> Ints:
    return np.array(values, dtype=np.int32)
