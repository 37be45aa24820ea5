"""Chunks that were made elsewhere: brought here as a file, then measured as one configuration more."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import read_chunks, save_chunks
from chunking.store import Workspace
from components.kit.wording import plain, quantity
from components.session.editing import editing
from components.session.page.page_frame import sentences
from components.session.workspace import check_room, loaded_of, workspace

__all__ = ["bring_chunks", "known_chunks"]

_TAKEN = "tune.elsewhere.taken"


def known_chunks() -> tuple[str, ...]:
    """Names of the splitters that give the loaded chunks of this workspace; what cannot be read is said."""
    loaded = loaded_of(workspace())
    for warning in loaded.warnings:
        st.warning(plain(warning), icon=":material/warning:")
    return tuple(loaded.splitters)


def bring_chunks(target: Workspace) -> str | None:
    """A file of chunks; the name of its splitter in the run in which it was brought."""
    with st.popover("Chunks made elsewhere", icon=":material/upload_file:", key="tune.elsewhere"):
        st.caption(
            "One line of JSON per chunk: its document (`doc`, the path or id), and `start` and `end` in "
            "characters, or its `text`. "
            "LangChain Documents can be read as they are."
        )
        looks = editing(label_visibility="collapsed")
        given = st.file_uploader("File of chunks", type=["jsonl", "json"], key="tune.elsewhere.file", **looks)
        if given is None or st.session_state.get(_TAKEN) == given.file_id:
            return None
        with sentences():
            check_room(given.size)
            documents = list(target.read_documents([row.doc_id for row in target.documents()]))
            loaded = read_chunks(given.getvalue(), given.name, documents)
            save_chunks(target, loaded)
            st.session_state[_TAKEN] = given.file_id
            st.toast(
                f"{quantity(sum(loaded.documents.values()), 'chunk')} of "
                f"{quantity(len(loaded.documents), 'document')} are included."
            )
            return loaded.splitter
    return None
