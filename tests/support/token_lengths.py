"""Reference token counts from the tokenizer itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

__all__ = ["TokenLengths"]


class TokenLengths:
    """Cached token counts by a model's tokenizer, without special tokens or truncation.

    Args:
        folder: of the model.
    """

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._lengths: dict[str, int] = {}

    def of(self, text: str) -> int:
        """Count the tokens of a text."""
        length = self._lengths.get(text)
        if length is None:
            length = self._lengths[text] = len(self._tokenizer.encode(text, add_special_tokens=False))
        return length

    def of_each(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text."""
        return [self.of(text) for text in texts]
