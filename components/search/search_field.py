"""Search field, and example questions while it is empty."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from chunking.retrieval.document_search import NO_INDEX
from chunking.store import Workspace
from components.kit.notes import no_documents
from components.kit.wording import plain
from components.search.example_questions import examples
from components.session import share

__all__ = ["example_buttons", "keep_query", "no_index", "query_field"]

LONGEST_IN_LINK = 500
"""Most characters of a query in the link; longer queries stay in the session, as URLs have limits."""
_QUERY, _TURN = "search.query", "search.query.turn"


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
        placeholder="Ask a question, or “exact words”",
        label_visibility="collapsed",
        on_change=lambda: keep_query(st.session_state[field]),
    )
    return str(st.session_state[_QUERY])


def keep_query(query: str | None) -> None:
    """Store the query in the session and, if short enough, in the link; None clears both."""
    query = query or ""
    st.session_state[_QUERY] = query
    share.keep_view(q=query if query.strip() and len(query) <= LONGEST_IN_LINK else None)


def example_buttons(target: Workspace) -> None:
    """Draw up to three example questions as buttons that search for them; nothing without any."""
    questions = examples(target)
    if questions:
        st.markdown("Ask in your own words, or start with one of these:")
    for number, question in enumerate(questions):
        st.button(plain(question), key=f"search.example.{number}", on_click=keep_query, args=(question,))


def no_index(documents: Collection[str]) -> None:
    """Draw that whole documents are searched until an index is built, or how to add documents."""
    if documents:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="search.unindexed"):
            st.caption(f"⚠ {NO_INDEX}", width="content")
            st.page_link("pages/index.py", label="Go to Index", icon=":material/arrow_forward:")
    else:
        no_documents("search")
