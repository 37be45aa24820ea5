"""Sentences of a document's prose that can be read alone, and selection of representative ones.

`text.sentences` finds their starts, as for splitting, but not at semicolons: half a sentence does not read well.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunking.model import BlockType, Document, Span
from chunking.text.byte_caches import LARGEST_TEXT, byte_cache
from chunking.text.sentences import sentence_starts

__all__ = [
    "as_line",
    "chosen",
    "plain_sentences",
    "question_spans",
    "sentence_spans",
    "sentences_of",
    "usable",
    "without_mark",
]

_PROSE = frozenset({BlockType.PARAGRAPH, BlockType.LIST, BlockType.QUOTE})
_ITEM = re.compile(r"\n(?=[ \t>]*(?:[-*+•◦▪–]|\d{1,3}[.)、])[ \t]*\S)")
"""Start of the next list item."""
_PARAGRAPHS = re.compile(r"\n[ \t]*\n|\n[ \t]*[-=]{3,}[ \t]*(?:\n|$)|\n(?=[QA问答][:：])")
_MARK = re.compile(r"^(?:[QA问答]\s*[:：]|[•◦▪–*+-](?=\s)|\d{1,2}[.)、](?=\s))\s*")
"""Mark of an item, a question or an answer."""
_HAN = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])|(?<=[。！？；，：、])\s+")

_RELEVANCE = 0.7
"""Weight of relevance against difference from chosen sentences."""
_LEAD = 0.1
"""Bonus for the first sentence of a text, where writers announce the topic."""
_LEANING_COST = 0.15
_SHORT_COST = 0.4
"""Penalty of short sentences, falling to zero at `_ENOUGH` tokens.

They are near everything and say little.
"""
_ENOUGH = 18
_WORSE = 0.55
"""Minimum score as a share of the first choice's; worse sentences are left out even if they fit."""
_ALIKE = 0.95
_MOST = 8
"""Maximum sentences of a summary."""
_LEANING = re.compile(
    r"(?:it|its|(?:this|these)(?! (?:article|book|chapter|data "
    r"?sheet|document|guide|handbook|manual|page|paper|report|section)s?\b)|"
    r"that|those|they|them|their|he|she|his|her|such|so|then|there|here|but|and|or|also|however|therefore|thus|otherwise|instead|"
    r"moreover|both|neither|for example|for instance|in that case|see|yes|no)\b|"
    r"这|那|它|其|此|该|但|而|因此|所以|另外|否则|例如|也",
    re.IGNORECASE,
)
"""Openings of sentences that depend on the one before."""
_ENDED = re.compile(r"[.!?…。！？｡⁇⁈⁉][\"'”’」』）)\]]*$")
_WORD, _HAN_CHOICE = re.compile(r"[^\W\d_]{2,}"), re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_LEAST_WORDS, _LEAST_HAN = 4, 8
_MOST_LETTERS = 5_000
"""Maximum characters of a sentence, however few its tokens."""


def as_line(text: str) -> str:
    """Join a text to one line; line breaks within Chinese leave no space.

    >>> as_line(" Two\\n  words. "), as_line("第一行\\n第二行")
    ('Two words.', '第一行第二行')
    """
    return _BETWEEN_HAN.sub("", " ".join(text.split()))


def sentences_of(text: str) -> list[str]:
    """Split a plain text into sentences without surrounding white space.

    >>> sentences_of("See e.g. Dr. Li. It opens at 6.30! 门开了。门关了。")
    ['See e.g. Dr. Li.', 'It opens at 6.30!', '门开了。', '门关了。']
    """
    return [text[start:end] for start, end in _spans(text, 0, len(text))]


def without_mark(sentence: str) -> str:
    """Remove a leading item, question or answer mark from a sentence.

    >>> without_mark("A: No."), without_mark("2. Go on."), without_mark("2.5 m.")
    ('No.', 'Go on.', '2.5 m.')
    """
    return _MARK.sub("", sentence)


