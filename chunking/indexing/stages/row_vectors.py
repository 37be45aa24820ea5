"""The texts that the model reads of each row, and the vector that a row gets from theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.indexing.stages.row_splitting import DocumentRows
from chunking.model import PARENT

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder

__all__ = ["row_texts", "row_vectors"]


def row_texts(rows: DocumentRows, embedder: Embedder) -> list[list[str]]:
    """Return the texts to embed for each row, in order: its own, or its windows if over the model's limit.

    A chunk has one text, which the model truncates; a parent has none, as it is never searched.

    Args:
        embedder: knows the model's limit and, if it is local, its tokens; it embeds nothing.
    """
    from chunking.embedding import window_texts

    windows = iter(window_texts(embedder, rows.others))
    texts: list[list[str]] = []
    for place, row in enumerate(rows):
        if place < len(rows.levels.chunks):
            texts.append([row.embedding_content])
        else:
            texts.append([] if row.level == PARENT else next(windows))
    return texts


def row_vectors(
    keys: Sequence[Sequence[str]],
    lengths: Sequence[Sequence[int]],
    vectors: Mapping[str, np.ndarray],
    dimension: int,
) -> np.ndarray:
    """Return (n, d) float32, a row each: the vector of its text, the mean of its windows', or zeros.

    Args:
        keys: of each row's texts (`row_texts`), such as their cache keys.
        lengths: of the same texts, in characters.
        vectors: (d,) float32 of length 1, by key.
        dimension: d.
    """
    import numpy as np

    from chunking.embedding import mean_of_windows

    array = np.zeros((len(keys), dimension), np.float32)
    for place, (some, characters) in enumerate(zip(keys, lengths, strict=True)):
        if len(some) == 1:
            array[place] = vectors[some[0]]
        elif some:
            array[place] = mean_of_windows(characters, np.stack([vectors[key] for key in some]))
    return array
