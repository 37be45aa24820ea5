"""Share of a text that a model cannot read, judged by its tokenizer alone.

There are two signs. Unknown tokens: all-MiniLM-L6-v2 has no piece for half of the Chinese characters, nor for any Thai
word. Spelling: it has every Russian, Arabic or Greek letter but no words, so a word becomes single letters, which
mean nothing. The vocabulary, not the text, decides whether a script is spelled: rare words of a script with words
(enzymes, codes, typing errors) become short pieces too, and the model still makes sense of them.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from chunking.text.characters import HAN, kind_of, script_of

__all__ = ["unread_share", "worded_scripts", "words_of"]

_FEWEST_WORDS = 100
"""Minimum pieces of several letters that count as words of a script in a vocabulary.

all-MiniLM-L6-v2 has 27,500 in Latin letters and at most 8 in any other script; multilingual-e5-small has 500 or more in
each of 26 scripts.
"""
_FEWEST_CHARACTERS = 1_000
"""Minimum distinct characters of a readable script whose characters are words.

A Chinese BERT has 7,000 of Chinese, all-MiniLM-L6-v2 244.
"""


class _WordsOnly(dict[int, str | None]):
    """Table for `str.translate` that keeps letters, marks and digits, and spaces most others."""

    def __missing__(self, point: int) -> str | None:
        char = chr(point)
        category = unicodedata.category(char)
        self[point] = result = char if category[0] in "LMN" else None if category == "Cf" else " "
        return result


_WORDS_ONLY = _WordsOnly()


def words_of(text: str) -> list[str]:
    """Split a text into words; emoji, dashes and soft hyphens are none, vowel signs do not part one.

    >>> words_of("snake_case हिन्दी, co\\u00adop → 3")
    ['snake', 'case', 'हिन्दी', 'coop', '3']
    """
    return text.translate(_WORDS_ONLY).split()


def worded_scripts(pieces: Iterable[str]) -> frozenset[str] | None:
    """Return the scripts of which a vocabulary has words; None if it spells every script.

    >>> worded_scripts([*(f"{a}{b}" for a in "abcdefghijk" for b in "lmnopqrstuv"), "ж", "ш"])
    frozenset({'LATIN'})
    """
    words, characters, worded = Counter[str](), defaultdict[str, set[str]](set), set[str]()
    for piece in pieces:
        script = next((script_of(char) for char in piece if char.isalpha()), "")
        if not script or script in worded:
            continue
        letters = [char for char in piece if char.isalpha()]
        words[script] += len(letters) > 1
        characters[script].update(letters)
        if words[script] >= _FEWEST_WORDS or len(characters[script]) >= _FEWEST_CHARACTERS:
            worded.add(script)
    return frozenset(worded) or None


def unread_share(
    text: str, worded: Callable[[], Collection[str] | None], unknown: Callable[[Sequence[str]], Sequence[float]]
) -> float:
    """Return the share of a text's words that the model cannot read, 0 to 1.

    Two Chinese characters count as a word.

    Args:
        worded: returns the vocabulary's `worded_scripts`; not called for ASCII text.
        unknown: returns the share of unknown tokens in each word.
    """
    words = Counter(words_of(text))
    scripts = None if text.isascii() else worded()
    total = unread = 0.0
    for (word, count), share in zip(words.items(), unknown(list(words)), strict=True):
        wide = 0 if word.isascii() else sum(bool(kind_of(char) & HAN) for char in word)
        spelled = _spelled(word, scripts)
        if spelled and len(word) == 1 and not wide and not share:
            continue  # the α of a formula, which English has too; "и" says as little of a Russian text
        weight = count * max(1.0, wide / 2)
        total += weight
        unread += weight * max(share, spelled)
    return unread / total if total else 0.0


def _spelled(word: str, worded: Collection[str] | None) -> float:
    """Return the share of a word's letters in scripts without words.

    A single one among others (µg) is a symbol.
    """
    if worded is None or word.isascii():
        return 0.0
    scripts = list(filter(None, map(script_of, word)))
    foreign = sum(script not in worded for script in scripts)
    return foreign / len(scripts) if foreign > 1 or (foreign and len(scripts) == 1) else 0.0