def plain_sentences(text: str) -> list[str]:
    """Split a text without known blocks into one-line sentences, omitting table cells.

    No sentence crosses an empty line.

    >>> plain_sentences("Care\\n\\nClean it.\\nEvery month.\\n\\n| Part | No. |")
    ['Care', 'Clean it.', 'Every month.']
    """
    pieces = [piece for part in _PARAGRAPHS.split(text) for piece in _ITEM.split(part)]
    return [
        line
        for piece in pieces
        for line in map(without_mark, map(as_line, sentences_of(piece)))
        if line and "|" not in line
    ]


def sentence_spans(document: Document, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the sentences of paragraphs, quotes and list items in [start, end), in order."""
    end = len(document.text) if end is None else end
    spans: list[Span] = []
    for block in document.blocks:
        low, high = max(block.start, start), min(block.end, end)
        if block.type in _PROSE and low < high:
            places = [low, *(match.end() for match in _ITEM.finditer(document.text, low, high)), high]
            for first, after in pairwise(places):
                spans += _spans(document.text, first, after)
    return spans


def question_spans(document: Document) -> list[Span]:
    """Return the questions of a document's question-answer pairs, in order."""
    spans = []
    for block in document.blocks:
        if block.type is BlockType.QA:
            spans += list(_stripped(document.text, block.start, int(block.meta.get("question_end", block.end))))
    return spans


def _spans(text: str, start: int, end: int) -> Iterator[Span]:
    starts = _starts(text)
    low, high = bisect_right(starts, start), bisect_left(starts, end)
    for first, after in pairwise([start, *starts[low:high], end]):
        yield from _stripped(text, first, after)


@byte_cache(most=LARGEST_TEXT)
def _starts(text: str) -> array[int]:
    """Return sentence starts of a text; cached, as the blocks of a document are read one by one."""
    return array("i", sentence_starts(text, semicolons=False).tolist())


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    if piece.strip():
        yield Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))


# -- choice: near the middle of all, and different from each other


def usable(sentence: str) -> bool:
    """True if a sentence is fit for a summary: complete, no question, not too short or too long.

    Complete means that it does not start in lower case and ends in a full stop or the like. At least 4 words, or 8
    Chinese characters.

    >>> usable("The gateway keeps thirty days of readings."), usable("For example:"), usable("传感器每十分钟读一次数。")
    (True, False, True)
    """
    if len(sentence) > _MOST_LETTERS:
        return False
    bare = sentence.rstrip("\"'”’」』）)")
    if not _ENDED.search(sentence) or bare.endswith(("?", "？")) or sentence[:1].islower():
        return False
    han = len(_HAN_CHOICE.findall(sentence))
    return han >= _LEAST_HAN if han else len(_WORD.findall(sentence)) >= _LEAST_WORDS


def chosen(
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    tokens: Sequence[int],
    room: int,
    *,
    middle: NDArray[np.float32] | None = None,
) -> list[int]:
    """Choose up to 8 sentences for a summary by relevance and diversity, in reading order.

    Args:
        texts: (n,) sentences.
        vectors: (n, d) their unit vectors.
        tokens: (n,) their lengths.
        room: maximum tokens of the summary.
        middle: (d,) vector of the summarised text; None: sum of the sentences, weighted by length.
    Returns:
        Positions in `texts`; empty if none fits.
    """
    if not len(texts):
        return []
    lengths = np.asarray(tokens, np.float32)
    middle = vectors.T @ lengths if middle is None else middle
    relevance = vectors @ (middle / max(float(np.linalg.norm(middle)), 1e-12))
    relevance -= _SHORT_COST * np.clip(1 - lengths / _ENOUGH, 0, 1)
    relevance -= np.array([_LEANING_COST if _LEANING.match(text) else 0.0 for text in texts], np.float32)
    relevance[0] += _LEAD
    nearest = np.zeros(len(texts), np.float32)
    picks: list[int] = []
    least = -np.inf
    while len(picks) < _MOST:
        open_rows = (lengths <= room) & (nearest < _ALIKE) & (relevance >= least)
        if not open_rows.any():
            break
        best = int(np.where(open_rows, _RELEVANCE * relevance - (1 - _RELEVANCE) * nearest, -np.inf).argmax())
        least = max(least, _WORSE * float(relevance[best]))
        picks.append(best)
        room -= tokens[best]
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return sorted(picks)
