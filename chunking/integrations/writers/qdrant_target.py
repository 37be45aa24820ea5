"""Target in Qdrant: a collection in a folder or on a server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid5

from chunking.errors import MissingPackageError
from chunking.integrations.writers.vector_target import DIGEST, VectorRow, foreign_rows, other_dimension

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

__all__ = ["QdrantTarget"]

_POINTS = UUID("6f0c1e2a-97c5-4e0e-9d39-5b1a8a3f1c31")
"""UUID namespace of the points' ids: Qdrant takes numbers and UUIDs only."""
_CHUNK_ID = "chunk_id"
_PAGE = 1_000
_KEY = "QDRANT_API_KEY"
"""Environment variable with the API key of a server."""


class QdrantTarget:
    """Qdrant collection with a point per chunk: vector, and the payload that LangChain reads.

    The distance is the dot product: it ranks unit vectors as the cosine does, and Qdrant stores them unchanged.
    """

    def __init__(self, place: str, collection: str, dimension: int) -> None:
        self._client, self._collection = _connect(place), collection
        try:
            _open_collection(self._client, place, collection, dimension)
        except BaseException:
            self._client.close()  # a folder is locked by who has it open
            raise

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        points = self._client.retrieve(
            self._collection, _point_ids(row.id for row in rows), with_payload=[_CHUNK_ID, DIGEST]
        )
        return {
            str(payload.get(_CHUNK_ID)): str(payload.get(DIGEST))
            for payload in (point.payload or {} for point in points)
        }

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        from qdrant_client.models import PointStruct

        points = [PointStruct(id=_point_id(row.id), vector=row.vector.tolist(), payload=_payload(row)) for row in rows]
        self._client.upsert(self._collection, points, wait=True)

    def ids(self) -> Iterator[str]:
        offset: Any = None
        while True:
            points, offset = self._client.scroll(self._collection, limit=_PAGE, offset=offset, with_payload=[_CHUNK_ID])
            yield from (str((point.payload or {}).get(_CHUNK_ID)) for point in points)
            if offset is None:
                return

    def delete(self, ids: Sequence[str]) -> None:
        from qdrant_client.models import PointIdsList

        self._client.delete(self._collection, PointIdsList(points=_point_ids(ids)), wait=True)

    def close(self) -> None:
        self._client.close()


def _connect(place: str) -> QdrantClient:
    try:
        from qdrant_client import QdrantClient
    except ImportError as error:
        raise MissingPackageError.of("qdrant-client", "Writing to Qdrant") from error
    if place.startswith(("http://", "https://")):
        return QdrantClient(url=place, api_key=os.environ.get(_KEY))
    return QdrantClient(path=place)


def _open_collection(client: QdrantClient, place: str, name: str, dimension: int) -> None:
    from qdrant_client import models

    if not client.collection_exists(name):
        client.create_collection(name, vectors_config=models.VectorParams(size=dimension, distance=models.Distance.DOT))
        return
    vectors = client.get_collection(name).config.params.vectors
    if not isinstance(vectors, models.VectorParams):  # several named vectors, or none
        raise foreign_rows(name, place)
    if vectors.size != dimension:
        raise other_dimension(name, place, vectors.size, dimension)
    without = models.Filter(must=[models.IsEmptyCondition(is_empty=models.PayloadField(key=DIGEST))])
    if client.scroll(name, scroll_filter=without, limit=1)[0]:
        raise foreign_rows(name, place)


def _payload(row: VectorRow) -> dict[str, Any]:
    return {"page_content": row.text, "metadata": row.metadata, _CHUNK_ID: row.id, DIGEST: row.digest}


def _point_id(chunk_id: str) -> str:
    return str(uuid5(_POINTS, chunk_id))


def _point_ids(chunk_ids: Any) -> list[Any]:
    return [_point_id(one) for one in chunk_ids]
