"""Documents measured once: widgets are kept by the kernel until they are closed, and a cell may be run many times."""

from __future__ import annotations

from dataclasses import replace

from chunking.config import EmbeddingConfig
from chunking.embedding.model_folder import counting_folder
from chunking.model import Document
from chunking.splitting import Chunker, model_sentences, token_counter
from chunking.text.byte_caches import MB, ByteCache

__all__ = ["measured"]

_EACH = 24
"""Bytes of a measure, for each character: places of cuts and running counts."""
_measures: ByteCache[Chunker] = ByteCache(
    "chunking.notebook.measures", 256 * MB, size=lambda one: _EACH * len(one.document.text)
)


def measured(document: Document, embedding: EmbeddingConfig) -> Chunker:
    """What cuts a document; an equal one is not measured again, whenever it was read.

    Raises:
        ModelError: the model that counts its tokens is not at hand.
    """
    folder = counting_folder(embedding)
    key = document.doc_id, document.hash, str(folder.path), folder.revision, embedding.model_dump_json()
    known = _measures.get(key)
    if known is None or known.document != replace(document, updated_at=known.document.updated_at):
        counter, sentences = token_counter(folder.path), model_sentences(embedding)
        known = Chunker(document, counter, max_tokens=folder.content_tokens, sentences=sentences)
        _measures.put(key, known)
    return known
