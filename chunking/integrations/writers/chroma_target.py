"""Target in Chroma: a collection in a folder or on a server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from chunking.errors import MissingPackageError
from chunking.integrations.writers.vector_target import DIGEST, VectorRow, foreign_rows, other_dimension

__all__ = ["ChromaTarget"]

_MARK = "chunkscope_dimension"
"""Key in a collection's metadata for the dimension of its vectors; marks Chunkscope's collections."""
_PAGE = 1_000
_TOKEN = "CHROMA_API_KEY"
"""Environment variable with the token of a server."""


class ChromaTarget:
    """Chroma collection with an entry per chunk: id, vector, text as document, and metadata.

    The space is the inner product: it ranks unit vectors as the cosine does, and Chroma stores them unchanged.
    """

    def __init__(self, place: str, collection: str, dimension: int) -> None:
        self._client = _connect(place)
        try:
            self._collection = _open_collection(self._client, place, collection, dimension)
        except BaseException:
            self.close()
            raise

    def digests(self, rows: Sequence[VectorRow]) -> Mapping[str, str]:
        matches = self._collection.get(ids=[row.id for row in rows], include=["metadatas"])
        pairs = zip(matches["ids"], matches["metadatas"] or [], strict=True)
        return {one: str((metadata or {}).get(DIGEST, "")) for one, metadata in pairs}

    def upsert(self, rows: Sequence[VectorRow]) -> None:
        # An upsert would merge the metadata into those that are there: a key that is gone would stay.
        self._collection.delete(ids=[row.id for row in rows])
        self._collection.add(
            ids=[row.id for row in rows],
            embeddings=[row.vector for row in rows],
            documents=[row.text for row in rows],
            metadatas=[{**row.metadata, DIGEST: row.digest} for row in rows],
        )

    def ids(self) -> Iterator[str]:
        offset = 0
        while page := self._collection.get(limit=_PAGE, offset=offset, include=[])["ids"]:
            yield from page
            offset += len(page)

    def delete(self, ids: Sequence[str]) -> None:
        self._collection.delete(ids=list(ids))

    def close(self) -> None:
        self._client.close()


def _connect(place: str) -> Any:
    try:
        import chromadb  # type: ignore[import-not-found, unused-ignore]
        from chromadb.config import Settings  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise MissingPackageError.of("chromadb", "Writing to Chroma") from error
    settings = Settings(anonymized_telemetry=False)
    if not place.startswith(("http://", "https://")):
        return chromadb.PersistentClient(path=place, settings=settings)
    server = urlsplit(place)
    secure = server.scheme == "https"
    token = os.environ.get(_TOKEN)
    return chromadb.HttpClient(
        host=server.hostname or "",
        port=server.port or (443 if secure else 8000),
        ssl=secure,
        headers={"x-chroma-token": token} if token else None,
        settings=settings,
    )


def _open_collection(client: Any, place: str, name: str, dimension: int) -> Any:
    configuration: Any = {"hnsw": {"space": "ip"}}
    if name not in _names(client):
        return client.create_collection(
            name, embedding_function=None, configuration=configuration, metadata={_MARK: dimension}
        )
    collection = client.get_collection(name, embedding_function=None)
    there = (collection.metadata or {}).get(_MARK)
    if there is None:
        raise foreign_rows(name, place)
    if there != dimension:
        raise other_dimension(name, place, int(there), dimension)
    return collection


def _names(client: Any) -> set[str]:
    names: set[str] = set()
    while page := client.list_collections(limit=_PAGE, offset=len(names)):
        names |= {one.name for one in page}
    return names
