"""Stems of words in the language of their document, with the stemmers of the full-text engine.

A script that one of them knows decides alone: Cyrillic words are stemmed as Russian, Arabic ones as Arabic. Latin words
are stemmed in the language of their document, or as English where the engine has no stemmer for it.

>>> stems(["häuser", "книгами", "running", "安装"], "de")
['haus', 'книг', 'running', '安装']
>>> stems(["running"], "zh")
['run']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["LATIN_LANGUAGES", "latin_language", "stems"]

_ENGLISH = "en"
_LATIN = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "sv": "Swedish",
    "da": "Danish",
    "nb": "Norwegian",
    "fi": "Finnish",
    "hu": "Hungarian",
    "ro": "Romanian",
    "tr": "Turkish",
}
"""The engine's stemmers by language, for the Latin languages that `parsing.detection` tells apart."""
LATIN_LANGUAGES = tuple(_LATIN)
"""Languages in Latin script with a stemmer of their own."""

_SCRIPT = re.compile(
    "(?P<Latin>[a-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff])"
    "|(?P<Russian>[\u0400-\u052f])"
    "|(?P<Greek>[\u0370-\u03ff\u1f00-\u1fff])"
    "|(?P<Arabic>[\u0620-\u065f\u066e-\u06d3\u0750-\u077f])"
    "|(?P<Tamil>[\u0b80-\u0bff])"
)
"""First letter of a word, in a group named after the script's stemmer."""
_LATIN_GROUP = "Latin"
_ARABIC = "Arabic"
_FOLDED_TEH, _CONJUNCTION = re.compile("\u0647\\Z"), re.compile("\\A[\u0648\u0641](?=\u0627\u0644..)")
"""Final heh, which may be a folded teh marbuta, and a conjunction before the article: Arabic endings of the engine."""
_NONE = ""
"""Stemmer of words in other scripts, which only lose their accents."""


def latin_language(language: str) -> str:
    """Return the language whose stemmer reads the Latin words of a document.

    Args:
        language: the document's (BCP 47); empty or `und` if unknown.

    >>> [latin_language(tag) for tag in ("de-AT", "fr", "zh", "und", "")]
    ['de', 'fr', 'en', 'en', 'en']
    """
    base = language.partition("-")[0]
    return base if base in _LATIN else _ENGLISH


def stems(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of each word, without accents; one engine call for each stemmer among them.

    Args:
        words: single words in lower case, as the engine's tokenizer divides a text.
        language: of the document.
    """
    by_stemmer: dict[str, list[str]] = {}
    latin = _LATIN[latin_language(language)]
    for word in dict.fromkeys(words):
        by_stemmer.setdefault(_stemmer(word, latin), []).append(word)
    cached = {
        word: stem
        for stemmer, some in by_stemmer.items()
        for word, stem in zip(some, _engine_stems(some, stemmer), strict=True)
    }
    return [cached[word] for word in words]


def _stemmer(word: str, latin: str) -> str:
    if word.isascii():
        return latin
    script = _SCRIPT.search(word)
    name = (script.lastgroup or _NONE) if script else _NONE
    return latin if name == _LATIN_GROUP else name


def _engine_stems(words: Sequence[str], stemmer: str) -> list[str]:
    if stemmer == _ARABIC:  # the engine knows the ending as it is written, and the article at the beginning only
        words = [_CONJUNCTION.sub("", _FOLDED_TEH.sub("\u0629", word)) for word in words]
    together = _tokens(words, stemmer)
    if len(together) == len(words):
        # Folding turns some marks into spaces, which would divide the word in the index.
        return ["".join(stem.split()) or word for stem, word in zip(together, words, strict=True)]
    return ["".join(_tokens([word], stemmer)) or word for word in words]  # a stem was empty


def _tokens(words: Iterable[str], stemmer: str) -> list[str]:
    from lancedb import tokenize

    stemming: dict[str, Any] = {"stem": True, "language": stemmer} if stemmer else {"stem": False}
    tokens = tokenize(
        " ".join(words), base_tokenizer="whitespace", max_token_length=None, remove_stop_words=False, **stemming
    )
    return [token.text for token in tokens]
