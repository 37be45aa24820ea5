"""All layers of a model as one call of torch, for a question.

Called layer by layer, a model of six layers goes back to Python some 250 times, and each time another thread may have
its turn first:
beside four threads that are at work, the vector of a question took 930 ms, and takes 75 with the layers as one call, 17
of them for the
call itself. It is also a third faster alone.
torch has two successors to `torch.jit.trace`, which it advises against by now: one needs a C++ compiler on the user's
machine, the other
runs layer by layer.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from chunking.config import Precision

if TYPE_CHECKING:
    import torch

__all__ = ["OneCall", "one_call"]

OneCall = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]
"""Token ids and mask, both (1, tokens), to the text's vector (1, d)."""
_AGREES = 0.99999
"""Least cosine of its vectors to those of the layers; where they do the same, they differ by nothing at all."""
_REFUSED = (RuntimeError, TypeError, ValueError, AttributeError, AssertionError, LookupError)
"""What a model that decides by what it reads raises while it is traced, or its trace over a text of another length."""
_EXPECTED = r"`torch\.jit\.|`is_gradient_checkpointing`"
"""Warnings: that tracing is advised against, and what it looks at on its way."""
_one_at_a_time = Lock()
"""torch notes in one place of the process what is being traced."""


def one_call(
    modules: Sequence[Any], precision: Precision, examples: Sequence[tuple[torch.Tensor, torch.Tensor]]
) -> OneCall | None:
    """The modules of a model as one call; None where it cannot be made, or gives other vectors for one of the examples.

    Args:
        modules: of sentence-transformers, from the tokens' to the one that gives the text's vector.
        precision: what the layers compute in.
        examples: ids and mask of texts, of different lengths.
    """
    import torch

    jit: Any = torch.jit

    class Whole(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = torch.nn.ModuleList(modules)

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            features: dict[str, Any] = {"input_ids": ids, "attention_mask": mask}
            for module in self.parts:
                features = module(features)
            vector: torch.Tensor = features["sentence_embedding"]
            return vector

    whole = Whole().eval()
    # Without torch's cache of converted weights: the trace would keep them.
    computing = torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision is Precision.BF16, cache_enabled=False)
    try:
        with _one_at_a_time, _no_hints(), torch.no_grad(), computing:
            # For good, not for now: `catch_warnings` of two threads at a time can leave all warnings switched off.
            warnings.filterwarnings("ignore", _EXPECTED)
            warnings.filterwarnings("ignore", category=jit.TracerWarning)
            traced = jit.trace(whole, examples[0], check_trace=False)
        call = _call_of(traced)
        with torch.inference_mode(), computing:
            same = all(_cosine(call(*example), whole(*example)) >= _AGREES for example in examples)
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
    """Tracing looks at every attribute of a model, its loss among them, and transformers has something to say about
    that.
    """
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
