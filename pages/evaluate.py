"""Evaluate."""

from __future__ import annotations

import streamlit as st

from components.frame import show


def page() -> None:
    """The page from top to bottom."""
    st.header("Evaluate", anchor=False)


show(page)
