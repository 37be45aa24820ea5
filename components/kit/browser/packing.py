"""Many small numbers as short text, for a component's message; `unpack` in define.js is the inverse."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack_columns", "steps"]

Ints = NDArray[np.int32]


def pack_columns(columns: Sequence[Ints], tables: Mapping[str, Any]) -> str:
    """Columns of n small numbers, and what else there is as JSON: byte planes, deflated, base64.

    Args:
        columns: k of them, each (n,) int32.
        tables: JSON values that are no long lists of numbers.
    Returns:
        Base64 of the deflated bytes: 4 planes of (k, n) bytes, lowest byte first, then the tables as UTF-8 JSON.
    """
    planes = np.stack(columns).astype("<i4").view(np.uint8).reshape(len(columns), -1, 4).transpose(2, 0, 1)
    written = json.dumps(tables, ensure_ascii=False).encode("utf-8", "replace")
    return base64.b64encode(zlib.compress(planes.tobytes() + written, 4)).decode("ascii")


def steps(values: Ints) -> Ints:
    """Differences from value to value, the first from 0: smaller numbers than the values themselves."""
    return np.diff(values, prepend=np.int32(0))
