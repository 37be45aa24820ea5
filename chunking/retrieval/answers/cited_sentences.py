"""Split a model's answer into sentences with the passages each cites.

The text is untrusted: everything in it is words, and the number of a passage that does not exist stays in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from chunking.text.sentences import sentence_starts

__all__ = ["CitedSentence", "cited_sentences"]

_NUMBERS = r"[\[【]\s*\d{1,4}(?:\s*[,，;；]\s*\d{1,4})*\s*[\]】]"
_CITATION = re.compile(_NUMBERS)
_AFTER_STOP = re.compile(rf"([.!?…。！？][\"'”’」』)）]*)(\s*)((?:{_NUMBERS}\s*)+)")
"""Citations behind the full stop of their sentence, where a new one would begin with them."""
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?…。，；：！？](?:\s|$|[\"'”’」』)）]))")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence of an answer."""

    text: str
    """Without its citations; any characters but line ends."""
    numbers: tuple[int, ...]
    """Of the passages that it cites, in their order, each once."""
    new_line: bool
    """It begins a line of the answer."""


def cited_sentences(text: str) -> tuple[CitedSentence, ...]:
    """Sentences of an answer, or of its beginning.

    >>> [(one.text, one.numbers) for one in cited_sentences("Oil it weekly [1]. Keep it dry. [2][3] 门开了【2】。")]
    [('Oil it weekly.', (1,)), ('Keep it dry.', (2, 3)), ('门开了。', (2,))]
    """
    return tuple(sentence for line in text.splitlines() for sentence in _of_line(line))


def _of_line(line: str) -> Iterator[CitedSentence]:
    line = _AFTER_STOP.sub(lambda match: f" {match[3].strip()}{match[1]} ", line).strip()
    starts = [0, *sentence_starts(line, semicolons=False).tolist(), len(line)]
    first = True
    for start, end in pairwise(starts):
        part = line[start:end]
        numbers = dict.fromkeys(
            int(number) for match in _CITATION.findall(part) for number in re.findall(r"\d+", match)
        )
        text = _SPACE_BEFORE_STOP.sub("", " ".join(_CITATION.sub(" ", part).split()))
        if text or numbers:
            yield CitedSentence(text, tuple(numbers), first)
            first = False
