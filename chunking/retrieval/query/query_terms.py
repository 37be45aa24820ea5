"""Search terms of a query: stems, character runs and phrases to look for in a text.

A text is matched as the full-text index matches it: words by their stem in the language of its document (`installing`,
`installation`, `install`), and Chinese, Japanese and Korean, where a dictionary would be needed to tell words apart, by
runs of two or more characters. Thai, Lao, Khmer and Burmese words, whose single letters say nothing, are told apart by
the engine's dictionary.

>>> [text for text in ("Backups", "backup", "back")  if word_stem(text) == word_stem("backup")]
['Backups', 'backup']
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from chunking.model import Chunk
from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.stop_words import CHINESE_FILLERS, stop_words
from chunking.store import latin_language, words
from chunking.text.byte_caches import word_cache
from chunking.text.folding import SOFT_BREAKS, fold, fold_for_search
from chunking.text.search_text import UNSPACED, SearchWord, search_forms, search_words

__all__ = [
    "LONGEST_COUNTED",
    "LONGEST_RUN",
    "UNSPACED_RUN",
    "QueryWord",
    "Terms",
    "contains_phrases",
    "content_parts",
    "content_runs",
    "content_words",
    "matching_stems",
    "phrases_occur_in",
    "query_words",
    "search_terms",
    "spaced_words",
    "stemmer",
    "telling_words",
    "text_forms",
    "text_stems",
    "text_words",
    "unspaced_runs",
    "word_stem",
    "words_share",
]

UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
"""Run of characters of a script without spaces."""
LONGEST_RUN = 16
"""Maximum characters of a run compared at once; longer ones are matched in parts that then merge."""
_WORD_ENDS = re.compile(r"\s+|(?<=\w)[_-]+(?=\w)|(?<=[^\W\d])\.(?=[^\W\d])")
"""Separators of the words of a phrase."""
_BETWEEN = rf"(?:\s+|_+|[-.{SOFT_BREAKS}]|(?-i:(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])))"
"""Separators allowed between words in a text.

The phrase "retry count" matches max_retry_count and retryCount.
"""
LONGEST_COUNTED = 10
"""Maximum letters of a word that count: longer words say more, up to here."""
_LONGEST_WORD = 40
"""Maximum letters of a word whose stem is cached."""

_DICTIONARY = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Letter of Thai, Lao, Burmese or Khmer, which have no spaces between words."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Words, character runs and phrases of a query to look for in a text."""

    words: tuple[str, ...]
    """Words of scripts with spaces, each once."""
    grams: frozenset[str]
    """Runs of characters of scripts without spaces."""
    phrases: tuple[re.Pattern[str], ...]
    """Patterns that match folded text (`phrases_occur_in`)."""

    def stems(self, language: str = "") -> frozenset[str]:
        """Return the stems of the words for a text in a language (BCP 47)."""
        return frozenset(map(stemmer(language), self.words))


def search_terms(query: QueryParts) -> Terms:
    """Extract the terms of a query, without its function words (how, the, 怎么) unless it has no other."""
    content, runs = content_parts(query.words, spellings=True)
    if not (content or runs or query.phrases):
        content, runs = text_forms(query.words), unspaced_runs(query.words)
    return Terms(tuple(dict.fromkeys(content)), frozenset(_grams(runs)), tuple(map(_phrase, query.phrases)))


def contains_phrases(chunk: Chunk, phrases: Iterable[re.Pattern[str]]) -> bool:
    """True if full text could match every phrase in a chunk: in its prefix and content, or its headings."""
    return phrases_occur_in((chunk.indexed_text, "\n".join(chunk.title_path)), phrases)


def phrases_occur_in(texts: Iterable[str], phrases: Iterable[re.Pattern[str]]) -> bool:
    """True if each phrase occurs in at least one of the texts."""
    folded = list(map(fold_for_search, texts))
    return all(any(phrase.search(text) for text in folded) for phrase in phrases)


def unspaced_runs(text: str) -> list[str]:
    """Return the runs of characters of scripts without spaces."""
    return UNSPACED_RUN.findall(fold(text))


def content_parts(text: str, *, spellings: bool = False, language: str = "") -> tuple[list[str], list[str]]:
    """Return the words and character runs of a text without function words (how, the, 怎么).

    Args:
        spellings: include other spellings of a word that a text may have: `retrycount` of `retry_count`.
        language: of the text, for its function words; empty: told from them.

    >>> content_parts("How to restore it 怎么恢复")
    (['restore'], ['恢复'])
    """
    return [word.form for word in spaced_words(text, spellings=spellings, language=language)], content_runs(text)


def spaced_words(text: str, *, spellings: bool = False, language: str = "") -> list[SearchWord]:
    """Return the words of scripts with spaces, without function words; see `content_parts`."""
    all_words = [word for word in text_words(text) if spellings or not word.extra]
    fillers = stop_words([word.form.casefold() for word in all_words], language)
    return [word for word in all_words if word.form.casefold() not in fillers]


def text_words(text: str, picks: Callable[[str], bool] | None = None) -> Iterator[SearchWord]:
    """Yield the words of `search_words`; a dictionary divides runs of Thai and the like.

    Args:
        picks: filter by form; None: all words.
    """
    if not _DICTIONARY.search(text):
        yield from search_words(text, picks)
        return
    for run in search_words(text):
        for word in _dictionary_words(text, run):
            if picks is None or picks(word.form):
                yield word


def _dictionary_words(text: str, run: SearchWord) -> Iterator[SearchWord]:
    if not _DICTIONARY.search(run.form):
        yield run
        return
    at = run.start
    for form in words(run.form):
        start = text.find(form, at, run.end)
        if start < 0:  # folded
            yield run._replace(form=form)
            continue
        at = start + len(form)
        yield run._replace(form=form, start=start, end=at)


