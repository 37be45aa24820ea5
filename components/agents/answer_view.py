"""A call of a tool and its answer, word for word, with what it cost and where a person can open what it names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from chunking.llm.metering import tokens_about
from components.kit.wording import plain, unplaced

__all__ = ["TIME_HELP", "TOKENS_HELP", "answer_view"]

_HEIGHT = 520
"""Of an answer in pixels, at most."""
_LINE = 21
_LINKS = 5
_SECONDS = 10_000
"""Milliseconds from which a time is told in seconds."""
TOKENS_HELP = (
    "Tokens of the agent's context that the answer uses, estimated from its length: each model counts a little "
    "differently."
)
TIME_HELP = (
    "Time from the call to its answer, on the server. The first search after a start also loads the embedding model."
)


def answer_view(tool: str, given: Mapping[str, Any], answer: str, *, refused: bool, ms: float, key: str) -> None:
    """Draw it.

    Args:
        given: the arguments.
        answer: JSON, or the sentence that refused the call.
        ms: milliseconds it took.
    """
    st.caption("Call")
    st.code(f"{tool} {json.dumps(given, ensure_ascii=False)}", language=None, wrap_lines=True)
    if refused:
        st.error(plain(answer), icon=":material/error:")
        return
    with st.container(horizontal=True, gap="medium", key=f"{key}.cost"):
        st.caption("Answer", width="content")
        st.caption(f"about {tokens_about(answer):,} tokens", width="content", help=TOKENS_HELP)
        st.caption(f"{ms:,.0f} ms" if ms < _SECONDS else f"{ms / 1_000:,.1f} s", width="content", help=TIME_HELP)
    _links(answer)
    text = _indented(answer)
    st.code(
        unplaced(text),
        language=None,
        wrap_lines=True,
        height=_HEIGHT if text.count("\n") * _LINE > _HEIGHT else "content",
    )


def _indented(answer: str) -> str:
    try:
        return json.dumps(json.loads(answer), ensure_ascii=False, indent=2)
    except ValueError:  # the beginning of a long one
        return answer


def _links(answer: str) -> None:
    """To the spans that the answer cites."""
    data: Any = {}
    with suppress(ValueError):
        data = json.loads(answer)
    lines = [data, *data.get("results", []), *data.get("related", [])]
    found = [
        f"[{plain(one['title'])}]({one['url']})"
        for one in lines
        if one.get("title") and str(one.get("url", "")).startswith("http")
    ]
    if found:
        st.markdown(f":small[:material/open_in_new: Open in the app: {' · '.join(found[:_LINKS])}]")
