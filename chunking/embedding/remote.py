"""Embedder that calls an OpenAI-compatible server: `embedding.model = "remote:NAME"`."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import lru_cache
from threading import Event, Lock

import numpy as np

from chunking.allowed import allowed
from chunking.config import REMOTE, EmbeddingConfig
from chunking.embedding.base import OnProgress, Role, Vectors, joint_hash, vector_key
from chunking.errors import EndpointError, ModelError
from chunking.llm import Client, Endpoint, Usage, endpoint

__all__ = ["RemoteEmbedder", "load_remote"]

_LOOK_SECONDS = 0.5
"""Seconds between progress reports while the server is silent, so that the user can stop the work."""


class RemoteEmbedder:
    """Embedder that sends texts to a server; nothing is sent before the first text or `prepare`.

    Texts are sent in batches of `endpoint.batch`, `endpoint.parallel` at a time. They leave this machine.

    Args:
        endpoint: The server, with the model's name.
        config: Prompts; a server does not state its model's.
    """

    precision = "remote"
    loaded = True
    """Always True, since there is nothing to load."""

    def __init__(self, endpoint: Endpoint, config: EmbeddingConfig | None = None) -> None:
        config = config or EmbeddingConfig()
        self.endpoint = endpoint
        self.calls = 0
        self.texts_encoded = 0
        self._prefixes: dict[Role, str] = {"query": config.query_prefix or "", "passage": config.passage_prefix or ""}
        self._client = Client(endpoint)
        self._dimension = 0
        self._lock = Lock()

    @property
    def key(self) -> str:
        """Model as `remote:NAME@xxxxxxxx+remote`, with a hash of the server's address."""
        return f"{REMOTE}{self.endpoint.model}@{self.endpoint.url_hash}+{self.precision}"

    @property
    def dimension(self) -> int:
        """Numbers in a vector; at its first use a short text is sent to the server.

        Raises:
            EndpointError: it cannot be reached, or does not answer as it should.
        """
        self.prepare()
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return self.endpoint.max_tokens

    @property
    def usage(self) -> Usage:
        """Requests and tokens sent to the server so far."""
        return self._client.usage

    def prefix(self, role: Role) -> str:
        """Return the configured prefix for texts of a role; empty by default."""
        return self._prefixes[role]

    def cache_key(self, text: str, role: Role = "passage") -> str:
        """Return the cache key of a text's vector."""
        return vector_key(self.key, self.prefix(role), joint_hash(text))

    def prepare(self) -> None:
        """Learn the vectors' dimension by sending one short text, unless it is known already.

        Raises:
            EndpointError: the server cannot be reached, or does not answer as it should.
        """
        if not self._dimension:
            self._checked(self._client.sharing().embed(["dimension"]))

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """Return the server's vectors of texts, by parallel requests; send each distinct text once.

        Args:
            texts: n texts, without role prefix.
            role: Selects the prefix.
            on_progress: Called with the number of texts done, also while waiting for the server; may raise to stop.
        Returns:
            (n, d) float32, rows of length 1, in the order of `texts`.
        Raises:
            EndpointError: the server fails, or gives vectors of another size than before.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        different = list(dict.fromkeys(texts))
        share = len(texts) / len(different)
        report = None if on_progress is None else lambda done: on_progress(round(done * share))
        vectors = self._in_batches([self.prefix(role) + text for text in different], report)
        with self._lock:
            self.calls += 1
            self.texts_encoded += len(different)
        row = {text: place for place, text in enumerate(different)}
        return vectors[[row[text] for text in texts]]

    def _in_batches(self, texts: list[str], on_progress: OnProgress | None) -> Vectors:
        """Send several requests at a time; the first failure, or a cancellation, ends the others."""
        firsts = range(0, len(texts), self.endpoint.batch)
        if len(firsts) == 1 and on_progress is None:
            return self._checked(self._client.sharing().embed(texts))
        stopped = Event()
        client = self._client.sharing(stopped.is_set)
        pool = ThreadPoolExecutor(self.endpoint.parallel, "embedding")
        try:
            futures = [pool.submit(self._batch, client, texts[first : first + self.endpoint.batch]) for first in firsts]
            _follow(futures, on_progress)
        finally:
            # Who stops the work is not kept waiting for a server that says nothing.
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
        return np.concatenate([future.result() for future in futures])

    def _batch(self, client: Client, texts: list[str]) -> Vectors:
        return self._checked(client.embed(texts))

    def _checked(self, rows: list[list[float]]) -> Vectors:
        """Normalise rows, checking that their size is that of earlier vectors."""
        vectors = np.asarray(rows, dtype=np.float64)
        size = vectors.shape[1]
        with self._lock:
            self._dimension = self._dimension or size
        if size != self._dimension:
            name = self.endpoint.name
            raise EndpointError(
                (
                    f"{name[0].upper()}{name[1:]} gave vectors of {size} numbers and gave {self._dimension} "
                    f"before: check which model it serves as '{self.endpoint.model}'."
                ),
                where=self.endpoint.place,
                kind=self.endpoint.kind,
            )
        vectors /= np.abs(vectors).max(axis=1, keepdims=True)  # very large numbers have no finite squares
        unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


def _follow(futures: list[Future[Vectors]], on_progress: OnProgress | None) -> None:
    """Wait for all requests and report progress; the first failure is raised at once."""
    waiting = set(futures)
    while waiting:
        over, waiting = wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED)
        for future in over:
            future.result()
        if on_progress is not None:
            on_progress(sum(len(future.result()) for future in futures if future not in waiting))


def load_remote(name: str, config: EmbeddingConfig) -> RemoteEmbedder:
    """Return the embedder for a model of the configured endpoint, shared in the process.

    Nothing is sent.

    Raises:
        ModelError: no endpoint is configured, there is no name, or it may not be named here.
        ConfigError: the endpoint's settings are invalid.
    """
    configured = endpoint("embedding")
    allowed().served_model(name, configured.model if configured else "")
    if not name or len(name) > 200 or not name.isprintable():
        raise ModelError(
            "embedding.model names no model of the endpoint: write remote:NAME, as the server names it.",
            where=config.model,
        )
    if configured is None:
        if not allowed().everything:
            raise allowed().no_model(config.model)
        raise ModelError(
            f"The model '{config.model}' needs an embedding endpoint, and none is configured: set "
            "CHUNKSCOPE_EMBEDDING_URL, or url in the table [embedding] of .streamlit/secrets.toml.",
            where=config.model,
        )
    return _embedder(replace(configured, model=name), config)


@lru_cache(maxsize=8)
def _embedder(endpoint: Endpoint, config: EmbeddingConfig) -> RemoteEmbedder:
    return RemoteEmbedder(endpoint, config)
