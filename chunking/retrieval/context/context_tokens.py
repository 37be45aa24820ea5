"""Tokens of what is handed to a language model, counted by the embedding model's tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chunking.config import DEFAULT_MODEL, EmbeddingConfig
from chunking.errors import ModelError
from chunking.model import Chunk

if TYPE_CHECKING:
    from chunking.splitting import TokenCounter

__all__ = ["content_tokens", "context_counter", "counter"]


def counter(config: EmbeddingConfig) -> TokenCounter:
    """The counter that sizes are counted with.

    Raises:
        ModelError: the model's tokenizer is not at hand.
    """
    from chunking.embedding.model_folder import counting_folder
    from chunking.splitting.measure.token_counter import token_counter

    return token_counter(counting_folder(config).path)


def context_counter(config: EmbeddingConfig) -> tuple[TokenCounter, str]:
    """Counts the context of an index's search, and what to say of it.

    Of the index's model; where a search by words is made without it, of the packaged one, and a sentence says so.
    """
    try:
        return counter(config), ""
    except ModelError:
        return counter(
            EmbeddingConfig()
        ), f"{config.model} is not on this machine: tokens are counted as {DEFAULT_MODEL} counts them."


def content_tokens(config: EmbeddingConfig) -> Callable[[Chunk], int]:
    """Counter of tokens of a chunk's content, cached; `token_count` includes the prefix."""
    count, counts = counter(config).count, dict[str, int]()

    def tokens(chunk: Chunk) -> int:
        if chunk.chunk_id not in counts:
            counts[chunk.chunk_id] = count(chunk.content)
        return counts[chunk.chunk_id]

    return tokens
