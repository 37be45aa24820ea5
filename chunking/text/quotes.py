"""Find quotes in a text, exactly, ignoring invisible differences, or with some words changed.

A quote copied from a page has other line breaks than the text it came from, curly quotes where the file has straight
ones, composed letters where it has decomposed ones, and no `**`. White space, width, letter case, accents, quote
marks and markup do not count.

Near matches have words replaced, left out or put in. Every distinct word of the quote becomes one character, and all
other words of the text become the same one, so that rapidfuzz finds the stretch that shares most words with the quote
(its partial ratio); around it the two are aligned word by word. The work is bounded by the compared words of the
quote. The index takes eight bytes per word of the text.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel
from rapidfuzz.fuzz import partial_ratio_alignment

from chunking.model import Span
from chunking.text.byte_caches import LARGEST_TEXT, byte_cache
from chunking.text.folding import MARKS, is_mark
from chunking.text.folding import fold as fold_forms

__all__ = ["QuoteFinder", "fold", "near_spans"]

MOST_MATCHES = 1_000
"""Maximum occurrences of a quote that are returned: a single letter is everywhere."""

_SINGLE, _DOUBLE, _DASH = "'`´‘’‚‛′‹›", '"“”„‟″«»「」『』〝〞', "-‐‑‒–—―−﹣－"
_SAME = {**dict.fromkeys(_SINGLE, "'"), **dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_DASH, "-"), "…": "..."}
_MARKUP = frozenset("*_`~\\\u00ad")

_ALONE = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_WORD = re.compile(
    f"[{_ALONE}][\u3099\u309a]?|[\uff66-\uff9d][\uff9e\uff9f]?|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?"
    rf"|[^\W_{_ALONE}](?:[^\W_{_ALONE}]|[{MARKS}\u00ad\u200b-\u200d])*+"
)
"""A word, or a character of a script without spaces, composed or decomposed."""
_BEFORE, _AFTER = re.compile(r"[^\w\s]{1,4}"), re.compile(r"[^\w\s]{1,4}\Z")
_LEAST_WORDS = 2
_COMPARED = 100
"""Words compared of a quote; of a longer one, at either end."""
_CANDIDATES = 5
_LEAST_ALIKE = 0.55
"""Minimum share of words, on both sides together, that are equal and in order."""
_WORTH_ALIGNING = 45.0
"""Minimum similarity, in percent, of a stretch as long as the quote.

It is low, as insertions move the end of the match.
"""
_LETTERS = 6_000
"""Characters of a quote that are compared, at either end."""
_OTHER, _USED, _FIRST_CODE = 0, chr(1), 2
"""Codes of words not in the quote, of a stretch already matched, and of the quote's first word."""
_LOW = 0xFFFF
"""Bits of a word's digest that rule out most words not in the quote."""


def fold(text: str) -> str:
    """Fold a text for quote comparison: no white space, markup, case, accents or quote styles.

    >>> fold("“Ａ  **bold**\\nmove”") == fold('"a boldmove"'), fold("u\\u0308ber") == fold("über")
    (True, True)
    """
    return "".join(map(_folded_character, text))


