"""Table of the vector stores to write to; a store's package is imported when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import ConfigError

if TYPE_CHECKING:
    from chunking.integrations.writers.vector_target import VectorTarget

__all__ = ["COLLECTION", "WRITERS", "StoreWriter", "find_writer"]

COLLECTION = "chunks"
"""Default name of the collection."""


@dataclass(frozen=True, slots=True)
class StoreWriter:
    """Vector store to write to: its name, help and the function that opens a collection."""

    name: str
    """Name on the command line."""
    help: str
    """Help text of the store."""
    open: Callable[[str, str, int], VectorTarget]
    """Opens or creates a collection at a place, for vectors of a dimension.

    Raises:
        StoreError: the collection holds something else.
        MissingPackageError: the store's package is not installed.
    """


def find_writer(name: str) -> StoreWriter:
    """Return the writer of a name.

    Raises:
        ConfigError: there is none.
    """
    for row in WRITERS:
        if row.name == name:
            return row
    raise ConfigError(
        f"There is no writer '{name}'; choose one of {', '.join(row.name for row in WRITERS)}.", where=name
    )


def _lance(place: str, collection: str, dimension: int) -> VectorTarget:
    from chunking.integrations.writers.arrow_targets import LanceTarget

    return LanceTarget(place, collection, dimension)


def _chroma(place: str, collection: str, dimension: int) -> VectorTarget:
    from chunking.integrations.writers.chroma_target import ChromaTarget

    return ChromaTarget(place, collection, dimension)


def _qdrant(place: str, collection: str, dimension: int) -> VectorTarget:
    from chunking.integrations.writers.qdrant_target import QdrantTarget

    return QdrantTarget(place, collection, dimension)


def _parquet(place: str, collection: str, dimension: int) -> VectorTarget:
    from chunking.integrations.writers.arrow_targets import ParquetTarget

    return ParquetTarget(place, collection, dimension)


WRITERS: tuple[StoreWriter, ...] = (
    StoreWriter("lancedb", "a table of a LanceDB database: a folder, or s3://, gs://, az://", _lance),
    StoreWriter("chroma", "a collection of Chroma (chromadb): a folder, or http:// or https:// of a server", _chroma),
    StoreWriter(
        "qdrant", "a collection of Qdrant (qdrant-client): a folder, or http:// or https:// of a server", _qdrant
    ),
    StoreWriter("parquet", "a folder of Parquet files, one a document", _parquet),
)
"""Writers in display order."""
