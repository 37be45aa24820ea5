"""Views of documents, chunks and results for any host (web page, notebook, file), without Streamlit.

messages/     what a host's Python sends: the text once, bands, answers, pins and numbers with each step of a slider
scripts/      what draws them in a browser, and the contract of a host: core/define.js
static_html/  documents, chunks and results as HTML that needs no script
colours.py    the colours that mean something; labels.py: numbers and names as people read them
"""

from __future__ import annotations

__all__ = ["messages", "scripts", "static_html"]