class QuoteFinder:
    """Finder of quotes in one text; its folded text is made on first use and cached."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str) -> list[Span]:
        """Find the occurrences of a quote, in order, at most `MOST_MATCHES`.

        Args:
            quote: surrounding white space does not count.
        Returns:
            Exact matches; if there is none, those that differ only in white space, width, letter case, accents, quote
            marks or markup. An accent after the last letter belongs to it. Matches that begin or end inside a word are
            returned only if there is no other.
        """
        quote = quote.strip()
        if not quote or len(quote) > 4 * len(self.text) + 64:
            return []
        exact = [Span(at, at + len(quote)) for at in _occurrences(quote, self.text)]
        if exact:
            return self._at_words(exact)
        folded_quote = fold(quote)
        if not folded_quote:
            return []
        folded, offsets = self.folded
        matches = [
            Span(int(offsets[at]), self._behind(int(offsets[at + len(folded_quote) - 1])))
            for at in _occurrences(folded_quote, folded)
        ]
        return self._at_words(matches)

    def _behind(self, last: int) -> int:
        """Return the offset after a character and its accents."""
        end = last + 1
        while end < len(self.text) and is_mark(self.text[end]):
            end += 1
        return end

    @cached_property
    def folded(self) -> tuple[str, NDArray[np.int32]]:
        """The folded text, and (n,) the original offset of each of its characters."""
        return _folded(self.text)

    def _at_words(self, spans: list[Span]) -> list[Span]:
        """Return the spans that begin and end at word boundaries, or all if there are none."""
        return [
            span for span in spans if not self._inside_word(span.start) and not self._inside_word(span.end)
        ] or spans

    def _inside_word(self, offset: int) -> bool:
        return 0 < offset < len(self.text) and _joins(self.text[offset - 1]) and _joins(self.text[offset])


@byte_cache(most=LARGEST_TEXT)
def _folded(text: str) -> tuple[str, NDArray[np.int32]]:
    """Fold a text with offsets: six to nine bytes per character."""
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
    positions = np.arange(len(offsets), dtype=np.int32) - np.repeat(np.cumsum(each, dtype=np.int32) - each, each)
    folded_letters = letters[firsts[codes[offsets]] + positions]
    return folded_letters.tobytes().decode("utf-32-le", "surrogatepass"), offsets


def _occurrences(quote: str, text: str) -> Iterator[int]:
    at = text.find(quote)
    for _ in range(MOST_MATCHES):
        if at < 0:
            return
        yield at
        at = text.find(quote, at + 1)


def _joins(char: str) -> bool:
    """True for a letter or digit of a script with spaces between words."""
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


def near_spans(quote: str, text: str, most: int = 3) -> tuple[Span, ...]:
    """Find places that share most of a quote's words in its order, best first.

    Of a long quote its beginning and its end are searched, and the text between them is accepted as it is.

    Args:
        most: maximum number of places; they do not overlap.
    Returns:
        Spans from the first common word to the last; none with less than about half of the words, or for a quote of
        one word.
    """
    head, tail = _words(quote[:_LETTERS])[:_COMPARED], _words(quote[-_LETTERS:])[-_COMPARED:]
    index = _indexed(text)
    if len(head) < _LEAST_WORDS or not len(index.starts):
        return ()
    matches = _matches(head, index.coded(head, text))
    if len(quote) > _LETTERS or len(_words(quote)) > _COMPARED:
        matches = _joined(matches, _matches(tail, index.coded(tail, text)), len(quote))
    kept: list[tuple[int, int]] = []
    for alike, start, end in sorted(matches, key=lambda place: (-place[0], place[1])):
        if alike >= _LEAST_ALIKE and not any(start < after and first < end for first, after in kept):
            kept.append((start, end))
    return tuple(Span(*_with_marks(quote.strip(), text, start, end)) for start, end in kept[:most])


Place = tuple[float, int, int]
"""(similarity, start, end) of a match."""


def _matches(quote_words: list[str], words: _Words) -> list[Place]:
    coded = "".join(words.codes[word] for word in quote_words)
    return [_compared(coded, words, begin) for begin in _candidates(coded, words)]


def _joined(heads: list[Place], tails: list[Place], length: int) -> list[Place]:
    """Join matches of the quote's beginning with matches of its end at about the right distance."""
    pairs = (
        (head, tail) for head in heads for tail in tails if head[0] and length / 2 <= tail[2] - head[1] <= 2 * length
    )
    return [((head[0] + tail[0]) / 2, head[1], tail[2]) for head, tail in pairs]


