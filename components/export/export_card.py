"""Card of an export: its purpose, size and download button."""

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
"""Most chunks counted exactly; beyond that, the size is extrapolated from them."""


@contextmanager
def card(key: str, title: str, icon: str, good_for: str) -> Iterator[None]:
    """Draw a bordered card with title and purpose around the content.

    Args:
        icon: name of a Material symbol.
    """
    with st.container(border=True, key=f"export.card.{key}", height="stretch"):
        st.markdown(f"## :material/{icon}: {title}")
        st.caption(good_for)
        yield


def download(material: Material, row: Export, *, primary: bool = False) -> None:
    """Draw the download button with name and size; the file is made when the button is pressed."""
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
    """Return the file, built in memory, as Streamlit requires.

    The command line writes large files to the disk instead.
    """
    sink = BoundedFile(_COMMAND)
    row.write(material, sink)
    return sink.getvalue()


class _Counter:
    """A sink that counts the bytes written."""

    closed = False

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        return len(data)

    def tell(self) -> int:
        return self.bytes

    def flush(self) -> None:
        """Do nothing; nothing is buffered."""

    def close(self) -> None:
        """Do nothing; nothing is open."""


def size_text(material: Material, row: Export) -> str:
    """Return a size such as `about 2.4 MB`; for exports of documents, their number."""
    if row.needs is ExportNeeds.DOCUMENTS:
        return quantity(len(material.documents), "document")
    size, estimated = _size(_key(material, row), material, row)
    return f"about {bytes_text(size)}" if estimated else bytes_text(size)


def size_of(material: Material, row: Export) -> float:
    """Return the approximate size in bytes; for exports of documents, their characters."""
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
    """Return (bytes, True if extrapolated from the first chunks)."""
    counter = _Counter()
    rows = material.chunk_count(every=row.every_level) if row.every_level is not None else 0
    row.write(replace(material, most=SAMPLE) if rows > SAMPLE else material, cast(BinaryIO, counter))
    return (counter.bytes * rows / SAMPLE, True) if rows > SAMPLE else (float(counter.bytes), False)
