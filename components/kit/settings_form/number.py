"""A number as a slider and a box that report while they are dragged; `st.slider` reports on release only."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from components.kit.browser import component

__all__ = ["Number", "live_number", "read_live_number", "slider_texts"]

_number = component("number")
_LONGEST = 40
"""Characters of a number that a browser may send."""


@dataclass(frozen=True, slots=True)
class Number:
    """What the input shows. `text` is a number, or with `whole` also a share of it such as `15%`."""

    label: str
    help: str
    text: str
    unit: str
    minimum: float
    maximum: float
    step: float = 1
    live: bool = True
    """Report while dragged; else on release."""
    whole: int | None = None
    """With it, the user can switch between an amount and a share of this many units."""
    error: str = ""
    """The sentence beside the field."""


def live_number(number: Number, *, key: str, turn: int) -> None:
    """Draw it. A new `turn` makes the browser take `number.text` over; else it keeps what its user is doing."""

    def remember(said: Any) -> None:
        if isinstance(said, dict):
            st.session_state[f"{key}.value"] = (str(said.get("text"))[:_LONGEST], said.get("turn"))

    _number(key=key, data={**asdict(number), "turn": turn}, on={"value": remember})


def read_live_number(key: str, turn: int) -> str | None:
    """What the user has set since `turn`; None before that."""
    text, of = st.session_state.get(f"{key}.value", (None, None))
    return text if of == turn else None


def slider_texts(number: Number, most: int) -> list[str]:
    """Values at which the slider may stand, evenly along its way, with both ends; `placesFor` in number.js has all of them.

    Args:
        most: at most so many, 2 or more.

    >>> slider_texts(Number("Size", "", "150", "tokens", 16, 8192), 7)
    ['16', '61', '172', '448', '1184', '3264', '8192']
    >>> slider_texts(Number("Overlap", "", "10%", "tokens", 0, 149, whole=150), 6)
    ['0%', '10%', '20%', '30%', '40%', '50%']
    """
    sign = "%" if number.text.endswith("%") else ""
    low, high = (0, 50) if sign else (int(number.minimum), max(1, number.whole // 2) if number.whole else int(number.maximum))
    wide = high > 64 * max(low, 1) and high - low > 400
    places = [low]
    while places[-1] < high:
        places.append(min(high, places[-1] + (max(1, 2 ** (max(1, places[-1]).bit_length() - 6)) if wide else 1)))
    count = min(most, len(places))
    return [f"{places[round(at * (len(places) - 1) / (count - 1))]}{sign}" for at in range(count)]
