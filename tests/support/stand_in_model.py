"""A stand-in for an embedding model: its tokenizer, and a vector for each token instead of layers.

Texts that share rare words have near vectors, in every process the same ones, and neither torch nor weights are loaded.
For tests of what is done with vectors: importing sentence-transformers alone takes six seconds of a processor, in every
worker that is started.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.config import Precision
from chunking.embedding.local import local_embedder as local
from chunking.embedding.local.model_tokenizer import tokenizer_alone, truncating_tokenizer
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import ModelFolder
from chunking.text.byte_caches import clear_caches
from chunking.text.sentence_pieces import PAD, SPECIAL, SentencePieceTokenizer

__all__ = ["StandIn", "stand_in_model", "stand_in_path"]

Vectors = NDArray[np.float32]

ROOT = Path(__file__).parents[2]
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_FIRST_WORD = 1996
"""First word of BERT's vocabulary, which is sorted by frequency."""
_FIRST_PIECE = 1000
"""A piece of XLM-RoBERTa after the function words of its languages."""
_COMMON = 0.8
"""Least cosine of multilingual-e5-small's vectors, which the stand-in has as well: a direction that all share."""


@lru_cache(maxsize=1)
def _table(dimension: int) -> NDArray[np.int8]:
    """Return (tokens of BERT's vocabulary, dimension) of fixed random signs, ±1."""
    return np.random.default_rng(7).integers(0, 2, (30_522, dimension), np.int8) * np.int8(2) - np.int8(1)


def _signs(numbers: NDArray[np.intp], dimension: int) -> NDArray[np.int8]:
    """Return (tokens, dimension) of signs, ±1, by the hash of each token's number (splitmix64).

    A table for the 250,000 pieces of XLM-RoBERTa would take each process two thirds of a second.
    """
    words = dimension // 64
    bits = numbers.astype(np.uint64)[:, None] * np.uint64(words) + np.arange(1, words + 1, dtype=np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return np.unpackbits(bits.view(np.uint8), axis=1).astype(np.int8) * np.int8(2) - np.int8(1)


class StandIn(Transformer):
    """Stand-in for `Transformer`: a text's vector is the mean of its tokens' vectors, weighted by rarity."""

    def __init__(self, folder: ModelFolder) -> None:
        tokenizer = tokenizer_alone(folder)
        assert tokenizer is not None
        pieces = SPECIAL if isinstance(tokenizer, SentencePieceTokenizer) else _SPECIAL
        special = [tokenizer.token_to_id(piece) for piece in pieces]
        pad = PAD if pieces is SPECIAL else 0
        super().__init__(folder, uncut=tokenizer, cut=partial(truncating_tokenizer, folder), special=special, pad=pad)
        self._first_word = _FIRST_PIECE if pieces is SPECIAL else _FIRST_WORD

    def agreement(self, precision: Precision) -> float:
        return 1.0

    def states(self, token_ids: Sequence[Sequence[int]], **_: Any) -> Iterator[tuple[int, Vectors]]:
        for number, ids in enumerate(token_ids):
            yield number, self._tokens(ids)

    def encode(self, token_ids: Sequence[Sequence[int]], *, on_progress: Any = None, **_: Any) -> Vectors:
        means = [self._tokens(ids).mean(axis=0) for ids in token_ids]
        if on_progress is not None:
            on_progress(len(means))
        return self.head(np.array(means, np.float32).reshape(-1, self.folder.dimension))

    def head(self, means: Vectors) -> Vectors:
        unit: Vectors = means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        if self._first_word == _FIRST_PIECE:
            unit = np.float32((1 - _COMMON) ** 0.5) * unit + np.float32((_COMMON / unit.shape[1]) ** 0.5)
            unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), 1e-9)
        return unit

    def _tokens(self, ids: Sequence[int]) -> Vectors:
        numbers = np.asarray(ids, np.intp)
        weights = 0.05 + np.log1p(np.maximum(numbers - self._first_word, 0))
        width = self.folder.dimension
        signs = _signs(numbers, width) if self._first_word == _FIRST_PIECE else _table(width)[numbers]
        states: Vectors = signs * weights[:, None].astype(np.float32)
        return states

    def _vectors_of(self, *_: Any) -> Vectors:
        raise NotImplementedError

    def _states_of(self, *_: Any) -> Vectors:
        raise NotImplementedError


def stand_in_path() -> str:
    """Return a PYTHONPATH that gives a process and its children the stand-in."""
    paths = [str(Path(__file__).parent / "stand_in"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return os.pathsep.join(filter(None, paths))


@contextmanager
def stand_in_model() -> Iterator[None]:
    """Replace every local model by a stand-in, in this process and its children.

    Caches are cleared before and after: their keys are those of the replaced model.
    """
    import pytest  # not in the processes that a test starts

    from chunking.embedding import loading  # not above: imported while the package is

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local, "open_transformer", StandIn)
        patch.setattr(loading, "PROCESS_ENCODINGS", loading._CachedEncodings(loading._CACHE_BYTES))
        patch.setenv("PYTHONPATH", stand_in_path())
        _forget()
        try:
            yield
        finally:
            _forget()


def _forget() -> None:
    """Clear cached embedders and query vectors, whose keys are the model's name."""
    local._embedder.cache_clear()
    local._transformer.cache_clear()
    clear_caches()
