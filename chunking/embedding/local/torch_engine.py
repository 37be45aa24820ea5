"""Any sentence-transformers model, run by torch: the only module that runs its layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.config import Precision
from chunking.embedding.base import OnProgress, Vectors
from chunking.embedding.local.model_opening import open_model
from chunking.embedding.local.torch_trace import OneCall, one_call
from chunking.embedding.local.transformer import Rows, Transformer
from chunking.embedding.model_folder import ModelFolder
from chunking.errors import ModelError

if TYPE_CHECKING:
    import torch

__all__ = ["TorchTransformer"]

_QUESTION = 256
"""Tokens of a text, at most, that is run in one call. The trace of a long-context model makes a table of each token
with each other.
"""
_EXAMPLES = ("When?", "What is to be done before the filter of the pump is changed, and who may do it?")
"""Texts by which a question's vector in one call is compared with that of the layers; with one of the greatest length.
"""


class TorchTransformer(Transformer):
    """The modules of a sentence-transformers model, called directly.

    Raises:
        ModelError: its files cannot be loaded.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self._model = open_model(folder)
        tokenizer: Any = self._model.tokenizer
        whole, cut = deepcopy(tokenizer.backend_tokenizer), deepcopy(tokenizer.backend_tokenizer)
        for copy in (whole, cut):
            copy.no_padding()
        whole.no_truncation()
        cut.enable_truncation(folder.max_tokens, direction=getattr(tokenizer, "truncation_side", "right"))
        super().__init__(
            folder,
            whole=whole,
            cut=lambda: cut,
            special=tokenizer.all_special_ids,
            pad=tokenizer.pad_token_id or 0,
            pad_left=getattr(tokenizer, "padding_side", "right") == "left",
        )
        self._calls: dict[Precision, OneCall | None] = {}
        self._tracing = Lock()

    def head(self, means: Vectors) -> Vectors:
        import torch

        modules = list(self._model)
        ways = self.folder.pooling.count("+") + 1
        features: dict[str, Any] = {"sentence_embedding": torch.from_numpy(np.tile(means, (1, ways)))}
        with torch.inference_mode():
            for module in modules[self._pooling + 1 :]:
                features = module(features)
            return self._unit(features["sentence_embedding"])

    @contextmanager
    def _computing(self, precision: Precision) -> Iterator[None]:
        """torch keeps its bf16 copy of the weights as long as this is open."""
        import torch

        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision is Precision.BF16):
            yield

    def _vectors_of(self, rows: Rows, precision: Precision, prompt_length: int) -> Vectors:
        return self._unit(self._run(self._model, rows, prompt_length)["sentence_embedding"])

    def encode(
        self,
        token_ids: Rows,
        *,
        precision: Precision,
        batch_tokens: int,
        prompt: str = "",
        on_progress: OnProgress | None = None,
    ) -> Vectors:
        question = len(token_ids) == 1 and len(token_ids[0]) <= _QUESTION and not self._prompt_length(prompt)
        call = self._call(precision) if question else None
        if call is None:
            return super().encode(
                token_ids, precision=precision, batch_tokens=batch_tokens, prompt=prompt, on_progress=on_progress
            )
        vectors = self._unit(call(*self._tensors(token_ids)))
        if not np.isfinite(vectors).all():
            raise self._not_finite()
        if on_progress is not None:
            on_progress(1)
        return vectors

    def _call(self, precision: Precision) -> OneCall | None:
        """All layers in one call, for one text that is not long; None where this model cannot be called so."""
        with self._tracing:
            if precision not in self._calls:
                texts, _ = self.tokenize([*_EXAMPLES, _EXAMPLES[1] * _QUESTION])
                self._calls[precision] = one_call(
                    list(self._model), precision, [self._tensors([text[:_QUESTION]]) for text in texts]
                )
            return self._calls[precision]

    def _states_of(self, rows: Rows, precision: Precision, prompt_length: int) -> Vectors:
        features = self._run(list(self._model)[: self._pooling], rows, prompt_length)
        states: Vectors = features["token_embeddings"].float().numpy()
        return states

    @cached_property
    def _pooling(self) -> int:
        """Which module pools."""
        for number, module in enumerate(self._model):
            if type(module).__name__ == "Pooling":
                return number
        raise ModelError(
            f"The model '{self.folder.name}' does not pool the states of its tokens: set "
            f"embedding.mode=standard, or choose another model."
        )

    def _run(self, modules: Iterable[Any], rows: Rows, prompt_length: int) -> dict[str, Any]:
        ids, mask = self._tensors(rows)
        features: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
        if prompt_length:
            features["prompt_length"] = prompt_length
        for module in modules:
            features = module(features)
        return features

    def _tensors(self, rows: Rows) -> tuple[torch.Tensor, torch.Tensor]:
        """Token ids and mask, each (n, longest)."""
        import torch

        padded = self._padded(rows)
        return torch.from_numpy(padded.ids), torch.from_numpy(padded.mask)

    def _unit(self, embedding: torch.Tensor) -> Vectors:
        import torch

        pooled = embedding.float()
        if pooled.shape[1] != self.folder.dimension:
            sizes = f"vectors of {pooled.shape[1]} numbers where its files state {self.folder.dimension}"
            raise ModelError(f"The model '{self.folder.name}' gives {sizes}: copy the model again.")
        vectors: Vectors = torch.nn.functional.normalize(pooled, dim=1).numpy()
        return vectors

    def _prompt_length(self, prompt: str) -> int:
        if not prompt or all(getattr(module, "include_prompt", True) for module in self._model):
            return 0
        ids = self._whole.encode(prompt).ids
        return len(ids) - (ids[-1] in self._special)
