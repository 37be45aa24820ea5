"""Full-text tokenizers and queries built from plain data.

Indexed text and queries are normalised by one function (`text.search_text`); the engine then tokenizes and stems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chunking.config import FullTextTokenizer
from chunking.store.engine.filters import clean
from chunking.text.search_text import phrase_text, search_text

__all__ = ["TEXT_FORM", "TextQuery", "full_text_query", "tokens", "words", "words_config"]

TEXT_FORM = 2
"""Version of the indexed full text: 1 is the text as is, 2 is normalised by `search_text`.

Raised by hand; an index of an earlier form gets queries of that form, and is listed as out of date.
"""

# Stop words stay: the engine's list drops Chinese verbs. Positions: phrases need them.
_COMMON: dict[str, Any] = {"remove_stop_words": False, "lower_case": True, "ascii_folding": True}
_TOKENIZERS: dict[FullTextTokenizer, dict[str, Any]] = {
    FullTextTokenizer.ICU: {"base_tokenizer": "icu", "language": "English", "stem": True},
    FullTextTokenizer.NGRAM: {"base_tokenizer": "ngram", "ngram_min_length": 2, "ngram_max_length": 2, "stem": False},
    FullTextTokenizer.SIMPLE: {"base_tokenizer": "simple", "language": "English", "stem": True},
}
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


def words_config(tokenizer: FullTextTokenizer) -> Any:
    """Return LanceDB's configuration of a full-text index for a tokenizer."""
    from lancedb.index import FTS

    return FTS(with_position=True, **_COMMON, **_TOKENIZERS[tokenizer])


def words(text: str, tokenizer: FullTextTokenizer = FullTextTokenizer.ICU) -> list[str]:
    """Return a text's tokens as the full-text index stores them: lower case, mostly stemmed.

    The n-gram tokenizer does not stem.

    >>> words("The running foxes 安装手册")
    ['the', 'run', 'fox', '安装', '手册']
    """
    return tokens(search_text(text), tokenizer)


def tokens(text: str, tokenizer: FullTextTokenizer = FullTextTokenizer.ICU) -> list[str]:
    """Tokenize a text that `search_text` has normalised, with the engine's tokenizer; see `words`."""
    from lancedb import tokenize

    return [token.text for token in tokenize(clean(text), **_COMMON, **_TOKENIZERS[tokenizer])]


def full_text_query(query: TextQuery, form: int = TEXT_FORM) -> Any | None:
    """Convert a query to LanceDB's; None for a query without words and phrases.

    Words alone become a multi-match, which skips rows that cannot be among the best; a boolean query scores every
    matching row (at 100,000 chunks 60 ms against 9), so it is used for phrases only.

    Args:
        form: version of the index's full text.
    """
    from lancedb import query as engine
    from lancedb.query import BooleanQuery, Occur

    several: Any = engine.MultiMatchQuery
    normalised = form > 1
    phrases = [clean(phrase_text(phrase) if normalised else phrase) for phrase in query.phrases if phrase.strip()]
    text = clean(search_text(query.words) if normalised else query.words)
    columns = [_COLUMNS[field] for field in query.fields]
    boosts = [query.headings_boost if field == "headings" else 1.0 for field in query.fields]
    match = several(text, columns, boosts=boosts) if text.strip() else None
    if not phrases:
        return match
    must = [(Occur.MUST, _phrase(phrase, columns)) for phrase in phrases]
    return BooleanQuery([*must, (Occur.SHOULD, match)] if match is not None else must)


def _phrase(phrase: str, columns: list[str]) -> Any:
    """Match a phrase in any of the columns."""
    from lancedb import query

    make: Any = query.PhraseQuery
    return query.BooleanQuery([(query.Occur.SHOULD, make(phrase, column)) for column in columns])
