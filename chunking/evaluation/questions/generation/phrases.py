"""Questions about key phrases: recurring terms of a document, asked about where they are explained."""

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
"""Most phrases of a document."""
_SUBJECTS = 8
"""Number of top phrases that may name a document's subject."""
_LEAST_TIMES = 2
_MOST_SHARE = 0.15
"""Largest share of a document's sentences: a more frequent phrase is its general topic, explained nowhere in
particular.
"""
_MOST_WEIGHED = 300
_LOOKED_THROUGH = 500_000
"""Characters searched for words in bold or quotation marks."""
_GOES_ON = re.compile(r"(?:it|they|this|these|its)\b|[它这其]")
_SHOUTED = re.compile(r"[A-Z ]{4,}:")
"""A speaker's name in capitals."""
_MARKED = re.compile(r"\*\*([^*\n]{2,40})\*\*|[“「]([^”」\n]{2,24})[”」]")
"""Words in bold or quotation marks."""


def from_phrases(document: Document, others: Mapping[str, str]) -> Iterator[QuestionDraft]:
    """Yield a question per key phrase, the best first.

    A question names the subject, as people do: a phrase alone is found wherever it occurs, so that neither chunk size
    nor context would matter.

    Args:
        others: lower-case texts of some documents by `doc_id`; a phrase common in these counts less.
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
"""Question template by (answer defines the phrase, there is a subject to name)."""


def _subject(phrase: str, ranked: Sequence[str], answer: str) -> str:
    """Return the best other phrase of the document that the answer does not contain; empty without one.

    A document with few phrases has no telling subject.
    """
    words, best = set(phrase.split()), ranked[:_SUBJECTS] if len(ranked) > _SUBJECTS else ()
    others = (one for one in best if one not in answer and one not in phrase and phrase not in one)
    return next((one for one in others if not words & set(one.split())), "")


def _ranked(
    document: Document, language: QuestionLanguage, sentences: Mapping[int, str], others: Mapping[str, str]
) -> list[str]:
    """Rank phrases that are frequent here, rare elsewhere or emphasised; drop phrases inside better ones."""
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
    """True if a phrase may name a thing."""
    if language.tag == "zh":
        return 3 <= len(HAN.findall(phrase)) == len(phrase) <= 8
    return len(phrase) >= 7


def _explained(
    phrase: str, sentences: Sequence[str], places: Sequence[int], language: QuestionLanguage
) -> tuple[int | None, bool]:
    """Return (sentence that defines the phrase, True), else (first sentence that opens with it, False)."""
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
    """Extend a sentence by the next one if that continues it in the same paragraph."""
    span = spans[at]
    if at + 1 < len(spans) and _GOES_ON.match(sentences[at + 1].casefold()):
        following = spans[at + 1]
        if following.start - span.end <= 1 and following.end - span.start <= language.most:
            return Span(span.start, following.end)
    return span
