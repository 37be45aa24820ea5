"""Identifiers of a query (codes, part numbers, names of code), and the texts that contain them.

Letter case, width and the kind of hyphen do not matter. A text contains an identifier exactly, or as a part of a longer
one (`HX-71` in `HX-711B`), which counts half.

>>> identifiers("What does E-4012 mean, and what is config.retry.max? 代号HX-711B，well-known since the 1990s")
('E-4012', 'config.retry.max', 'HX-711B')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from chunking.retrieval.query.query_parts import QueryParts
from chunking.retrieval.query.query_terms import query_words
from chunking.text.folding import Folded, fold

__all__ = ["QueryIdentifiers", "identifiers"]

_WORD = "[A-Za-z0-9]"
_CANDIDATE = re.compile(rf"(?<!{_WORD}){_WORD}+(?:(?:[-._#]|::?){_WORD}+)*(?!{_WORD})")
_IDENTIFIER = re.compile(
    r"(?=.*[A-Za-z])(?=.*[0-9])"  # letters and digits: E-4012, LM317T
    r"|.*[A-Za-z0-9]_[A-Za-z0-9]"  # max_retries
    r"|[A-Za-z]\w+(?:(?:\.|::)[A-Za-z]\w+)+$"  # config.retry.max, spool::flush
    r"|[a-z]{2,}[A-Z][a-z]\w*$"  # retryBackoff
)
_ORDINARY = re.compile(r"(?i)[0-9]+(?:st|nd|rd|th|s)$|[0-9]+-[a-z]+(?:-[a-z]+)*$|mid-[0-9]+s$")
"""Words with digits: 2nd, 1990s, 12-week."""
_NUMBER = re.compile(r"\s*[0-9]{3,}\s*")
"""Number that is a query of its own."""
_INSIDE = 0.5
"""Worth of an identifier that is part of a longer one."""
_SHORTEST = 3
"""Minimum characters of an identifier that counts inside others: `T1` is in too many."""
_MOST = 10
"""Maximum identifiers of a query that count."""


def identifiers(text: str) -> tuple[str, ...]:
    """Return the identifiers of a query, folded, each once whatever its letter case."""
    folded = fold(text)
    if _NUMBER.fullmatch(folded):
        return (folded.strip(),)
    matches = (match[0] for match in _CANDIDATE.finditer(folded))
    some = [one for one in matches if _IDENTIFIER.match(one) and not _ORDINARY.match(one)]
    return tuple({one.casefold(): one for one in reversed(some)}.values())[::-1][:_MOST]


@dataclass(frozen=True)
class QueryIdentifiers:
    """Identifiers of a query, and their share of its content words."""

    names: tuple[str, ...]
    words: int
    """Content words of the query; an identifier is one."""

    @classmethod
    def of(cls, query: QueryParts) -> QueryIdentifiers:
        """Find the identifiers of a query."""
        names = identifiers(query.text)
        if not names:
            return cls((), 0)
        rest = _CANDIDATE.sub(lambda match: " " if match[0] in names else match[0], fold(query.text))
        return cls(names, len(names) + len(query_words(replace(query, text=rest))))

    @cached_property
    def _patterns(self) -> tuple[tuple[str, re.Pattern[str]], ...]:
        exact = rf"(?<!{_WORD})(?<!{_WORD}[-_.]){{}}(?!{_WORD}|[-_.:]+{_WORD})"
        return tuple((name.casefold(), re.compile(exact.format(re.escape(name.casefold())))) for name in self.names)

    def levels(self, text: str) -> tuple[float, ...]:
        """Return a level for each identifier: 1 if a text contains it, 0.5 inside a longer one, else 0."""
        return self.levels_in(fold(text).casefold())

    def levels_in(self, folded: str) -> tuple[float, ...]:
        """Return the `levels` in a text that is folded and in casefold already."""
        return tuple(
            0.0 if name not in folded else 1.0 if exact.search(folded) else _INSIDE * (len(name) >= _SHORTEST)
            for name, exact in self._patterns
        )

    def places(self, folded: Folded) -> Iterator[tuple[int, float, int, int]]:
        """Yield (number, level, start, end) of each occurrence of the identifiers in a text; see `levels`."""
        small = folded.text.lower()  # casefold would move the offsets
        for number, (name, exact) in enumerate(self._patterns):
            at = small.find(name)
            while at >= 0:
                level = 1.0 if exact.match(small, at) else _INSIDE * (len(name) >= _SHORTEST)
                if level:
                    yield number, level, *folded.span(at, at + len(name))
                at = small.find(name, at + 1)
