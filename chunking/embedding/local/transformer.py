"""Base of the engines: a sentence-transformers model in memory; tokens in, unit vectors out.

Batches are planned here: sentence-transformers' `encode` sorts by characters and takes a fixed number of texts, which
pads more and overflows the processor's cache.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunking.config import Precision
from chunking.embedding.base import OnProgress, Vectors
from chunking.embedding.local.model_tokenizer import pieces_of
from chunking.embedding.local.token_windows import Framing, Ints, TextTokens
from chunking.embedding.model_folder import ModelFolder
from chunking.errors import ModelError

__all__ = ["Padded", "Rows", "Transformer", "plan_batches"]

Rows = Sequence[Sequence[int]]
"""Tokens of each text of a batch, special ones included."""

_PROBES = (
    "The pump must be switched off before the filter is changed.",
    "Install the package, then run the migration: see the table of supported versions below.",
    "def area(width: float, height: float) -> float:\n    return width * height",
    "| Key | Default |\n| --- | --- |\n| timeout | 30 s |\n| retries | 3 |",
    "请在更换滤芯之前关闭电源。",
    "Why?",
)
"""Texts on which a faster precision is compared with fp32: prose, code, a table, Chinese, a short question."""


class Padded(NamedTuple):
    """Token ids of a batch, padded to equal lengths, with their mask."""

    ids: NDArray[np.int64]
    """(n, longest)."""
    mask: NDArray[np.int64]
    """(n, longest): 1 for tokens, 0 for padding."""


class Transformer(ABC):
    """Base class of a model run by an engine; engines add loading and running its layers.

    Args:
        folder: The model; nothing is downloaded.
        uncut: Its tokenizer, without truncation and padding.
        cut: Creates a second one that truncates as the model does, once a text is too long: changing the settings of a
            shared tokenizer with each call is not thread-safe.
        special: Special tokens.
        pad: Padding token.
        pad_left: Pad at the beginning of rows.
    """

    def __init__(
        self,
        folder: ModelFolder,
        *,
        uncut: Any,
        cut: Callable[[], Any],
        special: Iterable[int],
        pad: int,
        pad_left: bool = False,
    ) -> None:
        self.folder = folder
        self._uncut, self._make_cut = uncut, cut
        self._special = frozenset(special)
        self._pad, self._pad_left = pad, pad_left
        self._agreements: dict[Precision, float] = {}

    @abstractmethod
    def _vectors_of(self, rows: Rows, precision: Precision, prompt_length: int) -> Vectors:
        """Unit vectors of a batch, (n, d) float32."""

    @abstractmethod
    def _states_of(self, rows: Rows, precision: Precision, prompt_length: int) -> Vectors:
        """Token states of a batch before pooling, (n, longest, width) float32."""

    @abstractmethod
    def head(self, means: Vectors) -> Vectors:
        """Apply the model's layers after pooling, such as dense ones, and normalise.

        Args:
            means: (n, width) float32. A model that pools in several ways gets the mean for each of them.
        Returns:
            (n, d) float32, rows of length 1.
        """

    @cached_property
    def _cut(self) -> Any:
        return self._make_cut()

    def _computing(self, precision: Precision) -> AbstractContextManager[object]:
        """Context entered for several batches."""
        return nullcontext()

    def tokenize(self, texts: Sequence[str]) -> tuple[list[list[int]], int]:
        """Return each text's tokens with special ones, up to the limit; and how many were cut."""
        # A lone surrogate is no Unicode text, and tokenizers refuse it.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        ids = [encoding.ids for encoding in self._uncut.encode_batch_fast(clean)]
        long = [i for i, row in enumerate(ids) if len(row) > self.folder.max_tokens]
        for i in long:
            ids[i] = self._cut.encode(clean[i]).ids
        return ids, len(long)

    def pieces(self, text: str) -> TextTokens:
        """Return all tokens of a text of any length with their offsets, without special tokens."""
        return pieces_of(self._uncut, text)

    @cached_property
    def punctuation(self) -> Ints:
        """Tokens without letters and digits, ascending: punctuation and special ones."""
        vocabulary: dict[str, int] = self._uncut.get_vocab()
        silent = (number for piece, number in vocabulary.items() if not any(char.isalnum() for char in piece))
        return np.array(sorted({*silent, *self._special}), np.int32)

    def framing(self, prompt: str) -> Framing:
        """Return the special tokens before and after every text, and the prompt's tokens before it."""
        example = self._uncut.encode("a")
        specials_before = next(
            (i for i, special in enumerate(example.special_tokens_mask) if not special), len(example.ids)
        )
        closed = max(
            (i + 1 for i, special in enumerate(example.special_tokens_mask) if not special), default=len(example.ids)
        )
        said = self._uncut.encode(prompt, add_special_tokens=False).ids if prompt else []
        before = [*example.ids[:specials_before], *said]
        return Framing(tuple(before), tuple(example.ids[closed:]), self._prompt_length(prompt))

    def states(
        self, token_ids: Rows, *, precision: Precision, batch_tokens: int, prompt: str = ""
    ) -> Iterator[tuple[int, Vectors]]:
        """Yield each text's token states before pooling, batch by batch.

        Yields:
            (index into `token_ids`, (tokens, width) float32), each index once, in the order of the batches.
        Raises:
            ModelError: the model has no pooling, or a state is not finite.
        """
        prompt_length = self._prompt_length(prompt)
        for batch in plan_batches(token_ids, batch_tokens):
            rows = [token_ids[i] for i in batch]
            # Entered for one batch only: otherwise it would also be active in the consumer of the states.
            with self._computing(precision):
                states = self._states_of(rows, precision, prompt_length)
            if not np.isfinite(states[[len(row) > 0 for row in rows]]).all():
                raise self._not_finite()
            width = states.shape[1]
            for i, row in enumerate(rows):
                yield batch[i], states[i, width - len(row) :] if self._pad_left else states[i, : len(row)]

    def encode(
        self,
        token_ids: Rows,
        *,
        precision: Precision,
        batch_tokens: int,
        prompt: str = "",
        on_progress: OnProgress | None = None,
    ) -> Vectors:
        """Return (n, d) float32 unit vectors of tokenized texts that begin with `prompt`.

        Raises:
            ModelError: a vector is not finite, or not of the size the model's files state.
        """
        vectors = np.zeros((len(token_ids), self.folder.dimension), dtype=np.float32)
        prompt_length = self._prompt_length(prompt)
        done = 0
        with self._computing(precision):
            for batch in plan_batches(token_ids, batch_tokens):
                vectors[batch] = self._vectors_of([token_ids[i] for i in batch], precision, prompt_length)
                done += len(batch)
                if on_progress is not None:
                    on_progress(done)
        if not np.isfinite(vectors).all():
            raise self._not_finite()
        return vectors

    def agreement(self, precision: Precision) -> float:
        """Return the lowest cosine to fp32 of six texts' vectors, measured once; 0 if they fail."""
        if precision not in self._agreements:
            self._agreements[precision] = self._compare(precision)
        return self._agreements[precision]

    def _compare(self, precision: Precision) -> float:
        ids, _ = self.tokenize(_PROBES)
        try:
            exact, fast = (self.encode(ids, precision=p, batch_tokens=512) for p in (Precision.FP32, precision))
        except RuntimeError:  # the engine has no such form of one of this model's operations, or it overflows
            return 0.0
        return float((exact * fast).sum(axis=1).min())

    def _padded(self, rows: Rows) -> Padded:
        width = max(1, *(len(row) for row in rows)) if rows else 1
        ids = np.full((len(rows), width), self._pad, dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for i, row in enumerate(rows):
            place = slice(width - len(row), width) if self._pad_left else slice(0, len(row))
            ids[i, place] = row
            mask[i, place] = 1
        return Padded(ids, mask)

    def _prompt_length(self, prompt: str) -> int:
        """Number of prompt tokens that the model's pooling leaves out."""
        return 0

    def _not_finite(self) -> ModelError:
        return ModelError(
            f"The model '{self.folder.name}' gave numbers that are not finite: set embedding.precision=fp32, "
            f"or choose another model."
        )


# -- batches of similar length, bounded by their tokens with padding


def plan_batches(token_ids: Sequence[Sequence[int]], batch_tokens: int) -> Iterator[list[int]]:
    """Group texts of similar length into batches of at most `batch_tokens`, padding included.

    Longest first, so that a model that needs too much memory fails at once. Ties are ordered by the tokens themselves:
    a set of texts gives the same batches in any order, and so the same vectors to the last bit.

    Args:
        token_ids: Each text's tokens, special ones included.
        batch_tokens: Maximum tokens in a batch, padding included; a longer text is a batch of its own.
    Yields:
        Indices into `token_ids`; together each index once.
    >>> list(plan_batches([[1], [1, 2, 3], [1, 2], [1, 2, 4]], batch_tokens=6))
    [[3, 1], [2, 0]]
    """
    order = sorted(range(len(token_ids)), key=lambda i: (len(token_ids[i]), token_ids[i]), reverse=True)
    first = 0
    while first < len(order):
        longest = max(len(token_ids[order[first]]), 1)
        after = first + max(1, batch_tokens // longest)
        yield order[first:after]
        first = after
