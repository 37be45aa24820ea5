"""Words broken at the end of a line: the document's own words say whether their hyphen belongs to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from chunking.parsing.formats.pdf.layout.lines import PdfLine

__all__ = ["Vocabulary"]

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_BEFORE = re.compile(r"([^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*)[-\u2010]$")
_AFTER = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_SHARED = frozenset("and or und oder et ou to bis y o e".split())  # noqa: SIM905
"""After these a hyphen stands for a word to come: `pre- and postwar`."""

_COMPOUND = frozenset("self non well half high low long short full cross multi".split())  # noqa: SIM905
"""Words that are joined to another by a hyphen more often than they begin one."""
_HYPHENATED = 0.06
"""In a document set with hyphenation at least this share of long lines ends with a hyphen; elsewhere such hyphens are
real.
"""
_LONG = 30
_SUFFIX = re.compile(
    r"[ts]ion(?:s|al|ally)?|ments?|mental|ings?|ness|it(?:y|ies)|[ae]n(?:ce|ces|cy|cies)|ously|ively|tives?"
    r"|at(?:ed|es|ing|ions?)|i[sz](?:ed|es|ing|ations?)|[tdr]?i?cal(?:ly)?|ally|[ai]bly|tures?|cient(?:ly|s)?|fects?|ta?ble"
)
"""Ends of English words that are no words themselves."""


class Vocabulary:
    """The words of a document that stand whole in a line.

    >>> texts = ["the most efficient one is fine-tuned, the effi-", "cient one too"]
    >>> words = Vocabulary(PdfLine(text, 1, (0, 0, 1, 1), 10, False, "", hyphen=text.endswith("-")) for text in texts)
    >>> words.joint("the effi-", "cient one"), words.joint("is fine-", "tuned"), words.joint("pre-", "and postwar")
    (None, '', ' ')
    """

    def __init__(self, lines: Iterable[PdfLine]) -> None:
        self._counts: Counter[str] = Counter()
        broken = False
        long = hyphened = 0
        for line in lines:
            long += len(line.text) > _LONG
            hyphened += line.hyphen and len(line.text) > _LONG
            words = _WORD.findall(line.text.casefold().replace("\u2010", "-"))
            if broken and words:
                del words[0]  # the rest of a broken word is no word
            if line.hyphen and words:
                del words[-1]
            broken = line.hyphen
            self._counts.update(words)
            self._counts.update(part for word in words if "-" in word for part in word.split("-"))
        self._hyphenates = hyphened >= _HYPHENATED * long

    def joint(self, before: str, after: str) -> str | None:
        """What stands between two lines of which the first ends with a hyphen; None: nothing, and the hyphen goes.

        It goes where the joined word stands elsewhere more often than the one with the hyphen, or where neither stands
        anywhere, the parts are no words of the document either, and it breaks words at all or the second is only an
        ending.
        """
        one, two = _BEFORE.search(before), _AFTER.match(after)
        if not one or not two:
            return ""
        if two[0] in _SHARED:
            return " "
        if two[0][0].isupper() and not one[1].isupper():
            return ""
        left, right = one[1].casefold().replace("\u2010", "-"), two[0].casefold().replace("\u2010", "-")
        whole, hyphened = self._counts[left + right], self._counts[f"{left}-{right}"]
        if whole or hyphened:
            return None if whole > hyphened else ""
        first, second = left.rpartition("-")[2], right.partition("-")[0]
        if len(first) == 1 or (first in _COMPOUND and (self._counts[second] or len(second) > 5)):
            return ""
        if not self._hyphenates:
            return None if _SUFFIX.fullmatch(second) and not self._counts[second] else ""
        return "" if self._counts[first] and self._counts[second] else None
