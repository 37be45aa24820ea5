"""Split a document into the rows that an index holds of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from chunking.config import Config
from chunking.model import PARENT, Chunk, Document
from chunking.splitting import Levels
from chunking.splitting.measure.measured_document import SentenceVectors

__all__ = ["DocumentRows", "split_rows"]


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Document with its index rows of all levels, chunks first."""

    document: Document
    """With the sections that its rows refer to."""
    levels: Levels
    nodes: tuple[Chunk, ...] = ()
    """Summarised sections and document."""
    stored: Document | None = None
    """Document as stored, if heading patterns gave `document` other sections."""

    def __iter__(self) -> Iterator[Chunk]:
        yield from self.levels
        yield from self.nodes

    @property
    def others(self) -> list[Chunk]:
        """Rows with a vector that are no chunks: larger chunks and summaries; parents have none."""
        return [row for row in self if row.level != PARENT][len(self.levels.chunks) :]


def split_rows(document: Document, config: Config, sentences: SentenceVectors | None = None) -> DocumentRows:
    """Split a document into rows of all levels, without generated texts.

    Args:
        sentences: vectors of spans, for the strategy semantic; None: the configured model's.
    Raises:
        ParseError: the document cannot be split.
    """
    from chunking.splitting import shaped, split_document

    levels = split_document(document, config, sentences=sentences)
    return DocumentRows(shaped(document, config), levels, stored=document)
