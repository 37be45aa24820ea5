"""Engine that runs any sentence-transformers model by torch."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.config import Precision
from chunking.embedding.base import OnProgress, Vectors
from chunking.embedding.local.model_tokenizer import open_model, tokenizer_alone, truncating_tokenizer
from chunking.embedding.local.transformer import Rows, Transformer
from chunking.embedding.model_folder import ModelFolder
from chunking.errors import ModelError
from chunking.text.sentence_pieces import PAD, SPECIAL, SentencePieceTokenizer

if TYPE_CHECKING:
    import torch

__all__ = ["TorchTransformer", "one_call"]

_QUESTION = 256
"""Maximum tokens of a text for one traced call; traces of long-context models have quadratic tables."""
_EXAMPLES = ("When?", "What is to be done before the filter of the pump is changed, and who may do it?")
"""Texts on which the traced call is compared with the layers; a third one has the maximum length."""

OneCall = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]
"""Converts token ids and mask, both (1, tokens), to the text's vector (1, d)."""
_AGREES = 0.99999
"""Minimum cosine of traced vectors to those of the layers; correct traces give equal ones."""
_REFUSED = (RuntimeError, TypeError, ValueError, AttributeError, AssertionError, LookupError)
"""Exceptions of models that cannot be traced, or of traces run on a text of another length."""
_EXPECTED = r"`torch\.jit\.|`is_gradient_checkpointing`"
"""Warnings of tracing to ignore: that it is deprecated, and on attributes it reads."""
_one_at_a_time = Lock()
"""Lock for tracing, whose state torch keeps once per process."""


class TorchTransformer(Transformer):
    """Sentence-transformers model whose modules are called directly by torch, on the CPU.

    Raises:
        ModelError: its files cannot be loaded.
    """

    def __init__(self, folder: ModelFolder) -> None:
        self._model = open_model(folder)
        pieces = tokenizer_alone(folder)
        if isinstance(pieces, SentencePieceTokenizer):
            cut_pieces = partial(truncating_tokenizer, folder)
            super().__init__(folder, uncut=pieces, cut=cut_pieces, special=range(len(SPECIAL)), pad=PAD)
        else:
            self._with_fast_tokenizer(folder)
        self._calls: dict[Precision, OneCall | None] = {}
        self._tracing = Lock()

    def _with_fast_tokenizer(self, folder: ModelFolder) -> None:
        tokenizer: Any = self._model.tokenizer
        uncut, cut = deepcopy(tokenizer.backend_tokenizer), deepcopy(tokenizer.backend_tokenizer)
        for copy in (uncut, cut):
            copy.no_padding()
        uncut.no_truncation()
        cut.enable_truncation(folder.max_tokens, direction=getattr(tokenizer, "truncation_side", "right"))
        super().__init__(
            folder,
            uncut=uncut,
            cut=lambda: cut,
            special=tokenizer.all_special_ids,
            pad=tokenizer.pad_token_id or 0,
            pad_left=getattr(tokenizer, "padding_side", "right") == "left",
        )

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
        """Inference in a precision; torch caches its bf16 copy of the weights meanwhile."""
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
        """Trace of all layers for one short text; None if the model cannot be traced."""
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
        """Number of the module that pools."""
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
        ids = self._uncut.encode(prompt).ids
        return len(ids) - (ids[-1] in self._special)


# -- all layers as one call, for a question


def one_call(
    modules: Sequence[Any], precision: Precision, examples: Sequence[tuple[torch.Tensor, torch.Tensor]]
) -> OneCall | None:
    """Trace a model's modules into one call; None if tracing fails or changes an example's vector.

    Args:
        modules: of sentence-transformers, from the first to the one that gives the text's vector.
        precision: of the layers.
        examples: ids and mask of texts, of different lengths.
    """
    import torch

    jit: Any = torch.jit

    class AllModules(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = torch.nn.ModuleList(modules)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            features: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
            for module in self.parts:
                features = module(features)
            vector: torch.Tensor = features["sentence_embedding"]
            return vector

    layers = AllModules().eval()
    # Without torch's cache of converted weights: the trace would keep them.
    computing = torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision is Precision.BF16, cache_enabled=False)
    try:
        with _one_at_a_time, _no_hints(), torch.no_grad(), computing:
            # For good, not for now: `catch_warnings` of two threads at a time can leave all warnings switched off.
            warnings.filterwarnings("ignore", _EXPECTED)
            warnings.filterwarnings("ignore", category=jit.TracerWarning)
            traced = jit.trace(layers, examples[0], check_trace=False)
        call = _call_of(traced)
        with torch.inference_mode(), computing:
            same = all(_cosine(call(*example), layers(*example)) >= _AGREES for example in examples)
    except _REFUSED as error:
        logging.getLogger(__name__).info(
            "The model runs layer by layer: it cannot be traced (%s).", type(error).__name__
        )
        return None
    if not same:
        logging.getLogger(__name__).info("The model runs layer by layer: its trace gives different vectors.")
    return call if same else None


@contextmanager
def _no_hints() -> Iterator[None]:
    """Silence transformers' warnings on attributes that tracing reads, such as the loss."""
    logger = logging.getLogger("transformers.modeling_utils")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _call_of(traced: Any) -> OneCall:
    import torch

    jit: Any = torch.jit

    def call(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        # As it was traced: torch would take two slow calls to look for a faster form, and convert once more what is
        # converted in it.
        with torch.inference_mode(), jit.optimized_execution(False), torch.autocast("cpu", enabled=False):
            vector: torch.Tensor = traced(ids, mask)
            return vector

    return call


def _cosine(one: torch.Tensor, other: torch.Tensor) -> float:
    import torch

    return float(torch.nn.functional.cosine_similarity(one.float(), other.float()).min())
