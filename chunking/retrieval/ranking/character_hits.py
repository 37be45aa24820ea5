"""Match words unknown to full text by their characters.

The index stems English words only, so Korean, Arabic or Russian words keep their endings: `출장비` occurs as
`출장비는`. Chinese and Japanese words are separated by a dictionary, which may divide a text and a query differently.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chunking.model import Chunk
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_words import query_words
from chunking.text.folding import fold

if TYPE_CHECKING:
    from chunking.store import StoreHit

__all__ = ["letter_cases", "matching_words", "unknown_words", "with_characters"]

_NOT_LATIN = re.compile(r"[^\W\d_a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_FEWEST = 2
"""Least characters of a word matched inside others."""


def unknown_words(query: QueryParts, hits: Iterable[Chunk]) -> tuple[str, ...]:
    """Words of a query that no chunk matched by full text contains.

    Latin words are left out: the index knows their forms, and half of one is another word. So are Chinese and Japanese
    words where there is a hit: the dictionary separated them.
    """
    texts = [_folded(chunk.indexed_text or chunk.summary) for chunk in hits]
    words = [word for word in query_words(query) if len(word.text) >= _FEWEST and _NOT_LATIN.search(word.text)]
    candidates = [word.text for word in words if word.spaced or not texts or _HANGUL.search(word.text)]
    return tuple(word for word in candidates if not any(_folded(word) in text for text in texts))


def letter_cases(word: str) -> tuple[str, ...]:
    """A word as written, in lower case and capitalised."""
    return tuple(dict.fromkeys((word, word.lower(), word.capitalize())))


def matching_words(words: Iterable[str], hits: Sequence[StoreHit]) -> list[str]:
    """Words that at least one hit contains."""
    texts = [_folded(hit.chunk.indexed_text) for hit in hits]
    return [word for word in words if any(_folded(word) in text for text in texts)]


def with_characters(
    text_hits: Sequence[StoreHit], character_hits: Sequence[StoreHit], words: Sequence[str], chunks: int
) -> list[StoreHit]:
    """Merge hits of full text with hits of words as characters, best first.

    A word matched by characters adds what BM25 gives a rare word that occurs once in a chunk of usual length.

    Args:
        character_hits: chunks that contain any of the words.
        chunks: number of chunks in the index.
    """
    matches = [
        (hit, [word for word in words if _folded(word) in _folded(hit.chunk.indexed_text)]) for hit in character_hits
    ]
    often = Counter(word for _, some in matches for word in some)
    rarity = {word: math.log1p((max(chunks, times) - times + 0.5) / (times + 0.5)) for word, times in often.items()}
    hits = {hit.chunk.chunk_id: hit for hit in text_hits}
    for hit, some in matches:
        by_text, worth = hits.get(hit.chunk.chunk_id), sum(rarity[word] for word in some)
        if worth:
            hits[hit.chunk.chunk_id] = replace(hit, score=worth + (by_text.score if by_text else 0.0))
    ordered = sorted(
        hits.values(), key=lambda hit: (-hit.score, hit.chunk.doc_id, hit.chunk.level, hit.chunk.chunk_index)
    )
    return [replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1)]


def _folded(text: str) -> str:
    return fold(text).casefold()
