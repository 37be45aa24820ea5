"""Titles as questions: without their numbers, and with the one above where they say nothing alone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from chunking.enrichment.by_llm.plain_answers import plain
from chunking.evaluation.questions.generation.drafts import language_of, short
from chunking.evaluation.questions.generation.question_languages import QuestionLanguage
from chunking.model import Document, Section

__all__ = ["Titles", "without_number"]

_NUMBERING = re.compile(
    r"^(?:第\s*[\d一二三四五六七八九十百]+\s*[章节条部篇]|(?:chapter|section|part|appendix|step)\s+[\dA-Z]+[.:]?|附录\s*[A-Z\d]?|"
    r"\(?\d{1,3}(?:\.\d+)*[.)、]?(?!\s*[–—-])|[A-Z]\.|[一二三四五六七八九十]+、)\s*[-–—:：.]?\s*(?=\S)",
    re.IGNORECASE,
)
_BARE_NUMBER, _TITLE_BEHIND = re.compile(r"\d+\s*"), re.compile(r"\d+\s+[A-Z\u4e00-\u9fff]")
_NO_TITLE = re.compile("[;；%|@<>]")
_LONGEST_QUESTION, _LONGEST_ABOVE = 200, 50


@dataclass(frozen=True, slots=True)
class Titles:
    """The titles of a document."""

    document: Document
    several: bool
    """It has several headings at the top, each the name of a part."""
    times: Counter[str]
    """How often a title occurs."""

    @classmethod
    def of(cls, document: Document) -> Titles:
        several = sum(section.level == 1 for section in document.sections) > 1
        return cls(document, several, Counter(section.title.casefold() for section in document.sections))

    def question(self, section: Section, language: QuestionLanguage | None) -> str:
        """The question that a section's title answers; empty if unclear or in an unknown language."""
        title = without_number(plain(section.title))
        alone = self.times[section.title.casefold()] == 1
        if title.endswith(("?", "？")):
            return title if alone and short(title, _LONGEST_QUESTION) else ""
        if language is None or not short(title) or _NO_TITLE.search(title):
            return ""
        above = section.title_path[:-1]
        if alone and title.casefold() not in language.generic and not (above and self.several):
            return language.about.format(thing=title)
        over = without_number(plain(above[0] if self.several else above[-1])) if above else ""
        if not short(over, _LONGEST_ABOVE) or language_of(over, self.document) != language.tag:
            return ""
        return language.within.format(thing=title, over=over)


def without_number(title: str) -> str:
    """A title without its number.

    >>> without_number("3.2 Alarm rules"), without_number("第 8 章 故障排除"), without_number("5 volts")
    ('Alarm rules', '故障排除', '5 volts')
    """
    found = _NUMBERING.match(title)
    if found and _BARE_NUMBER.fullmatch(found[0]) and not _TITLE_BEHIND.match(title):
        return title
    return title[found.end() :].strip() if found else title
