"""Titles inside questions: without their numbers, with the one above where they say nothing alone, and the document's where it is one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from chunking.enrichment.by_llm.plain_answers import plain
from chunking.evaluation.questions.generation.capitals import naturally
from chunking.evaluation.questions.generation.drafts import Language, language_of, pick, short
from chunking.model import Document, Section

__all__ = ["Titles", "without_number"]

_NUMBERING = re.compile(
    r"^(?:第\s*[\d一二三四五六七八九十百]+\s*[章节条部篇]|(?:chapter|section|part|appendix|step)\s+[\dA-Z]+[.:]?|附录\s*[A-Z\d]?|"
    r"\(?\d{1,3}(?:\.\d+)*[.)、]?(?!\s*[–—-])|[A-Z]\.|[一二三四五六七八九十]+、)\s*[-–—:：.]?\s*(?=\S)",
    re.IGNORECASE,
)
_BARE_NUMBER, _TITLE_BEHIND = re.compile(r"\d+\s*"), re.compile(r"\d+\s+[A-Z\u4e00-\u9fff]")
_NO_TITLE = re.compile("[;；%|@<>]")
_PREPOSITIONS = frozenset("after as at before during for from if in on when while with without".split())  # noqa: SIM905
_LONGEST_TITLE, _LONGEST_ABOVE = 50, 50


@dataclass(frozen=True, slots=True)
class Titles:
    """The titles of a document."""

    document: Document
    title: str
    """Its name; empty where it has none that could stand in a question."""
    several: bool
    """It has several headings at the top: its name is that of its first part."""
    times: Counter[str]
    """How often a title occurs."""

    @classmethod
    def of(cls, document: Document) -> Titles:
        several = sum(section.level == 1 for section in document.sections) > 1
        title = without_number(plain(document.title))
        named = short(title, _LONGEST_TITLE) and not several and "_" not in title
        named = named and (" " in title or language_of(title, document) == "zh")  # else it is the name of a file
        return cls(document, title if named else "", several, Counter(section.title.casefold() for section in document.sections))

    def about(self, language: Language, thing: str, place: int) -> str:
        """One of the questions about a thing, in turn; the document is named only where its name is one."""
        named = self.title and language_of(self.title, self.document) == language.tag and thing.casefold() not in self.title.casefold()
        wordings = [wording for wording in language.about if named or "{title}" not in wording]
        return pick(wordings, place).format(title=self.title, thing=thing)

    def question(self, section: Section, language: Language, place: int) -> str:
        """What a section answers by its title; empty where that would not be understood."""
        title = without_number(plain(section.title))
        if not short(title) or _NO_TITLE.search(title):
            return ""
        repeated = self.times[section.title.casefold()] > 1 or title.casefold() in language.generic
        asked = language.from_heading(title)
        if asked:
            return "" if repeated else asked
        quoted = "：" in title or ": " in title or title.split()[0].lower() in _PREPOSITIONS
        thing = f"“{title}”" if quoted else naturally(title, self.document.text) if language.tag == "en" else title
        above = section.title_path[:-1]
        if repeated or (above and self.several):
            over = without_number(plain(above[0] if self.several else above[-1])) if above else ""
            if not short(over, _LONGEST_ABOVE) or language_of(over, self.document) != language.tag:
                return ""
            thing = language.within.format(thing=thing, over=over)
        return self.about(language, thing, place)

    def own_question(self, section: Section) -> str:
        """A title that is a question, whatever its language; else empty."""
        title = without_number(plain(section.title))
        return title if title.endswith(("?", "？")) and self.times[section.title.casefold()] == 1 and short(title, 200) else ""


def without_number(title: str) -> str:
    """A title without its number.

    >>> without_number("3.2 Alarm rules"), without_number("第 8 章 故障排除"), without_number("5 volts")
    ('Alarm rules', '故障排除', '5 volts')
    """
    found = _NUMBERING.match(title)
    if found and _BARE_NUMBER.fullmatch(found[0]) and not _TITLE_BEHIND.match(title):
        return title
    return title[found.end() :].strip() if found else title
