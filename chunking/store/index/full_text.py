"""Full-text tokenizers and queries built from plain data.

Indexed text and queries are normalised by one function (`text.search_text`), divided into words by the engine's
tokenizer and stemmed in the language of their document (`stemming`). The index stores these words, separated by
spaces, so that all languages share one column and one count of how rare a word is. A query asks for a word's stem in
each language of the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chunking.config import FullTextTokenizer
from chunking.store.engine.filters import clean
from chunking.store.index.stemming import LATIN_LANGUAGES, stems
from chunking.text.search_text import phrase_text, search_text

__all__ = [
    "STEMMED",
    "TEXT_FORM",
    "TextQuery",
    "full_text_query",
    "indexed_words",
    "query_stems",
    "tokens_of_each",
    "words",
    "words_config",
]

TEXT_FORM = 3
"""Version of the indexed full text.

1 is the text as is, 2 is normalised by `search_text`, 3 its stems in the language of the document.

Raised by hand; an index of an earlier form gets queries of that form, and is listed as out of date.
"""
STEMMED = 3
"""First form that stores stems; the engine stemmed earlier ones as English."""

# Stop words stay: the engine's list drops Chinese verbs. Positions: phrases need them.
_COMMON: dict[str, Any] = {"remove_stop_words": False, "lower_case": True}
_FOLDED: dict[str, Any] = {**_COMMON, "ascii_folding": True}
_TOKENIZERS: dict[FullTextTokenizer, dict[str, Any]] = {
    FullTextTokenizer.ICU: {"base_tokenizer": "icu", "language": "English", "stem": True},
    FullTextTokenizer.NGRAM: {"base_tokenizer": "ngram", "ngram_min_length": 2, "ngram_max_length": 2, "stem": False},
    FullTextTokenizer.SIMPLE: {"base_tokenizer": "simple", "language": "English", "stem": True},
}
"""Tokenizers of the engine as indexes of form 2 use them, and n-grams in any form."""
_READY: dict[str, Any] = {
    "base_tokenizer": "whitespace",
    "stem": False,
    "lower_case": False,
    "ascii_folding": False,
    "remove_stop_words": False,
    "max_token_length": None,
}
"""The engine's part where the text holds stems."""
_LONGEST = 40
"""Maximum letters of a word; the engine's own limit counts bytes, and lost Russian words of 20 letters."""
_MARK = "zqxsepz"
"""Separator word between texts that are tokenized in one call."""
_COLUMNS = {"text": "indexed_text", "headings": "headings"}


@dataclass(frozen=True, slots=True)
class TextQuery:
    """Full-text query; its strings are literal, without operators or wildcards."""

    words: str = ""
    """At least one word must match, unless there are phrases; more and rarer ones score higher."""
    phrases: tuple[str, ...] = ()
    """Phrases that must all match, word by word, in the text or in the headings."""
    fields: tuple[str, ...] = ("text", "headings")
    """Fields searched: `text` is prefix and content."""
    headings_boost: float = 0.5
    """Factor of a score in the headings; the better field's score counts, as prefixes repeat headings."""


# -- words


def words(text: str, tokenizer: FullTextTokenizer = FullTextTokenizer.ICU, language: str = "") -> list[str]:
    """Return a text's words as the full-text index stores them: lower case, stemmed in its language.

    The n-gram tokenizer does not stem.

    Args:
        language: of the document (BCP 47); empty: Latin words are stemmed as English.

    >>> words("The running foxes 安装手册"), words("Die laufenden Füchse", language="de")
    (['the', 'run', 'fox', '安装', '手册'], ['die', 'laufend', 'fuchs'])
    """
    tokens = _tokens(search_text(text), tokenizer)
    return tokens if tokenizer is FullTextTokenizer.NGRAM else stems(tokens, language)


def tokens_of_each(texts: Sequence[str], tokenizer: FullTextTokenizer = FullTextTokenizer.ICU) -> list[list[str]]:
    """Return the words of each text before stemming, from one tokenizer call for all texts."""
    if not texts:
        return []
    normalised = list(map(search_text, texts))
    apart: list[list[str]] = [[]]
    for token in _tokens(f"\n{_MARK}\n".join(normalised), tokenizer):
        if token == _MARK:
            apart.append([])
        else:
            apart[-1].append(token)
    # else the mark stands in a text
    return apart if len(apart) == len(texts) else [_tokens(text, tokenizer) for text in normalised]


def indexed_words(texts: Sequence[str], tokenizer: FullTextTokenizer, languages: Sequence[str]) -> list[str]:
    """Return what the index stores of each text: its stems, or for n-grams the normalised text.

    Args:
        languages: of each text's document.
    """
    if tokenizer is FullTextTokenizer.NGRAM:
        return list(map(search_text, texts))
    rows: list[str] = []
    for language, some in groupby(zip(texts, languages, strict=True), key=lambda pair: pair[1]):
        each = tokens_of_each([text for text, _ in some], tokenizer)
        stemmed = iter(stems([token for tokens in each for token in tokens], language))
        rows += [" ".join(next(stemmed) for _ in tokens) for tokens in each]
    return rows


