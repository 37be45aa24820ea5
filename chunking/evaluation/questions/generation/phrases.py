"""Key phrases: what a document speaks of again and again, asked for where it is explained."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter

from chunking.enrichment.prose_sentences import sentence_spans, usable
from chunking.evaluation.questions.generation.drafts import (
    HAN,
    MOST_LOOKED_AT,
    QuestionDraft,
    bare_span,
    evenly,
    language_of,
    plainly,
)
from chunking.evaluation.questions.generation.question_languages import LANGUAGES, QuestionLanguage
from chunking.evaluation.questions.question import Made
from chunking.model import Document, Span

__all__ = ["from_phrases"]

_MOST = 40
"""Phrases of a document."""
_SUBJECTS = 8
"""Phrases that say what a document is about: its best ones."""
_LEAST_TIMES = 2
_MOST_SHARE = 0.15
"""Of a document's sentences: what stands in more of them is what it is all about, and explained nowhere in particular.
"""
_MOST_WEIGHED = 300
_LOOKED_THROUGH = 500_000
"""Characters in which words that are set off are looked for."""
_GOES_ON = re.compile(r"(?:it|they|this|these|its)\b|[它这其]")
_SHOUTED = re.compile(r"[A-Z ]{4,}:")
"""A speaker's name."""
_MARKED = re.compile(r"\*\*([^*\n]{2,40})\*\*|[“「]([^”」\n]{2,24})[”」]")
"""Words that the writer set off."""


def from_phrases(document: Document, others: Mapping[str, str]) -> Iterator[QuestionDraft]:
    """A question a phrase, the best first.

    It names the subject, as people do: a phrase alone is found wherever it stands, so that the size of a chunk and what
    stands around the answer would decide nothing.

    Args:
        others: by `doc_id`, small letters of some documents; a phrase that stands in many of them tells less.
    """
    spans = [bare_span(document.text, span) for span in evenly(sentence_spans(document), MOST_LOOKED_AT)]
    sentences = ["" if "\\" in (raw := document.text[span.start : span.end]) else plainly(raw) for span in spans]
    for tag, language in LANGUAGES.items():
        places = [place for place, sentence in enumerate(sentences) if language_of(sentence, document) == tag]
        if not places:
            continue
        ranked = _ranked(document, language, {place: sentences[place] for place in places}, others)
        for phrase in ranked[:_MOST]:
            at, defined = _explained(phrase, sentences, places, language)
            if at is None:
                continue
            span = _with_next(spans, sentences, at, language)
            subject = _subject(phrase, ranked, document.text[span.start : span.end].casefold())
            asking = _ASKING[defined, bool(subject)](language)
            yield QuestionDraft(
                asking.format(thing=phrase, subject=subject), document.doc_id, (span,), Made.PHRASE, tag
            )


_ASKING: Mapping[tuple[bool, bool], Callable[[QuestionLanguage], str]] = {
    (False, False): attrgetter("about"),
    (False, True): attrgetter("about_of"),
    (True, False): attrgetter("defining"),
    (True, True): attrgetter("defining_of"),
}
"""The wording, by whether the answer defines the phrase, and whether there is a subject to name."""


def _subject(phrase: str, ranked: Sequence[str], answer: str) -> str:
    """The best phrase of the document that says something else, and is not given away by the answer; empty where there
    is none.

    Of few phrases, none is telling.
    """
    words, best = set(phrase.split()), ranked[:_SUBJECTS] if len(ranked) > _SUBJECTS else ()
    others = (one for one in best if one not in answer and one not in phrase and phrase not in one)
    return next((one for one in others if not words & set(one.split())), "")


def _ranked(
    document: Document, language: QuestionLanguage, sentences: Mapping[int, str], others: Mapping[str, str]
) -> list[str]:
    """The phrases of a document: often here, rarely elsewhere, set off by the writer; a phrase inside another one only
    once.
    """
    counts = Counter(language.phrases(list(sentences.values())))
    marked = {plainly(first or second).casefold() for first, second in _MARKED.findall(document.text[:_LOOKED_THROUGH])}
    most = max(3, _MOST_SHARE * len(sentences))
    phrases: list[tuple[float, str]] = []
    elsewhere = [text for doc_id, text in others.items() if doc_id != document.doc_id]
    for phrase, times in counts.most_common(_MOST_WEIGHED):
        if times > most or (times < _LEAST_TIMES and phrase not in marked) or not _names(phrase, language):
            continue
        having = sum(phrase in text for text in elsewhere)
        score = (
            math.log1p(times) * (1 + 0.5 * len(phrase.split())) * math.log(1 + (len(elsewhere) + 2) / (having + 1.5))
        )
        phrases.append((score * (1.5 if phrase in marked else 1.0), phrase))
    kept: list[str] = []
    for _, phrase in sorted(phrases, key=lambda one: (-one[0], one[1])):
        if not any(phrase in other or other in phrase for other in kept):
            kept.append(phrase)
    return kept


def _names(phrase: str, language: QuestionLanguage) -> bool:
    """It may name a thing."""
    if language.tag == "zh":
        return 3 <= len(HAN.findall(phrase)) == len(phrase) <= 8
    return len(phrase) >= 7


def _explained(
    phrase: str, sentences: Sequence[str], places: Sequence[int], language: QuestionLanguage
) -> tuple[int | None, bool]:
    """(place of the sentence that explains it, it defines it): one that says what it is, else the first that opens with
    it.
    """
    having = [
        place
        for place in places
        if phrase in sentences[place].casefold() and usable(sentences[place]) and not _SHOUTED.match(sentences[place])
    ]
    defining = next((place for place in having if language.defines(sentences[place], phrase)), None)
    if defining is not None:
        return defining, True
    return next((place for place in having if sentences[place].casefold().find(phrase) <= language.early), None), False


def _with_next(spans: Sequence[Span], sentences: Sequence[str], at: int, language: QuestionLanguage) -> Span:
    """The sentence, and the one after it where that goes on about it and is as near as in one paragraph."""
    span = spans[at]
    if at + 1 < len(spans) and _GOES_ON.match(sentences[at + 1].casefold()):
        following = spans[at + 1]
        if following.start - span.end <= 1 and following.end - span.start <= language.most:
            return Span(span.start, following.end)
    return span
