"""Summaries by rule: sentences that represent a section or document, and their wording."""

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
"""(n,) starts and ends of spans of a document to (n, d) unit vectors of them."""

_BEGINNING = 4_000
"""Characters of a section without sentences that are looked at."""
_TITLES = 0.5
"""Most of a summary that its parts' titles take."""
_NUMBER = re.compile(r"^(?:第\s*[\d一二三四五六七八九十百]+\s*[章节節]|\d+(?:\.\d+)*[.)]?)\s+(?=\S)")
"""What only numbers a heading."""
_ROWS = re.compile(r", here rows? \d+(?: to \d+)?|，以下是第\d+(?:至\d+)?行")
"""What the sentence about a part of a table says of that part."""
_OPEN_END = re.compile(r"(?<![.!?…。！？；;:：,，])$")


class Extracts:
    """Choose from one document's sentences; their vectors are computed when first needed."""

    def __init__(
        self, document: Document, chunks: Sequence[Chunk], vectors: SpanVectors, count: Callable[[str], int], size: int
    ) -> None:
        """Take what is known; nothing is counted or embedded yet.

        Args:
            chunks: the document's; what is said of their tables stands for sections without sentences.
            size: most tokens of a section's summary.
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
        """For a section without parts its best sentences; else its introduction, and what the parts are called.

        Where it has no sentence: what its tables list, the beginning of its text, its parts' summaries, or its title.
        """
        cached = self._said_of.get(section.section_id)
        if cached is None:
            own, below = self._own(section), self.subsections[section.section_id]
            text = self._of_parts(own, below, section.start, section.end, self._size)
            cached = self._said_of[section.section_id] = text or self._without_sentences(section)
        return cached

    def document(self, room: int) -> str:
        """For the whole: the same, of what stands under its only top heading where there is one."""
        top = [section for section in self.subsections[None] if not section.title_made]
        own, parts = range(self._place(top[0].start) if top else len(self._texts)), top
        if len(top) == 1:
            own, parts = range(self._place(top[0].own_end)), self.subsections[top[0].section_id]
        text = self._of_parts(own, parts, 0, len(self._document.text), room)
        return text or clipped(
            _in_one_line(shown(self._document, 0, min(len(self._document.text), _BEGINNING))), room, self._count
        )

    def _of_parts(self, own: range, parts: Sequence[Section], start: int, end: int, room: int) -> str:
        """Sentences of an introduction and the titles of the parts; sentences of the parts where there is no
        introduction.
        """
        titles = self._titles(parts, round(room * _TITLES))
        left = room - self._count(titles)
        if own and left < self._tokens[own[0]] <= room:  # the first sentence says more than the titles
            left = room
        rows = self._best(own, start, end, left)
        if not own:
            rows = self._best([row for part in parts for row in self._section_rows(part)], start, end, left)
        said = as_line(" ".join(self._texts[row] for row in rows))
        return as_line(f"{said} {self._titles(parts, room - self._count(said)) if said else titles}")

    def _titles(self, parts: Sequence[Section], room: int) -> str:
        """What the sections below are called, as many as there is room for; empty for fewer than two."""
        titles = [_NUMBER.sub("", part.title) for part in parts if not part.title_made]
        words = self._words

        def said(kept: int) -> str:
            return (words.parts if kept == len(titles) else words.more).format(titles=words.comma.join(titles[:kept]))

        if len(titles) > 1 and self._count(said(len(titles))) <= room:
            return said(len(titles))
        # Halving, as the count only grows with the titles: a document may have thousands of parts.
        some = bisect_right(range(2, len(titles)), room, key=lambda kept: self._count(said(kept)))
        return said(some + 1) if some else ""

    def _without_sentences(self, section: Section) -> str:
        text = " ".join(dict.fromkeys(self._tables[section.section_id]))
        text = text or _in_one_line(
            shown(self._document, section.body_start, min(section.own_end, section.body_start + _BEGINNING))
        )
        text = text or " ".join(self.section(part) for part in self.subsections[section.section_id])
        return clipped(text or section.title, self._size, self._count)

    def _section_rows(self, section: Section) -> list[int]:
        """The rows that stand for a section where its parent is summarised: of its own text, else of its parts."""
        cached = self._rows.get(section.section_id)
        if cached is None:
            rows = list(self._own(section)) or [
                row for part in self.subsections[section.section_id] for row in self._section_rows(part)
            ]
            cached = self._rows[section.section_id] = self._best(rows, section.start, section.end, self._size)
        return cached

    def _own(self, section: Section) -> range:
        """The rows of its own text, before its parts."""
        return range(self._place(section.body_start), self._place(section.own_end))

    def _place(self, offset: int) -> int:
        return bisect_left(self._starts, offset)

    def _best(self, rows: Sequence[int], start: int, end: int, room: int) -> list[int]:
        """The best of some rows for the text in [start, end)."""
        if not rows or room <= 0:
            return []
        inside = slice(self._place(start), self._place(end))
        middle = self._vectors[inside].T @ np.asarray(self._tokens[inside], np.float32)
        texts, tokens = [self._texts[row] for row in rows], [self._tokens[row] for row in rows]
        return [rows[row] for row in chosen(texts, self._vectors[list(rows)], tokens, room, middle=middle)]

    @cached_property
    def _sentences(self) -> list[tuple[Span, str]]:
        """Those that can be chosen, with their texts, in order; of a question-answer pair the question."""
        sentences = [(span, text) for span in sentence_spans(self._document) if usable(text := self._bare(span))]
        questions = [(span, self._bare(span)) for span in question_spans(self._document)]
        return sorted(sentences + [row for row in questions if row[1]])

    def _bare(self, span: Span) -> str:
        """A sentence without a mark of an item or a question before it."""
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
    """A span as a reader sees it."""
    return without_markup(document.format, document.text[start:end])


def _in_one_line(text: str) -> str:
    """Lines that do not end as sentences, such as the items of a list, parted by semicolons."""
    lines = [line.strip(" \t•") for line in text.splitlines() if line.strip(" \t•")]
    return as_line(" ".join([*(_OPEN_END.sub(";", line) for line in lines[:-1]), *lines[-1:]]))


# -- wording: where a chunk is and what a text has in it, in English and Chinese


@dataclass(frozen=True, slots=True)
class RuleWording:
    """How a language says it. Fields are filled with titles and sentences of the document."""

    source: str
    """The document."""
    paged: str
    """The document, and the page."""
    between: str
    after: str
    before: str
    """Headings beside the section; one of the three, or none."""
    opening: str
    """The first sentence of the section, for chunks that do not hold it."""
    parts: str
    more: str
    """Headings below, all or the first of them."""
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
    """That of a language, else the English one."""
    return WORDINGS["zh" if language.partition("-")[0] == "zh" else "en"]
