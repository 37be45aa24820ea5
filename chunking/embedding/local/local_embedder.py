"""Embedder that runs a sentence-transformers model on this machine."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import RLock

import numpy as np

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding.base import OnProgress, Role, Vectors, joint_hash, vector_key
from chunking.embedding.local.engine_table import choose_precision, computes_int8, has_bf16, has_int8, open_transformer
from chunking.embedding.local.load_times import expected_loading, record_loading
from chunking.embedding.local.model_tokenizer import has_head, pieces_of, tokenizer_alone
from chunking.embedding.local.token_windows import Framing, Ints, TextTokens
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import ModelFolder, find_model

__all__ = ["LEAST_AGREEMENT", "LocalEmbedder", "load_embedder"]

LEAST_AGREEMENT = {Precision.BF16: 0.999, Precision.INT8: 0.99}
"""Minimum cosine to fp32 of each text in a faster precision; `auto` does without one that misses it."""

_loading = RLock()


class LocalEmbedder:
    """Embedder with a local model, loaded by the first text or by `prepare`.

    A text's vector does not depend on the order of the texts in a call, and on their lengths only by rounding: cosine
    > 0.9999 in bf16, > 0.9995 in int8, > 0.999999 in fp32. Texts over the model's limit are truncated as by the model,
    and counted in `truncated`.

    Args:
        folder: The model.
        config: Precision, prompts, batch size.
    """

    def __init__(self, folder: ModelFolder, config: EmbeddingConfig | None = None) -> None:
        config = config or EmbeddingConfig()
        self.folder = folder
        self.batch_tokens = config.batch_tokens
        self.calls = 0
        self.texts_encoded = 0
        self.truncated = 0
        """Number of texts so far that were truncated at the model's limit."""
        engine_int8 = config.precision is Precision.INT8 and computes_int8(folder)
        self._choice = choose_precision(config.precision, bf16=has_bf16(), int8=has_int8(), engine_int8=engine_int8)
        self._precision, self._note = self._choice.precision, self._choice.note
        self._ready = False
        self._verified = not self._choice.verify
        self._prefixes: dict[Role, str] = {
            "query": folder.query_prefix if config.query_prefix is None else config.query_prefix,
            "passage": folder.passage_prefix if config.passage_prefix is None else config.passage_prefix,
        }

    @property
    def key(self) -> str:
        return f"{self.folder.name}@{self.folder.revision}+{self._precision.value}"

    @property
    def dimension(self) -> int:
        return self.folder.dimension

    @property
    def max_tokens(self) -> int:
        return self.folder.max_tokens

    @property
    def precision(self) -> str:
        return self._precision.value

    @property
    def precision_note(self) -> str:
        """Sentence for the user: the precision, and why it was chosen.

        With `auto`, loading the model (`prepare`) may change both.
        """
        return self._note

    @property
    def loaded(self) -> bool:
        """True once the model has been loaded; two others may have replaced it since."""
        return self._ready

    @property
    def loading_seconds(self) -> float:
        """Seconds that loading is expected to take in a new process: as last time here, else a guess."""
        return expected_loading(self.folder.name)

    def prefix(self, role: Role) -> str:
        """Return the prefix for texts of a role; empty for most models."""
        return self._prefixes[role]

    def cache_key(self, text: str, role: Role = "passage") -> str:
        """Return the cache key of a text's vector."""
        return self.digest_key(joint_hash(text), role)

    def digest_key(self, content: str, role: Role = "passage") -> str:
        """Return the `cache_key` of a text from the text's sha256 (hex)."""
        return vector_key(self.key, self.prefix(role), content)

    def prepare(self) -> None:
        """Load the model; if `auto` chose a faster precision, go back to fp32 if their vectors differ.

        Raises:
            ModelError: the model cannot be loaded.
        """
        self._loaded()

    def embed(self, texts: Sequence[str], *, role: Role = "passage", on_progress: OnProgress | None = None) -> Vectors:
        """Return the model's vectors of texts; loads the model, and embeds each distinct text once.

        Args:
            texts: n texts, without role prefix.
            role: Selects the prefix.
            on_progress: Called with the number of texts done; may raise to stop.
        Returns:
            (n, d) float32, rows of length 1, in the order of `texts`.
        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        repeats = Counter(texts)
        transformer, prefix = self._loaded(), self.prefix(role)
        ids, cut = transformer.tokenize([prefix + text for text in repeats])
        share = len(texts) / len(repeats)
        report = None if on_progress is None else lambda done: on_progress(round(done * share))
        vectors = transformer.encode(
            ids, precision=self._precision, batch_tokens=self.batch_tokens, prompt=prefix, on_progress=report
        )
        with _loading:
            self.calls += 1
            self.texts_encoded += len(repeats)
            self.truncated += cut
        row = {text: i for i, text in enumerate(repeats)}
        return vectors[[row[text] for text in texts]]

    def pieces(self, text: str) -> TextTokens:
        """Return all tokens of a text of any length with their offsets, without special tokens.

        The model is loaded for it only if its folder has no `tokenizer.json`.
        """
        tokenizer = None if self._ready else tokenizer_alone(self.folder)
        return self._loaded().pieces(text) if tokenizer is None else pieces_of(tokenizer, text)

    def framing(self, role: Role = "passage") -> Framing:
        """Return the special tokens and prompt around texts of a role; loads the model."""
        return self._loaded().framing(self.prefix(role))

    def states(self, token_ids: Sequence[Sequence[int]], *, role: Role = "passage") -> Iterator[tuple[int, Vectors]]:
        """Yield the model's token states, before pooling.

        Args:
            token_ids: rows of at most `max_tokens`, including the tokens of `framing`.
        Yields:
            (index into `token_ids`, (tokens, width) float32), each index once, not in order.
        Raises:
            ModelError: the model cannot be loaded, or fails.
        """
        if not token_ids:
            return
        transformer = self._loaded()
        with _loading:
            self.calls += 1
            self.texts_encoded += len(token_ids)
        yield from transformer.states(
            token_ids, precision=self._precision, batch_tokens=self.batch_tokens, prompt=self.prefix(role)
        )

    @property
    def punctuation(self) -> Ints:
        """Tokens of the model's vocabulary without letters and digits; loads the model."""
        return self._loaded().punctuation

    @property
    def has_head(self) -> bool:
        """True if the model has layers after pooling, or several poolings; nothing is loaded."""
        return has_head(self.folder)

    def head(self, means: Vectors) -> Vectors:
        """Load the model; convert means of token states (n, width) to its unit vectors (n, d)."""
        return self._loaded().head(means)

    def _loaded(self) -> Transformer:
        with _loading:
            is_first = (
                not _transformer.cache_info().misses
            )  # a later load imports nothing, and tells a new process little
            began = time.monotonic()
            transformer = _transformer(self.folder)
            if not self._verified:
                self._verify(transformer.agreement(self._precision))
            self._verified = self._ready = True
            if is_first:
                record_loading(self.folder.name, time.monotonic() - began)
            return transformer

    def _verify(self, agreement: float) -> None:
        fast = self._precision
        if agreement >= LEAST_AGREEMENT[fast]:
            self._note = (
                f"{self._choice.note} Its vectors have a cosine similarity of at least {agreement:.5f} to those "
                f"of fp32."
            )
            return
        self._precision = Precision.FP32
        self._note = (
            f"fp32: with {fast.value}, this model's vectors have a cosine similarity of only {agreement:.4f} to those "
            f"of fp32, less than {LEAST_AGREEMENT[fast]}."
        )


@lru_cache(maxsize=2)
def _transformer(folder: ModelFolder) -> Transformer:
    """Load a model, shared by all embedders of the process; two are cached, to compare two configurations."""
    return open_transformer(folder)


def load_embedder(config: EmbeddingConfig | None = None) -> LocalEmbedder:
    """Return the embedder of a configuration's local model, shared in the process.

    The model is downloaded here if it is missing and `allow_download` is set; the first text loads it into memory.

    Raises:
        ModelError: the model is not on this machine, incomplete, or changed.
    """
    config = config or EmbeddingConfig()
    return _embedder(find_model(config.model, allow_download=config.allow_download), config)


@lru_cache(maxsize=8)
def _embedder(folder: ModelFolder, config: EmbeddingConfig) -> LocalEmbedder:
    return LocalEmbedder(folder, config)
