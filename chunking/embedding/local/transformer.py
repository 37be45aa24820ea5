"""A sentence-transformers model in memory: the only module that runs its layers.

The modules of the model are called directly, with batches of our own making: sentence-transformers' `encode`
sorts by characters and takes a fixed number of texts, which pads more and overflows the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.config import Precision
from chunking.embedding.base import OnProgress, Vectors
from chunking.embedding.local.batches import plan_batches
from chunking.embedding.local.model_opening import open_model
from chunking.embedding.local.model_tokenizer import pieces_of
from chunking.embedding.local.token_windows import Around, Ints, TextTokens
from chunking.embedding.model_folder import ModelFolder
from chunking.errors import ModelError

if TYPE_CHECKING:
    import torch

__all__ = ["Transformer"]

_PROBES = (
    "The pump must be switched off before the filter is changed.",
    "Install the package, then run the migration: see the table of supported versions below.",
    "def area(width: float, height: float) -> float:\n    return width * height",
    "| Key | Default |\n| --- | --- |\n| timeout | 30 s |\n| retries | 3 |",
    "请在更换滤芯之前关闭电源。",
    "Why?",
)
"""Texts on which bf16 is compared with fp32: prose, code, a table, Chinese, a short question."""


class Transformer:
    """Tokens in, unit vectors out.

    Args:
        folder: The model; nothing is fetched.
    Raises:
        ModelError: its files cannot be loaded.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self.folder = folder
        self._model = open_model(folder)
        tokenizer: Any = self._model.tokenizer
        self._pad = tokenizer.pad_token_id or 0
        self._pad_left = getattr(tokenizer, "padding_side", "right") == "left"
        self._special = frozenset(tokenizer.all_special_ids)
        self._unknown = tokenizer.unk_token_id
        # Two copies set up once: the shared tokenizer changes its settings with each call, which threads must not do.
        self._whole, self._cut = deepcopy(tokenizer.backend_tokenizer), deepcopy(tokenizer.backend_tokenizer)
        for copy in (self._whole, self._cut):
            copy.no_padding()
        self._whole.no_truncation()
        self._cut.enable_truncation(folder.max_tokens, direction=getattr(tokenizer, "truncation_side", "right"))

    def tokenize(self, texts: Sequence[str]) -> tuple[list[list[int]], int]:
        """Tokens of each text, cut at the model's limit as the model itself cuts, and how many texts were cut."""
        # A lone surrogate is no Unicode text, and tokenizers refuse it.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        ids = [encoding.ids for encoding in self._whole.encode_batch_fast(clean)]
        long = [i for i, row in enumerate(ids) if len(row) > self.folder.max_tokens]
        for i in long:
            ids[i] = self._cut.encode(clean[i]).ids
        return ids, len(long)

    def pieces(self, text: str) -> TextTokens:
        """Every token of a text of any length, with its place; special ones are not among them."""
        return pieces_of(self._whole, text)

    @cached_property
    def punctuation(self) -> Ints:
        """Tokens that hold no letter and no digit, ascending: punctuation and special ones."""
        vocabulary: dict[str, int] = self._whole.get_vocab()
        silent = (number for piece, number in vocabulary.items() if not any(char.isalnum() for char in piece))
        return np.array(sorted({*silent, *self._special}), np.int32)

    def around(self, prompt: str) -> Around:
        """What stands before and after the tokens of every text that the model reads."""
        example = self._whole.encode("a")
        opened = next((i for i, special in enumerate(example.special_tokens_mask) if not special), len(example.ids))
        closed = max((i + 1 for i, special in enumerate(example.special_tokens_mask) if not special), default=len(example.ids))
        said = self._whole.encode(prompt, add_special_tokens=False).ids if prompt else []
        before = [*example.ids[:opened], *said]
        return Around(tuple(before), tuple(example.ids[closed:]), self._prompt_length(prompt))

    def states(
        self, token_ids: Sequence[Sequence[int]], *, precision: Precision, batch_tokens: int, prompt: str = ""
    ) -> Iterator[tuple[int, Vectors]]:
        """What the model makes of each token, before it pools them.

        Yields:
            (index into `token_ids`, (tokens, width) float32), each index once, in the order of the batches.
        Raises:
            ModelError: the model pools nothing, or a state is not finite.
        """
        prompt_length = self._prompt_length(prompt)
        for batch in plan_batches(token_ids, batch_tokens):
            rows = [token_ids[i] for i in batch]
            yield from zip(batch, self._states_of(rows, precision, prompt_length), strict=True)

    def _states_of(self, rows: Sequence[Sequence[int]], precision: Precision, prompt_length: int) -> list[Vectors]:
        import torch

        # Entered for one batch only: what is switched on here would hold for whoever takes the states, too.
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision is Precision.BF16):
            features = self._run(list(self._model)[: self._pooling], rows, prompt_length)
            states: Vectors = features["token_embeddings"].float().numpy()
        if not np.isfinite(states[[len(row) > 0 for row in rows]]).all():
            raise self._not_finite()
        width = states.shape[1]
        return [states[i, width - len(row) :] if self._pad_left else states[i, : len(row)] for i, row in enumerate(rows)]

    def head(self, means: Vectors) -> Vectors:
        """What the model does with a mean of token states: its dense layers, and length 1.

        Args:
            means: (n, width) float32. A model that pools in several ways gets the mean for each of them.
        Returns:
            (n, d) float32, rows of length 1.
        """
        import torch

        modules = list(self._model)
        ways = self.folder.pooling.count("+") + 1
        features: dict[str, Any] = {"sentence_embedding": torch.from_numpy(np.tile(means, (1, ways)))}
        with torch.inference_mode():
            for module in modules[self._pooling + 1 :]:
                features = module(features)
            return self._unit(features["sentence_embedding"])

    @cached_property
    def _pooling(self) -> int:
        """Which module pools."""
        for number, module in enumerate(self._model):
            if type(module).__name__ == "Pooling":
                return number
        raise ModelError(
            f"The model '{self.folder.name}' does not pool the states of its tokens: set embedding.mode=standard, or choose another model."
        )

    def unknown_share(self, text: str) -> float:
        """Share of the tokens of `text` that are the unknown token, 0 to 1."""
        ids = self._whole.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids
        return ids.count(self._unknown) / len(ids) if ids else 0.0

    def encode(
        self,
        token_ids: Sequence[Sequence[int]],
        *,
        precision: Precision,
        batch_tokens: int,
        prompt: str = "",
        on_progress: OnProgress | None = None,
    ) -> Vectors:
        """(n, d) unit float32 of tokenized texts that begin with `prompt`.

        Raises:
            ModelError: a vector is not finite, or not of the size the model's files state.
        """
        import torch

        vectors = np.zeros((len(token_ids), self.folder.dimension), dtype=np.float32)
        prompt_length = self._prompt_length(prompt)
        done = 0
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision is Precision.BF16):
            for batch in plan_batches(token_ids, batch_tokens):
                vectors[batch] = self._forward([token_ids[i] for i in batch], prompt_length)
                done += len(batch)
                if on_progress is not None:
                    on_progress(done)
        if not np.isfinite(vectors).all():
            raise self._not_finite()
        return vectors

    def _not_finite(self) -> ModelError:
        return ModelError(
            f"The model '{self.folder.name}' gave numbers that are not finite: set embedding.precision=fp32, or choose another model."
        )

    @cached_property
    def bf16_agreement(self) -> float:
        """Least cosine between bf16 and fp32 vectors of a few texts; measured once."""
        ids, _ = self.tokenize(_PROBES)
        try:
            exact, fast = (self.encode(ids, precision=p, batch_tokens=512) for p in (Precision.FP32, Precision.BF16))
        except RuntimeError:  # torch has no bf16 form of one of this model's operations, or it overflows
            return 0.0
        return float((exact * fast).sum(axis=1).min())

    def _forward(self, rows: Sequence[Sequence[int]], prompt_length: int) -> Vectors:
        return self._unit(self._run(self._model, rows, prompt_length)["sentence_embedding"])

    def _run(self, modules: Iterable[Any], rows: Sequence[Sequence[int]], prompt_length: int) -> dict[str, Any]:
        features: dict[str, Any] = self._features(rows)
        if prompt_length:
            features["prompt_length"] = prompt_length
        for module in modules:
            features = module(features)
        return features

    def _unit(self, embedding: torch.Tensor) -> Vectors:
        import torch

        pooled = embedding.float()
        if pooled.shape[1] != self.folder.dimension:
            sizes = f"vectors of {pooled.shape[1]} numbers where its files state {self.folder.dimension}"
            raise ModelError(f"The model '{self.folder.name}' gives {sizes}: copy the model again.")
        vectors: Vectors = torch.nn.functional.normalize(pooled, dim=1).numpy()
        return vectors

    def _features(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        import torch

        width = max(1, *(len(row) for row in rows)) if rows else 1
        ids = np.full((len(rows), width), self._pad, dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for i, row in enumerate(rows):
            place = slice(width - len(row), width) if self._pad_left else slice(0, len(row))
            ids[i, place] = row
            mask[i, place] = 1
        return {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}

    def _prompt_length(self, prompt: str) -> int:
        """Tokens of the prompt that this model's pooling leaves out; 0 for models that pool it as well."""
        if not prompt or all(getattr(module, "include_prompt", True) for module in self._model):
            return 0
        ids = self._whole.encode(prompt).ids
        return len(ids) - (ids[-1] in self._special)
