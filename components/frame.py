"""What every page stands in: the app's own navigation around it, and one sentence where something fails."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from chunking.errors import ChunkscopeError
from components.words import plain

__all__ = ["show"]


def show(page: Callable[[], None]) -> None:
    """Draw a page; an error of the library stands on it as its sentence.

    Until `st.navigation` has run once in a server's life, Streamlit takes every file of a folder named pages/ for an app
    without app.py: whoever opens a deep link first would see a page without navigation, settings and styles. There is no
    setting against that, so the flag is put right here and the run begins again.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
    try:
        page()
    except ChunkscopeError as error:
        st.error(plain(str(error)))
