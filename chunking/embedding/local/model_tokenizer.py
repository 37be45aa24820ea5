"""Load a model's tokenizer alone, without torch, or the full model, without network or its own code."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, TypeVar

from chunking.allowed import allowed
from chunking.embedding.local.token_windows import TextTokens, passages
from chunking.embedding.model_folder import ModelFolder, check_weights
from chunking.errors import ModelError
from chunking.text.sentence_pieces import MODEL_FILE, SentencePieceTokenizer

__all__ = ["has_head", "load_quietly", "open_model", "pieces_of", "tokenizer_alone", "truncating_tokenizer"]

_Model = TypeVar("_Model")


@lru_cache(maxsize=2)
def tokenizer_alone(folder: ModelFolder) -> Any | None:
    """Return the tokenizer of a model's folder, without truncation; None without `tokenizer.json`."""
    path = folder.path / "tokenizer.json"
    if not path.exists():
        pieces = folder.path / MODEL_FILE
        return SentencePieceTokenizer(pieces) if pieces.exists() else None
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def truncating_tokenizer(folder: ModelFolder) -> Any:
    """Return the tokenizer of a model's folder, truncating at the model's limit."""
    pieces = tokenizer_alone(folder)
    if isinstance(pieces, SentencePieceTokenizer):
        return pieces.cut_at(folder.max_tokens)
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(folder.max_tokens)
    return tokenizer


def pieces_of(tokenizer: Any, text: str) -> TextTokens:
    """Return all tokens of a text of any length with their offsets, without special tokens."""
    spans = passages(text)
    clean = [text[start:end].encode("utf-8", "replace").decode() for start, end in spans]
    encodings = tokenizer.encode_batch(clean, add_special_tokens=False)
    return TextTokens.joined(
        (start, encoding.ids, encoding.offsets) for (start, _), encoding in zip(spans, encodings, strict=True)
    )


# -- the model: every failure is one sentence


@lru_cache(maxsize=16)
def has_head(folder: ModelFolder) -> bool:
    """True if a model pools in several ways, or has layers after pooling; its weights are not read."""
    try:
        modules = json.loads((folder.path / "modules.json").read_text(encoding="utf-8"))
    except FileNotFoundError:  # a bare transformer, which sentence-transformers pools by the mean
        modules = []
    plain = {"Transformer", "Pooling", "Normalize"}
    return "+" in folder.pooling or any(
        str(module.get("type", "")).rpartition(".")[2] not in plain for module in modules
    )


def open_model(folder: ModelFolder) -> Any:
    """Load the model of a folder into memory by sentence-transformers, without network.

    Raises:
        ModelError: it cannot be loaded, or the packaged weights are not the published ones.
    """
    check_weights(folder)
    if (folder.path / MODEL_FILE).exists() and not (folder.path / "tokenizer.json").exists():
        return load_quietly(folder, partial(_bert_alone, folder))

    def model() -> Any:
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(
            str(folder.path), device="cpu", local_files_only=True, trust_remote_code=False
        ).eval()

    return load_quietly(folder, model)


def _bert_alone(folder: ModelFolder) -> Any:
    """Load layers and pooling without the tokenizer that transformers would make: 290 MB for 250,000 pieces."""
    from sentence_transformers.sentence_transformer import modules
    from torch import nn
    from transformers import AutoModel

    class Layers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.auto_model = AutoModel.from_pretrained(
                str(folder.path), local_files_only=True, trust_remote_code=False, add_pooling_layer=False
            )

        def forward(self, features: dict[str, Any]) -> dict[str, Any]:
            ids, mask = features["input_ids"], features["attention_mask"]
            states = self.auto_model(input_ids=ids, attention_mask=mask).last_hidden_state
            return {**features, "token_embeddings": states}

    pooling = modules.Pooling(folder.dimension, pooling_mode="mean")
    return nn.Sequential(Layers(), pooling, modules.Normalize()).eval()


def load_quietly(folder: ModelFolder, load: Callable[[], _Model]) -> _Model:
    """Call `load` without progress bars, turning its exceptions into a ModelError.

    Also sets OMP_WAIT_POLICY for the process, so that waiting threads sleep.

    Args:
        load: imports its packages, and loads the model of `folder`.
    Raises:
        ModelError: it cannot be loaded.
    """
    # Before torch is first imported: threads that wait for each other must sleep, not spin. On a machine that does
    # something else besides, spinning took 20 times as long (18 s for 0.8 s of work, two threads on two busy cores).
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from safetensors import SafetensorError

    with allowed().model_faults(folder.name):
        try:
            with _no_progress_bar():
                return load()
        except (
            OSError,
            ValueError,
            RuntimeError,
            KeyError,
            TypeError,
            AttributeError,
            ImportError,
            SafetensorError,
        ) as error:
            reason = str(error).strip().split("\n", 1)[0].rstrip(".") or type(error).__name__
            message = f"The model '{folder.name}' cannot be loaded ({reason}): copy it again or choose another."
            raise ModelError(message, where=str(folder.path)) from error


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Hide the progress bar of transformers on stderr, which carries this program's own progress."""
    from transformers.utils import logging

    settings: Any = logging
    shown = settings.is_progress_bar_enabled()
    settings.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            settings.enable_progress_bar()
