"""Entry of every page script: rights, job chips, and errors as sentences."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from chunking.errors import AccessError
from components.kit.wording import plain
from components.session.current_workspace import forget_choice
from components.session.jobs.job_chip import job_chips
from components.session.page.page_frame import check_may_read, current_page, sentences
from components.session.page.run_order import awaited

__all__ = ["show"]


def show(page: Callable[[], None], *, needs_workspace: bool = True) -> None:
    """Draw the job chips and a page, if the user may read the workspace.

    Errors of the library become sentences.

    Until `st.navigation` has run once in a server's life, Streamlit takes every file of a folder named pages/ for an
    app without app.py, so the first deep link would show a page without navigation, settings and styles. No setting
    prevents that: the flag is reset here and the run begins again.

    Args:
        needs_workspace: False skips rights and jobs, for a page about no workspace, even if none can be opened.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
    with awaited(), sentences():
        if needs_workspace and _is_refused():
            return
        if needs_workspace:
            job_chips(current_page() or "home")
        page()


def _is_refused() -> bool:
    """True if the user may not read the workspace; then draws so, with a button to their own."""
    try:
        check_may_read()
    except AccessError as error:
        st.error(plain(str(error)), icon=":material/error:")
        st.button("Go to my workspaces", key="workspace.mine", on_click=forget_choice)
        return True
    return False
