"""Full text: how words are told apart, and queries made of plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chunking.config import FullTextTokenizer
from chunking.store.filters import clean

__all__ = ["TextQuery", "full_text_query", "words", "words_config"]

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
    """What to look for in the full text. Nothing in the strings has a meaning of its own: no operators, no wildcards."""

    words: str = ""
    """At least one of its words must be found (none has to where there are phrases); more and rarer ones score higher."""
    phrases: tuple[str, ...] = ()
    """Each must be found, word by word, in the text or in the headings."""
    fields: tuple[str, ...] = ("text", "headings")
    """Where to look: `text` is prefix and content."""
    headings_boost: float = 0.5
    """Factor of a score in the headings, which the text's prefix usually repeats."""


def words_config(tokenizer: FullTextTokenizer) -> Any:
    """The engine's configuration of a full-text index."""
    from lancedb.index import FTS

    return FTS(with_position=True, **_COMMON, **_TOKENIZERS[tokenizer])


def words(text: str, tokenizer: FullTextTokenizer = FullTextTokenizer.ICU) -> list[str]:
    """The words of a text as the full-text index keeps them: lower case, stemmed.

    >>> words("The running foxes 安装手册")
    ['the', 'run', 'fox', '安装', '手册']
    """
    from lancedb import tokenize

    return [token.text for token in tokenize(clean(text), **_COMMON, **_TOKENIZERS[tokenizer])]


def full_text_query(query: TextQuery) -> Any | None:
    """The engine's query, or None where there is nothing to look for."""
    from lancedb import query as engine
    from lancedb.query import BooleanQuery, Occur

    match: Any = engine.MatchQuery
    phrase_match: Any = engine.PhraseQuery

    def boost(field: str) -> float:
        return query.headings_boost if field == "headings" else 1.0

    must = [
        (Occur.MUST, BooleanQuery([(Occur.SHOULD, phrase_match(clean(phrase), _COLUMNS[field])) for field in query.fields]))
        for phrase in query.phrases
        if phrase.strip()
    ]
    text = clean(query.words)
    should = [(Occur.SHOULD, match(text, _COLUMNS[field], boost=boost(field))) for field in query.fields if text.strip()]
    return BooleanQuery([*must, *should]) if must or should else None
