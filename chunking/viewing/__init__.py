"""Views of documents, chunks and results for any host (web page, notebook, file), without Streamlit.

messages/     messages from a host: the text once; bands, answers, pins and numbers with each slider step
scripts/      scripts that draw the messages in a browser; core/define.js has the contract of a host
static_html/  documents, chunks and results as HTML without scripts
colours.py    colours with a meaning; labels.py: labels of pages, and shortened texts
"""

from __future__ import annotations

__all__ = ["messages", "scripts", "static_html"]
