"""What a vector store holds after it was written to, read by its own client; and a store in memory that can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import lancedb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chunking.integrations.writers.vector_target import DIGEST, VectorRow

__all__ = ["MAKE_FOREIGN", "READ", "MemoryTarget", "StoredRow"]


class StoredRow(NamedTuple):
    """A chunk in a store."""

    text: str
    metadata: dict[str, Any]
    vector: np.ndarray


def _table_rows(rows: list[dict[str, Any]]) -> dict[str, StoredRow]:
    by_id = {}
    for row in rows:
        metadata = {
            key: value for key, value in row.items() if key not in ("text", "vector", DIGEST) and value is not None
        }
        metadata["chunk_id"] = metadata.pop("id")
        by_id[row["id"]] = StoredRow(row["text"], metadata, np.array(row["vector"], np.float32))
    return by_id


def _lancedb(place: Path, collection: str) -> dict[str, StoredRow]:
    return _table_rows(lancedb.connect(place).open_table(collection).to_arrow().to_pylist())


def _parquet(place: Path, collection: str) -> dict[str, StoredRow]:
    files = sorted((place / collection).iterdir())
    return _table_rows([row for file in files for row in pq.ParquetFile(file).read().to_pylist()])


def _chroma(place: Path, collection: str) -> dict[str, StoredRow]:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(path=str(place), settings=Settings(anonymized_telemetry=False))
    there = client.get_collection(collection, embedding_function=None).get(
        include=["documents", "metadatas", "embeddings"]
    )
    client.close()
    rows = zip(there["ids"], there["documents"], there["metadatas"], there["embeddings"], strict=True)
    return {
        one: StoredRow(
            text, {key: value for key, value in metadata.items() if key != DIGEST}, np.array(vector, np.float32)
        )
        for one, text, metadata, vector in rows
    }


def _qdrant(place: Path, collection: str) -> dict[str, StoredRow]:
    from qdrant_client import QdrantClient

    client = QdrantClient(path=str(place))
    points, _ = client.scroll(collection, limit=10_000, with_vectors=True)
    client.close()
    return {
        point.payload["chunk_id"]: StoredRow(
            point.payload["page_content"], point.payload["metadata"], np.array(point.vector, np.float32)
        )
        for point in points
    }


READ: Mapping[str, Callable[[Path, str], dict[str, StoredRow]]] = {
    "lancedb": _lancedb,
    "parquet": _parquet,
    "chroma": _chroma,
    "qdrant": _qdrant,
}
"""What a store holds, by the name of its writer."""


def _foreign_lancedb(place: Path, collection: str) -> None:
    lancedb.connect(place).create_table(collection, pa.table({"id": ["mine"], "vector": [[0.0, 1.0]]}))


def _foreign_parquet(place: Path, collection: str) -> None:
    (place / collection).mkdir(parents=True)
    pq.write_table(pa.table({"id": ["mine"]}), place / collection / "mine.parquet")


def _foreign_chroma(place: Path, collection: str) -> None:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(path=str(place), settings=Settings(anonymized_telemetry=False))
    client.create_collection(collection, embedding_function=None).add(ids=["mine"], embeddings=[[0.0, 1.0]])
    client.close()


def _foreign_qdrant(place: Path, collection: str) -> None:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(place))
    client.create_collection(collection, vectors_config=models.VectorParams(size=64, distance=models.Distance.COSINE))
    client.upsert(collection, [models.PointStruct(id=1, vector=[1.0] * 64, payload={"mine": True})])
    client.close()


MAKE_FOREIGN: Mapping[str, Callable[[Path, str], None]] = {
    "lancedb": _foreign_lancedb,
    "parquet": _foreign_parquet,
    "chroma": _foreign_chroma,
    "qdrant": _foreign_qdrant,
}
"""Makes a collection as somebody else would, by the name of its writer."""


class MemoryTarget:
    """A store in memory that counts what it is asked, and may fail once it holds so many rows."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.rows: dict[str, VectorRow] = {}
        self.largest = self.upserts = 0
        self.fails_at = fails_at

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        self.largest = max(self.largest, len(rows))
        return {row.id: self.rows[row.id].digest for row in rows if row.id in self.rows}

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        if self.fails_at is not None and len(self.rows) >= self.fails_at:
            raise RuntimeError("the server\nis gone")
        self.upserts += 1
        self.rows |= {row.id: row for row in rows}

    def ids(self) -> Iterator[str]:
        yield from list(self.rows)

    def delete(self, ids: Sequence[str]) -> None:
        self.largest = max(self.largest, len(ids))
        for one in ids:
            self.rows.pop(one, None)

    def close(self) -> None:
        """Nothing to let go."""
