"""Headings as questions, the beginning of their section the answer; and questions that the document asks itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from chunking.enriching.extractive import usable
from chunking.enriching.plain import plain
from chunking.enriching.sentences import question_spans, sentence_spans, without_mark
from chunking.evaluation.generating.capitals import naturally
from chunking.evaluation.generating.drafts import Draft, Language, bare_span, language_of, pick, short
from chunking.evaluation.generating.languages import LANGUAGES
from chunking.evaluation.questions import Made
from chunking.model import BlockType, Document, Section, Span

__all__ = ["about", "from_headings"]

_NUMBERING = re.compile(
    r"^(?:第\s*[\d一二三四五六七八九十百]+\s*[章节条部篇]|(?:chapter|section|part|appendix|step)\s+[\dA-Z]+[.:]?|附录\s*[A-Z\d]?|"
    r"\(?\d{1,3}(?:\.\d+)*[.)、]?(?!\s*[–—-])|[A-Z]\.|[一二三四五六七八九十]+、)\s*[-–—:：.]?\s*(?=\S)",
    re.IGNORECASE,
)
_NO_TITLE = re.compile("[;；%|@<>]")
_PREPOSITIONS = frozenset("after as at before during for from if in on when while with without".split())  # noqa: SIM905
_ANSWER = re.compile(r"\s*(?:A|答|Answer)\s*[:：.]\s*", re.IGNORECASE)


def from_headings(document: Document) -> Iterator[Draft]:
    """A question a section that has prose of its own, and one a question-answer pair."""
    yield from _pairs(document)
    titles = Counter(section.title.casefold() for section in document.sections)
    for place, section in enumerate(document.sections):
        if section.title_made or section.level == 0 or not section.title_path:
            continue
        span = _opening(document, section)
        if span is None:
            continue
        tag = language_of(section.title, document)
        language = LANGUAGES.get(tag)
        body = document.text[span.start : span.end]
        if language is None or len("".join(body.split())) < language.least or section.title == document.title:
            continue
        text = _asked(document, section, language, titles, place)
        if text:
            yield Draft(text, document.doc_id, (span,), Made.HEADING, tag)


def _pairs(document: Document) -> Iterator[Draft]:
    questions = iter(question_spans(document))
    blocks = (block for block in document.blocks if block.type is BlockType.QA)
    for block, asked in zip(blocks, questions, strict=False):
        text = without_mark(plain(without_mark(document.text[asked.start : asked.end])))
        start = int(block.meta.get("question_end", block.end))
        mark = _ANSWER.match(document.text, start, block.end)
        body = document.text[mark.end() if mark else start : block.end]
        first = block.end - len(body) + len(body) - len(body.lstrip())
        answer = body.strip()
        tag = language_of(text, document)
        if answer and tag and text.endswith(("?", "？")) and block.start <= asked.start < block.end:
            yield Draft(text, document.doc_id, (Span(first, first + len(answer)),), Made.HEADING, tag)


def _asked(document: Document, section: Section, language: Language, titles: Counter[str], place: int) -> str:
    title = without_number(plain(section.title))
    if not short(title) or _NO_TITLE.search(title):
        return ""
    path = [without_number(plain(one)) for one in section.title_path[:-1]]
    over = (path[0] if several_parts(document) else path[-1]) if path else ""
    asked = language.from_heading(title)
    repeated = titles[section.title.casefold()] > 1 or title.casefold() in language.generic
    if asked:
        return "" if repeated else asked
    quoted = "：" in title or ": " in title or title.split()[0].lower() in _PREPOSITIONS
    thing = f"“{title}”" if quoted else naturally(title, document.text) if language.tag == "en" else title
    if repeated or (path and several_parts(document)):
        if not short(over, 50) or language_of(over, document) != language.tag:
            return ""
        thing = language.within.format(thing=thing, over=over)
    return about(language, thing, document, place)


def several_parts(document: Document) -> bool:
    """It has several headings at the top, so that its title is that of its first part."""
    return sum(section.level == 1 for section in document.sections) > 1


def about(language: Language, thing: str, document: Document, place: int) -> str:
    """One of the questions about a thing; the document is named only where its name is one."""
    title = without_number(plain(document.title))
    named = short(title, 50) and language_of(title, document) == language.tag and thing.casefold() not in title.casefold()
    named &= not several_parts(document) and "_" not in title and (language.tag == "zh" or " " in title)
    wordings = [wording for wording in language.about if named or "{title}" not in wording]
    return pick(wordings, place).format(title=title, thing=thing)


def without_number(title: str) -> str:
    """A title without its number.

    >>> without_number("3.2 Alarm rules"), without_number("第 8 章 故障排除"), without_number("5 volts")
    ('Alarm rules', '故障排除', '5 volts')
    """
    found = _NUMBERING.match(title)
    if found and re.fullmatch(r"\d+\s*", found[0]) and not HEADING_NUMBER.match(title):
        return title
    return title[found.end() :].strip() if found else title


HEADING_NUMBER = re.compile(r"\d+\s+[A-Z\u4e00-\u9fff]")
"""A bare number before a word that could begin a title."""


def _opening(document: Document, section: Section) -> Span | None:
    """The first sentences of a section's own prose, from one that can stand alone on, as far as they stand in one block."""
    sentences = sentence_spans(document, section.body_start, section.own_end)
    first = next((at for at, span in enumerate(sentences) if usable(plain(document.text[span.start : span.end]))), None)
    if first is None:
        return None
    start = end = sentences[first].start
    block = next(block for block in document.blocks if block.start <= start < block.end)
    language = LANGUAGES.get(language_of(document.text[block.start : block.end], document))
    if language is None:
        return None
    start = bare_span(document.text, sentences[first]).start
    for sentence in sentences[first:]:
        if sentence.end > block.end or (end > start and sentence.end - start > language.most):
            break
        end = sentence.end
    return Span(start, end)
