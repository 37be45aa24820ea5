"""Choice of some documents of an index, found among however many it has."""

from __future__ import annotations

import streamlit as st

from chunking.export import Material
from components.kit.bounded_options import find_options

__all__ = ["document_choice"]


def document_choice(
    material: Material, label: str, *, key: str, most: int, none: str, files: bool = False
) -> tuple[str, ...]:
    """Draw a choice of the index's documents in a closed expander, and return the paths of those chosen.

    Args:
        label: title of the expander.
        most: maximum number of documents.
        none: words for no choice.
        files: offer only files of their own, no attachments.
    """
    names = {one.source: one.source for one in material.indexed_documents if not (files and one.parent_id)}
    before = [source for source in st.session_state.get(key, ()) if source in names]
    st.session_state[key] = before
    with st.expander(label):
        chosen = st.multiselect(
            label,
            find_options(names, key=key, chosen=before),
            key=key,
            max_selections=most,
            placeholder=none,
            label_visibility="collapsed",
        )
    return tuple(chosen)
