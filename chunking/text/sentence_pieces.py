"""Tokenize with a SentencePiece model of the XLM-RoBERTa family, in little memory.

`tokenizers` needs 290 MB and a second for 250,000 pieces, the library `sentencepiece` 54 MB and 0.4 s, and it is five
times as fast. The class has those parts of the interface of `tokenizers.Tokenizer` that this program uses.

The only module that imports sentencepiece.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from chunking.errors import ModelError

__all__ = ["MODEL_FILE", "PAD", "SPECIAL", "UNKNOWN", "PieceEncoding", "SentencePieceTokenizer"]

MODEL_FILE = "sentencepiece.bpe.model"
"""Name of the model's file in a folder, as XLM-RoBERTa's tokenizers call it (it is a unigram model all the same)."""
BEGIN, PAD, END, UNKNOWN = range(4)
"""Ids of `<s>`, `<pad>`, `</s>` and `<unk>`: the family has four special tokens, where SentencePiece has three."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
_THREADS = 2
_PARALLEL = 64
"""Texts from which several threads are worth their start."""


class PieceEncoding(NamedTuple):
    """Tokens of a text."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    """Characters of each token, the white space before it included; (0, 0) for special tokens."""
    special_tokens_mask: list[int]
    """1 for special tokens."""

    def __len__(self) -> int:
        return len(self.ids)


class SentencePieceTokenizer:
    """A SentencePiece model with XLM-RoBERTa's ids; threads may share it.

    Special tokens are never read out of a text: a literal `</s>` becomes ordinary pieces.

    Args:
        file: The model (`sentencepiece.bpe.model`).
        max_tokens: Longest row of ids, special tokens included; None: nothing is cut.
    Raises:
        ModelError: the file cannot be read.
    """

    normalizer = None

    def __init__(self, file: Path, max_tokens: int | None = None) -> None:
        from sentencepiece import SentencePieceProcessor

        try:
            self._model: Any = SentencePieceProcessor(model_file=str(file))
        except (OSError, RuntimeError) as error:
            raise ModelError(
                f"The tokenizer {file.name} cannot be read: copy the model again or choose another.", where=str(file)
            ) from error
        self._max_tokens = max_tokens

    def cut_at(self, max_tokens: int) -> SentencePieceTokenizer:
        """Return a tokenizer that cuts rows at a limit; both share one model in memory."""
        cut = object.__new__(SentencePieceTokenizer)
        cut._model, cut._max_tokens = self._model, max_tokens
        return cut

    def encode(self, text: str, add_special_tokens: bool = True) -> PieceEncoding:
        """Tokenize a text."""
        return self.encode_batch([text], add_special_tokens)[0]

    def encode_batch(self, texts: Sequence[str], add_special_tokens: bool = True) -> list[PieceEncoding]:
        """Tokenize texts, with the place of each token."""
        rows = self._rows(texts, "offset_mapping")
        return [self._encoding(_family_ids(row["ids"]), row["offsets"], add_special_tokens) for row in rows]

    def encode_batch_fast(self, texts: Sequence[str], add_special_tokens: bool = True) -> list[PieceEncoding]:
        """Tokenize texts without the places of their tokens."""
        rows = self._rows(texts, "numpy")
        return [self._encoding(_family_ids(row), [], add_special_tokens) for row in rows]

    def count(self, text: str) -> int:
        """Count the pieces of a text, special tokens left out and nothing cut; a third of `encode`'s time."""
        return len(self._model.encode(text, return_type=int))

    def _rows(self, texts: Sequence[str], kind: str) -> list[Any]:
        """Encode few texts one by one: the library starts a thread even for a list of one, which takes longer."""
        if len(texts) < _PARALLEL:
            return [self._model.encode(text, return_type=kind) for text in texts]
        rows: list[Any] = self._model.encode(list(texts), return_type=kind, num_threads=_THREADS)
        return rows

    def _encoding(self, ids: list[int], offsets: list[tuple[int, int]], specials: bool) -> PieceEncoding:
        if self._max_tokens is not None:
            most = self._max_tokens - 2 * specials
            ids, offsets = ids[:most], offsets[:most]
        if not specials:
            return PieceEncoding(ids, offsets, [0] * len(ids))
        places = [(0, 0), *offsets, (0, 0)] if offsets else []
        return PieceEncoding([BEGIN, *ids, END], places, [1, *[0] * len(ids), 1])

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a piece; None if there is no such piece."""
        if token in SPECIAL:
            return SPECIAL.index(token)
        number: int = self._model.piece_to_id(token)
        return number + 1 if number else None

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Return the id of every piece."""
        model = self._model
        pieces = {model.id_to_piece(number): number + 1 for number in range(len(SPECIAL) - 1, len(model))}
        return {**dict(zip(SPECIAL, range(len(SPECIAL)), strict=True)), **pieces} if with_added_tokens else pieces

    def decode_batch(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """Return the text of each row of ids, special tokens left out."""
        own = [[number - 1 for number in row if number >= len(SPECIAL)] for row in rows]
        texts: list[str] = self._model.decode(own)
        return texts


def _family_ids(own: Sequence[int]) -> list[int]:
    """XLM-RoBERTa's ids of SentencePiece's: one more, and 3 for the unknown piece 0."""
    ids = np.asarray(own, np.int32)
    moved: list[int] = np.where(ids == 0, UNKNOWN, ids + 1).tolist()
    return moved
