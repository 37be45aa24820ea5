"""Cleaning of language-model answers: one paragraph without markup, links or hidden characters.

Answers are stored, embedded, and shown next to the document's own words. A document may have told the model to write
anything, so nothing but plain words of limited length is kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from chunking.enrichment.prose_sentences import as_line, sentences_of
from chunking.splitting.rendering.markup_cleaning import clean_for_embedding

__all__ = ["MAX_CHARACTERS", "clipped", "plain"]

MAX_CHARACTERS = 8_000
"""Characters of an answer that are read."""

_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,}).*$", re.MULTILINE)
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.|mailto:|javascript:|data:[a-z]+/)[^\s<>\"'，。；）)\]]*", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,1000}>?")
_LEFTOVER = re.compile(r"[<>`*#|~\\{}\[\]]+|_{2,}|-{3,}|={3,}")
_LABEL = re.compile(
    r"^(?:context|summary|description|answer|语境|上下文|摘要|总结|描述|回答)\s*[:：]\s*", re.IGNORECASE
)
_QUOTES = ('""', "''", "“”", "‘’", "「」", "『』")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


def plain(text: str) -> str:
    """Reduce an answer to one paragraph of plain words; "" if it has no letter or digit.

    What comes after 8,000 characters is dropped.

    >>> answer = 'Summary: **Pumps** are in [the guide](https://x.example/a).\\n\\n'
    >>> plain(answer + '<img src=x onerror=alert(1)>See https://x.example/b .')
    'Pumps are in the guide. See.'
    """
    shown = "".join(
        " " if char in "\n\r\t\v\f\u2028\u2029" else char for char in _without_hidden(text[:MAX_CHARACTERS])
    )
    line = _LEFTOVER.sub(" ", shown)
    line = re.sub(r"\s+([.,;:!?])(?=\s|$)", r"\1", as_line(line))
    line = _LABEL.sub("", line)
    for pair in _QUOTES:
        if len(line) > 1 and line[0] == pair[0] and line[-1] == pair[1] and not set(line[1:-1]) & set(pair):
            line = line[1:-1].strip()
    return line if any(char.isalnum() for char in line) else ""


def _without_hidden(text: str) -> str:
    """Remove markup, addresses, and control, direction and private characters."""
    text = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in _HIDDEN)
    return _ADDRESS.sub("", _TAG.sub(" ", clean_for_embedding(_FENCE.sub("", text))))


_LETTERS = 50
"""Maximum characters per unit of room, on average."""


def clipped(text: str, room: int, measure: Callable[[str], int]) -> str:
    """Shorten a text to whole sentences that fit, or to whole words if the first sentence is too long.

    Args:
        room: in the units of `measure`.

    >>> texts = ("It opens. It closes at dusk.", 12), ("It closes at dusk.", 12), ("关门时间是黄昏", 5)
    >>> tuple(clipped(text, tokens, len) for text, tokens in texts)
    ('It opens.', 'It closes…', '关门时间…')
    """
    most = _LETTERS * room
    if len(text) > most:  # its end could not fit, but for a word of thousands of letters, which counts as one token
        text = f"{text[:most].rstrip()}…"
    if measure(text) <= room:
        return text
    kept = ""
    for sentence in sentences_of(text):
        longer = as_line(f"{kept} {sentence}")
        if measure(longer) > room:
            break
        kept = longer
    return kept or _beginning(text, room, measure)


def _beginning(text: str, room: int, measure: Callable[[str], int]) -> str:
    """Return as many whole words (characters, in Chinese) as fit, followed by an ellipsis."""
    ends = [
        match.end()
        for match in re.finditer(
            r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]+", text
        )
    ]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(_cut(text, ends[middle - 1])) <= room:
            low = middle
        else:
            high = middle - 1
    return _cut(text, ends[low - 1]) if low else ""


def _cut(text: str, end: int) -> str:
    return text[:end].rstrip(" ,;:.，；：、。") + "…"
