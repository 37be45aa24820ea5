"""Pictures of the pages of a stored document, made in the guarded process and kept for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from chunking.errors import ParseError
from chunking.parsing import FORMATS
from chunking.store import Workspace
from components.documents.page_view.component import Draw
from components.session.document_caches import clear_when_unused

if TYPE_CHECKING:
    from chunking.parsing import PageImage

__all__ = ["picture_of"]


def picture_of(target: Workspace, format_name: str, file: str) -> Draw | None:
    """What draws the pages of a file; None where its format has no pictures, such as a layout parser's output.

    Args:
        format_name: of the document.
        file: its hash, under which the workspace keeps the file.
    """
    if not any(row.drawn for row in FORMATS if row.name == format_name):
        return None
    return lambda page, width: _drawn(target, target.uri, file, page, width)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=48)
def _drawn(_target: Workspace, address: str, file: str, page: int, width: int) -> PageImage:
    """A failure is not kept: what failed for want of memory may come next time."""
    data = _target.file(file)
    if data is None:
        sentence = (
            "The file of this document is not in the workspace; add it (an attachment: by itself) on the "
            "Documents page to see its pages."
        )
        raise ParseError(sentence, where=file)
    from chunking.parsing import render_page

    return render_page(data, page, width=width)
