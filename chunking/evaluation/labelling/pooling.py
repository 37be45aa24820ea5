"""Pooled results of a query (TREC pooling): what several configurations find, in an order that does not tell which
found it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chunking.config import QuerySyntax, SearchMode
from chunking.errors import QuestionError
from chunking.evaluation.questions.judgements import Pool
from chunking.model import BlockType, Document, Span
from chunking.retrieval import search
from chunking.store import Workspace
from chunking.text.sentences import sentence_starts

__all__ = [
    "MOST_DEPTH",
    "PoolSource",
    "Pooled",
    "PooledPassage",
    "merged_spans",
    "pool_results",
    "sentence_spans",
    "text_spans",
]

MOST_DEPTH = 50
_LONGEST = 4_000
"""Characters of a passage that others are joined to."""
_LINE, _BLANK = re.compile(r"\n"), re.compile(r"\n[ \t]*\n")
_LINES = (BlockType.TABLE, BlockType.CODE)
"""Blocks whose lines are marked one by one."""


@dataclass(frozen=True, slots=True)
class PoolSource:
    """A configuration that results are taken of: an index, and how it is searched."""

    index: str
    mode: SearchMode


class PooledPassage(NamedTuple):
    """A run of text to be judged."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pooled:
    """The passages of a query, in an order that does not tell their ranks."""

    passages: tuple[PooledPassage, ...]
    pool: Pool
    notes: tuple[str, ...] = ()


def pool_results(
    workspace: Workspace,
    query: str,
    sources: Sequence[PoolSource],
    depth: int,
    document_of: Callable[[str], Document],
    syntax: QuerySyntax = QuerySyntax.PLAIN,
) -> Pooled:
    """The first results of each configuration, those that overlap by half joined.

    Args:
        depth: results of each configuration.
        document_of: gives the document of an id as it is now.
        syntax: of the question set that is labelled.
    Raises:
        QuestionError: there is no configuration, or the depth is out of range.
        ChunkscopeError: as `retrieval.search`; such as that an index is not there any more.
    """
    if not sources:
        raise QuestionError("Nothing to pool: choose at least one configuration.")
    if not 1 <= depth <= MOST_DEPTH:
        raise QuestionError(
            f"A pool depth of {depth} is not possible; take 1 to {MOST_DEPTH} results of each configuration."
        )
    found: set[PooledPassage] = set()
    gone = 0
    for source in dict.fromkeys(sources):
        index = workspace.index(source.index)
        config = index.config.search.model_copy(update={"mode": source.mode, "k": depth})
        for result in search(workspace, query, config, index=source.index, syntax=syntax).results:
            chunk = result.chunk
            if not chunk.content:
                continue  # a summary stands nowhere in the text
            if document_of(chunk.doc_id).text[chunk.start : chunk.end] != chunk.content:
                gone += 1
                continue
            found.add(PooledPassage(chunk.doc_id, chunk.start, chunk.end))
    passages = sorted(merged_spans(found), key=lambda one: _place(query, one))
    notes = (
        [f"{gone:,} results are not shown: their documents have changed since the index was built. Build it again."]
        if gone
        else []
    )
    return Pooled(tuple(passages), Pool(depth, len(dict.fromkeys(sources)), len(passages)), tuple(notes))


def merged_spans(spans: Iterable[PooledPassage]) -> list[PooledPassage]:
    """Spans of which two that overlap by half of the shorter one are one, as long as that does not grow too long.

    >>> merged_spans([PooledPassage("a", 0, 100), PooledPassage("a", 40, 120), PooledPassage("a", 110, 300)])
    [Passage(doc_id='a', start=0, end=120), Passage(doc_id='a', start=110, end=300)]
    """
    joined: list[PooledPassage] = []
    for one in sorted(spans, key=lambda one: (one.doc_id, one.start, -one.end)):
        last = joined[-1] if joined else None
        if last is not None and last.doc_id == one.doc_id:
            common = min(last.end, one.end) - one.start
            longer = max(last.end, one.end) - last.start
            if 2 * common >= min(last.end - last.start, one.end - one.start) and (
                longer <= _LONGEST or one.end <= last.end
            ):
                joined[-1] = PooledPassage(last.doc_id, last.start, max(last.end, one.end))
                continue
        joined.append(one)
    return joined


def _place(query: str, one: PooledPassage) -> bytes:
    """By chance, and the same each time: neither rank nor configuration nor the place in the document show in the
    order.
    """
    return hashlib.sha256(f"{query}\0{one.doc_id}\0{one.start}\0{one.end}".encode("utf-8", "surrogatepass")).digest()


def text_spans(text: str, *, lines: bool = False) -> list[Span]:
    """The sentences of a text by itself, of which no blocks are known: blank lines part them, too; white space is left
    out.

    Args:
        lines: each line by itself, as of a table.
    >>> text_spans("# Pump\\n\\nIt is blue. It is red.")
    [Span(start=0, end=6), Span(start=8, end=19), Span(start=20, end=30)]
    """
    cuts = {0, len(text), *(match.end() for match in (_LINE if lines else _BLANK).finditer(text))}
    if not lines:
        cuts |= set(np.asarray(sentence_starts(text)).tolist())
    return _between(text, 0, cuts)


def _between(text: str, offset: int, cuts: set[int]) -> list[Span]:
    """The spans between cuts, all of them moved on by an offset."""
    found = []
    for first, last in pairwise(sorted(cuts)):
        inside = text[first:last]
        if any(letter.isalnum() for letter in inside):  # not the rule under a table's header
            found.append(
                Span(offset + first + len(inside) - len(inside.lstrip()), offset + first + len(inside.rstrip()))
            )
    return found


def sentence_spans(document: Document, start: int, end: int) -> list[Span]:
    """The sentences of a passage, and the lines of its tables and code: what can be marked as an answer; white space is
    left out.
    """
    cuts = {start, end}
    for block in document.blocks:
        first, last = max(block.start, start), min(block.end, end)
        if first >= last:
            continue
        cuts |= {first, last}
        text = document.text[first:last]
        if block.type in _LINES:
            cuts.update(first + place + 1 for place, letter in enumerate(text) if letter == "\n")
        else:
            cuts.update((first + np.asarray(sentence_starts(text))).tolist())
    return _between(document.text, 0, cuts)
