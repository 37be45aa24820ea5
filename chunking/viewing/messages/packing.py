"""Packing of numbers and texts into short strings; define.js unpacks them (`unpack`, `unpackJson`)."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack_columns", "pack_json", "steps"]

Ints = NDArray[np.int32]


def pack_columns(columns: Sequence[Ints], tables: Mapping[str, Any]) -> str:
    """Pack columns of small integers and JSON values as deflated byte planes in base64.

    Args:
        columns: k of them, each (n,) int32.
        tables: JSON values that are no long lists of numbers.
    Returns:
        Base64 of the deflated bytes: 4 planes of (k, n) bytes, lowest byte first, then the tables as UTF-8 JSON.
    """
    planes = np.stack(columns).astype("<i4").view(np.uint8).reshape(len(columns), -1, 4).transpose(2, 0, 1)
    written = json.dumps(tables, ensure_ascii=False).encode("utf-8", "replace")
    return _deflate(planes.tobytes() + written)


def pack_json(value: Any) -> str:
    """Pack a JSON value as deflated UTF-8 in base64.

    Streamlit's own JSON would use six bytes per Chinese letter.

    >>> len(pack_json("养鹅" * 1000)) < 100
    True
    """
    try:
        written = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold and an escape can
        written = json.dumps(value).encode()
    return _deflate(written)


def _deflate(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 4)).decode("ascii")


def steps(values: Ints) -> Ints:
    """Return the differences between neighbouring values, the first from 0: they pack better."""
    return np.diff(values, prepend=np.int32(0))
