"""Generate questions by rule: from headings, from questions in the text, and from key phrases."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from chunking.enrichment.by_llm.plain_answers import plain
from chunking.enrichment.prose_sentences import sentence_spans, usable, without_mark
from chunking.errors import QuestionError
from chunking.evaluation.questions.generation.drafts import (
    HAN,
    MOST_HAN,
    MOST_LETTERS,
    MOST_LOOKED_AT,
    AskedQuestions,
    QuestionDraft,
    bare_span,
    evenly,
    language_of,
    plainly,
    short,
    spread,
)
from chunking.evaluation.questions.generation.phrases import from_phrases
from chunking.evaluation.questions.generation.question_languages import LANGUAGES, QuestionLanguage
from chunking.evaluation.questions.question import AnswerSpan, Made, Question, QuestionSet
from chunking.evaluation.questions.set_editing import MOST_QUESTION, new_id
from chunking.model import BlockType, Document, Section, Span
from chunking.retrieval.query.query_parts import without_operators

__all__ = ["RULES", "generate"]

_ANSWER = re.compile(r"\s*(?:A|答|Answer)\s*[:：.]\s*", re.IGNORECASE)
_START, _END = attrgetter("start"), attrgetter("end")

_NUMBERING = re.compile(
    r"^(?:第\s*[\d一二三四五六七八九十百]+\s*[章节条部篇]|(?:chapter|section|part|appendix|step)\s+[\dA-Z]+[.:]?|附录\s*[A-Z\d]?|"
    r"\(?\d{1,3}(?:\.\d+)*[.)、]?(?!\s*[–—-])|[A-Z]\.|[一二三四五六七八九十]+、)\s*[-–—:：.]?\s*(?=\S)",
    re.IGNORECASE,
)
_BARE_NUMBER, _TITLE_BEHIND = re.compile(r"\d+\s*"), re.compile(r"\d+\s+[A-Z\u4e00-\u9fff]")
_NO_TITLE = re.compile("[;；%|@<>]")
_LONGEST_QUESTION, _LONGEST_ABOVE = 200, 50


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
        parents = section.title_path[:-1]
        if alone and title.casefold() not in language.generic and not (parents and self.several):
            return language.about.format(thing=title)
        over = without_number(plain(parents[0] if self.several else parents[-1])) if parents else ""
        if not short(over, _LONGEST_ABOVE) or language_of(over, self.document) != language.tag:
            return ""
        return language.nested.format(thing=title, over=over)


def without_number(title: str) -> str:
    """A title without its number.

    >>> without_number("3.2 Alarm rules"), without_number("第 8 章 故障排除"), without_number("5 volts")
    ('Alarm rules', '故障排除', '5 volts')
    """
    numbering = _NUMBERING.match(title)
    if numbering and _BARE_NUMBER.fullmatch(numbering[0]) and not _TITLE_BEHIND.match(title):
        return title
    return title[numbering.end() :].strip() if numbering else title


_AT_ONCE = 30
"""Documents of which questions are made before some are chosen; more where more questions than that are wanted."""
_OTHERS, _OF_EACH = 40, 50_000
"""Documents in which phrases are looked for, and characters of each."""
_LEAST = (8, 4)
"""Characters of a question: of English, of Chinese."""
RULES: Mapping[Made, Callable[[Document, Mapping[str, str]], Iterable[QuestionDraft]]] = {
    Made.HEADING: lambda document, _: from_headings(document),
    Made.PHRASE: from_phrases,
}
"""The kinds that need no language model."""


def generate(
    documents: Sequence[Document],
    kinds: Collection[Made] = tuple(RULES),
    *,
    most: int = 50,
    seed: int = 0,
    existing: Iterable[Question] = (),
    name: str = "Generated questions",
) -> QuestionSet:
    """Make questions without a language model, in English and Chinese; the same ones each time.

    Such questions use the words of the text, so that any search finds them more easily than what people ask; they
    compare settings, and say little about how good a search is.

    Args:
        kinds: of `RULES`.
        most: questions; there are fewer where the documents do not give as many that are unlike each other.
        seed: another one, others where there are more than enough.
        existing: questions that are there already; none is made again, and none on the same answer.
    Raises:
        QuestionError: none could be made, or a kind is not made by rule.
    """
    strange = next((kind for kind in kinds if kind not in RULES), None)
    if strange is not None:
        raise QuestionError(f"Questions of type '{strange}' cannot be made by rule; choose {', '.join(RULES)}.")
    asked_questions, ids = AskedQuestions(), set[str]()
    for question in existing:
        ids.add(question.id)
        asked_questions.add(question.text, [(answer.doc_id, answer.start, answer.end) for answer in question.answers])
    by_id = {document.doc_id: document for document in documents}
    questions: list[Question] = []
    for draft in _chosen(by_id, kinds, asked_questions, most, seed):
        text = by_id[draft.doc_id].text
        answers = tuple(
            AnswerSpan(draft.doc_id, span.start, span.end, text[span.start : span.end]) for span in draft.spans
        )
        question = Question(
            new_id(draft.text, answers, ids), draft.text, answers, draft.origin, language=draft.language
        )
        ids.add(question.id)
        questions.append(question)
    if not questions:
        raise QuestionError(
            "No question could be made; the documents have no heading with prose under it and no key phrase "
            "in English or Chinese, or all have questions already. Write some, import some, or let a "
            "language model ask."
        )
    return QuestionSet(name, tuple(questions))


def _chosen(
    by_id: Mapping[str, Document], kinds: Collection[Made], asked_questions: AskedQuestions, most: int, seed: int
) -> Iterator[QuestionDraft]:
    """Drafts of some documents at a time, in an order that is by the seed, until there are enough."""
    order = sorted(
        by_id.values(),
        key=lambda one: hashlib.sha256(f"{seed}\0{one.doc_id}".encode("utf-8", "surrogatepass")).digest(),
    )
    others = {document.doc_id: document.text[:_OF_EACH].casefold() for document in order[:_OTHERS]}
    step = max(_AT_ONCE, most)
    for first in range(0, len(order), step):
        some = order[first : first + step]
        questions = (
            draft for document in some for kind in RULES if kind in kinds for draft in RULES[kind](document, others)
        )
        drafts = (replace(draft, text=without_operators(draft.text)) for draft in questions)
        fitting = (draft for draft in drafts if _LEAST[draft.language == "zh"] <= len(draft.text) <= MOST_QUESTION)
        for draft in spread(fitting, asked_questions, most, seed):
            most -= 1
            yield draft
        if most <= 0:
            return
