"""Inspector under the outline: the picked chunk, chunk sizes, pins, or the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from chunking.model import Chunk, Flag
from chunking.retrieval.results.citation import page_words, ranges
from chunking.store.chunk_records import chunk_record
from components.kit.wording import plain, quantity, token_words

__all__ = [
    "CHUNK",
    "COMPARED",
    "FLAG_SENTENCES",
    "PINS",
    "SIZES",
    "chunk_card",
    "inspector",
    "keep_closed",
    "open_inspector",
]

CHUNK, SIZES, PINS, COMPARED = "Chunk", "All sizes", "Pins", "A and B"
_SHOWN, _FIELD, _LAST_PICK = "chunks.inspector", "chunks.inspector.field", "chunks.inspector.seen"
"""Session keys: open view (None: closed), its widget, and the last pick handled."""
_CLOSED = "chunks.inspector.keep_closed"

FLAG_SENTENCES: dict[Flag, str] = {
    Flag.OVER_SIZE: "Longer than the size: there is nowhere to split it.",
    Flag.OVER_MODEL_LIMIT: "Truncated: the model reads only its beginning.",
    Flag.PREFIX_SHORTENED: "Its prefix was too long, so its beginning was dropped.",
    Flag.CODE_CUT: "Holds only part of a code block.",
    Flag.TABLE_CUT: "Holds only some rows of a table.",
    Flag.QA_CUT: "Holds only part of a question and its answer.",
    Flag.FALLBACK: "The chosen strategy failed here; a simpler one was used.",
    Flag.MEAN_OF_WINDOWS: "Longer than the model's limit: its vector is the mean of the vectors of its windows.",
    Flag.GENERATED: "A language model wrote part of its prefix or description.",
    Flag.DESCRIPTION_OVER_SIZE: "Embedded over the size.",
    Flag.DESCRIPTION_SHORTENED: "Table description shortened.",
    Flag.KEPT_OVER_SIZE: "A pin keeps it together.",
}

_FLAG_HELP: dict[Flag, str] = {
    Flag.DESCRIPTION_OVER_SIZE: (
        "Prefix and content fit the size. The table description, or the placeholder for a table next to it, is "
        "embedded with them and makes the text longer; the model still reads all of it. With Table embedding set to "
        "cells there is no description."
    ),
    Flag.DESCRIPTION_SHORTENED: (
        "The model's limit left no room for the whole table description: rows without a sentence are embedded as they "
        "are written. A smaller size leaves more room."
    ),
}
"""Tooltip of a flag."""
_LONGEST = 50_000
"""Most characters of a chunk shown; a fallback chunk may be the whole document."""


def open_inspector(shown: str) -> None:
    """Store which view of the inspector opens in the next run.

    Args:
        shown: `CHUNK`, `SIZES`, `PINS` or `COMPARED`.
    """
    st.session_state[_SHOWN] = shown


def inspector(
    *,
    pick: str,
    chunk: Callable[[], None],
    sizes: Callable[[], None],
    pins: Callable[[], None],
    compared: Callable[[], None] | None = None,
) -> None:
    """Draw the inspector's bar and open view; a new pick in the viewer opens the chunk view.

    Clearing the pick closes the chunk view; closing any view clears the pick.

    Args:
        pick: session key of the viewer's pick.
        chunk: draws the picked chunk, or how to pick one.
        sizes: draws the sizes of all chunks.
        pins: draws the list of pins.
        compared: draws the comparison with another split, if one is chosen.
    """
    views = {CHUNK: chunk, SIZES: sizes, PINS: pins} | ({COMPARED: compared} if compared else {})
    _follow(st.session_state.get(pick))
    if st.session_state.get(_SHOWN) not in views:
        st.session_state[_SHOWN] = None
    shown = st.session_state[_SHOWN]
    with st.container(key="chunks-inspector-open" if shown else "chunks-inspector", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chunks-inspector-bar"):
            st.session_state[_FIELD] = shown
            st.segmented_control(
                "Inspector",
                list(views),
                key=_FIELD,
                label_visibility="collapsed",
                on_change=_switch,
                args=(pick,),
                width="content",
            )
            if shown:
                st.button(
                    "Close",
                    icon=":material/close:",
                    key="chunks.inspector.close",
                    type="tertiary",
                    on_click=_close,
                    args=(pick,),
                )
            elif not compared:  # there is no room for more
                st.caption("Click a chunk.", width="content")
        if shown:
            with st.container(key="chunks-inspector-body", gap="small"):
                views[shown]()


def keep_closed() -> None:
    """Leave the inspector closed for the pick of the next run, which shows a place in the text."""
    st.session_state[_CLOSED], st.session_state[_SHOWN] = True, None


def _follow(at: int | None) -> None:
    """Open the chunk view after a new pick, and close it when nothing is picked."""
    closed = st.session_state.pop(_CLOSED, False)
    if st.session_state.get(_LAST_PICK) == at:
        return
    st.session_state[_LAST_PICK] = at
    if at is not None:
        st.session_state[_SHOWN] = None if closed else CHUNK
    elif st.session_state.get(_SHOWN) == CHUNK:
        st.session_state[_SHOWN] = None


def _switch(pick: str) -> None:
    """Open another view; a click on the open one closes it."""
    view = st.session_state[_FIELD]
    if view is None:
        _close(pick)
    else:
        st.session_state[_SHOWN] = view


def _close(pick: str) -> None:
    """Close the inspector and clear the pick."""
    st.session_state[_SHOWN] = st.session_state[pick] = None


def chunk_card(
    chunk: Chunk, *, sized: tuple[int, int] = (0, 0), family: Sequence[str] = (), stored: Chunk | None = None
) -> None:
    """Draw a chunk's section path, size, related chunks, flags and texts.

    Args:
        sized: tokens of prefix and text as written, and of the prefix alone, as the viewer's tooltip tells them; zeros:
            not counted.
        family: parents and larger chunks that contain it, a line each.
        stored: the same chunk from an index, with its enrichment; drawn in place of `chunk`.
    """
    chunk = stored or chunk
    with st.container(key="chunk-card", gap="xsmall"):
        where = " › ".join(chunk.title_path) or "before the first heading"
        st.markdown(
            f"**Chunk {chunk.chunk_index}** · {plain(where)}",
            help=f"One of {chunk.total_chunks:,}, counted from 0, as in its id.",
        )
        kind = plain(chunk.source_hint) or chunk.content_type
        st.caption(
            " · ".join(
                [
                    token_words(*sized, chunk.token_count),
                    *_pages(chunk),
                    f"characters {chunk.start:,} to {chunk.end:,}",
                    kind,
                ],
            ),
            help="Tokens are counted by the embedding model's tokenizer. The size limits the text as written with its "
            "prefix. What is embedded may differ: markup is left out, and table descriptions come in. Characters are "
            "offsets in the document's text.",
        )
        related = chunk.metadata.get("related_chunk_ids", ())
        if related:
            st.caption(
                f"Related chunks: {_numbers(related)}",
                help="A large table is a separate chunk from the text around it; each refers to the other.",
            )
        if family:
            st.caption(
                "  \n".join(f"⊏ {plain(line)}" for line in family),
                help=(
                    "The parents and larger chunks that contain it: search returns them instead, or lets it "
                    "score through them."
                ),
            )
        for flag in chunk.flags:
            st.caption(f"⚠ {FLAG_SENTENCES[flag]}", help=_FLAG_HELP.get(flag))
        _texts(chunk)


def _pages(chunk: Chunk) -> list[str]:
    """Return such as `page 3` or `slides 3–4`; empty if the format has no pages."""
    return [page_words(str(chunk.metadata.get("format", "")), chunk.pages)] if chunk.pages else []


def _numbers(chunk_ids: Sequence[str]) -> str:
    """Return the chunk numbers of ids, with runs as ranges."""
    return ranges([int(chunk_id.rpartition("_chunk")[2]) for chunk_id in chunk_ids])


def _texts(chunk: Chunk) -> None:
    reads, content, fields = st.tabs(["Embedded text", "Content", "All fields"])
    with reads:
        if chunk.written:
            by = "a language model" if Flag.GENERATED in chunk.flags else "rule"
            st.caption(f"✎ Generated by {by} when the index was built: {plain(chunk.written)}")
        if chunk.prefix:
            st.caption(f"Prefix (not part of the span): {plain(chunk.prefix)}")
        _text(chunk.embedding_content.removeprefix(chunk.prefix).lstrip("\n"))
    with content:
        _text(chunk.content)
    with fields:
        if len(chunk.content) <= _LONGEST:
            st.json(chunk_record(chunk), expanded=1)
        else:
            st.caption("Too long to show; `chunkscope chunk` prints it.")


def _text(text: str) -> None:
    st.text(text[:_LONGEST])
    if len(text) > _LONGEST:
        st.caption(f"… {quantity(len(text) - _LONGEST, 'more character')}")
