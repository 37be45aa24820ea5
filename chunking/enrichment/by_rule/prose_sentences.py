"""The sentences of a document that a reader could meet alone: of its prose, not of headings, code and tables.

Where they start is decided by `text.sentences`, as for splitting, but for the semicolon: half a sentence does not read
well.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from chunking.model import BlockType, Document, Span
from chunking.text.byte_caches import LARGEST_TEXT, byte_cache
from chunking.text.sentences import sentence_starts

__all__ = ["as_line", "plain_sentences", "question_spans", "sentence_spans", "sentences_of", "without_mark"]

_PROSE = frozenset({BlockType.PARAGRAPH, BlockType.LIST, BlockType.QUOTE})
_ITEM = re.compile(r"\n(?=[ \t>]*(?:[-*+•◦▪–]|\d{1,3}[.)、])[ \t]*\S)")
"""Where the next item of a list starts."""
_PARAGRAPHS = re.compile(r"\n[ \t]*\n|\n[ \t]*[-=]{3,}[ \t]*(?:\n|$)|\n(?=[QA问答][:：])")
_MARK = re.compile(r"^(?:[QA问答]\s*[:：]|[•◦▪–*+-](?=\s)|\d{1,2}[.)、](?=\s))\s*")
"""Of an item, a question or an answer."""
_HAN = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}])\s+(?=[{_HAN}])|(?<=[。！？；，：、])\s+")


def as_line(text: str) -> str:
    """A text on one line; no space stays where a line of Chinese was broken.

    >>> as_line(" Two\\n  words. "), as_line("第一行\\n第二行")
    ('Two words.', '第一行第二行')
    """
    return _BETWEEN_HAN.sub("", " ".join(text.split()))


def sentences_of(text: str) -> list[str]:
    """The sentences of a plain text, without the white space between them.

    >>> sentences_of("See e.g. Dr. Li. It opens at 6.30! 门开了。门关了。")
    ['See e.g. Dr. Li.', 'It opens at 6.30!', '门开了。', '门关了。']
    """
    return [text[start:end] for start, end in _spans(text, 0, len(text))]


def without_mark(sentence: str) -> str:
    """A sentence without the mark of an item, a question or an answer before it.

    >>> without_mark("A: No."), without_mark("2. Go on."), without_mark("2.5 m.")
    ('No.', 'Go on.', '2.5 m.')
    """
    return _MARK.sub("", sentence)


def plain_sentences(text: str) -> list[str]:
    """The sentences of a text whose blocks are not known, each on one line: none goes over an empty line, nor has cells
    of a table.

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
    """The sentences of its prose in [start, end), in order; items of lists each by themselves."""
    end = len(document.text) if end is None else end
    found: list[Span] = []
    for block in document.blocks:
        low, high = max(block.start, start), min(block.end, end)
        if block.type in _PROSE and low < high:
            places = [low, *(match.end() for match in _ITEM.finditer(document.text, low, high)), high]
            for first, after in pairwise(places):
                found += _spans(document.text, first, after)
    return found


def question_spans(document: Document) -> list[Span]:
    """The questions of its question-answer pairs, in order."""
    found = []
    for block in document.blocks:
        if block.type is BlockType.QA:
            found += list(_stripped(document.text, block.start, int(block.meta.get("question_end", block.end))))
    return found


def _spans(text: str, start: int, end: int) -> Iterator[Span]:
    starts = _starts(text)
    low, high = bisect_right(starts, start), bisect_left(starts, end)
    for first, after in pairwise([start, *starts[low:high], end]):
        yield from _stripped(text, first, after)


@byte_cache(most=LARGEST_TEXT)
def _starts(text: str) -> array[int]:
    """Where sentences start; of the document at hand kept, as its blocks are looked at one by one."""
    return array("i", sentence_starts(text, semicolons=False).tolist())


def _stripped(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    if piece.strip():
        yield Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
