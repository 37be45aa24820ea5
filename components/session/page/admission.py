"""Admission of a session by the host, before a page is drawn."""

from __future__ import annotations

import re

import streamlit as st

from chunking.errors import ChunkscopeError
from components.kit.wording import plain
from components.session.host import host

__all__ = ["admit", "show_refusal"]

_FOLDERS = re.compile(r"(?<![\w.:/])/(?:[\w.-]+/)+(?=[\w.-])")
"""Folders of a path: everybody may read the sentence, and the operator finds the full path in the log."""


def admit() -> None:
    """Stop the run, with the reason drawn, unless the host admits the session's user."""
    try:
        here = host()
    except ChunkscopeError as error:
        show_refusal(error)
        st.stop()
    here.admit()


def show_refusal(error: ChunkscopeError) -> None:
    """Draw why a session is not admitted, without folders of this machine."""
    st.error(plain(_FOLDERS.sub("", str(error))), icon=":material/lock:")
