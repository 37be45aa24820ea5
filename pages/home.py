"""Front page: what the program is for, told by measured samples; or the user's own workspace."""

from __future__ import annotations

import streamlit as st

from components.home.samples_page import can_play, draw_samples
from components.home.workspace_page import draw_workspace
from components.session.page.page_entry import show


def page() -> None:
    """Draw the story of the samples, or the state of the user's own workspace."""
    with st.container(key="home"):
        if can_play():
            draw_samples()
        else:
            draw_workspace()


show(page)
