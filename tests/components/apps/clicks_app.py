"""A page that never comes to rest, with a component and buttons whose every click is written down, in order.

The session is `?session=NAME` of the address: a page loaded anew, or a second tab, writes into the list of its name.
"""

from __future__ import annotations

import time

import streamlit as st

from chunking.parsing import parse
from components.chunks.outline import outline
from components.kit.browser import deliver_code
from components.kit.button import button
from components.kit.settings_form.widgets import Number, draw_live_number, read_live_number
from components.streamlit_patches.rerun_requests import correct_streamlit

SECTIONS, LETTERS = 12, "ABCDEFGHIJKLMNOPQRST"
PAUSE = 0.004
"""Seconds between two places where Streamlit may cut a run short."""

correct_streamlit()
st.set_page_config(layout="wide")
name = st.query_params.get("session", "")
restless = "calm" not in st.query_params


@st.cache_resource
def lists() -> dict[str, list[str]]:
    """What was done, of all sessions of this server."""
    return {}


done = lists().setdefault(name, [])
document = parse("\n\n".join(f"# Section {number}\n\nSome text." for number in range(SECTIONS)).encode(), "clicks.md")
deliver_code()


@st.fragment(run_every=0.1 if restless else None)
def ticking() -> None:
    """As a job's progress."""
    st.caption(f"{time.monotonic():.1f}")


@st.fragment
def inside() -> None:
    """Buttons of a fragment: a click asks for a run of the fragment alone, which waits for the page's."""
    with st.container(horizontal=True):
        for letter in LETTERS:
            if button(letter.lower(), key=f"inside.{letter}"):
                done.append(letter)


left, right = st.columns(2)
with left:
    outline(document, counts=False, height=500, on_section=lambda index: done.append(f"section {index}"))
for _ in range(20):
    time.sleep(PAUSE)
    right.empty()
with right:
    ticking()
    draw_live_number(
        Number("Size", "", read_live_number("size", 0) or "100", "tokens", 1, 400, live=False), key="size", turn=0
    )
    inside()
    if button("Once", key="once"):
        done.append("once")
    st.code(" ".join(done).replace("section ", ""), language=None)
    st.write("size:", read_live_number("size", 0))
    st.write("ticked:", st.checkbox("Tick", key="tick"))
for _ in range(10):
    time.sleep(PAUSE)
    right.empty()
if restless:
    st.rerun()
