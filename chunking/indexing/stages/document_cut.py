"""A document's rows in Arrow, still without vectors, and the texts to embed for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chunking.config import Config
from chunking.indexing.stages.row_splitting import DocumentRows, split_rows
from chunking.indexing.stages.row_vectors import row_texts
from chunking.model import Document
from chunking.store import document_stamp
from chunking.store.index.build_record import chunk_fingerprint
from chunking.store.index.chunk_arrow import chunk_columns

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["DocumentCut", "cut_document"]


@dataclass(frozen=True, slots=True)
class DocumentCut:
    """Rows of one document without their vectors, and what the model reads of each."""

    rows: Any
    """Arrow table of the columns of `chunk_arrow.CHUNK_COLUMNS`."""
    texts: list[list[str]]
    """Texts to embed for each row (`row_vectors.row_texts`)."""
    fingerprint: str
    """Of the document in an index of the configuration."""
    split: DocumentRows


def cut_document(document: Document, config: Config, embedder: Embedder) -> DocumentCut:
    """Split a document, without generated texts, and return its rows and the texts to embed.

    Args:
        embedder: of the configuration; it embeds nothing, except sentences for the strategy semantic.
    Raises:
        ParseError: the document cannot be split.
    """
    split = split_rows(document, config)
    fingerprint = chunk_fingerprint(config, document)
    rows = chunk_columns(
        split.document, list(split), fingerprint, config.index.tokenizer, stamp=document_stamp(document)
    )
    return DocumentCut(rows, row_texts(split, embedder), fingerprint, split)
