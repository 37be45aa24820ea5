"""Parse a query into phrases, words and language.

>>> query = understand('how to "restore a backup" 怎么恢复')
>>> query.phrases, query.words, query.language
(('restore a backup',), 'how to 怎么恢复', 'mixed')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chunking.config import QuerySyntax
from chunking.errors import QueryError
from chunking.text.folding import without_codes

__all__ = ["MAX_CHARACTERS", "QueryParts", "has_operators", "query_language", "understand", "without_operators"]

MAX_CHARACTERS = 2_000
"""Maximum characters of a query.

A model reads a few hundred tokens of it, and every word costs the text leg time.
"""

# A quotation mark opens a phrase only with its partner in the same query; the straight mark is its own partner, and
# inches
# after a number.
_PHRASE = re.compile(r'(?<![0-9])"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|「([^」]*)」|『([^』]*)』|«([^»]*)»')
_MARKS = re.compile('["“”„「」『』«»]')
_BETWEEN = re.compile(rf"(?<=[A-Za-z0-9]){_MARKS.pattern}+(?=[A-Za-z0-9])")
_WORD = re.compile(r"\w")
_UNUSABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
)  # NUL ends a text in some engines, a lone surrogate is no text at all

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\u1100-\u11ff\uac00-\ud7af]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")),
    ("en", re.compile("[A-Za-z\u00c0-\u024f]")),
)
"""Letters by language.

Kana and hangul come first: Japanese and Korean mix them with Chinese characters.
"""

_SMALL_SHARE = 0.1
"""Share of letters below which a second script does not make a query mixed (a unit, a version letter)."""


@dataclass(frozen=True, slots=True)
class QueryParts:
    """A query parsed into text, words, phrases and language."""

    text: str
    """The query without quotation marks, which the model reads."""
    words: str
    """Text outside quotation marks; may be empty."""
    phrases: tuple[str, ...]
    """Quoted phrases, in order, each once."""
    language: str
    """Language: `en`, `zh`, `ja`, `ko`, `mixed`, or `und` without a letter of these scripts."""
    notes: tuple[str, ...] = ()
    """Sentences for the user about changes to the query."""

    @property
    def searchable(self) -> bool:
        """True if there is a letter or digit that full text could look up."""
        return bool(_WORD.search(self.text))


def understand(query: str, syntax: QuerySyntax = QuerySyntax.OPERATORS) -> QueryParts:
    """Parse a query; any string is safe.

    Control characters and lone surrogates count as white space; a quotation mark without its partner is left out. A
    query over `MAX_CHARACTERS` is cut, with a note.

    Args:
        syntax: OPERATORS: a quotation is a phrase that every hit contains; PLAIN: it is text like any other.
    Raises:
        QueryError: nothing but white space is left.
    """
    text, notes = _bounded(_cleaned(query))
    plain = _plain(text)
    if not plain:
        raise QueryError("The query is empty; type a few words to search for.")
    words, phrases = _PARTS[syntax](text)
    return QueryParts(plain, words, phrases, query_language(plain), notes)


def has_operators(text: str) -> bool:
    """True if this text, typed as a search, has a quoted phrase that every hit must contain.

    >>> has_operators('the "main fuse"'), has_operators('a 5" drive, or 7"')
    (True, False)
    """
    return any(_parts_of_search(_cleaned(text)[:MAX_CHARACTERS])[1])


def without_operators(text: str) -> str:
    """Remove quotation marks, for questions that read alike in every syntax.

    >>> without_operators("What is “main fuse” in 「手册」?")
    'What is main fuse in 手册?'
    """
    return " ".join(_MARKS.sub("", _BETWEEN.sub(" ", text)).split())


def query_language(text: str) -> str:
    """Guess the language of a text by script alone (Latin letters count as English).

    >>> [query_language(text) for text in ("disk full", "磁盘已满", "nginx 配置", "ディスク", "42 🙂")]
    ['en', 'zh', 'mixed', 'ja', 'und']
    """
    counts = {language: len(letters.findall(text)) for language, letters in _SCRIPTS}
    for language in ("ja", "ko"):
        if counts[language]:
            counts[language] += counts.pop("zh", 0)
    total = sum(counts.values())
    present = [language for language, count in counts.items() if count and count >= _SMALL_SHARE * total]
    return "und" if not present else present[0] if len(present) == 1 else "mixed"


def _cleaned(query: str) -> str:
    return " ".join(_UNUSABLE.sub(" ", without_codes(query)).split())


def _bounded(text: str) -> tuple[str, tuple[str, ...]]:
    if len(text) <= MAX_CHARACTERS:
        return text, ()
    space = text.rfind(" ", MAX_CHARACTERS - 100, MAX_CHARACTERS)
    note = f"The query is longer than {MAX_CHARACTERS:,} characters; only its beginning was searched."
    return text[: space if space > 0 else MAX_CHARACTERS], (note,)


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split())


def _parts_of_search(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text outside quotations, and the phrases inside."""
    quotations = ("".join(match.groups(default="")) for match in _PHRASE.finditer(text))
    phrases = tuple(dict.fromkeys(phrase for phrase in map(_plain, quotations) if _WORD.search(phrase)))
    return _plain(_PHRASE.sub(" ", text)), phrases


_PARTS: Mapping[QuerySyntax, Callable[[str], tuple[str, tuple[str, ...]]]] = {
    QuerySyntax.OPERATORS: _parts_of_search,
    QuerySyntax.PLAIN: lambda text: (_plain(text), ()),
}
