"""Tokens of the context that would be sent for the results of live search: what the leaderboard counts as cost, without
a call to
the tokenizer.

The real count is `retrieval.context.costs`: passages under numbered citations, what touches or overlaps as one. Here
the passages
are counted from the measured text; a citation counts as that of the section in which its passage begins. Pages are left
out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import EmbeddingConfig
from chunking.evaluation.runs.answered import Found
from chunking.model import Document
from chunking.retrieval.context.context_tokens import context_counter
from chunking.retrieval.results.citation import cited_place
from chunking.splitting import Chunker, TokenCounter

__all__ = ["ContextCounts"]

Ints = NDArray[np.int32]


class _Counted(NamedTuple):
    """A document, with the tokens of its citations."""

    chunker: Chunker
    sections: Ints
    """(s,) where they begin, ascending."""
    citations: Ints
    """(s + 1,) tokens of each section's, the first of text before any."""


class ContextCounts:
    """Counts contexts over measured documents; asks the tokenizer once, here, for the citations.

    Args:
        embedding: the model with whose tokenizer contexts are counted.
    """

    def __init__(self, chunkers: Sequence[Chunker], embedding: EmbeddingConfig) -> None:
        counter, _ = context_counter(embedding)
        self._documents = {one.document.doc_id: _counted(one, counter) for one in chunkers}

    def of(self, found: Sequence[Sequence[Found]], budget: int) -> NDArray[np.float64]:
        """(q,) tokens of the context of each question's results, all of them.

        Args:
            found: results that count.
            budget: most tokens of a context; 0: no limit.
        """
        owners: dict[str, list[tuple[int, int, int]]] = {}
        for row, some in enumerate(found):
            for doc_id, start, end in self._passages(some):
                owners.setdefault(doc_id, []).append((row, start, end))
        total = np.zeros(len(found))
        for doc_id, rows in owners.items():
            one, (row, starts, ends) = self._documents[doc_id], np.array(rows, np.int32).T
            cited = one.citations[np.searchsorted(one.sections, starts, side="right")]
            np.add.at(total, row, one.chunker.measured.tokens_between(starts, ends) + cited)
        return np.minimum(total, budget) if budget else total

    def _passages(self, found: Sequence[Found]) -> list[tuple[str, int, int]]:
        """What the results stand in, with their neighbours: runs without text missing inside."""
        runs: list[tuple[str, int, int]] = []
        for doc_id, start, end in sorted(
            (one.doc_id, min(one.first, one.start), max(one.last, one.end)) for one in found
        ):
            last = runs[-1] if runs else ("", 0, 0)
            if last[0] == doc_id and (
                start <= last[2] or not self._documents[doc_id].chunker.document.text[last[2] : start].strip()
            ):
                runs[-1] = doc_id, last[1], max(last[2], end)
            else:
                runs.append((doc_id, start, end))
        return runs


def _counted(chunker: Chunker, counter: TokenCounter) -> _Counted:
    document = chunker.document
    texts = [_heading(document, (), 0, len(document.text))]
    texts += [_heading(document, one.title_path, one.start, one.end) for one in document.sections]
    sections = np.array([one.start for one in document.sections], np.int32)
    return _Counted(chunker, sections, counter.count_each(texts).astype(np.int32))


def _heading(document: Document, path: Sequence[str], start: int, end: int) -> str:
    return f"[1] {' · '.join(cited_place(document.title or document.doc_id, document.source, path, start, end))}"
