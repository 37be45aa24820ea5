"""Search field, and example questions while it is empty."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from chunking.retrieval.document_search import NO_INDEX
from chunking.store import DocumentRow
from components.kit.notes import no_documents
from components.kit.wording import plain
from components.session import share

__all__ = ["example_buttons", "examples", "keep_query", "no_index", "query_field"]

LONGEST_IN_LINK = 500
"""Most characters of a query in the link; longer queries stay in the session, as URLs have limits."""
_QUERY, _TURN = "search.query", "search.query.turn"

_QUESTIONS = Path(__file__).parents[2] / "sample_data" / "questions.jsonl"
_LANGUAGES = ("en", "en", "zh")


def query_field() -> str:
    """Draw the search field and return the query; session and link keep it across pages."""
    if st.session_state.get(_TURN, 0) != share.turn():  # by Back or Forward: the address says what was asked
        st.session_state[_TURN] = share.turn()
        st.session_state[_QUERY] = share.view("q") or ""
    query: str = st.session_state.setdefault(_QUERY, share.view("q") or "")
    # A field of its own after each Back: the browser would keep what was typed into the one before.
    field = f"search.field.{share.turn()}" if share.turn() else "search.field"
    st.session_state[field] = query
    st.text_input(
        "Search",
        type="search",
        key=field,
        placeholder="Ask a question or type words; put an exact phrase in “quotes”",
        label_visibility="collapsed",
        on_change=lambda: keep_query(st.session_state[field]),
    )
    return str(st.session_state[_QUERY])


def keep_query(query: str | None) -> None:
    """Store the query in the session and, if short enough, in the link; None clears both."""
    query = query or ""
    st.session_state[_QUERY] = query
    share.keep_view(q=query if query.strip() and len(query) <= LONGEST_IN_LINK else None)


def example_buttons(documents: Sequence[DocumentRow]) -> None:
    """Draw a line of text, and up to three example questions as buttons that search for them."""
    st.markdown("Ask in your own words, or start with one of these:")
    for number, question in enumerate(examples(documents)):
        st.button(plain(question), key=f"search.example.{number}", on_click=keep_query, args=(question,))


def no_index(documents: Sequence[DocumentRow]) -> None:
    """Draw that whole documents are searched until an index is built, or how to add documents."""
    if documents:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="search.unindexed"):
            st.caption(f"⚠ {NO_INDEX}", width="content")
            st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")
    else:
        no_documents("search")


def examples(rows: Sequence[DocumentRow]) -> list[str]:
    """Return up to three example questions.

    With the sample documents: sample questions on different documents, one of them Chinese; otherwise headings.
    """
    sources = {row.source for row in rows}
    samples = [(language, doc, question) for language, doc, question in _questions() if doc in sources]
    picked: dict[str, str] = {}
    for language in _LANGUAGES:
        row = next((row for row in samples if row[0] == language and row[1] not in picked), None)
        if row:
            picked[row[1]] = row[2]
    return list(picked.values()) or _headings(rows)


@st.cache_data(show_spinner=False)
def _questions() -> list[tuple[str, str, str]]:
    """Return (language, document path, question) of the sample questions."""
    lines = _QUESTIONS.read_text(encoding="utf-8").splitlines() if _QUESTIONS.exists() else []
    return [(row["language"], row["doc"], row["question"]) for row in map(json.loads, lines)]


def _headings(rows: Sequence[DocumentRow]) -> list[str]:
    """Return the second heading of up to three documents, else the title.

    The first heading often repeats the title.
    """
    outlines = [row.doc_toc.splitlines() for row in rows[:3]]
    return [lines[1].strip() if len(lines) > 1 else row.title for row, lines in zip(rows, outlines, strict=False)]
