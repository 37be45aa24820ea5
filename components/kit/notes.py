"""What there is to know besides, as one calm list: several sentences never become several boxes."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from components.kit.wording import plain

__all__ = ["notes_box"]


def notes_box(notes: Iterable[str], *, key: str, title: str = "Notes") -> None:
    """The sentences as a list under a title; nothing where there is none.

    Args:
        notes: as the library says them; each once, and as plain text.
        key: of the box on its page.
    """
    lines = [f"- {plain(note)}" for note in dict.fromkeys(notes) if note]
    if not lines:
        return
    with st.container(border=True, gap="xsmall", key=key):
        st.markdown(f":material/info: **{title}**")
        st.caption("\n".join(lines))
