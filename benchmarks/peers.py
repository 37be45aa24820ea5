"""Rebuilt chunkers of Chroma's comparison (2024): recursive, token windows, and cluster-semantic.

Source: Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", and brandonstarxel/chunking_evaluation
(MIT), from which parameters and formulas are taken; the code is ours, over langchain-text-splitters.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.spans import Span
from chunking.config import ENGLISH_MODEL, EmbeddingConfig
from chunking.embedding import load_embedder
from chunking.embedding.model_folder import find_model
from chunking.splitting import token_counter

__all__ = ["MODEL", "PEERS", "cl100k_tokens", "cluster_bounds", "ranking"]

_SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]
"""Separators of the comparison."""
MODEL = EmbeddingConfig(model=ENGLISH_MODEL)
"""Embedding model of every rebuilt method: that of Chroma's comparison."""
_KEPT = 100
_PIECE = 50
"""Most tokens of a piece that the cluster-semantic chunker joins."""

Spans = list[tuple[int, int]]


def ranking(texts: Mapping[str, str], name: str, questions: Sequence[str]) -> list[list[Span]]:
    """Return a rebuilt method's chunks for each question, nearest vector first."""
    spans = [Span(doc_id, start, end) for doc_id, text in texts.items() for start, end in PEERS[name](text)]
    embedder = load_embedder(MODEL)
    chunks = embedder.embed([texts[span.doc_id][span.start : span.end] for span in spans])
    similar = embedder.embed(list(questions), role="query") @ chunks.T
    return [[spans[place] for place in order[:_KEPT]] for order in np.argsort(-similar, axis=1, kind="stable").tolist()]


def _recursive(size: int, overlap: int) -> Callable[[str], Spans]:
    """Return the recursive splitter; lengths count two special tokens per call, as in the paper."""

    def cut(text: str) -> Spans:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        counter = token_counter(find_model(MODEL.model).path)
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=lambda part: counter.count(part) + 2,
            separators=_SEPARATORS,
        )
        return _located(text, splitter.split_text(text), overlap=overlap > 0)

    return cut


def _windows(size: int, overlap: int) -> Callable[[str], Spans]:
    """Return the splitter into windows of cl100k tokens."""

    def cut(text: str) -> Spans:
        encoding = _cl100k()
        ids = encoding.encode(text, disallowed_special=())
        starts = [*encoding.decode_with_offsets(ids)[1], len(text)]
        firsts = range(0, max(len(ids) - overlap, 1), size - overlap)
        return [(starts[first], starts[min(first + size, len(ids))]) for first in firsts]

    return cut


def _clusters(size: int) -> Callable[[str], Spans]:
    """Return the cluster-semantic chunker: pieces of up to 50 tokens, joined where they are alike."""

    def cut(text: str) -> Spans:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        splitter = RecursiveCharacterTextSplitter(
            chunk_size=_PIECE, chunk_overlap=0, length_function=cl100k_tokens, separators=_SEPARATORS
        )
        pieces = _located(text, splitter.split_text(text))
        vectors = load_embedder(MODEL).embed([text[start:end] for start, end in pieces])
        return [(pieces[first][0], pieces[last][1]) for first, last in cluster_bounds(vectors, size // _PIECE)]

    return cut


def cluster_bounds(vectors: np.ndarray, most: int) -> list[tuple[int, int]]:
    """Return (first, last) piece of each cluster: the segmentation with the greatest sum of likeness.

    Args:
        vectors: (n, d) unit vectors of the pieces, in order.
        most: most pieces in a cluster.
    """
    count = len(vectors)
    total = vectors.sum(axis=0, dtype=np.float64)
    mean = (total @ total - count) / max(count * (count - 1), 1)
    best, starts = np.zeros(count), np.zeros(count, np.int64)
    for last in range(count):
        reward = 0.0
        for first in range(last, max(last - most, -1), -1):
            alike = vectors[first + 1 : last + 1] @ vectors[first]
            reward += 2 * (float(alike.sum()) - mean * (last - first))
            joined = reward + (best[first - 1] if first else 0.0)
            if joined > best[last]:
                best[last], starts[last] = joined, first
    # As published, a piece that no segmentation improves keeps start 0: dissimilar pieces at the top form one cluster.
    bounds, last = [], count - 1
    while last >= 0:
        bounds.append((int(starts[last]), last))
        last = int(starts[last]) - 1
    return bounds[::-1]


@lru_cache(maxsize=200_000)
def cl100k_tokens(text: str) -> int:
    """Count the tokens of a text in the vocabulary cl100k."""
    return len(_cl100k().encode(text, disallowed_special=()))


@lru_cache(maxsize=1)
def _cl100k() -> Any:
    """Return the exact vocabulary without a download: llama-index-core contains it."""
    spec = find_spec("llama_index.core")
    assert spec is not None
    assert spec.origin is not None
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(Path(spec.origin).parent / "_static" / "tiktoken_cache"))
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


def _located(text: str, parts: Sequence[str], *, overlap: bool = False) -> Spans:
    """Return the spans of consecutive parts, in a text that may repeat itself.

    With an overlap, a part may continue the one before from its very beginning.
    """
    spans: Spans = []
    start, before = 0, ""
    for part in parts:
        again = len(part) > len(before) and part.startswith(before)
        start = text.index(part, start + (not again if overlap else len(before)))
        before = part
        spans.append((start, start + len(part)))
    return spans


PEERS: Mapping[str, Callable[[str], Spans]] = {
    "TokenText 250/125": _windows(250, 125),
    "TokenText 250/0": _windows(250, 0),
    "Recursive 200/0": _recursive(200, 0),
    "Recursive 250/125": _recursive(250, 125),
    "Cluster 200": _clusters(200),
    "Cluster 250": _clusters(250),
}
