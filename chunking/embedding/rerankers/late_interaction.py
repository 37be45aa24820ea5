"""Late interaction: a query's every token meets a text's every token, and the best meetings are added up.

After ColBERT (Khattab and Zaharia 2020, arXiv 2004.12832), with the token states of the model that embeds, which was
not trained
for it: rare tokens weigh more (idf), because the states of common words are alike everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.base import Role, Vectors
from chunking.embedding.late.document_encoding import unit_length
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.token_windows import Ints
from chunking.text.byte_caches import ByteCache

__all__ = ["LateInteraction"]

_MOST_BYTES = 192 * 2**20
"""Memory for token matrices: 250 texts of 1,000 characters are some 40 MB."""


class _Tokens(NamedTuple):
    """A text as the model reads it, without special tokens and punctuation."""

    ids: Ints
    """(t,)."""
    states: NDArray[np.float16]
    """(t, width), rows of length 1."""


class LateInteraction:
    """Scores texts for a query by MaxSim over the model's own token states.

    A text's matrix is kept (least used ones are given up), so that the same candidates cost no model call. May be
    shared by threads.

    Args:
        embedder: the model; any local one.
        most_bytes: memory for matrices.
    """

    def __init__(self, embedder: LocalEmbedder, most_bytes: int = _MOST_BYTES) -> None:
        self.embedder = embedder
        self.texts_encoded = 0
        """Texts and queries that went through the model so far."""
        self._kept: ByteCache[_Tokens] = ByteCache(f"{__name__}.{type(self).__name__}", most_bytes)
        self._counting = Lock()

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """How well each text answers, token by token.

        Args:
            query: without role prefix.
            texts: the candidates. Tokens that few of them have weigh most.
        Returns:
            (n,) float32, -1 to 1: the weighted mean, over the tokens of the query, of the cosine to the nearest token
            of the text.
        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        if not texts:
            return np.zeros(0, np.float32)
        asked = self._tokens([query], "query")[0]
        found = self._tokens(texts, "passage")
        weights = _weights(asked.ids, [tokens.ids for tokens in found])
        return np.array([_max_sim(asked, tokens, weights) for tokens in found], np.float32)

    def _tokens(self, texts: Sequence[str], role: Role) -> list[_Tokens]:
        found = {text: tokens for text in dict.fromkeys(texts) if (tokens := self._kept.get((role, text))) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        made = dict(zip(missing, self._encode(missing, role), strict=True))
        with self._counting:
            self.texts_encoded += len(missing)
        for text, tokens in made.items():
            self._kept.put((role, text), tokens)
        return [found[text] if text in found else made[text] for text in texts]

    def _encode(self, texts: Sequence[str], role: Role) -> list[_Tokens]:
        if not texts:
            return []
        around = self.embedder.around(role)
        before, after = len(around.before), len(around.after)
        ids = [self.embedder.pieces(text).ids for text in texts]
        windows = [part for one in ids for part in _windows(one, self.embedder.max_tokens - around.tokens)]
        states: dict[int, Vectors] = {}
        for row, found in self.embedder.states(
            [[*around.before, *part.tolist(), *around.after] for part in windows], role=role
        ):
            states[row] = found[before : len(found) - after]
        flat = np.concatenate([states[row] for row in range(len(windows))])
        ends = np.cumsum([len(one) for one in ids])
        return [self._heard(one, rows) for one, rows in zip(ids, np.split(flat, ends[:-1]), strict=True)]

    def _heard(self, ids: Ints, states: Vectors) -> _Tokens:
        """Without punctuation, whose states say little of their own."""
        heard = ~np.isin(ids, self.embedder.punctuation)
        return _Tokens(ids[heard], unit_length(states[heard]).astype(np.float16))


def _windows(ids: Ints, size: int) -> list[Ints]:
    """A text longer than the model reads, in parts that are read one by one."""
    return [ids[first : first + size] for first in range(0, max(len(ids), 1), max(size, 1))]


def _weights(query: Ints, texts: Sequence[Ints]) -> Vectors:
    """idf of each token of the query among the candidates, as in BM25."""
    having = np.array([sum(bool((ids == token).any()) for ids in texts) for token in query.tolist()], np.float32)
    weights: Vectors = np.log1p((len(texts) - having + np.float32(0.5)) / (having + np.float32(0.5)))
    return weights


def _max_sim(query: _Tokens, text: _Tokens, weights: Vectors) -> float:
    if not len(query.ids) or not len(text.ids):
        return 0.0
    best = (query.states.astype(np.float32) @ text.states.astype(np.float32).T).max(axis=1)
    return float(best @ weights / weights.sum())
