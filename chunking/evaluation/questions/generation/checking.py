"""Whether a question of a language model is one: its quotes word for word in the passage, itself worth asking."""

from __future__ import annotations

import re

from chunking.evaluation.questions.generation.choosing import terms
from chunking.evaluation.questions.generation.drafts import HAN, language_of
from chunking.evaluation.questions.generation.question_prompts import Proposal
from chunking.evaluation.questions.generation.source_passages import SourcePassage
from chunking.evaluation.questions.question import AnswerSpan
from chunking.evaluation.questions.quotes.relocation import shown
from chunking.model import Span
from chunking.text.exact_quotes import QuoteFinder, fold

__all__ = ["faults", "quoted"]

_POINTING = re.compile(
    r"\b(?:the|this|that) (?:above |following |given "
    r")?(?:passage|text|excerpt|paragraph|snippet|extract)\b|\babove\b.{0,12}\?$|"
    r"本段|这段|该段|上文|下文|文中|原文|本文|这篇|该文",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"(?:(?:what|who|when|where|why|how|which)\s+)?(?:is|are|does|do|did|was|were|can|must)\s+(?:it|this|that|they|these|he|she)\b",
    re.IGNORECASE,
)
_SHORTEST, _SHORTEST_HAN, _LONGEST = 12, 5, 300
_SHORTEST_QUOTE, _LONGEST_QUOTE = 4, 700
_MOST_OF_PASSAGE = 0.6


def quoted(passage: SourcePassage, quote: str) -> AnswerSpan | None:
    """Where a quote stands in the passage: as it is, or but for white space, width, quote marks and markup."""
    spans = QuoteFinder(passage.text).find(quote)
    if not spans:
        return None
    found = Span(passage.start + spans[0].start, passage.start + spans[0].end)
    return AnswerSpan(passage.document.doc_id, found.start, found.end, passage.document.text[found.start : found.end])


def faults(passage: SourcePassage, proposal: Proposal) -> str:
    """Why nobody would ask it, or could answer it, as a sentence; empty where it is fine. Quotes are looked up
    elsewhere.
    """
    question = proposal.question
    han = len(HAN.findall(question))
    if len(question) < _SHORTEST and han < _SHORTEST_HAN:
        return f"“{shown(question)}” is too short to be a clear question."
    if len(question) > _LONGEST:
        return f"The question has {len(question):,} characters, more than people type."
    if not question.endswith(("?", "？")):
        return f"“{shown(question)}” is not a question."
    if _POINTING.search(question) or _LEANING.match(question):
        return f"“{shown(question)}” cannot be understood without the passage."
    ours, theirs = language_of(passage.text, passage.document), language_of(question, passage.document)
    if ours and ours != theirs:
        return f"“{shown(question)}” is not in the language of the passage."
    if not proposal.quotes:
        return f"“{shown(question)}” came without a quote that answers it."
    for quote in proposal.quotes:
        if len(fold(quote)) < _SHORTEST_QUOTE:
            return f"“{shown(quote)}” is too short a quote to be found."
        if len(quote) > _LONGEST_QUOTE or len(quote) > max(_MOST_OF_PASSAGE * len(passage.text), 200):
            return f"The quote has {len(quote):,} characters, most of the passage, where one sentence would do."
        if fold(quote) in fold(question):
            return f"“{shown(question)}” contains its own answer."
    if not terms(question) & terms(passage.text):
        return f"“{shown(question)}” has no word in common with the passage."
    return ""
