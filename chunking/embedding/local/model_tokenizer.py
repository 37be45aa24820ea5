"""A text as tokens without the model: a plan needs to know where windows are cut, and must not load torch for it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from chunking.embedding.local.token_windows import TextTokens, passages
from chunking.embedding.model_folder import ModelFolder

__all__ = ["cutting_tokenizer", "pieces_of", "tokenizer_alone"]


@lru_cache(maxsize=2)
def tokenizer_alone(folder: ModelFolder) -> Any | None:
    """The tokenizer of a model's folder, which cuts nothing off; None where the folder has none by itself."""
    path = folder.path / "tokenizer.json"
    if not path.exists():
        return None
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def cutting_tokenizer(folder: ModelFolder) -> Any:
    """The tokenizer of a model's folder, which cuts a text where the model stops to read."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(folder.max_tokens)
    return tokenizer


def pieces_of(tokenizer: Any, text: str) -> TextTokens:
    """Every token of a text of any length, with its place; special ones are not among them."""
    spans = passages(text)
    clean = [text[start:end].encode("utf-8", "replace").decode() for start, end in spans]
    encodings = tokenizer.encode_batch(clean, add_special_tokens=False)
    return TextTokens.joined(
        (start, encoding.ids, encoding.offsets) for (start, _), encoding in zip(spans, encodings, strict=True)
    )
