"""One chunk with every field: what the model reads first, the engineer's detail a click further."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.model import Chunk, Flag
from chunking.retrieval.results.citation import ranges
from chunking.store.chunk_records import chunk_record
from components.kit.wording import count, page_word, plain

__all__ = ["FLAG_SENTENCES", "chunk_card"]

FLAG_SENTENCES: dict[Flag, str] = {
    Flag.OVER_SIZE: "Longer than the size: there is no place inside at which it could be cut.",
    Flag.OVER_MODEL_LIMIT: "The model reads only the beginning of it.",
    Flag.PREFIX_SHORTENED: "Its prefix was too long and lost its front.",
    Flag.CODE_CUT: "Holds only a part of a code block.",
    Flag.TABLE_CUT: "Holds only some rows of a table.",
    Flag.QA_CUT: "Holds only a part of a question and its answer.",
    Flag.FALLBACK: "The chosen strategy failed here; a simpler one cut it.",
    Flag.MEAN_OF_WINDOWS: "Longer than the model reads: its vector is the mean of the vectors of its windows.",
    Flag.GENERATED: "A language model wrote a part of its prefix or description.",
    Flag.DESCRIPTION_OVER_SIZE: "Embedded over the size.",
    Flag.DESCRIPTION_SHORTENED: "Table description shortened.",
}

_FLAG_HELP: dict[Flag, str] = {
    Flag.DESCRIPTION_OVER_SIZE: "Prefix and content fit the size. The description of a table, or the placeholder for one beside it, is "
    "embedded with them and makes the text longer; the model still reads all of it. With “Tables are embedded as” set to "
    "cells there is no description.",
    Flag.DESCRIPTION_SHORTENED: "The model's limit left no room for all that is said of its tables: rows without a sentence are embedded "
    "as they stand. A smaller size leaves more room.",
}
"""What stands behind a flag, on hover."""
_LONGEST = 50_000
"""Characters of a chunk that are shown: where every strategy failed, the whole document is one."""


def chunk_card(chunk: Chunk, *, family: Sequence[str] = (), stored: Chunk | None = None) -> None:
    """The chunk's place, size and texts.

    Args:
        family: what it is a part of, a line each.
        stored: the same chunk as an index holds it, with what was written about it.
    """
    chunk = stored or chunk
    with st.container(border=True, key="chunk-card"):
        where = " › ".join(chunk.title_path) or "before the first heading"
        st.markdown(f"**Chunk {chunk.chunk_index}** · {plain(where)}", help=f"One of {chunk.total_chunks:,}, counted from 0, as in its id.")
        kind = plain(chunk.source_hint) or chunk.content_type
        st.caption(
            " · ".join(
                [count(chunk.token_count, "token"), *_pages(chunk), f"characters {chunk.start:,} to {chunk.end:,}", kind],
            ),
            help="Tokens of the text that is embedded, counted by the embedding model's tokenizer: prefix, content without its markup, and "
            "what is said of tables. Characters are places in the document's text.",
        )
        related = chunk.metadata.get("related_chunk_ids", ())
        if related:
            st.caption(
                f"Related chunks: {_numbers(related)}", help="A large table stands apart from the text around it; each names the other."
            )
        if family:
            st.caption(
                "  \n".join(f"⊏ {plain(line)}" for line in family),
                help="What it makes with its neighbours: larger texts that search returns in its place, or that lend it their score.",
            )
        for flag in chunk.flags:
            st.caption(f"⚠ {FLAG_SENTENCES[flag]}", help=_FLAG_HELP.get(flag))
        _texts(chunk)


def _pages(chunk: Chunk) -> list[str]:
    """`page 3`, `slides 3–4`; nothing where the format has none."""
    numbers = sorted(set(chunk.pages))
    word = page_word(str(chunk.metadata.get("format", "")))
    return [f"{word}{'s' if len(numbers) > 1 else ''} {ranges(numbers)}"] if numbers else []


def _numbers(chunk_ids: Sequence[str]) -> str:
    """The numbers in the ids of chunks of one document, those in a row as a range."""
    return ranges([int(chunk_id.rpartition("_chunk")[2]) for chunk_id in chunk_ids])


def _texts(chunk: Chunk) -> None:
    reads, content, fields = st.tabs(["What the model reads", "Content", "All fields"])
    with reads:
        if chunk.written:
            by = "a language model" if Flag.GENERATED in chunk.flags else "rule"
            st.caption(f"✎ Written by {by} when the index was built: {plain(chunk.written)}")
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
