"""Adaptive neighbours: whole answers against tokens, with one neighbour on each side and with `auto`.

A question's whole answer is returned if the results with their neighbours hold all of its gold spans. Each question is
searched once with fixed neighbours, through the product; the choice among them is the product's own. The tune halves of
the collections chose the constant of the choice, the report halves say what it gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.ir_collections import COLLECTIONS, HALVES, Collection, Question, recall
from benchmarks.kept_workspaces import built_index, kept_workspace, sources_of, tokens_of
from benchmarks.report import Row, Table
from benchmarks.spans import Span, paired_interval
from chunking import Config, search
from chunking.config import QuerySyntax
from chunking.embedding import CachedEmbedder, load_embedder
from chunking.embedding.model_list import available_models
from chunking.model import Chunk
from chunking.retrieval.context.expansion import adaptive_neighbours
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.ranking.cutoff import relative_scores
from chunking.retrieval.results.search_result import SearchResult

__all__ = ["Returned", "measure", "run"]

NAMES = ("Chroma", "Evidence Inference", "DRCD", "XQuAD en", "XQuAD zh")
MODELS = ("multilingual-e5-small", "all-MiniLM-L6-v2")
_MOST_LOST = 0.01
_FEWER = 0.8
"""Target: share of the tokens of fixed neighbours."""
_TOP = 1 - 1e-9


class Returned(NamedTuple):
    """What the searches of a collection return, by question, (questions,) each."""

    complete: np.ndarray
    """1 if all of the answer is returned, else 0."""
    tokens: np.ndarray
    """Tokens of the returned text, each character once."""


def measure(collection: Collection, model: str) -> tuple[Returned, Returned]:
    """Search each question of a collection; return what fixed and adaptive neighbours give."""
    workspace = kept_workspace(collection)
    names = sources_of(workspace)
    config = Config.from_settings({"embedding.model": model, "search.before": 1, "search.after": 1})
    index = built_index(workspace, config)
    texts = [question.text for question in collection.questions]
    embedder = CachedEmbedder(load_embedder(config.embedding), workspace.vectors)
    vectors = embedder.embed([understand(text, QuerySyntax.PLAIN).text for text in texts], role="query")
    rows = []
    for question, vector in zip(collection.questions, vectors, strict=True):
        result = search(workspace, question.text, config.search, index=index, vector=vector, syntax=QuerySyntax.PLAIN)
        fixed = [chunk for one in result.results for chunk in (one.chunk, *one.neighbours)]
        rows.append([*_returned(question, fixed, names), *_returned(question, _adaptive(result), names)])
    columns = np.array(rows).T
    return Returned(*columns[:2]), Returned(*columns[2:])


def _adaptive(result: SearchResult) -> list[Chunk]:
    """Return the hits with the neighbours that come along."""
    if not result.results:
        return []
    scores = np.array([one.score for one in result.candidates])
    relative = relative_scores(scores, float(scores.min()), max(one.score for one in result.results))
    by_id = dict(zip((one.chunk.chunk_id for one in result.candidates), relative.tolist(), strict=True))

    def score_of(chunk_id: str) -> float:
        return float(by_id.get(chunk_id, 0.0))

    chunks = []
    for one in result.results:
        own = score_of(one.chunk.chunk_id)
        chunks += [one.chunk, *adaptive_neighbours(one.chunk, one.neighbours, (True, True), own, score_of).chunks]
    return chunks


def _returned(question: Question, chunks: list[Chunk], names: dict[str, str]) -> tuple[bool, int]:
    """Return whether chunks hold all of an answer, and their tokens; each chunk counts once."""
    own = {chunk.chunk_id: chunk for chunk in chunks}.values()
    share = recall(question, [Span(names[one.doc_id], one.start, one.end) for one in own])
    return share >= _TOP, sum(tokens_of(one.content) for one in own)


def run() -> Table:
    """Measure the collections and packaged models at hand."""
    at_hand = {one.value for one in available_models()}
    rows = [
        row
        for model in MODELS
        if model in at_hand
        for name in NAMES
        if COLLECTIONS[name].at_hand
        for row in _rows(COLLECTIONS[name], model)
    ]
    notes = (
        "Share of questions whose whole answer is in the five results with their neighbours, in percent;",
        "tokens of that text: means over a half's questions;",
        "`auto` against one neighbour on each side; intervals: paired bootstrap, 95 %.",
    )
    return Table("Adaptive neighbours", rows, notes)


def _rows(collection: Collection, model: str) -> Iterator[Row]:
    """Yield a row for each half."""
    fixed, own = measure(collection, model)
    for which, half in enumerate(map(collection.half, range(len(HALVES)))):
        mean, low, high = paired_interval(own.complete[half], fixed.complete[half])
        tokens, full = own.tokens[half].mean(), fixed.tokens[half].mean()
        yield Row(
            f"{collection.name}, {HALVES[which]}, {model}",
            f"whole {100 * own.complete[half].mean():.1f}, {tokens:.0f} tokens",
            f"whole {100 * fixed.complete[half].mean():.1f}, {full:.0f} tokens",
            f"whole {100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}), {tokens / full:.0%} of the tokens",
            f"≥ -1 at ≤ {_FEWER:.0%}" if which else "",
            bool(mean >= -_MOST_LOST - 1e-9 and tokens <= _FEWER * full) if which else None,
        )


if __name__ == "__main__":
    print(run().markdown())
