"""Decide from a document's own words whether a hyphen at a line end belongs to the word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine

__all__ = ["Vocabulary"]

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_BEFORE = re.compile(r"([^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*)[-\u2010]$")
_AFTER = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_SHARED = frozenset("and or und oder et ou to bis y o e".split())  # noqa: SIM905
"""After these words, a hyphen stands for a shared part: `pre- and postwar`."""

_COMPOUND = frozenset("self non well half high low long short full cross multi".split())  # noqa: SIM905
"""Prefixes that are usually hyphenated."""
_HYPHENATED = 0.06
"""Minimum share of long lines ending in a hyphen in a hyphenated document; elsewhere such hyphens are real."""
_LONG = 30
_SUFFIX = re.compile(
    r"[ts]ion(?:s|al|ally)?|ments?|mental|ings?|ness|it(?:y|ies)|[ae]n(?:ce|ces|cy|cies)|ously|ively|tives?"
    r"|at(?:ed|es|ing|ions?)|i[sz](?:ed|es|ing|ations?)|[tdr]?i?cal(?:ly)?|ally|[ai]bly|tures?|cient(?:ly|s)?|fects?|ta?ble"
)
"""English suffixes that are no words themselves."""


class Vocabulary:
    """Words of a document that are not broken at a line end.

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
        """The separator of two lines if the first ends with a hyphen; None: nothing, and the hyphen goes.

        The hyphen goes if the joined word is more frequent elsewhere than the hyphenated one. If neither occurs, it
        goes if the parts are no words of the document and the document hyphenates, or the second part is only a suffix.
        """
        one, two = _BEFORE.search(before), _AFTER.match(after)
        if not one or not two:
            return ""
        if two[0] in _SHARED:
            return " "
        if two[0][0].isupper() and not one[1].isupper():
            return ""
        left, right = one[1].casefold().replace("\u2010", "-"), two[0].casefold().replace("\u2010", "-")
        joined, hyphened = self._counts[left + right], self._counts[f"{left}-{right}"]
        if joined or hyphened:
            return None if joined > hyphened else ""
        first, second = left.rpartition("-")[2], right.partition("-")[0]
        if len(first) == 1 or (first in _COMPOUND and (self._counts[second] or len(second) > 5)):
            return ""
        if not self._hyphenates:
            return None if _SUFFIX.fullmatch(second) and not self._counts[second] else ""
        return "" if self._counts[first] and self._counts[second] else None
