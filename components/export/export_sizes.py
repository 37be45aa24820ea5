"""How large a file will be: counted, or for a large index told from its first chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO, cast

import streamlit as st

from chunking.display import bytes_text
from chunking.export import Export, ExportNeeds, Material
from components.kit.wording import quantity
from components.session.document_caches import clear_when_unused
from components.session.workspace import workspace

__all__ = ["size_of", "size_text"]

SAMPLE = 2_000
"""Chunks of an index that are counted; beyond them the size is told from theirs."""


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