def _with_marks(quote: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span by the marks that the quote has before its first word and after its last."""
    before, after = _BEFORE.match(quote), _AFTER.search(quote)
    while before and start > 0 and text[start - 1] in before[0]:
        start -= 1
    while after and end < len(text) and text[end] in after[0]:
        end += 1
    return start, end


@dataclass(frozen=True, slots=True)
class _Words:
    """Words of a document, coded as one character each for one quote."""

    document: str
    codes: dict[str, str]
    """Code character of each distinct word of the quote."""
    text: str
    """(n,) code characters of the document's words."""
    starts: Sequence[int]
    """(n,) offset of each word."""

    def end(self, number: int) -> int:
        """Return the offset after a word."""
        match = _WORD.match(self.document, self.starts[number])
        return match.end() if match else self.starts[number]


@dataclass(frozen=True, slots=True)
class _Index:
    """Index of a text: a digest and an offset per word."""

    digests: NDArray[np.uint32]
    """(n,) CRC-32; collisions are rarer than misprints and do no more harm."""
    starts: NDArray[np.int32]
    """(n,) offsets."""

    def coded(self, words: list[str], text: str) -> _Words:
        """Code the words of the text for a quote with these words."""
        different = list(dict.fromkeys(words))  # 100 at most, so that a code is a byte
        quote_digests = np.array([_digest(word) for word in different], np.uint32)
        may_be = np.zeros(_LOW + 1, np.bool_)
        may_be[quote_digests & _LOW] = True
        places = np.flatnonzero(may_be[self.digests & _LOW])
        order = np.argsort(quote_digests)
        at = np.minimum(np.searchsorted(quote_digests[order], self.digests[places]), len(quote_digests) - 1)
        coded = np.full(len(self.digests), _OTHER, np.uint8)
        same = quote_digests[order][at] == self.digests[places]
        coded[places[same]] = order[at[same]] + _FIRST_CODE
        codes = {word: chr(number) for number, word in enumerate(different, _FIRST_CODE)}
        return _Words(text, codes, coded.tobytes().decode("latin-1"), self.starts.data)


@byte_cache(most=LARGEST_TEXT)
def _indexed(text: str) -> _Index:
    digests, starts = array("I"), array("i")
    for match in _WORD.finditer(text):
        digests.append(_digest(_plain(match[0])))
        starts.append(match.start())
    return _Index(np.array(digests, np.uint32), np.array(starts, np.int32))


def _digest(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _words(text: str) -> list[str]:
    return [_plain(word) for word in _WORD.findall(text)]


def _plain(word: str) -> str:
    return (word if word.isascii() else fold_forms(word)).lower()


def _candidates(coded: str, words: _Words) -> Iterator[int]:
    """Yield the likely first words of the quote in the text, best first."""
    text = words.text
    for _ in range(_CANDIDATES):
        best = partial_ratio_alignment(coded, text, score_cutoff=_WORTH_ALIGNING)
        if best is None:
            return
        if len(text) < len(coded):
            yield 0
            return
        yield best.dest_start
        text = text[: best.dest_start] + _USED * (best.dest_end - best.dest_start) + text[best.dest_end :]


def _compared(coded: str, words: _Words, begin: int) -> Place:
    """Align the quote word by word around a place and return the match."""
    slack = max(3, len(coded) // 4)
    low = max(begin - slack, 0)
    blocks = _blocks(coded, words.text[low : begin + len(coded) + slack], low)
    if not blocks:
        return 0.0, 0, 0
    last, size = blocks[-1]
    return _alike(blocks, len(coded)), words.starts[blocks[0][0]], words.end(last + size - 1)


def _blocks(coded: str, there: str, low: int) -> list[tuple[int, int]]:
    """Return (word number, word count) of each matching run, in order, without stray words at the edges."""
    blocks = [(low + block.b, block.size) for block in Indel.editops(coded, there).as_matching_blocks() if block.size]
    while len(blocks) > 1:  # a stray word at an edge makes the place longer than it is alike
        shorter = max((blocks[1:], blocks[:-1]), key=lambda some: _alike(some, len(coded)))
        if _alike(shorter, len(coded)) < _alike(blocks, len(coded)):
            break
        blocks = shorter
    return blocks


def _alike(blocks: list[tuple[int, int]], length: int) -> float:
    """Return the share of equal words, of the quote's words and those from the first run to the last."""
    first, (last, size) = blocks[0][0], blocks[-1]
    return 2 * sum(size for _, size in blocks) / (length + last + size - first)
