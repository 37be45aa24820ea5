"""A number as a slider and a box that report while they are dragged; `st.slider` reports on release only."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import streamlit as st

from chunking.viewing.messages.sliders import LONGEST, Number, slider_texts
from components.kit.browser import component

__all__ = ["Number", "live_number", "read_live_number", "slider_texts"]

_number = component("number")


def live_number(number: Number, *, key: str, turn: int) -> None:
    """Draw it. A new `turn` makes the browser take `number.text` over; else it keeps what its user is doing."""

    def remember(said: Any) -> None:
        if isinstance(said, dict):
            st.session_state[f"{key}.value"] = (str(said.get("text"))[:LONGEST], said.get("turn"))

    _number(key=key, data={**asdict(number), "turn": turn}, on={"value": remember})


def read_live_number(key: str, turn: int) -> str | None:
    """What the user has set since `turn`; None before that."""
    text, of = st.session_state.get(f"{key}.value", (None, None))
    return text if of == turn else None
