"""Where a quote stands in a text: as it is, or but for white space, width, letter case, accents, quote marks and
markup.

A quote that was copied from a page has other line breaks than the text it came from, curly quotes where the file has
straight
ones, composed letters where it has decomposed ones, and no `**`. Such a match is a match.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from chunking.model import Span
from chunking.text.byte_caches import LARGEST_TEXT, byte_cache
from chunking.text.folding import fold as fold_forms
from chunking.text.folding import is_mark

__all__ = ["QuoteFinder", "fold"]

MOST_MATCHES = 1_000
"""Occurrences of a quote that are looked at: a single letter stands everywhere."""

_SINGLE, _DOUBLE, _DASH = "'`´‘’‚‛′‹›", '"“”„‟″«»「」『』〝〞', "-‐‑‒–—―−﹣－"
_SAME = {**dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_DASH, "-"), "…": "..."}
_MARKUP = frozenset("*_`~\\\u00ad")


def fold(text: str) -> str:
    """A text without what does not count in a comparison.

    >>> fold("“Ａ  **bold**\\nmove”") == fold('"a boldmove"'), fold("u\\u0308ber") == fold("über")
    (True, True)
    """
    return "".join(map(_folded_character, text))


class QuoteFinder:
    """A text in which quotes are looked up; what that takes is made when it is first needed, and kept for the next."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str) -> list[Span]:
        """Every place at which a quote stands, in order.

        Args:
            quote: white space around it does not count.
        Returns:
            Exact matches; where there is none, those that differ in white space, width, letter case, accents, quote
            marks or markup
            only. An accent behind the last letter belongs to it.
            Matches that begin or end inside a word only where there is no other.
        """
        quote = quote.strip()
        if not quote or len(quote) > 4 * len(self.text) + 64:
            return []
        exact = [Span(at, at + len(quote)) for at in _occurrences(quote, self.text)]
        if exact:
            return self._at_words(exact)
        wanted = fold(quote)
        if not wanted:
            return []
        folded, offsets = self.folded
        found = [
            Span(int(offsets[at]), self._behind(int(offsets[at + len(wanted) - 1])))
            for at in _occurrences(wanted, folded)
        ]
        return self._at_words(found)

    def _behind(self, last: int) -> int:
        """Offset behind a character and the accents on it."""
        end = last + 1
        while end < len(self.text) and is_mark(self.text[end]):
            end += 1
        return end

    @cached_property
    def folded(self) -> tuple[str, NDArray[np.int32]]:
        """(folded text, (n,) for each of its characters the offset of the one it came from)."""
        return _folded(self.text)

    def _at_words(self, spans: list[Span]) -> list[Span]:
        """Those that begin and end where words do, or all."""
        return [
            span for span in spans if not self._inside_word(span.start) and not self._inside_word(span.end)
        ] or spans

    def _inside_word(self, offset: int) -> bool:
        return 0 < offset < len(self.text) and _joins(self.text[offset - 1]) and _joins(self.text[offset])


@byte_cache(most=LARGEST_TEXT)
def _folded(text: str) -> tuple[str, NDArray[np.int32]]:
    """Some six to nine bytes a character."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    forms = {char: _folded_character(char) for char in set(text)}
    lengths, firsts = np.zeros((2, int(codes.max(initial=0)) + 1), np.int32)
    done = 0
    for char, form in forms.items():
        lengths[ord(char)], firsts[ord(char)] = len(form), done
        done += len(form)
    letters = np.frombuffer("".join(forms.values()).encode("utf-32-le", "surrogatepass"), np.uint32)
    each = lengths[codes]
    offsets = np.repeat(np.arange(len(codes), dtype=np.int32), each)
    within = np.arange(len(offsets), dtype=np.int32) - np.repeat(np.cumsum(each, dtype=np.int32) - each, each)
    made = letters[firsts[codes[offsets]] + within]
    return made.tobytes().decode("utf-32-le", "surrogatepass"), offsets


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    for _ in range(MOST_MATCHES):
        if at < 0:
            return
        yield at
        at = text.find(wanted, at + 1)


def _joins(char: str) -> bool:
    """A letter or digit of a script that has spaces between words."""
    return char.isalnum() and not ("\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or char >= "\U00020000")


@lru_cache(maxsize=65_536)
def _folded_character(char: str) -> str:
    if char in _SAME:
        return _SAME[char] if char != "`" else ""
    if char.isspace() or char in _MARKUP or unicodedata.category(char) in ("Cf", "Cc"):
        return ""
    # Decomposed, so that the form of a character does not depend on its neighbours; accents go, and voice marks of kana
    # stay.
    wide = "".join(
        one if one in "\u3099\u309a" else fold_forms(one) for one in unicodedata.normalize("NFKD", char)
    ).lower()
    return "".join(_SAME.get(one, one) for one in wide if not one.isspace())
