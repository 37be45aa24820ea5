"""Token counters for the context of a language model, with the embedding model's tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chunking.config import ENGLISH_MODEL, EmbeddingConfig
from chunking.errors import ModelError
from chunking.model import Chunk

if TYPE_CHECKING:
    from chunking.splitting import TokenCounter

__all__ = ["content_tokens", "context_counter", "counter"]


def counter(config: EmbeddingConfig) -> TokenCounter:
    """Return the token counter of an embedding model.

    Raises:
        ModelError: the model is missing, and may not be downloaded.
    """
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting.measure.token_counter import token_counter

    return token_counter(counting_folder(config).path)


def context_counter(config: EmbeddingConfig) -> tuple[TokenCounter, str]:
    """Return the token counter for an index's context, and a note for the user or "".

    If the index's model is missing, which a search by words does not need, it is the packaged model's counter, and the
    note says so.
    """
    try:
        return counter(config), ""
    except ModelError:
        return counter(
            EmbeddingConfig(model=ENGLISH_MODEL)
        ), f"{config.model} is not on this machine: tokens are counted as {ENGLISH_MODEL} counts them."


def content_tokens(config: EmbeddingConfig) -> Callable[[Chunk], int]:
    """Return a caching function that counts the tokens of a chunk's content, without its prefix."""
    count, counts = counter(config).count, dict[str, int]()

    def tokens(chunk: Chunk) -> int:
        if chunk.chunk_id not in counts:
            counts[chunk.chunk_id] = count(chunk.content)
        return counts[chunk.chunk_id]

    return tokens
