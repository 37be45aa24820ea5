"""Where the words of a query stand in a chunk: spans of the document.

Words are those that full text indexes (`text.search_text`), whichever form of its letters a text has, and match by the
stem that the
index gives them (`installing`, `installation`, `install`). Chinese has no spaces to tell words apart: the longest runs
of two or more
characters that query and text share are taken.

>>> [text for text in ("Backups", "backup", "back")  if word_stem(text) == word_stem("backup")]
['Backups', 'backup']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chunking.model import Chunk, Span
from chunking.retrieval.query_parts import QueryParts
from chunking.store import words
from chunking.text.byte_caches import word_cache
from chunking.text.folding import SOFT_BREAKS, fold, fold_for_search, fold_with_offsets
from chunking.text.search_text import UNSPACED, SearchWord, search_forms, search_words

__all__ = [
    *("Terms", "find", "highlights", "holds", "matched_fields", "runs_of", "telling_parts", "telling_words", "terms"),
    *("said_in", "spaced_words", "telling_runs", "word_stem", "words_of"),
]

_RUN = re.compile(f"[{UNSPACED}]+")
_WORD_ENDS = re.compile(r"\s+|(?<=\w)[_-]+(?=\w)|(?<=[^\W\d])\.(?=[^\W\d])")
"""What divides the words of a phrase."""
_BETWEEN = rf"(?:\s+|_+|[-.{SOFT_BREAKS}]|(?-i:(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])))"
"""What may stand between them in a text: the phrase "retry count" stands in max_retry_count and in retryCount."""
_LONGEST_RUN = 16
_LONGEST_WORD = 40
"""Letters of a word whose stem is kept."""
"""Characters of a Chinese run compared at once; longer ones are found in parts that then merge."""

_ENGLISH = """a an and are as at be been but by can could did do does for from had has have how i if in into is it its may me might must
my no not of on or our should so than that the their them then there these they this to was we were what when where which who whom whose
why will with would you your about"""
_CHINESE = "为什么 什么 怎么样 怎么 怎样 如何 哪些 哪个 哪里 多少 是否 可以 需要 应该 请问 吗 呢 吧 的 是 在 和 与 或 我 你 有 会 能 要"
_FILLERS = frozenset(_ENGLISH.split())
_CHINESE_FILLERS = re.compile("|".join(_CHINESE.split()))


@dataclass(frozen=True, slots=True)
class Terms:
    """What is looked for in a text."""

    stems: frozenset[str]
    """Of words with spaces around them."""
    grams: frozenset[str]
    """Runs of characters of scripts without spaces."""
    phrases: tuple[re.Pattern[str], ...]
    """Of folded text (`said_in`)."""


def terms(query: QueryParts) -> Terms:
    """What to look for. Words that say nothing alone (how, the, 怎么) are left out where others remain."""
    telling, runs = telling_parts(query.words, spellings=True)
    if not (telling or runs or query.phrases):
        telling, runs = words_of(query.words), runs_of(query.words)
    return Terms(frozenset(map(word_stem, telling)), frozenset(_grams(runs)), tuple(map(_phrase, query.phrases)))


def find(text: str, wanted: Terms) -> tuple[Span, ...]:
    """Spans of `text` that match, in order; what touches or overlaps is one span."""
    picks = _Picks(wanted.stems).__getitem__
    found = [Span(word.start, word.end) for word in search_words(text, picks)] if wanted.stems else []
    if wanted.grams or wanted.phrases:
        folded = fold_with_offsets(text)
        for run in _RUN.finditer(folded.text):
            found.extend(
                Span(*folded.span(run.start() + start, run.start() + end))
                for start, end in _shared(run[0], wanted.grams)
            )
        for phrase in wanted.phrases:
            found.extend(Span(*folded.span(*match.span())) for match in phrase.finditer(folded.text))
    return _merged(text, found)


def highlights(chunk: Chunk, wanted: Terms) -> tuple[Span, ...]:
    """Spans of the document in which the chunk says what was asked."""
    return tuple(Span(chunk.start + start, chunk.start + end) for start, end in find(chunk.content, wanted))


def matched_fields(chunk: Chunk, wanted: Terms) -> tuple[str, ...]:
    """Which of `content` (or the summary) and `heading` hold a word of the query; neither where only the meaning is
    near.
    """
    fields = (("content", chunk.content or chunk.summary), ("heading", "\n".join(chunk.title_path)))
    return tuple(name for name, text in fields if find(text, wanted))


def holds(chunk: Chunk, phrases: Iterable[re.Pattern[str]]) -> bool:
    """Whether each phrase stands in what the full text reads of a chunk: prefix and content, or headings."""
    fields = (chunk.indexed_text, "\n".join(chunk.title_path))
    return said_in(fields, phrases)


def said_in(texts: Iterable[str], phrases: Iterable[re.Pattern[str]]) -> bool:
    """Whether each phrase stands in one of several texts."""
    folded = list(map(fold_for_search, texts))
    return all(any(phrase.search(text) for text in folded) for phrase in phrases)


def words_of(text: str) -> list[str]:
    """The words of a text that have spaces around them, as they are indexed, other spellings among them."""
    return search_forms(text)


def runs_of(text: str) -> list[str]:
    """The runs of characters of scripts without spaces."""
    return _RUN.findall(fold(text))


def telling_parts(text: str, *, spellings: bool = False) -> tuple[list[str], list[str]]:
    """The words and the runs of characters of a text, without those that say nothing alone (how, the, 怎么).

    Args:
        spellings: other spellings of a word, too, of which a text holds one: `retrycount` of `retry_count`.

    >>> telling_parts("How to restore it 怎么恢复")
    (['restore'], ['恢复'])
    """
    return [word.form for word in spaced_words(text, spellings=spellings)], telling_runs(text)


def spaced_words(text: str, *, spellings: bool = False) -> list[SearchWord]:
    """The words with spaces around them that say something alone; see `telling_parts`."""
    return [
        word for word in search_words(text) if (spellings or not word.extra) and word.form.casefold() not in _FILLERS
    ]


def telling_runs(text: str) -> list[str]:
    """The runs of characters of scripts without spaces, without those that say nothing alone."""
    return [part for run in runs_of(text) for part in _CHINESE_FILLERS.split(run) if part]


def telling_words(text: str) -> list[str]:
    """The words with spaces around them that say something alone, in small letters, as they are written.

    >>> telling_words("How to restore a Backup")
    ['restore', 'backup']
    """
    said = (_written(text[word.start : word.end]) for word in spaced_words(text))
    return [word for word in said if len(word) > 2 and not word.isdigit()]


def _written(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold()


def word_stem(word: str) -> str:
    """A word as the full-text index keeps it (ICU words, Porter2 stems), so that what is marked is what was matched.

    >>> word_stem("Configuration") == word_stem("configures"), word_stem("running") == word_stem("runs")
    (True, True)
    >>> word_stem("powered") == word_stem("power"), word_stem("server") == word_stem("serve")
    (True, False)
    """
    return _kept_stem(word) if len(word) <= _LONGEST_WORD else _stem(word)


def _stem(word: str) -> str:
    return " ".join(words(word)) or word.casefold()  # the index leaves out words of more than 40 letters


_kept_stem = word_cache(maxsize=50_000, each=500)(_stem)


class _Picks(dict[str, bool]):
    """Whether a word is of a wanted stem; each word of a text is looked up once."""

    def __init__(self, stems: frozenset[str]) -> None:
        self._stems = stems

    def __missing__(self, word: str) -> bool:
        picked = self[word] = word_stem(word) in self._stems
        return picked


def _grams(runs: Iterable[str]) -> Iterator[str]:
    """Every run of two or more neighbouring characters; single characters only where there is nothing longer."""
    runs = list(runs)
    longest = max(map(len, runs), default=0)
    for run in runs:
        for size in range(min(2, longest), min(len(run), _LONGEST_RUN) + 1):
            yield from (run[start : start + size] for start in range(len(run) - size + 1))


def _shared(run: str, grams: frozenset[str]) -> Iterator[tuple[int, int]]:
    shortest = min(map(len, grams), default=1)  # every longer one begins with one of these
    for start in range(len(run)):
        if run[start : start + shortest] not in grams:
            continue
        end = next(
            (end for end in range(min(len(run), start + _LONGEST_RUN), start, -1) if run[start:end] in grams), None
        )
        if end is not None:
            yield start, end


def _phrase(phrase: str) -> re.Pattern[str]:
    folded = fold(phrase)
    return re.compile(
        _BETWEEN.join(map(re.escape, filter(None, _WORD_ENDS.split(folded)))) or re.escape(folded), re.IGNORECASE
    )


def _merged(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Those that touch, and those that only underscores part, as one."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and (span.start <= merged[-1].end or not text[merged[-1].end : span.start].strip("_")):
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)
