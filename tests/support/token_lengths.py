"""How many tokens texts have, by the tokenizer itself: what counts of the product are held against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

__all__ = ["TokenLengths"]


class TokenLengths:
    """Of a model's tokenizer, without special tokens, with nothing cut off; each different text is encoded once.

    Args:
        folder: of the model.
    """

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._lengths: dict[str, int] = {}

    def of(self, text: str) -> int:
        """Of one text."""
        length = self._lengths.get(text)
        if length is None:
            length = self._lengths[text] = len(self._tokenizer.encode(text, add_special_tokens=False))
        return length

    def of_each(self, texts: Sequence[str]) -> list[int]:
        """Of several."""
        return [self.of(text) for text in texts]
