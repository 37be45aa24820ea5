"""Rerankers with a model: cross-encoders, and late interaction of token vectors.

A cross-encoder reads query and text together and gives one score; better than vectors, and far slower. After Nogueira
and Cho, "Passage Re-ranking with BERT" (arXiv 1901.04085). Any of sentence-transformers works, by name or folder, if
its weights are on this machine or may be downloaded.

Late interaction compares each token of a query with each of a text and sums the best matches; after ColBERT.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock, RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.embedding.base import Role, Vectors
from chunking.embedding.late.document_encoding import unit_length
from chunking.embedding.local.engine_table import ENGINES
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.model_tokenizer import load_quietly
from chunking.embedding.local.token_windows import Ints
from chunking.embedding.model_folder import ModelFolder, find_model
from chunking.errors import ModelError
from chunking.text.byte_caches import ByteCache

__all__ = ["CrossEncoder", "LateInteraction", "load_cross_encoder"]

_PUBLISHER = "cross-encoder"
"""Publisher of names without one."""
_AT_ONCE = 16
"""Pairs in a batch, and between two progress reports."""

_MOST_BYTES = 192 * 2**20
"""Maximum memory for token matrices: 250 texts of 1,000 characters are some 40 MB."""


class CrossEncoder:
    """Reranker whose model reads query and text together and scores each pair.

    The first call of `scores` loads the model. Threads take turns.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self.folder = folder
        self.calls = 0
        """Calls of `scores` that reached the model."""
        self._model: Any = None
        self._busy = RLock()  # the tokenizer changes its settings with each call

    @property
    def key(self) -> str:
        """Model as `name@revision`."""
        return f"{self.folder.name}@{self.folder.revision}"

    def scores(
        self, query: str, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return a score for each text: how well it answers the query, by the model.

        Args:
            texts: truncated if query and text together exceed the model's limit.
            on_progress: called with the number of texts done; may raise to stop.
        Returns:
            (n,) float32; higher is better, the range is the model's own (mostly 0 to 1).
        Raises:
            ModelError: it cannot be loaded, or does not give one finite number a pair.
        """
        scores = np.zeros(len(texts), np.float32)
        # Texts of similar length together need less padding.
        order = np.argsort([len(text) for text in texts], kind="stable")
        with self._busy:
            for first in range(0, len(texts), _AT_ONCE):
                some = order[first : first + _AT_ONCE]
                scores[some] = self._predict([(query, texts[number]) for number in some])
                if on_progress is not None:
                    on_progress(first + len(some))
            self.calls += bool(len(texts))
        return scores

    def _predict(self, pairs: list[tuple[str, str]]) -> NDArray[np.float32]:
        if self._model is None:
            self._model = _load(self.folder)
        clean = [tuple(text.encode("utf-8", "replace").decode() for text in pair) for pair in pairs]
        scores = np.asarray(self._model.predict(clean, batch_size=_AT_ONCE, show_progress_bar=False), np.float32)
        if scores.shape != (len(pairs),):
            raise self._fault(
                f"gives {scores.size // len(pairs)} numbers for a query and a text, where a reranker gives one"
            )
        if not np.isfinite(scores).all():
            raise self._fault("gave scores that are not finite")
        return scores

    def _fault(self, fault: str) -> ModelError:
        return ModelError(
            f"The cross-encoder '{self.folder.name}' {fault}: choose another.", where=str(self.folder.path)
        )


def load_cross_encoder(name: str, allow_download: bool = False) -> CrossEncoder:
    """Return the cross-encoder of a name or folder, shared in the process; not loaded yet.

    Args:
        name: such as `cross-encoder/ms-marco-MiniLM-L6-v2` or `ms-marco-MiniLM-L6-v2`, or a folder.
        allow_download: download it from the model hub if it is not on this machine.
    Raises:
        ModelError: its weights are not on this machine, it is no cross-encoder, or there is no torch to run it.
    """
    if not name.strip():
        raise ModelError(
            "No cross-encoder is set: give its name or folder, or turn that stage off.", where="search.rerank_model"
        )
    if not ENGINES["torch"].installed:
        raise ModelError.needs_full_installation("A cross-encoder", where="search.rerank_model")
    folder = find_model(name, allow_download=allow_download, publisher=_PUBLISHER)
    if not _is_cross_encoder(folder.path):
        raise ModelError(
            (
                f"'{folder.name}' does not score pairs of texts: give the name of a cross-encoder, such as "
                f"ms-marco-MiniLM-L6-v2."
            ),
            where=str(folder.path),
        )
    return _cross_encoder(folder)


@lru_cache(maxsize=2)
def _cross_encoder(folder: ModelFolder) -> CrossEncoder:
    return CrossEncoder(folder)


def _is_cross_encoder(path: Path) -> bool:
    """True if the files declare a cross-encoder; others would get random last layers and scores."""
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    if any(str(name).endswith("ForSequenceClassification") for name in config.get("architectures") or ()):
        return True
    own = path / "config_sentence_transformers.json"
    return own.is_file() and json.loads(own.read_text(encoding="utf-8")).get("model_type") == "CrossEncoder"


def _load(folder: ModelFolder) -> Any:
    def model() -> Any:
        from sentence_transformers import CrossEncoder as Model

        return Model(str(folder.path), device="cpu", local_files_only=True, trust_remote_code=False)

    return load_quietly(folder, model)


# -- late interaction


class _Tokens(NamedTuple):
    """Token states of a text, without special tokens and punctuation."""

    ids: Ints
    """(t,)."""
    states: NDArray[np.float16]
    """(t, width), rows of length 1."""


class LateInteraction:
    """Reranker that compares token vectors of query and text (MaxSim) from an embedding model.

    Texts' matrices are cached (least used ones are evicted), so that the same candidates cost no model call. May be
    shared by threads.

    Args:
        embedder: any local model.
        most_bytes: maximum memory for matrices.
    """

    def __init__(self, embedder: LocalEmbedder, most_bytes: int = _MOST_BYTES) -> None:
        self.embedder = embedder
        self.texts_encoded = 0
        """Texts and queries that went through the model so far."""
        self._cache: ByteCache[_Tokens] = ByteCache(f"{__name__}.{type(self).__name__}", most_bytes)
        self._counting = Lock()

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a score for each text: the weighted mean of query tokens' best cosines in it.

        Args:
            query: without role prefix.
            texts: the candidates. Tokens that few of them have weigh most.
        Returns:
            (n,) float32, -1 to 1: the weighted mean, over the query's tokens, of the cosine to the nearest token.
        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        if not texts:
            return np.zeros(0, np.float32)
        query_tokens = self._tokens([query], "query")[0]
        text_tokens = self._tokens(texts, "passage")
        weights = _weights(query_tokens.ids, [tokens.ids for tokens in text_tokens])
        return np.array([_max_sim(query_tokens, tokens, weights) for tokens in text_tokens], np.float32)

    def _tokens(self, texts: Sequence[str], role: Role) -> list[_Tokens]:
        cached = {
            text: tokens for text in dict.fromkeys(texts) if (tokens := self._cache.get((role, text))) is not None
        }
        missing = [text for text in dict.fromkeys(texts) if text not in cached]
        encoded = dict(zip(missing, self._encode(missing, role), strict=True))
        with self._counting:
            self.texts_encoded += len(missing)
        for text, tokens in encoded.items():
            self._cache.put((role, text), tokens)
        return [cached[text] if text in cached else encoded[text] for text in texts]

    def _encode(self, texts: Sequence[str], role: Role) -> list[_Tokens]:
        if not texts:
            return []
        frame = self.embedder.framing(role)
        before, after = len(frame.before), len(frame.after)
        ids = [self.embedder.pieces(text).ids for text in texts]
        windows = [part for one in ids for part in _windows(one, self.embedder.max_tokens - frame.tokens)]
        states: dict[int, Vectors] = {}
        for row, window_states in self.embedder.states(
            [[*frame.before, *part.tolist(), *frame.after] for part in windows], role=role
        ):
            states[row] = window_states[before : len(window_states) - after]
        flat = np.concatenate([states[row] for row in range(len(windows))])
        ends = np.cumsum([len(one) for one in ids])
        return [self._without_punctuation(one, rows) for one, rows in zip(ids, np.split(flat, ends[:-1]), strict=True)]

    def _without_punctuation(self, ids: Ints, states: Vectors) -> _Tokens:
        """Normalised token states without punctuation, which says little."""
        meaningful = ~np.isin(ids, self.embedder.punctuation)
        return _Tokens(ids[meaningful], unit_length(states[meaningful]).astype(np.float16))


def _windows(ids: Ints, size: int) -> list[Ints]:
    """Split a text longer than the model's limit into parts that are read one by one."""
    return [ids[first : first + size] for first in range(0, max(len(ids), 1), max(size, 1))]


def _weights(query: Ints, texts: Sequence[Ints]) -> Vectors:
    """IDF of each query token among the candidates, as in BM25."""
    having = np.array([sum(bool((ids == token).any()) for ids in texts) for token in query.tolist()], np.float32)
    weights: Vectors = np.log1p((len(texts) - having + np.float32(0.5)) / (having + np.float32(0.5)))
    return weights


def _max_sim(query: _Tokens, text: _Tokens, weights: Vectors) -> float:
    if not len(query.ids) or not len(text.ids):
        return 0.0
    best = (query.states.astype(np.float32) @ text.states.astype(np.float32).T).max(axis=1)
    return float(best @ weights / weights.sum())
