"""Nobody sees a page before the host has let them in."""

from __future__ import annotations

import re

import streamlit as st

from chunking.errors import ChunkscopeError
from components.kit.wording import plain
from components.session.host import host

__all__ = ["admit", "show_refusal"]

_FOLDERS = re.compile(r"(?<![\w.:/])/(?:[\w.-]+/)+(?=[\w.-])")
"""Of a path: anybody may read the sentence, and the operator finds the whole path in the log."""


def admit() -> None:
    """Let in whom the host lets in; for anybody else the run ends here."""
    try:
        here = host()
    except ChunkscopeError as error:
        show_refusal(error)
        st.stop()
    here.admit()


def show_refusal(error: ChunkscopeError) -> None:
    """Draw why somebody cannot come in, without the folders of this machine."""
    st.error(plain(_FOLDERS.sub("", str(error))), icon=":material/lock:")
