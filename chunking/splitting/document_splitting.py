"""A document split with the tokenizer of the configured embedding model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config, EmbeddingConfig, Strategy
from chunking.model import Document
from chunking.splitting.chunker import Chunker
from chunking.splitting.chunks.chunk_list import Chunks
from chunking.splitting.measure.measured_document import SentenceVectors
from chunking.splitting.measure.token_counter import token_counter
from chunking.splitting.measure_cache import cached_measures
from chunking.splitting.split import Levels, Split

__all__ = ["chunk_document", "model_sentences", "split_document"]


def chunk_document(
    document: Document, config: Config | None = None, *, sentences: SentenceVectors | None = None
) -> Chunks:
    """Split a document into chunks; `split_document` gives their parents and larger sizes, too.

    Args, Raises: as `split_document`.

    >>> from chunking import Config, parse
    >>> document = parse(b"# Backups\\n\\nThey run at two.\\n\\n# Users\\n\\nAsk an administrator.", "handbook.md")
    >>> chunk_document(document, Config.from_settings({"size": "40", "min_size": "0"}))
    <Chunks: 2 chunks · 6–9 tokens, median 8 · handbook>
       0      9 tokens  # Backups They run at two.
       1      6 tokens  # Users Ask an administrator.
    """
    return Chunks(_split(document, config, sentences).chunks())


def split_document(
    document: Document, config: Config | None = None, *, sentences: SentenceVectors | None = None
) -> Levels:
    """Split a document into chunks, parents and larger sizes, with the tokenizer of the configured model.

    Args:
        config: None: the defaults; its settings for the document's category count.
        sentences: vectors of spans, for the strategy semantic; None: the configured model's, loaded when they are
            needed.
    Raises:
        ModelError: the model's folder cannot be found or read.
    """
    return _split(document, config, sentences).levels()


def model_sentences(embedding: EmbeddingConfig) -> SentenceVectors:
    """The sentence vectors of a configured model, which is loaded at the first call."""

    def vectors(document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
        from chunking.embedding import sentence_vectors

        return sentence_vectors(embedding)(document, starts, ends)

    return vectors


def _split(document: Document, config: Config | None, sentences: SentenceVectors | None) -> Split:
    from chunking.embedding.model_folder import counting_folder

    config = (config or Config()).for_category(document.category)
    sentences = sentences or model_sentences(config.embedding)
    folder = counting_folder(config.embedding)

    def measure() -> Chunker:
        return Chunker(document, token_counter(folder.path), max_tokens=folder.content_tokens, sentences=sentences)

    cache = cached_measures()
    # Not cached: semantic results depend on the caller's embedder.
    if cache is None or config.chunk.strategy is Strategy.SEMANTIC:
        chunker = measure()
    else:
        chunker = cache.of(document, f"{folder.path} {folder.content_tokens}", measure)
    return chunker.with_pins(document.pins).split(config.chunk)
