"""A card for an export: what it is good for, its size, and its download button."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import BinaryIO, cast

import streamlit as st

from chunking.display import bytes_text
from chunking.export import Export, ExportNeeds, Material
from components.kit.wording import quantity
from components.session.document_caches import clear_when_unused
from components.session.file_memory import BoundedFile, too_large
from components.session.workspace import workspace

__all__ = ["card", "download"]

_COMMAND = "chunkscope export"

SAMPLE = 2_000
"""Chunks of an index that are counted; beyond them the size is told from theirs."""


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
            lambda: file_bytes(material, row),
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


def file_bytes(material: Material, row: Export) -> bytes:
    """The file. Streamlit holds a download in memory, whatever it is given; the command line writes straight to the
    disk.
    """
    sink = BoundedFile(_COMMAND)
    row.write(material, sink)
    return sink.getvalue()


class _Counter:
    """Takes what is written and keeps its length alone."""

    closed = False

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        return len(data)

    def tell(self) -> int:
        return self.bytes

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """Nothing is open."""


def size_text(material: Material, row: Export) -> str:
    """Such as `about 2.4 MB`, counted once a version of what it is made of; documents, all of which would be read for
    it, are counted.
    """
    if row.needs is ExportNeeds.DOCUMENTS:
        return quantity(len(material.documents), "document")
    size, estimated = _size(_key(material, row), material, row)
    return f"about {bytes_text(size)}" if estimated else bytes_text(size)


def size_of(material: Material, row: Export) -> float:
    """About how many bytes the file will take; of documents, their characters."""
    if row.needs is ExportNeeds.DOCUMENTS:
        return float(sum(one.characters for one in material.documents))
    return _size(_key(material, row), material, row)[0]


def _key(material: Material, row: Export) -> tuple[object, ...]:
    return (
        *(
            workspace().uri,
            workspace().version(),
            workspace().changes.version,
            row.name,
            material.index.name if material.index else "",
        ),
        *(material.levels, str(material.text), material.vectors),
        *(tuple(run.key for run in material.runs), material.questions.fingerprint if material.questions else ""),
    )


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=128, hash_funcs={Material: lambda one: "", Export: lambda one: one.name})
def _size(key: tuple[object, ...], material: Material, row: Export) -> tuple[float, bool]:
    """Bytes, and whether they are told from the first chunks."""
    counter = _Counter()
    rows = material.chunk_count(every=row.every_level) if row.every_level is not None else 0
    row.write(replace(material, most=SAMPLE) if rows > SAMPLE else material, cast(BinaryIO, counter))
    return (counter.bytes * rows / SAMPLE, True) if rows > SAMPLE else (float(counter.bytes), False)
