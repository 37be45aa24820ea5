"""Headings as questions, the beginning of their section the answer; and questions that the document asks itself."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from chunking.enrichment.prose_sentences import sentence_spans, usable, without_mark
from chunking.evaluation.questions.generation.drafts import (
    HAN,
    MOST_HAN,
    MOST_LETTERS,
    MOST_LOOKED_AT,
    QuestionDraft,
    bare_span,
    evenly,
    language_of,
    plainly,
)
from chunking.evaluation.questions.generation.question_languages import LANGUAGES
from chunking.evaluation.questions.generation.titles import Titles
from chunking.evaluation.questions.question import Made
from chunking.model import BlockType, Document, Section, Span

__all__ = ["from_headings"]

_ANSWER = re.compile(r"\s*(?:A|答|Answer)\s*[:：.]\s*", re.IGNORECASE)
_START, _END = attrgetter("start"), attrgetter("end")


def from_headings(document: Document) -> Iterator[QuestionDraft]:
    """A question a section that has prose of its own, and one a question-answer pair."""
    yield from _pairs(document)
    titles = Titles.of(document)
    for section in evenly(document.sections, MOST_LOOKED_AT):
        if section.title_made or section.level == 0 or not section.title_path or section.title == document.title:
            continue
        language = LANGUAGES.get(language_of(section.title, document))
        text = titles.question(section, language)
        span = _opening(document, section) if text else None
        if span is not None:
            yield QuestionDraft(
                text, document.doc_id, (span,), Made.HEADING, language.tag if language else document.language
            )


def _pairs(document: Document) -> Iterator[QuestionDraft]:
    """Its question-answer pairs, as they are."""
    for block in document.blocks:
        if block.type is not BlockType.QA:
            continue
        middle = int(block.meta.get("question_end", block.end))
        text = without_mark(plainly(without_mark(document.text[block.start : middle].strip())))
        mark = _ANSWER.match(document.text, middle, block.end)
        start = mark.end() if mark else middle
        body = document.text[start : block.end]
        start += len(body) - len(body.lstrip())
        tag = language_of(text, document) or document.language
        if body.strip() and text.endswith(("?", "？")):
            yield QuestionDraft(text, document.doc_id, (Span(start, start + len(body.strip())),), Made.HEADING, tag)


def _opening(document: Document, section: Section) -> Span | None:
    """The first sentences of a section's own prose, from one that can stand alone on, as far as they stand in one
    block.
    """
    low = bisect_right(document.blocks, section.body_start, key=_END)
    own = document.blocks[low : bisect_left(document.blocks, section.own_end, lo=low, key=_START)]
    for block in own:
        sentences = sentence_spans(replace(document, blocks=(block,)), section.body_start, section.own_end)
        first = next(
            (at for at, span in enumerate(sentences) if usable(plainly(document.text[span.start : span.end]))), None
        )
        if first is None:
            continue
        most = MOST_HAN if HAN.search(document.text, block.start, block.end) else MOST_LETTERS
        start, end = bare_span(document.text, sentences[first]).start, sentences[first].end
        for sentence in sentences[first + 1 :]:
            if sentence.end - start > most:
                break
            end = sentence.end
        return Span(start, end)
    return None
