"""Pair marked (`Q: … A: …`, `问：… 答：…`), numbered or bold questions with their answers.

A pair is one block, so that splitting keeps it together. Nothing is guessed: a question needs a mark, a number or bold
type, and all but marked pairs also a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from chunking.model import Block, BlockType
from chunking.parsing.builder.reader_types import line_breaks, trimmed

__all__ = ["NUMBERED_QUESTION", "pair_questions"]

_LINE = r"(?<![^\r\n])[ \t]*+"
_BULLET = r"(?:[-*+][ \t]++)?+"
_BOLD = r"(?:\*\*|__)?+"
_AFTER = r"[ \t]*+(?:\d{1,4}+[ \t]*+)?+(?:\*\*|__)?+[ \t]*+(?:[:：]|(?<=\d)[.)、．])"
_QUESTION = rf"{_BOLD}(?:Q|Question|问题|問題|问|問|提问|提問|【问】|【問】){_AFTER}"
_ANSWER = rf"{_BOLD}(?:A|Ans|Answer|答案|回答|答复|答|【答】){_AFTER}"
_MARK = rf"{_BULLET}(?:(?P<question>{_QUESTION})|(?P<answer>{_ANSWER}))"
_OPENS = re.compile(_MARK)
_LINE_OPENS = re.compile(_LINE + _MARK)
_BOLD_QUESTION = re.compile(r"(?:\*\*|__)[^\r\n]{2,300}?[?？](?:\*\*|__)[ \t]*(?=[\r\n]|\Z)")
NUMBERED_QUESTION = re.compile(r"(?:\d{1,3}[.)、．]|[（(]\d{1,3}[)）])[ \t]*[^\r\n]{2,300}[?？][ \t]*(?=[\r\n]|\Z)")
"""Start of a line such as `3. How do I …?`."""

_TEXT = frozenset({BlockType.PARAGRAPH, BlockType.LIST})


@dataclass(frozen=True, slots=True)
class _Part:
    """A block, or the part of one from a question or answer mark on."""

    block: Block
    role: str
    """`question`, `answer`, `unmarked` (a question without a mark), or `` for any other."""


def pair_questions(text: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Join each marked, numbered or bold question with the answer after it to a `qa` block.

    `meta["question_end"]` is the offset after the question. Paragraphs and lists are split at questions and answers,
    also where no pair results; other blocks pass unchanged.
    """
    question: _Part | None = None
    for part in (part for block in blocks for part in _parts(text, block)):
        if question is None:
            question = part if part.role in ("question", "unmarked") else None
            if question is None:
                yield part.block
        elif _answers(text, question, part):
            yield _pair(question.block, part.block)
            question = None
        else:
            yield question.block
            question = part if part.role in ("question", "unmarked") else None
            if question is None:
                yield part.block
    if question is not None:
        yield question.block


def _answers(text: str, question: _Part, part: _Part) -> bool:
    if part.role == "answer":
        return True
    return (
        part.role == ""
        and part.block.type in _TEXT
        and text[question.block.start : question.block.end].rstrip("*_ \t")[-1:] in ("?", "？")
    )


def _pair(question: Block, answer: Block) -> Block:
    return replace(question, type=BlockType.QA, end=answer.end, meta={"question_end": question.end})


def _parts(text: str, block: Block) -> Iterator[_Part]:
    """Cut a block before each line that opens a question or an answer."""
    if block.type not in _TEXT:
        yield _Part(block, "")
        return
    first = _OPENS.match(text, block.start, block.end)  # a block starts after its indentation, so not at a line's start
    later = _LINE_OPENS.finditer(text, first.end() if first else block.start, block.end)
    cuts = [(match.start(), match.lastgroup or "") for match in (first, *later) if match]
    if not cuts or not _is_dialogue(cuts):
        yield from _asked_parts(text, block)
        return
    piece = block
    if cuts[0][0] > block.start:
        piece = _piece(text, block, block.start, cuts[0][0])
        yield from _asked_parts(text, piece)
    for (start, role), (end, _) in zip(cuts, [*cuts[1:], (block.end, "")], strict=True):
        piece = _piece(text, piece, start, end)
        yield _Part(piece, role)


def _is_dialogue(cuts: list[tuple[int, str]]) -> bool:
    """True unless the only mark is a stray `A:`: a question, or an answer at the start of the block."""
    return any(role == "question" for _, role in cuts) or len(cuts) == 1


def _asked_parts(text: str, block: Block) -> Iterator[_Part]:
    """Split a block with an unmarked question: it ends with its line, the rest answers it.

    Unless the rest asks again: a list of questions has no answers.
    """
    line = _asks(text, block.start, block.end)
    rest = trimmed(text, line.end(), block.end) if line else None
    if block.type is not BlockType.PARAGRAPH or not line or (rest and _asks(text, *rest)):
        yield _Part(block, "")
    elif not rest:
        yield _Part(block, "unmarked")
    else:
        question = _piece(text, block, block.start, line.end())
        yield _Part(question, "unmarked")
        yield _Part(_piece(text, question, line.end(), block.end), "")


def _asks(text: str, start: int, end: int) -> re.Match[str] | None:
    """Match a bold or numbered question at the start of [start, end)."""
    return _BOLD_QUESTION.match(text, start, end) or NUMBERED_QUESTION.match(text, start, end)


def _piece(text: str, before: Block, start: int, end: int) -> Block:
    """Return [start, end) as a block like `before`, counting lines from there to take linear time."""
    span = trimmed(text, start, end) or (start, end)
    line = None if before.line is None else before.line + line_breaks(text, before.start, span[0])
    meta = {**before.meta, "items": 1} if "items" in before.meta else before.meta
    return replace(before, start=span[0], end=span[1], line=line, meta=meta)
