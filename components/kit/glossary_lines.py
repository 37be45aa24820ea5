"""Lines of the glossary under their terms, and the dialog with all of them."""

from __future__ import annotations

from html import escape

import streamlit as st

from chunking.glossary import GLOSSARY, term
from components.kit.button import button
from components.session.page.page_frame import dialog

__all__ = ["LABEL", "glossary_button", "glossary_dialog", "glossary_list", "glossary_text", "term_line"]

LABEL = "Glossary"
"""Label of what opens the glossary."""


def term_line(*names: str) -> None:
    """Draw the plain lines of terms, quietly, where a reader first meets them."""
    st.caption(glossary_text(*names))


def glossary_text(*names: str) -> str:
    """Return terms with their lines as Markdown, one after the other."""
    return "\u2003".join(f"**{one.name}**: {one.line}" for one in map(term, names))


def glossary_list(page: str) -> None:
    """Draw the terms that are first met on a page, in columns, as wide as the window has room for."""
    rows = (one for one in GLOSSARY if one.page == page)
    st.html(
        '<dl class="glossary">'
        + "".join(f"<div><dt>{escape(one.name)}</dt><dd>{escape(one.line)}</dd></div>" for one in rows)
        + "</dl>"
    )


@dialog(LABEL, width="medium")
def glossary_dialog() -> None:
    """Draw all terms with their lines."""
    st.markdown("\n\n".join(f"**{one.name}**  \n{one.line}" for one in GLOSSARY))


def glossary_button(key: str) -> None:
    """Draw the button that shows the glossary."""
    if button(LABEL, type="tertiary", icon=":material/dictionary:", key=key):
        glossary_dialog()
