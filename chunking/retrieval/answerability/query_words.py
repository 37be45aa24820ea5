"""The words of a query that say something, and which of them a text holds.

English words match by the stem that the full-text index gives them. Chinese words are those that the index's tokenizer
finds; a text
holds one where its characters stand in it, wherever the tokenizer divides the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunking.retrieval.query_parts import QueryParts
from chunking.retrieval.results.highlights import runs_of, spaced_words, telling_runs, word_stem, words_of
from chunking.store import words

__all__ = ["QueryWord", "held", "query_words"]


@dataclass(frozen=True, slots=True)
class QueryWord:
    """One word of a query."""

    text: str
    """As it stands in the query."""
    stem: str
    """As the full-text index keeps it; of a script without spaces, its characters."""
    spaced: bool
    """Spaces stand around it."""


def query_words(query: QueryParts) -> tuple[QueryWord, ...]:
    """The words that say something alone, in order, each once; empty where the query has none (`how is it?`).

    >>> from chunking.retrieval.query_parts import understand
    >>> [word.text for word in query_words(understand("How do I restore the backups? 怎么恢复备份"))]
    ['restore', 'backups', '恢复', '备份']
    """
    text = query.text
    found = [QueryWord(text[word.start : word.end], word_stem(word.form), True) for word in spaced_words(text)]
    found += [QueryWord(word, word, False) for run in telling_runs(text) for word in _unspaced(run)]
    return tuple({word.stem: word for word in reversed(found)}.values())[::-1]


def held(wanted: Sequence[QueryWord], text: str) -> frozenset[str]:
    """The stems of those words that a text holds."""
    stems = {word_stem(word) for word in words_of(text)}
    runs = runs_of(text) if any(not word.spaced for word in wanted) else []
    return frozenset(
        word.stem for word in wanted if (word.stem in stems if word.spaced else any(word.stem in run for run in runs))
    )


def _unspaced(run: str) -> Iterator[str]:
    """The words of a run of characters without spaces; single characters only where there is nothing longer."""
    found = words(run)
    longer = [word for word in found if len(word) > 1]
    yield from longer or found
