"""Tokens of what is handed to a language model, counted by the embedding model's tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from chunking.config import EmbeddingConfig
from chunking.model import Chunk

if TYPE_CHECKING:
    from chunking.cutting import TokenCounter

__all__ = ["content_tokens", "counter"]


def counter(config: EmbeddingConfig) -> TokenCounter:
    """The counter that sizes are counted with.

    Raises:
        ModelError: the model's tokenizer is not at hand.
    """
    from chunking.cutting.tokens import token_counter
    from chunking.model_folder import counting_folder

    return token_counter(counting_folder(config).path)


def content_tokens(config: EmbeddingConfig) -> Callable[[Chunk], int]:
    """Tokens of a chunk's content, each counted once: `token_count` would count the prefix of every chunk of a parent."""
    count, known = counter(config).count, dict[str, int]()

    def tokens(chunk: Chunk) -> int:
        if chunk.chunk_id not in known:
            known[chunk.chunk_id] = count(chunk.content)
        return known[chunk.chunk_id]

    return tokens
