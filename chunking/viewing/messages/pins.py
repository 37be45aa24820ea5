"""Pins as the viewer draws them, and their form on the wire."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chunking.model import PinKind
from chunking.text.byte_caches import MB, byte_cache
from chunking.viewing.messages.packing import pack_columns

__all__ = ["PinMark", "pin_message"]

_KINDS = (PinKind.SPLIT, PinKind.KEEP, PinKind.LEAVE_OUT, PinKind.MERGE)
"""In the order of PINS in pins.js."""


class PinMark(NamedTuple):
    """A pin, in characters of the document."""

    kind: PinKind
    start: int
    end: int
    label: str
    """What it does, or why it does not hold."""
    holds: bool = True


@byte_cache(most=16 * MB)
def pin_message(pins: tuple[PinMark, ...]) -> dict[str, Any]:
    """All of them as short text: it goes with every step of a slider."""
    labels = {label: number for number, label in enumerate(dict.fromkeys(pin.label for pin in pins))}
    rows = [(_KINDS.index(pin.kind), pin.start, pin.end, labels[pin.label], int(pin.holds)) for pin in pins]
    columns = list(np.array(rows, np.int32).reshape(-1, 5).T)
    return {"n": len(pins), "columns": pack_columns(columns, {"labels": list(labels)}) if pins else ""}
