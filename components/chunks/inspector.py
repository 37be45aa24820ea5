"""The inspector under the outline: all fields of the picked chunk, the sizes of all chunks, the pins, or a comparison
in numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

__all__ = ["CHUNK", "COMPARED", "LAYOUT", "PINS", "SIZES", "inspector", "open_inspector"]

LAYOUT = Path(__file__).parent / "layout.css"
"""Where outline, inspector, text and settings stand on the page, for each width of the window."""
CHUNK, SIZES, PINS, COMPARED = "Chunk", "All sizes", "Pins", "A and B"
_SHOWN, _FIELD, _SEEN = "chunks.inspector", "chunks.inspector.field", "chunks.inspector.seen"
"""Session keys: what it shows (None: it is closed), the control that says so, and the pick that was seen last."""


def open_inspector(shown: str) -> None:
    """Show one of its views from the next call of `inspector` on."""
    st.session_state[_SHOWN] = shown


def inspector(
    *,
    pick: str,
    chunk: Callable[[], None],
    sizes: Callable[[], None],
    pins: Callable[[], None],
    compared: Callable[[], None] | None = None,
) -> None:
    """A bar that opens it, and below it what is looked at; only that is drawn.

    Args:
        pick: session key of the viewer's pick.
        chunk: draws the picked chunk, or how to pick one.
        sizes: draws the sizes of all chunks.
        pins: draws the list of pins.
        compared: draws the comparison with another way of splitting, where there is one.
    """
    views = {CHUNK: chunk, SIZES: sizes, PINS: pins} | ({COMPARED: compared} if compared else {})
    _follow(st.session_state.get(pick))
    if st.session_state.get(_SHOWN) not in views:
        st.session_state[_SHOWN] = None
    shown = st.session_state[_SHOWN]
    with st.container(key="chunks-inspector-open" if shown else "chunks-inspector", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chunks-inspector-bar"):
            st.session_state[_FIELD] = shown
            st.segmented_control(
                "Inspector",
                list(views),
                key=_FIELD,
                label_visibility="collapsed",
                on_change=_switch,
                args=(pick,),
                width="content",
            )
            if shown:
                st.button(
                    "Close",
                    icon=":material/close:",
                    key="chunks.inspector.close",
                    type="tertiary",
                    on_click=_close,
                    args=(pick,),
                )
            elif not compared:  # there is no room for more
                st.caption("Click a chunk.", width="content")
        if shown:
            with st.container(key="chunks-inspector-body", gap="small"):
                views[shown]()


def _follow(at: int | None) -> None:
    """A chunk that was just picked is shown; where none is picked any more, its card closes."""
    if st.session_state.get(_SEEN) == at:
        return
    st.session_state[_SEEN] = at
    if at is not None:
        st.session_state[_SHOWN] = CHUNK
    elif st.session_state.get(_SHOWN) == CHUNK:
        st.session_state[_SHOWN] = None


def _switch(pick: str) -> None:
    """To the other view; a click on the present one closes it."""
    wanted = st.session_state[_FIELD]
    if wanted is None:
        _close(pick)
    else:
        st.session_state[_SHOWN] = wanted


def _close(pick: str) -> None:
    """Give the outline its height back, and pick nothing."""
    st.session_state[_SHOWN] = st.session_state[pick] = None
