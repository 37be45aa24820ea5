"""What a page says while its workspace has no document."""

from __future__ import annotations

import streamlit as st

__all__ = ["no_documents"]


def no_documents(doing: str) -> None:
    """That there is nothing to work on, and the way to the page that adds something.

    Args:
        doing: what the page does with documents, such as `search`.
    """
    st.info(f"There is nothing to {doing} yet. Add a document or load the samples on the Documents page.")
    st.page_link("pages/documents.py", label="Go to Documents", icon=":material/arrow_forward:")
