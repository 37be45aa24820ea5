"""Locations of a document as bytes and back: 44 bytes each, exact, and read in one go however many there are."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.model import Location

__all__ = ["packed_locations", "unpacked_locations"]

_COLUMNS = [("start", "<i4"), ("end", "<i4"), ("page", "<i4"), ("box", "<f8", 4)]
_NO_BOX = (float("nan"),) * 4


def packed_locations(locations: Sequence[Location]) -> bytes:
    """The locations one after the other; a box of NaN stands for none."""
    import numpy as np

    rows = [(place.start, place.end, place.page, place.bbox or _NO_BOX) for place in locations]
    return np.array(rows, np.dtype(_COLUMNS)).tobytes()


def unpacked_locations(data: bytes | None) -> tuple[Location, ...]:
    """What `packed_locations` was given; nothing for a document saved before there were locations."""
    import numpy as np

    if not data:
        return ()
    table = np.frombuffer(data, np.dtype(_COLUMNS))
    columns = (
        table["start"].tolist(),
        table["end"].tolist(),
        table["page"].tolist(),
        map(tuple, table["box"].tolist()),
    )
    unplaced = np.isnan(table["box"][:, 0]).tolist()
    rows = zip(*columns, unplaced, strict=True)
    return tuple(Location(start, end, page, None if no_box else box) for start, end, page, box, no_box in rows)
