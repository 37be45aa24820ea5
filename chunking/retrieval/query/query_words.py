"""Content words of a query, and which of them a text contains.

English words match by the stem that the full-text index gives them. Chinese words are those that the index's tokenizer
finds; a text contains one where it contains its characters, wherever the tokenizer divides the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import content_runs, spaced_words, unspaced_runs, word_stem
from chunking.store import words
from chunking.text.search_text import search_forms

__all__ = ["QueryWord", "matching_stems", "query_words"]


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query."""

    text: str
    """As written in the query."""
    stem: str
    """As the full-text index keeps it; of a script without spaces, its characters."""
    spaced: bool
    """Whether it has spaces around it."""


def query_words(query: QueryParts) -> tuple[QueryWord, ...]:
    """The content words, in order, each once; empty where the query has none (`how is it?`).

    >>> from chunking.retrieval.query.query_parts import understand
    >>> [word.text for word in query_words(understand("How do I restore the backups? 怎么恢复备份"))]
    ['restore', 'backups', '恢复', '备份']
    """
    text = query.text
    matches = [QueryWord(text[word.start : word.end], word_stem(word.form), True) for word in spaced_words(text)]
    matches += [QueryWord(word, word, False) for run in content_runs(text) for word in _unspaced_words(run)]
    return tuple({word.stem: word for word in reversed(matches)}.values())[::-1]


def matching_stems(query: Sequence[QueryWord], text: str) -> frozenset[str]:
    """Stems of the query's words that a text contains."""
    stems = {word_stem(word) for word in search_forms(text)}
    runs = unspaced_runs(text) if any(not word.spaced for word in query) else []
    return frozenset(
        word.stem for word in query if (word.stem in stems if word.spaced else any(word.stem in run for run in runs))
    )


def _unspaced_words(run: str) -> Iterator[str]:
    """Words of a run of characters without spaces; single characters only where there is nothing longer."""
    all_words = words(run)
    yield from [word for word in all_words if len(word) > 1] or all_words
