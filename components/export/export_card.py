"""A card a thing: what it is, what it is good for, and the button that takes it away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from chunking.export import Export, Material
from components.export.export_sizes import size_of, size_text
from components.session.file_memory import BoundedFile, too_large

__all__ = ["card", "download"]

_COMMAND = "chunkscope export"


@contextmanager
def card(key: str, title: str, icon: str, good_for: str) -> Iterator[None]:
    """A box with a title and what the thing is good for.

    Args:
        icon: of Material Symbols.
    """
    with st.container(border=True, key=f"export.card.{key}", height="stretch"):
        st.markdown(f"## :material/{icon}: {title}")
        st.caption(good_for)
        yield


def download(material: Material, row: Export, *, primary: bool = False) -> None:
    """The button, with the file's name and size; what is behind it is made when it is pressed."""
    why = too_large(size_of(material, row), _COMMAND)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            f"Download {row.file}",
            lambda: made(material, row),
            row.file,
            row.mime,
            on_click="ignore",
            icon=":material/download:",
            type="primary" if primary else "secondary",
            key=f"export.download.{row.name}",
            disabled=bool(why),
            help=why or None,
        )
        st.caption(size_text(material, row), width="content")


def made(material: Material, row: Export) -> bytes:
    """The file. Streamlit holds a download in memory, whatever it is given; the command line writes straight to the
    disk.
    """
    sink = BoundedFile(_COMMAND)
    row.write(material, sink)
    return sink.getvalue()