def text_forms(text: str) -> list[str]:
    """Return the forms of `text_words` without offsets, in another order."""
    forms = search_forms(text)
    if not _DICTIONARY.search(text):
        return forms
    return [part for form in forms for part in (words(form) if _DICTIONARY.search(form) else (form,))]


def text_stems(text: str, language: str = "") -> frozenset[str]:
    """Return the stems of a text's words of scripts with spaces."""
    return frozenset(map(stemmer(language), set(text_forms(text))))


def content_runs(text: str) -> list[str]:
    """Return the runs of characters of scripts without spaces, divided at function words."""
    return [part for run in unspaced_runs(text) for part in CHINESE_FILLERS.split(run) if part]


def content_words(text: str) -> list[str]:
    """Return words of scripts with spaces in lower case, without function words, numbers and short words.

    >>> content_words("How to restore a Backup")
    ['restore', 'backup']
    """
    lower = (unicodedata.normalize("NFC", text[word.start : word.end]).casefold() for word in spaced_words(text))
    return [word for word in lower if len(word) > 2 and not word.isdigit()]


def word_stem(word: str, language: str = "") -> str:
    """Stem a word as the full-text index does in a document of a language, so that highlights are matches.

    >>> word_stem("Configuration") == word_stem("configures"), word_stem("running") == word_stem("runs")
    (True, True)
    >>> word_stem("powered") == word_stem("power"), word_stem("server") == word_stem("serve")
    (True, False)
    """
    return stemmer(language)(word)


def stemmer(language: str = "") -> Callable[[str], str]:
    """Return a function that stems words of one language, as `word_stem`, for texts of many words."""
    of = latin_language(language)

    def stem(word: str) -> str:
        return _cached_stem(word, of) if len(word) <= _LONGEST_WORD else _stem(word, of)

    return stem


def _stem(word: str, language: str) -> str:
    # The index leaves out words of more than 40 letters.
    return " ".join(words(word, language=language)) or word.casefold()


_cached_stem = word_cache(maxsize=50_000, each=500)(_stem)


def _grams(runs: Iterable[str]) -> Iterator[str]:
    """Yield every run of two or more neighbouring characters, or single characters if nothing is longer."""
    runs = list(runs)
    longest = max(map(len, runs), default=0)
    for run in runs:
        for size in range(min(2, longest), min(len(run), LONGEST_RUN) + 1):
            yield from (run[start : start + size] for start in range(len(run) - size + 1))


def _phrase(phrase: str) -> re.Pattern[str]:
    folded = fold(phrase)
    return re.compile(
        _BETWEEN.join(map(re.escape, filter(None, _WORD_ENDS.split(folded)))) or re.escape(folded), re.IGNORECASE
    )


# -- content words of a query, and those a text contains


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A content word of a query."""

    text: str
    """Text as written in the query."""
    stem: str
    """Stem as in the full-text index, in one language; in a script without spaces, its characters."""
    spaced: bool
    """True if it belongs to a script with spaces."""


def query_words(query: QueryParts, language: str = "") -> tuple[QueryWord, ...]:
    """Return the content words of a query, one per stem; empty if it has none (`how is it?`).

    Words of scripts with spaces come first, then those of scripts without.

    Args:
        language: of the texts to compare them with, for their stems.

    >>> from chunking.retrieval.query.query_parts import understand
    >>> [word.text for word in query_words(understand("How do I restore the backups? 怎么恢复备份"))]
    ['restore', 'backups', '恢复', '备份']
    """
    text = query.text
    matches = [
        QueryWord(text[word.start : word.end], word_stem(word.form, language), True) for word in spaced_words(text)
    ]
    matches += [QueryWord(word, word, False) for run in content_runs(text) for word in _unspaced_words(run)]
    return tuple({word.stem: word for word in reversed(matches)}.values())[::-1]


def telling_words(query: QueryParts, languages: Iterable[str]) -> tuple[QueryWord, ...]:
    """Return the content words of a query, one per distinct stem in some languages.

    Args:
        languages: of the texts searched (BCP 47).

    >>> from chunking.retrieval.query.query_parts import understand
    >>> [word.stem for word in telling_words(understand("running houses"), ["en", "de-AT", "zh"])]
    ['run', 'hous', 'running']
    """
    by_stem: dict[str, QueryWord] = {}
    for tag in dict.fromkeys(map(latin_language, languages)):
        for word in query_words(query, tag):
            by_stem.setdefault(word.stem, word)
    return tuple(by_stem.values())


def matching_stems(query: Sequence[QueryWord], text: str, language: str = "") -> frozenset[str]:
    """Return the stems of the query's words that a text contains.

    Args:
        query: its words, stemmed in the same language, or in several.
    """
    stems = text_stems(text, language)
    runs = unspaced_runs(text) if any(not word.spaced for word in query) else []
    return frozenset(
        word.stem for word in query if (word.stem in stems if word.spaced else any(word.stem in run for run in runs))
    )


def words_share(query: Iterable[QueryWord], stems: Collection[str]) -> float:
    """Return the share (0 to 1) of the query's letters in words of these stems; 0 without words."""
    letters = {word.stem: min(len(word.stem), LONGEST_COUNTED) for word in query}
    return sum(letters[stem] for stem in stems) / sum(letters.values()) if letters else 0.0


def _unspaced_words(run: str) -> Iterator[str]:
    """Yield the words of a run of characters without spaces, or single characters if nothing is longer."""
    all_words = words(run)
    yield from [word for word in all_words if len(word) > 1] or all_words
