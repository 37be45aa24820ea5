"""A number as a slider and a box that report while they are dragged; `st.slider` reports on release only."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from components.kit.browser import component

__all__ = ["Number", "live_number", "read_live_number"]

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
