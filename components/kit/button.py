"""A button whose click is acted on once, by whichever run reads it."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.session.page.page_frame import arrival

__all__ = ["button"]

_CLICKS = "button.clicks"
_STALE = 30.0
"""Seconds after which an unread click has expired."""


def button(label: str, *, key: str, place: DeltaGenerator | None = None, about: object = None, **looks: Any) -> bool:
    """Draw a button like `st.button`; True once per click, even if a run was cut short.

    `if st.button(…)` loses a click if its run is cut short before that line: by another click, or by a component. A
    callback is called when a run begins, so it notes the click, in a plain dict: a callback that touches the session
    state can be cut short as well.

    Args:
        label: text of the button.
        key: key of the widget.
        place: container to draw in; None: here.
        about: object that it acts on, if the key does not name it; a click counts only for that object.
        looks: further arguments of `st.button`.
    Returns:
        True if it was clicked a moment ago in this stay on the page, and no call has returned True for it yet.
    """
    clicks: dict[str, tuple[object, float]] = st.session_state.setdefault(_CLICKS, {})
    here = (arrival(), about)

    def note() -> None:
        clicks[key] = (here, time.monotonic())

    (place or st).button(label, key=key, on_click=note, **looks)
    where, when = clicks.pop(key, (None, 0.0))
    return where == here and time.monotonic() - when < _STALE
