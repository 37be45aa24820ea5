"""The embedder of a configuration: a model of this machine, or one of the endpoint."""

from __future__ import annotations

from chunking.config import EmbeddingConfig, remote_name
from chunking.embedding.local import local_embedder as local
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.remote import RemoteEmbedder, load_remote

__all__ = ["load_embedder"]


def load_embedder(config: EmbeddingConfig | None = None) -> LocalEmbedder | RemoteEmbedder:
    """The embedder of a configuration, one a process for each; the first text loads or asks its model.

    Raises:
        ModelError: the model is not on this machine, incomplete, or changed; or `remote:NAME` without an endpoint.
        ConfigError: the endpoint's settings cannot be used.
    """
    config = config or EmbeddingConfig()
    name = remote_name(config.model)
    return local.load_embedder(config) if name is None else load_remote(name, config)
