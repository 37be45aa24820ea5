"""Summaries by rule: representative sentences of a section or document, and their wording."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chunking.enrichment.by_llm.plain_answers import clipped
from chunking.enrichment.prose_sentences import (
    as_line,
    chosen,
    question_spans,
    sentence_spans,
    usable,
    without_mark,
)
from chunking.model import Chunk, Document, Section, Span
from chunking.splitting.rendering.markup_cleaning import without_markup

__all__ = ["Extracts", "SpanVectors", "shown", "wording_for"]

SpanVectors = Callable[[Document, NDArray[np.int32], NDArray[np.int32]], NDArray[np.float32]]
"""Function from (n,) starts and ends of spans of a document to (n, d) unit vectors."""

_BEGINNING = 4_000
"""Characters read of a section without sentences."""
_TITLES = 0.5
"""Maximum share of a summary for the titles of subsections."""
_NUMBER = re.compile(r"^(?:第\s*[\d一二三四五六七八九十百]+\s*[章节節]|\d+(?:\.\d+)*[.)]?)\s+(?=\S)")
"""Numbering of a heading."""
_ROWS = re.compile(r", here rows? \d+(?: to \d+)?|，以下是第\d+(?:至\d+)?行")
"""Mention of row numbers in the description of a part of a table."""
_OPEN_END = re.compile(r"(?<![.!?…。！？；;:：,，])$")


class Extracts:
    """Extractive summaries of one document; its sentence vectors are computed on first use."""

    def __init__(
        self, document: Document, chunks: Sequence[Chunk], vectors: SpanVectors, count: Callable[[str], int], size: int
    ) -> None:
        """Store the inputs; nothing is counted or embedded yet.

        Args:
            chunks: the document's; their table descriptions are used for sections without sentences.
            size: maximum tokens of a section's summary.
        """
        self._document, self._vectors_of, self._count, self._size = document, vectors, count, size
        self.subsections: defaultdict[str | None, list[Section]] = defaultdict(list)
        for section in document.sections:
            self.subsections[section.parent_id].append(section)
        self._tables: defaultdict[str, list[str]] = defaultdict(list)
        for chunk in chunks:
            if chunk.description:
                self._tables[chunk.section_id].append(_ROWS.sub("", chunk.description))
        self._words = wording_for(document.language)
        self._rows: dict[str, list[int]] = {}
        self._said_of: dict[str, str] = {}

    def section(self, section: Section) -> str:
        """Summarise a section: its best sentences, or its introduction and the titles of its subsections.

        Without sentences: its table descriptions, the beginning of its text, its subsections' summaries, or its title.
        """
        cached = self._said_of.get(section.section_id)
        if cached is None:
            own, below = self._own(section), self.subsections[section.section_id]
            text = self._of_parts(own, below, section.start, section.end, self._size)
            cached = self._said_of[section.section_id] = text or self._without_sentences(section)
        return cached

    def document(self, room: int) -> str:
        """Summarise the document in at most `room` tokens.

        If it has only one top heading, from the text and sections under that; without sentences, by its beginning.
        """
        top = [section for section in self.subsections[None] if not section.title_made]
        own, parts = range(self._place(top[0].start) if top else len(self._texts)), top
        if len(top) == 1:
            own, parts = range(self._place(top[0].own_end)), self.subsections[top[0].section_id]
        text = self._of_parts(own, parts, 0, len(self._document.text), room)
        return text or clipped(
            _in_one_line(shown(self._document, 0, min(len(self._document.text), _BEGINNING))), room, self._count
        )

    def _of_parts(self, own: range, parts: Sequence[Section], start: int, end: int, room: int) -> str:
        """Choose sentences of the introduction and titles of the parts.

        Without introduction, sentences of the parts.
        """
        titles = self._titles(parts, round(room * _TITLES))
        left = room - self._count(titles)
        if own and left < self._tokens[own[0]] <= room:  # the first sentence says more than the titles
            left = room
        rows = self._best(own, start, end, left)
        if not own:
            rows = self._best([row for part in parts for row in self._section_rows(part)], start, end, left)
        sentences = as_line(" ".join(self._texts[row] for row in rows))
        return as_line(f"{sentences} {self._titles(parts, room - self._count(sentences)) if sentences else titles}")

    def _titles(self, parts: Sequence[Section], room: int) -> str:
        """List the titles of subsections that fit; empty for fewer than two."""
        titles = [_NUMBER.sub("", part.title) for part in parts if not part.title_made]
        words = self._words

        def phrase(kept: int) -> str:
            return (words.parts if kept == len(titles) else words.more).format(titles=words.comma.join(titles[:kept]))

        if len(titles) > 1 and self._count(phrase(len(titles))) <= room:
            return phrase(len(titles))
        # Halving, as the count only grows with the titles: a document may have thousands of parts.
        some = bisect_right(range(2, len(titles)), room, key=lambda kept: self._count(phrase(kept)))
        return phrase(some + 1) if some else ""

    def _without_sentences(self, section: Section) -> str:
        text = " ".join(dict.fromkeys(self._tables[section.section_id]))
        text = text or _in_one_line(
            shown(self._document, section.body_start, min(section.own_end, section.body_start + _BEGINNING))
        )
        text = text or " ".join(self.section(part) for part in self.subsections[section.section_id])
        return clipped(text or section.title, self._size, self._count)

    def _section_rows(self, section: Section) -> list[int]:
        """Return the sentence rows that represent a section in its parent's summary.

        They are from its own text, else from its parts.
        """
        cached = self._rows.get(section.section_id)
        if cached is None:
            rows = list(self._own(section)) or [
                row for part in self.subsections[section.section_id] for row in self._section_rows(part)
            ]
            cached = self._rows[section.section_id] = self._best(rows, section.start, section.end, self._size)
        return cached

    def _own(self, section: Section) -> range:
        """Return the rows of the section's own text, before its subsections."""
        return range(self._place(section.body_start), self._place(section.own_end))

    def _place(self, offset: int) -> int:
        return bisect_left(self._starts, offset)

    def _best(self, rows: Sequence[int], start: int, end: int, room: int) -> list[int]:
        """Return the best of some rows for the text in [start, end)."""
        if not rows or room <= 0:
            return []
        inside = slice(self._place(start), self._place(end))
        middle = self._vectors[inside].T @ np.asarray(self._tokens[inside], np.float32)
        texts, tokens = [self._texts[row] for row in rows], [self._tokens[row] for row in rows]
        return [rows[row] for row in chosen(texts, self._vectors[list(rows)], tokens, room, middle=middle)]

    @cached_property
    def _sentences(self) -> list[tuple[Span, str]]:
        """Usable sentences with their spans, in order; of a question-answer pair the question."""
        sentences = [(span, text) for span in sentence_spans(self._document) if usable(text := self._bare(span))]
        questions = [(span, self._bare(span)) for span in question_spans(self._document)]
        return sorted(sentences + [row for row in questions if row[1]])

    def _bare(self, span: Span) -> str:
        """Return a sentence without a leading item or question mark."""
        return without_mark(as_line(shown(self._document, *span)))

    @cached_property
    def _texts(self) -> list[str]:
        return [text for _, text in self._sentences]

    @cached_property
    def _starts(self) -> list[int]:
        return [span.start for span, _ in self._sentences]

    @cached_property
    def _tokens(self) -> list[int]:
        return [self._count(text) for text in self._texts]

    @cached_property
    def _vectors(self) -> NDArray[np.float32]:
        spans = np.array([span for span, _ in self._sentences], np.int32).reshape(-1, 2)
        return self._vectors_of(self._document, spans[:, 0], spans[:, 1])


