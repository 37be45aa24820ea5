"""One chunk with every field: what the model reads first, the engineer's detail a click further."""

from __future__ import annotations

import streamlit as st

from chunking.model import Chunk, Flag
from chunking.records import chunk_record
from components.words import count, plain

__all__ = ["FLAG_SENTENCES", "chunk_card"]

FLAG_SENTENCES: dict[Flag, str] = {
    Flag.OVER_SIZE: "Longer than the size: there is no place inside at which it could be cut.",
    Flag.OVER_MODEL_LIMIT: "The model reads only the beginning of it.",
    Flag.PREFIX_SHORTENED: "Its prefix was too long and lost its front.",
    Flag.CODE_CUT: "Holds only a part of a code block.",
    Flag.TABLE_CUT: "Holds only some rows of a table.",
    Flag.QA_CUT: "Holds only a part of a question and its answer.",
    Flag.FALLBACK: "The chosen strategy failed here; a simpler one cut it.",
}

_LONGEST = 50_000
"""Characters of a chunk that are shown: where every strategy failed, the whole document is one."""


def chunk_card(chunk: Chunk) -> None:
    """The chunk's place, size and texts."""
    with st.container(border=True, key="chunk-card"):
        where = " › ".join(chunk.title_path) or "before the first heading"
        st.markdown(f"**Chunk {chunk.chunk_index}** · {plain(where)}", help=f"One of {chunk.total_chunks:,}, counted from 0, as in its id.")
        kind = plain(chunk.source_hint) or chunk.content_type
        st.caption(
            f"{count(chunk.token_count, 'token')} · characters {chunk.start:,} to {chunk.end:,} · {kind}",
            help="Tokens of prefix and content, counted by the embedding model's tokenizer. Characters are places in the document's text.",
        )
        for flag in chunk.flags:
            st.caption(f"⚠ {FLAG_SENTENCES[flag]}")
        _texts(chunk)


def _texts(chunk: Chunk) -> None:
    reads, content, fields = st.tabs(["What the model reads", "Content", "All fields"])
    with reads:
        if chunk.prefix:
            st.caption(f"Prefix (not part of the span): {plain(chunk.prefix)}")
        _text(chunk.embedding_content.removeprefix(chunk.prefix).lstrip("\n"))
    with content:
        _text(chunk.content)
    with fields:
        if len(chunk.content) <= _LONGEST:
            st.json(chunk_record(chunk), expanded=1)
        else:
            st.caption("Too long to be shown; `chunkscope chunk` prints it.")


def _text(text: str) -> None:
    st.text(text[:_LONGEST])
    if len(text) > _LONGEST:
        st.caption(f"… {count(len(text) - _LONGEST, 'more character')}")
