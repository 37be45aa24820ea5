"""A sentence-transformers model in memory: the only module that runs torch.

The modules of the model are called directly, with batches of our own making: sentence-transformers' `encode`
sorts by characters and takes a fixed number of texts, which pads more and overflows the processor's cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.config import Precision
from chunking.embedding.batches import plan_batches
from chunking.embedding.interface import OnProgress, Vectors
from chunking.errors import ModelError
from chunking.model_folder import ModelFolder

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
        self._model = _load(folder)
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
            raise ModelError(
                f"The model '{self.folder.name}' gave numbers that are not finite: set embedding.precision=fp32, or choose another model."
            )
        return vectors

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
        import torch

        features: dict[str, Any] = self._features(rows)
        if prompt_length:
            features["prompt_length"] = prompt_length
        for module in self._model:
            features = module(features)
        pooled = features["sentence_embedding"].float()
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


def _load(folder: ModelFolder) -> Any:
    """The model from its folder: no network, and no code that comes with the model."""
    # Before torch is first imported: threads that wait for each other must sleep, not spin. On a machine that does
    # something else besides, spinning took 20 times as long (18 s for 0.8 s of work, two threads on two busy cores).
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer

    try:
        with _no_progress_bar():
            return SentenceTransformer(str(folder.path), device="cpu", local_files_only=True, trust_remote_code=False).eval()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError, SafetensorError) as error:
        reason = str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
        message = f"The model '{folder.name}' cannot be loaded ({reason}): copy it again or choose another."
        raise ModelError(message, where=str(folder.path)) from error


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep the bar of transformers off stderr, which carries progress of our own."""
    from transformers.utils import logging

    settings: Any = logging
    shown = settings.is_progress_bar_enabled()
    settings.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            settings.enable_progress_bar()
