"""The vectors of any chunks of an encoded document, many at once: pooled spans and the titles before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from chunking.embedding import Encoding
from chunking.embedding.base import Vectors
from chunking.embedding.late.context_parts import header_spans, parts_of_prefix, title_texts
from chunking.model import BlockType, Document

__all__ = ["PooledDocument"]

Ints = NDArray[np.int32]
_MOST_PREFIXES = 20_000


class PooledDocument:
    """What `LateEncoder.vectors` gives for chunks, without chunks: from their spans and prefixes.

    Args:
        encoding: of the document.
        alone: mean state and number of tokens of each of its titles (`LateEncoder.alone`).
    """

    def __init__(self, document: Document, encoding: Encoding, alone: Mapping[str, Vectors]) -> None:
        self._document, self._encoding, self._alone = document, encoding, alone
        self._titles = title_texts(document)
        tables = [block for block in document.blocks if block.type is BlockType.TABLE]
        self._tables = np.array([(block.start, block.end) for block in tables], np.int32).reshape(-1, 2)
        self._sums: dict[tuple[str, bool], Vectors] = {}

    def span_sums(self, starts: Ints, ends: Ints) -> tuple[Vectors, Vectors]:
        """The same of spans, with nothing beside them."""
        return self._encoding.span_sums(starts, ends)

    def sums(self, starts: Ints, ends: Ints, prefixes: Sequence[str]) -> tuple[Vectors, Vectors]:
        """(n, width) sums of states, and (n,) numbers of tokens, of n chunks with what stands beside them."""
        sums, tokens = self._encoding.span_sums(starts, ends)
        headed = self._add_headers(starts, ends, sums, tokens)
        keys = list(zip(prefixes, headed.tolist(), strict=True))
        kinds = {key: row for row, key in enumerate(dict.fromkeys(keys))}
        if any(prefix for prefix, _ in kinds):
            added = np.stack([self._of_prefix(*key) for key in kinds])[
                np.fromiter(map(kinds.__getitem__, keys), np.int64, len(keys))
            ]
            sums += added[:, :-1]
            tokens += added[:, -1]
        return sums, tokens

    def _add_headers(self, starts: Ints, ends: Ints, sums: Vectors, tokens: Vectors) -> NDArray[np.bool_]:
        """Add the header rows of the tables in which chunks begin; (n,) which have one."""
        headed = np.zeros(len(starts), np.bool_)
        if not len(self._tables):
            return headed
        table = np.searchsorted(self._tables[:, 0], starts) - 1
        inside = np.flatnonzero((table >= 0) & (self._tables[np.maximum(table, 0), 1] > starts))
        spans = [
            (row, span)
            for row in inside.tolist()
            for span in header_spans(self._document, int(starts[row]), int(ends[row]))
        ]
        if spans:
            rows = np.array([row for row, _ in spans])
            edges = np.array([(span.start, span.end) for _, span in spans], np.int32)
            more, count = self._encoding.span_sums(edges[:, 0], edges[:, 1])
            special = np.float32(self._encoding.edge_tokens)  # each span has these already
            np.add.at(sums, rows, more - self._encoding.edge * special)
            np.add.at(tokens, rows, count - special)
            headed[rows] = True
        return headed

    def _of_prefix(self, prefix: str, in_table: bool) -> Vectors:
        """(width + 1,) the sum over the titles of a prefix, and their tokens."""
        known = self._sums.get((prefix, in_table))
        if known is None:
            known = np.zeros(self._encoding.means.shape[1] + 1, np.float32)
            for part in parts_of_prefix(prefix, self._titles, in_table=in_table):
                one = self._alone.get(part.text)
                if one is not None:  # else it is no title: words that another splitter has put before its chunks
                    count = one[-1] * np.float32(part.share)
                    known[:-1] += one[:-1] * count
                    known[-1] += count
            if len(self._sums) > _MOST_PREFIXES:
                self._sums = {}
            self._sums[prefix, in_table] = known
        return known
