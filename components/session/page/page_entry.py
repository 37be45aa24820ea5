"""Entry of every page script: rights, jobs of the header, and errors as sentences."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from chunking.errors import AccessError
from components.kit.wording import plain
from components.session.current_workspace import forget_choice
from components.session.jobs.job_chip import job_chips
from components.session.page.page_frame import current_page, sentences, still_open
from components.session.page.run_order import awaited

__all__ = ["show"]


def show(page: Callable[[], None], *, needs_workspace: bool = True) -> None:
    """Draw a page, with an error of the library as a sentence in it.

    Until `st.navigation` has run once in a server's life, Streamlit takes every file of a folder named pages/ for an
    app without app.py, so the first deep link would show a page without navigation, settings and styles. There is no
    setting against that: the flag is reset here and the run begins again.

    Args:
        needs_workspace: False draws a page that is about none without rights and jobs, even if no workspace opens.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
    with awaited(), sentences():
        if needs_workspace and _is_refused():
            return
        if needs_workspace:
            job_chips(current_page() or "chunks")
        page()


def _is_refused() -> bool:
    """Whether the user may not (or no longer) see the workspace; then says so, with the way to their own."""
    try:
        still_open()
    except AccessError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.button("Go to my workspaces", key="workspace.mine", on_click=forget_choice)
        return True
    return False
