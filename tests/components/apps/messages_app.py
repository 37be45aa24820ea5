"""A long text that can be switched off, beside a fragment whose runs let the browser's messages grow old."""

from __future__ import annotations

import streamlit as st

from components.streamlit_patches.rerun_requests import correct_streamlit

correct_streamlit()


@st.fragment
def counter() -> None:
    """Each click is a run of the fragment alone."""
    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    st.button("Again")
    st.caption(f"run {st.session_state['runs']}")


counter()
if st.toggle("Text", value=True):
    st.markdown("word " * 4_000)
