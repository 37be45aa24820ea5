"""Load the embedder of a configuration: a local model, or one of the endpoint."""

from __future__ import annotations

from chunking.config import EmbeddingConfig, remote_name
from chunking.embedding.local import local_embedder as local
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.remote import RemoteEmbedder, load_remote

__all__ = ["load_embedder"]


def load_embedder(config: EmbeddingConfig | None = None) -> LocalEmbedder | RemoteEmbedder:
    """Return the embedder of a configuration, shared in the process; the first text loads the model.

    Raises:
        ModelError: the model is not on this machine, incomplete, or changed; or `remote:NAME` without an endpoint.
        ConfigError: the endpoint's settings are invalid.
    """
    config = config or EmbeddingConfig()
    name = remote_name(config.model)
    return local.load_embedder(config) if name is None else load_remote(name, config)