def query_stems(
    text: str, languages: Iterable[str] = (), tokenizer: FullTextTokenizer = FullTextTokenizer.ICU
) -> list[str]:
    """Return the words that a query asks for: each word's distinct stems in the languages, in order.

    Args:
        languages: of the documents searched; none: all with a stemmer.

    >>> query_stems("running houses", ["en", "de"]), query_stems("running houses", ["en"])
    (['run', 'running', 'hous'], ['run', 'hous'])
    """
    tokens = _tokens(search_text(text), tokenizer)
    if tokenizer is FullTextTokenizer.NGRAM:
        return tokens
    columns = [stems(tokens, language) for language in tuple(languages) or LATIN_LANGUAGES]
    return [stem for row in zip(*columns, strict=True) for stem in dict.fromkeys(row)]


def _tokens(normalised: str, tokenizer: FullTextTokenizer) -> list[str]:
    from lancedb import tokenize

    if tokenizer is FullTextTokenizer.NGRAM:
        return [token.text for token in tokenize(clean(normalised), **_FOLDED, **_TOKENIZERS[tokenizer])]
    base: Any = _TOKENIZERS[tokenizer]["base_tokenizer"]
    # Letters such as ø stay for the stemmer; after it they are folded.
    divided = tokenize(
        clean(normalised), **_COMMON, base_tokenizer=base, stem=False, ascii_folding=False, max_token_length=None
    )
    return [token.text for token in divided if len(token.text) <= _LONGEST]


# -- the engine's index and queries


def words_config(tokenizer: FullTextTokenizer, form: int = TEXT_FORM) -> Any:
    """Return LanceDB's configuration of a full-text index for a tokenizer.

    Args:
        form: version of the index's full text.
    """
    from lancedb.index import FTS

    if _stores_stems(tokenizer, form):
        return FTS(with_position=True, **_READY)
    return FTS(with_position=True, **_FOLDED, **_TOKENIZERS[tokenizer])


def _stores_stems(tokenizer: FullTextTokenizer, form: int) -> bool:
    return form >= STEMMED and tokenizer is not FullTextTokenizer.NGRAM


def full_text_query(
    query: TextQuery,
    form: int = TEXT_FORM,
    languages: Sequence[str] = (),
    tokenizer: FullTextTokenizer = FullTextTokenizer.ICU,
) -> Any | None:
    """Convert a query to LanceDB's; None for a query without words and phrases.

    Words alone become a multi-match, which skips rows that cannot be among the best; a boolean query scores every
    matching row (at 100,000 chunks 60 ms against 9), so it is used for phrases only.

    Args:
        form: version of the index's full text.
        languages: of the documents in the index; none: all with a stemmer.
        tokenizer: of the index.
    """
    from lancedb import query as engine
    from lancedb.query import BooleanQuery, Occur

    several: Any = engine.MultiMatchQuery
    quoted = [phrase for phrase in query.phrases if phrase.strip()]
    if _stores_stems(tokenizer, form):
        phrases = [_stemmed_phrases(phrase, languages, tokenizer) for phrase in quoted]
        text = " ".join(query_stems(query.words, languages, tokenizer))
    else:
        normalised = form > 1
        phrases = [[clean(phrase_text(phrase) if normalised else phrase)] for phrase in quoted]
        text = clean(search_text(query.words) if normalised else query.words)
    columns = [_COLUMNS[field] for field in query.fields]
    boosts = [query.headings_boost if field == "headings" else 1.0 for field in query.fields]
    match = several(text, columns, boosts=boosts) if text.strip() else None
    if not phrases:
        return match
    must = [(Occur.MUST, _phrase(forms, columns)) for forms in phrases]
    return BooleanQuery([*must, (Occur.SHOULD, match)] if match is not None else must)


def _stemmed_phrases(phrase: str, languages: Sequence[str], tokenizer: FullTextTokenizer) -> list[str]:
    """Return a phrase's words as stems in each language, each distinct row once."""
    tokens = _tokens(phrase_text(phrase), tokenizer)
    rows = dict.fromkeys(" ".join(stems(tokens, language)) for language in languages or LATIN_LANGUAGES)
    return list(rows)


def _phrase(forms: Iterable[str], columns: list[str]) -> Any:
    """Match any form of a phrase in any of the columns."""
    from lancedb import query

    make: Any = query.PhraseQuery
    either = [(query.Occur.SHOULD, make(form, column)) for form in forms for column in columns]
    return query.BooleanQuery(either)
