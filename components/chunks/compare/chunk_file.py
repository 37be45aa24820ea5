"""Chunks from a file as B: chosen in a popover, found in the document, kept for the session."""

from __future__ import annotations

import hashlib

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import LocatedChunks, locate_chunks
from chunking.evaluation.runs.located_chunks import MOST_BYTES
from chunking.model import Document
from components.chunks.inspector import COMPARED, open_inspector
from components.kit.viewer import text_key
from components.kit.wording import plain, quantity
from components.session.document_caches import clear_when_unused

__all__ = ["file_chunks"]

_FILE, _FIELD = "chunks.compare.file", "chunks.compare.file.field"
"""What was chosen, which outlives the field: on another page, Streamlit forgets that."""


def file_chunks(of: Document) -> LocatedChunks | None:
    """The field for a file, and what of it is in a document; a file that cannot be used gets one sentence beside the
    field.
    """

    def chosen() -> None:
        given = st.session_state[_FIELD]
        st.session_state[_FILE] = (given.name, given.getvalue()) if given else None
        open_inspector(COMPARED)

    with st.popover("File", icon=":material/upload_file:", key="chunks.compare.open"):
        st.caption(
            "One line of JSON per chunk, with its `content` or `text`, and `start` and `end` in characters if known: "
            "an export of the chunks, or LangChain Documents. Each is searched for in this document, exactly."
        )
        st.file_uploader(
            "File of chunks",
            type=["jsonl", "json"],
            key=_FIELD,
            on_change=chosen,
            label_visibility="collapsed",
            max_upload_size=MOST_BYTES // 1_000_000,
        )
        kept: tuple[str, bytes] | None = st.session_state.get(_FILE)
        if kept is None:
            return None
        name, data = kept
        try:
            found = _located(of, hashlib.sha256(data).hexdigest(), name, data)
        except QuestionError as error:
            st.caption(f":red[{plain(str(error))}]")
            return None
        st.caption(plain(f"{quantity(len(found), 'chunk')} of {name}"))
        return found


@clear_when_unused
@st.cache_data(
    show_spinner="Finding the chunks in the document …",
    max_entries=4,
    hash_funcs={Document: lambda of: of.doc_id + of.source + text_key(of.text)},
)
def _located(of: Document, file: str, name: str, _data: bytes) -> LocatedChunks:
    return locate_chunks(_data, name, of)
