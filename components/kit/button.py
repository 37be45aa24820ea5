"""A button whose click is acted on once, in whichever run gets to it."""

from __future__ import annotations

import time
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.session.page.page_frame import arrival

__all__ = ["button"]

_CLICKS = "button.clicks"
_STALE = 30.0
"""Seconds after which a click that no run came to is not meant any more."""


def button(label: str, *, key: str, place: DeltaGenerator | None = None, about: object = None, **looks: Any) -> bool:
    """As `st.button`, but True until it has been asked once after a click.

    `if st.button(…)` loses a click when its run is cut short before it comes there: by another click, or by a
    component. A callback is called when a run begins; so the click is noted there, in a plain dict: a callback that
    touches the session's state can be cut short as well.

    Args:
        label: on the button.
        key: of the button.
        place: where it stands; None: here.
        about: what it acts on, where the key does not say so: a click counts for that alone.
        looks: what `st.button` takes besides.
    Returns:
        Whether it was clicked in this stay on the page, a moment ago, and nobody has been told yet.
    """
    clicks: dict[str, tuple[object, float]] = st.session_state.setdefault(_CLICKS, {})
    here = (arrival(), about)

    def note() -> None:
        clicks[key] = (here, time.monotonic())

    (place or st).button(label, key=key, on_click=note, **looks)
    where, when = clicks.pop(key, (None, 0.0))
    return where == here and time.monotonic() - when < _STALE
