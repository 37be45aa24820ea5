"""Rebuilt chunkers of Chroma's comparison (2024): langchain-text-splitters and token windows."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.spans import Span
from chunking.config import EmbeddingConfig
from chunking.embedding import load_embedder
from chunking.embedding.model_folder import find_model
from chunking.splitting import token_counter

__all__ = ["PEERS", "ranking"]

_SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]
"""Separators of the comparison."""
_KEPT = 100

Spans = list[tuple[int, int]]


def ranking(texts: Mapping[str, str], name: str, questions: Sequence[str]) -> list[list[Span]]:
    """Return a rebuilt method's chunks for each question, nearest vector first."""
    spans = [Span(doc_id, start, end) for doc_id, text in texts.items() for start, end in PEERS[name](text)]
    embedder = load_embedder(EmbeddingConfig())
    chunks = embedder.embed([texts[span.doc_id][span.start : span.end] for span in spans])
    similar = embedder.embed(list(questions), role="query") @ chunks.T
    return [[spans[place] for place in order[:_KEPT]] for order in np.argsort(-similar, axis=1, kind="stable").tolist()]


def _recursive(size: int, overlap: int) -> Callable[[str], Spans]:
    """Return the recursive splitter; lengths count two special tokens per call, as in the paper."""

    def cut(text: str) -> Spans:
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        counter = token_counter(find_model(EmbeddingConfig().model).path)
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size,
            chunk_overlap=overlap,
            length_function=lambda part: counter.count(part) + 2,
            separators=_SEPARATORS,
        )
        return _located(text, splitter.split_text(text))

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


def _cl100k() -> Any:
    """Return the exact vocabulary without a download: llama-index-core contains it."""
    spec = find_spec("llama_index.core")
    assert spec is not None
    assert spec.origin is not None
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(Path(spec.origin).parent / "_static" / "tiktoken_cache"))
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


def _located(text: str, parts: Sequence[str]) -> Spans:
    """Return the spans of consecutive parts."""
    spans, at = [], 0
    for part in parts:
        start = text.find(part, at)
        spans.append((start, start + len(part)))
        at = start + 1
    return spans


PEERS: Mapping[str, Callable[[str], Spans]] = {
    "TokenText 250/125": _windows(250, 125),
    "TokenText 250/0": _windows(250, 0),
    "Recursive 200/0": _recursive(200, 0),
    "Recursive 250/125": _recursive(250, 125),
}
