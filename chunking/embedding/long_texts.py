"""Embed texts longer than the model's limit as the mean of the vectors of their windows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.base import CachedEmbedder, Embedder, OnProgress, Vectors
from chunking.embedding.late.document_encoding import unit_length
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.token_windows import unit_ends
from chunking.model import Chunk

__all__ = ["Windowed", "embed_chunks", "mean_of_windows", "window_texts"]

_ROOM_FOR_ERROR = 0.8
"""Share of the limit used if only the tokens of the full text are known, as parts differ in density."""
_SPARE = 2
"""Tokens that a part of a text may have alone beyond those inside the full text."""


class Windowed(NamedTuple):
    """Vectors of texts of any length, a mark on means of windows, and how many needed the model."""

    vectors: Vectors
    """(n, d) float32, rows of length 1."""
    windowed: NDArray[np.bool_]
    """(n,) True if a text exceeded the model's limit, and its vector is a mean (`Flag.MEAN_OF_WINDOWS`)."""
    computed: int
    """Number of vectors that needed the model; equal texts count once, cached ones not at all."""


def embed_chunks(
    embedder: Embedder,
    chunks: Sequence[Chunk | str],
    tokens: Sequence[int] | None = None,
    *,
    on_progress: OnProgress | None = None,
) -> Windowed:
    """Embed texts of any length; over the model's limit, as the mean of their windows' vectors.

    The mean is weighted by the windows' characters.

    Args:
        embedder: a cached one caches the vectors of windows like those of other texts.
        chunks: chunks, whose `embedding_content` is embedded, or texts.
        tokens: of each, about, for models that are not local; None: a chunk's `token_count`, a text's bytes.
        on_progress: called with the number of texts done; may raise to stop.
    """
    windows = window_texts(embedder, chunks, tokens)
    texts = [text for some in windows for text in some]
    share = len(chunks) / max(len(texts), 1)
    report = None if on_progress is None else lambda done: on_progress(int(done * share))
    each = embedder.embed(texts, on_progress=report)
    first = np.cumsum([0, *(len(some) for some in windows)])[:-1]
    windowed = np.array([len(some) > 1 for some in windows], np.bool_)
    vectors = each[first] if len(windows) else each
    for row in np.flatnonzero(windowed).tolist():
        some = windows[row]
        vectors[row] = mean_of_windows(list(map(len, some)), each[first[row] : first[row] + len(some)])
    return Windowed(vectors, windowed, _computed(embedder, windows))


def mean_of_windows(lengths: Sequence[int], vectors: Vectors) -> Vectors:
    """Return the mean (d,) of windows' vectors (n, d), weighted by their characters, of length 1."""
    mean: Vectors = unit_length((np.array(lengths, np.float32) @ vectors)[None, :])[0]
    return mean


def _computed(embedder: Embedder, windows: Sequence[Sequence[str]]) -> int:
    different = {tuple(some) for some in windows}
    if not isinstance(embedder, CachedEmbedder):
        return len(different)
    return sum(any(text in embedder.last_encoded for text in some) for some in different)


def window_texts(
    embedder: Embedder, chunks: Sequence[Chunk | str], tokens: Sequence[int] | None = None
) -> list[list[str]]:
    """Return the texts to embed for each chunk: its text, or its windows if over the model's limit.

    A local model's windows end between sentences where they can; other models' end at spaces, by estimated length.

    Args:
        tokens: as in `embed_chunks`.
    """
    texts = [chunk if isinstance(chunk, str) else chunk.embedding_content for chunk in chunks]
    if tokens is None:
        tokens = [
            len(chunk.encode("utf-8", "replace")) if isinstance(chunk, str) else chunk.token_count for chunk in chunks
        ]
    local = _local(embedder)
    if local is not None:
        return [_cut_by_tokens(local, text) for text in texts]
    limit = int(embedder.max_tokens * _ROOM_FOR_ERROR)
    return [
        _cut_evenly(text, -(-count // limit)) if count > limit else [text]
        for text, count in zip(texts, tokens, strict=True)
    ]


def _local(embedder: Embedder) -> LocalEmbedder | None:
    """Return the local model behind caches, which knows the offsets of tokens, or None."""
    while isinstance(embedder, CachedEmbedder):
        embedder = embedder.embedder
    return embedder if isinstance(embedder, LocalEmbedder) else None


def _cut_by_tokens(embedder: LocalEmbedder, text: str) -> list[str]:
    if len(text.encode("utf-8", "replace")) + _SPARE <= embedder.folder.content_tokens:
        return [text]  # no tokenizer makes more tokens than bytes, so the model need not be loaded
    prompt = embedder.prefix("passage")
    pieces, room = (
        embedder.pieces(text),
        embedder.folder.content_tokens - (len(embedder.pieces(prompt)) if prompt else 0),
    )
    if len(pieces) <= room:
        return [text]
    ends, first, cuts = unit_ends(text, pieces), 0, [0]
    while len(pieces) - first > room - _SPARE:
        parts = -(-(len(pieces) - first) // max(room - _SPARE, 1))
        ideal_end = first - (first - len(pieces)) // parts
        fitting = ends[(ends > first) & (ends <= ideal_end)]
        first = int(fitting[-1]) if len(fitting) else ideal_end
        cuts.append(int(pieces.starts[first]))
    return [text[start:end] for start, end in pairwise([*cuts, len(text)])]


def _cut_evenly(text: str, parts: int) -> list[str]:
    """Parts of about equal length, split at nearby white space."""
    cuts = [0]
    for part in range(1, parts):
        ideal_end = len(text) * part // parts
        space = text.rfind(" ", cuts[-1] + 1, ideal_end)
        cuts.append(space + 1 if space > ideal_end - len(text) // parts // 4 else ideal_end)
    return [piece for start, end in pairwise([*cuts, len(text)]) if (piece := text[start:end])]
