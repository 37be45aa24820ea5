"""Sentences held out: each that says something checkable is asked for by its own words."""

from __future__ import annotations

from collections.abc import Iterator

from chunking.enrichment.by_rule.prose_sentences import sentence_spans
from chunking.enrichment.by_rule.sentence_choice import usable
from chunking.evaluation.questions.generation.capitals import small
from chunking.evaluation.questions.generation.drafts import MOST_LOOKED_AT, Draft, bare_span, evenly, language_of, plainly
from chunking.evaluation.questions.generation.languages import LANGUAGES
from chunking.evaluation.questions.question import Made
from chunking.model import Document

__all__ = ["from_sentences"]

_LONGEST = 500


def from_sentences(document: Document) -> Iterator[Draft]:
    """A question for each sentence that one of the rules of its language can turn into one."""
    for found in evenly(sentence_spans(document), MOST_LOOKED_AT):
        span = bare_span(document.text, found)
        if span.end - span.start > _LONGEST:
            continue
        sentence = plainly(document.text[span.start : span.end])
        tag = language_of(sentence, document)
        if not tag or not usable(sentence) or "\\" in document.text[span.start : span.end]:
            continue
        language = LANGUAGES[tag]
        first, _, rest = sentence.partition(" ")
        if rest and tag == "en" and not rest[0].isupper() and document.text[span.start] == first[0]:  # *Night* keeps its letter
            sentence = f"{small(first, document.text)} {rest}"
        text = language.from_sentence(sentence) if len(sentence) >= language.least else ""
        if text:
            yield Draft(text, document.doc_id, (span,), Made.SENTENCE, tag)
