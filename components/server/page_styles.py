"""The app's style sheets, which hold from the first frame of a page.

Streamlit applies a sheet of `st.html` once it has fetched a script for it: on a first visit, up to a second after the
title is drawn, which then moved. So `PageBase` sends the sheets inside the page. Where Streamlit answers by itself
(`streamlit run app.py`), app.py draws them.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

__all__ = ["SHEETS", "STYLES", "draw_styles", "note_sent"]

_COMPONENTS = Path(__file__).parents[1]
SHEETS = (
    "kit/brand/contrast.css",
    "kit/brand/direction.css",
    "kit/brand/header.css",
    "kit/brand/tables.css",
    "guide/guide.css",
    "home/home.css",
    "documents/layout.css",
    "chunks/layout.css",
    "search/layout.css",
    "evaluate/layout.css",
    "tune/decision_cards.css",
)
"""Files in `components/`, in the order of the cascade.

A page's own sheet is on all pages, so its rules name the page's keys and classes.
"""
STYLES = f"<style>{''.join((_COMPONENTS / sheet).read_text(encoding='utf-8') for sheet in SHEETS)}</style>"
_sent = False
"""True once this process has sent a page with the sheets."""


def note_sent() -> None:
    """Record that the server's pages have the sheets."""
    global _sent
    _sent = True


def draw_styles() -> None:
    """Draw the sheets, unless the server's pages have them; app.py calls it in each run."""
    if not _sent:
        st.html(STYLES)