def shown(document: Document, start: int, end: int) -> str:
    """Return a span of a document's text without its markup."""
    return without_markup(document.format, document.text[start:end])


def _in_one_line(text: str) -> str:
    """Join lines that do not end as sentences, such as list items, with semicolons."""
    lines = [line.strip(" \t•") for line in text.splitlines() if line.strip(" \t•")]
    return as_line(" ".join([*(_OPEN_END.sub(";", line) for line in lines[:-1]), *lines[-1:]]))


# -- wording: where a chunk is and what a text has in it, in English and Chinese


@dataclass(frozen=True, slots=True)
class RuleWording:
    """Templates of one language, filled with titles and sentences of the document."""

    source: str
    """Template for the document."""
    paged: str
    """Template for the document and the page."""
    between: str
    after: str
    before: str
    """Templates for neighbouring headings of the section; one of three is used, or none."""
    opening: str
    """Template for the first sentence of the section, for chunks that do not contain it."""
    parts: str
    more: str
    """Templates for the titles of subsections, all or the first of them."""
    comma: str


WORDINGS: dict[str, RuleWording] = {
    "en": RuleWording(
        source='From "{title}".',
        paged='From "{title}", page {page}.',
        between='It stands between "{before}" and "{after}".',
        after='It follows "{before}".',
        before='"{after}" follows.',
        opening="The section opens: {sentence}",
        parts="It covers: {titles}.",
        more="It covers: {titles}, and more.",
        comma="; ",
    ),
    "zh": RuleWording(
        source="摘自《{title}》。",
        paged="摘自《{title}》第{page}页。",
        between="位于“{before}”与“{after}”之间。",
        after="上承“{before}”。",
        before="下接“{after}”。",
        opening="本节开头：{sentence}",
        parts="内容包括：{titles}。",
        more="内容包括：{titles}等。",
        comma="；",
    ),
}


def wording_for(language: str) -> RuleWording:
    """Return the wording of a language, or the English one."""
    return WORDINGS["zh" if language.partition("-")[0] == "zh" else "en"]
