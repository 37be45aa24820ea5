"""Words of a query that full text does not know, looked for as characters.

The index takes the endings off English words only, and Korean, Arabic or Russian words carry theirs: `출장비` stands in a
text as
`출장비는`. Chinese and Japanese words are told apart by a dictionary, which may divide a text elsewhere than a query.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chunking.model import Chunk
from chunking.retrieval.answerability.query_words import query_words
from chunking.retrieval.query_parts import QueryParts
from chunking.text.folding import fold

if TYPE_CHECKING:
    from chunking.store import StoreHit

__all__ = ["held_words", "letter_cases", "unknown_words", "with_characters"]

_NOT_LATIN = re.compile(r"[^\W\d_a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_FEWEST = 2
"""Characters of a word that is looked for inside of others."""


def unknown_words(query: QueryParts, found: Iterable[Chunk]) -> tuple[str, ...]:
    """Words of a query that none of the chunks holds which full text found.

    Latin words are none of them: the index knows their forms, and half of one is another word. Nor are Chinese and
    Japanese ones
    where anything was found: a dictionary told them apart.
    """
    texts = [_folded(chunk.indexed_text or chunk.summary) for chunk in found]
    words = [word for word in query_words(query) if len(word.text) >= _FEWEST and _NOT_LATIN.search(word.text)]
    looked_for = [word.text for word in words if word.spaced or not texts or _HANGUL.search(word.text)]
    return tuple(word for word in looked_for if not any(_folded(word) in text for text in texts))


def letter_cases(word: str) -> tuple[str, ...]:
    """The ways in which a word stands in texts: as it is, small, and with a capital."""
    return tuple(dict.fromkeys((word, word.lower(), word.capitalize())))


def held_words(words: Iterable[str], holding: Sequence[StoreHit]) -> list[str]:
    """Those that any of the chunks holds."""
    texts = [_folded(hit.chunk.indexed_text) for hit in holding]
    return [word for word in words if any(_folded(word) in text for text in texts)]


def with_characters(
    found: Sequence[StoreHit], holding: Sequence[StoreHit], words: Sequence[str], chunks: int
) -> list[StoreHit]:
    """Hits of full text and those that hold some words as characters, best first.

    A word found so is worth what BM25 gives a rare word that a chunk of usual length says once.

    Args:
        holding: chunks that hold any of the words.
        chunks: of the index.
    """
    held = [(hit, [word for word in words if _folded(word) in _folded(hit.chunk.indexed_text)]) for hit in holding]
    often = Counter(word for _, some in held for word in some)
    rarity = {word: math.log1p((max(chunks, times) - times + 0.5) / (times + 0.5)) for word, times in often.items()}
    hits = {hit.chunk.chunk_id: hit for hit in found}
    for hit, some in held:
        known, worth = hits.get(hit.chunk.chunk_id), sum(rarity[word] for word in some)
        if worth:
            hits[hit.chunk.chunk_id] = replace(hit, score=worth + (known.score if known else 0.0))
    ordered = sorted(
        hits.values(), key=lambda hit: (-hit.score, hit.chunk.doc_id, hit.chunk.level, hit.chunk.chunk_index)
    )
    return [replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1)]


def _folded(text: str) -> str:
    return fold(text).casefold()
