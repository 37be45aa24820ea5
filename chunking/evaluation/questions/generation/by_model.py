"""Generate questions with a language model, check each quote word for word, drop poor ones and repeats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

from chunking.enrichment.by_llm.llm_requests import Counting, LlmRequests, TextCache
from chunking.enrichment.enricher import RequestEstimate
from chunking.errors import QuestionError
from chunking.evaluation.questions.files.import_problems import Imported, Pending, Problem, ProblemKind
from chunking.evaluation.questions.generation.drafts import HAN, AskedQuestions, language_of, terms
from chunking.evaluation.questions.generation.question_prompts import (
    EACH,
    Proposal,
    SourcePassage,
    proposals,
    request_for,
    spread_passages,
)
from chunking.evaluation.questions.question import AnswerSpan, Made, Question, QuestionSet
from chunking.evaluation.questions.relocation import near_misses, shown
from chunking.evaluation.questions.set_editing import new_id
from chunking.model import Document, Span
from chunking.text.quotes import QuoteFinder, fold

if TYPE_CHECKING:
    from chunking.llm import Client, Endpoint

__all__ = ["generate_with_llm", "questions_estimate"]

_KEPT_EACH = 2
"""Questions of a passage that are reckoned with: one of three is a repeat, or misquotes."""
_MOST_OFFERED = 50
"""Quotes for which near misses are looked for."""

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


def generate_with_llm(
    documents: Sequence[Document],
    client: Client,
    *,
    cache: TextCache,
    most: int = 50,
    seed: int = 0,
    existing: Iterable[Question] = (),
    name: str = "Generated questions",
    on_progress: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Imported:
    """Let a language model ask about passages of the documents.

    Args:
        cache: of a workspace (`texts`): an answer that is there is not asked for again.
        most: questions.
        seed: another one, other passages.
        existing: questions that are there already; none is made again, and other passages are asked about as long
            as there are.
        on_progress: gets a sentence after each answer.
    Returns:
        The questions whose quotes all stand in their passage, and for the others why they were left out; where a quote
        almost stands there, what may be meant is offered.
    Raises:
        EndpointError: the server does not answer; what had come is kept in the cache.
        Cancelled: the user has stopped the work; so too.
        QuestionError: there is nothing to ask about.
    """
    existing = tuple(existing)
    chosen = _chosen(documents, most, seed, existing)
    asking = LlmRequests(client, cache, on_progress, cancelled, read=_kept)
    answers = asking.ask([request_for(passage) for passage in chosen], "passages for questions")
    making = _Making(existing)
    outcomes = [_proposed(making, number, answer) for number, answer in enumerate(answers, 1)]
    for turn in zip_longest(*outcomes):  # the first question about each passage, then the second
        for number, (passage, proposal) in enumerate(zip(chosen, turn, strict=True), 1):
            if proposal is not None and len(making.questions) < most:
                making.take(number, passage, proposal)
    count = sum(map(len, outcomes))
    note = (
        f"{asking.model} was asked about {len(chosen):,} passages and gave {count:,} questions; "
        f"{len(making.questions):,} passed the checks."
    )
    problems = tuple(sorted(making.problems, key=lambda problem: problem.line))
    return Imported(QuestionSet(name, tuple(making.questions)), problems, tuple(making.pending), (note,))


def questions_estimate(
    documents: Sequence[Document],
    endpoint: Endpoint | None,
    *,
    cache: TextCache,
    most: int = 50,
    seed: int = 0,
    existing: Iterable[Question] = (),
    count: Callable[[str], int] | None = None,
) -> RequestEstimate:
    """What `generate_with_llm` would ask with the same arguments, counted without sending anything.

    Args:
        endpoint: the server; None: nothing of it is known, and it has no price.
        count: tokens of a text; None: reckoned from its letters.
    """
    asking = Counting(endpoint.model if endpoint else "", cache, count or _tokens)
    asking.ask([request_for(passage) for passage in _chosen(documents, most, seed, existing)], "")
    cost = None if endpoint is None else endpoint.cost(asking.prompt_tokens, asking.answer_tokens)
    return RequestEstimate(asking.requests, asking.cached, asking.prompt_tokens, asking.answer_tokens, cost)


def _chosen(documents: Sequence[Document], most: int, seed: int, existing: Iterable[Question]) -> list[SourcePassage]:
    answers = [answer for question in existing for answer in question.answers]
    chosen = spread_passages(documents, -(-most // _KEPT_EACH), seed, answers)
    if not chosen:
        raise QuestionError("The documents have no passage that is long enough to ask about; add longer ones.")
    return chosen


def _proposed(making: _Making, number: int, answer: str) -> list[Proposal]:
    quoted_spans = proposals(answer)
    if quoted_spans is None:
        sentence = "The model's answer has no questions as JSON; try again, or choose another model."
        making.problems.append(Problem(number, "", ProblemKind.UNREADABLE, sentence))
    return quoted_spans or []


@dataclass(slots=True)
class _Making:
    """What was taken of the model's questions."""

    existing: Iterable[Question]
    questions: list[Question] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    pending: list[Pending] = field(default_factory=list)
    asked_questions: AskedQuestions = field(default_factory=AskedQuestions)
    ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for question in self.existing:
            self.ids.add(question.id)
            self.asked_questions.add(question.text, ())

    def take(self, number: int, passage: SourcePassage, proposal: Proposal) -> None:
        """A question more, or a problem."""

        def say(kind: ProblemKind, sentence: str, offers: tuple[AnswerSpan, ...] = (), made_id: str = "") -> None:
            self.problems.append(Problem(number, shown(proposal.question, 120), kind, sentence, offers, made_id))

        fault = faults(passage, proposal)
        if fault:
            return say(ProblemKind.POOR, fault)
        if self.asked_questions.repeats(proposal.question):
            return say(ProblemKind.DUPLICATE, "It repeats another question in almost the same words.")
        quoted_spans = {quote: quoted(passage, quote) for quote in proposal.quotes}
        answers = tuple(sorted({one for one in quoted_spans.values() if one}, key=lambda one: one.start))
        made_id = new_id(
            proposal.question, [AnswerSpan(passage.document.doc_id, 0, 0, quote) for quote in quoted_spans], self.ids
        )
        language = language_of(proposal.question, passage.document) or passage.document.language
        question = Question(made_id, proposal.question, answers, Made.LLM, language=language)
        self.ids.add(made_id)
        missing = [quote for quote, answer in quoted_spans.items() if answer is None]
        for quote in missing:
            offers = near_misses(quote, passage.document) if len(self.problems) < _MOST_OFFERED else ()
            say(ProblemKind.NOT_FOUND, f"“{shown(quote)}” is not in the passage word for word.", offers, made_id)
        if missing:
            self.pending.append(Pending(question, len(missing)))
            return None
        self.asked_questions.add(question.text, ())
        self.questions.append(question)
        return None


def _kept(answer: str) -> str:
    """An answer as it is kept: no more of it than any good one has."""
    return answer[: EACH * 4_000]


def _tokens(text: str) -> int:
    """About what tokenizers make of a text: a token a Chinese character, or four letters."""
    han = len(HAN.findall(text))
    return han + (len(text) - han + 3) // 4


def quoted(passage: SourcePassage, quote: str) -> AnswerSpan | None:
    """Where a quote stands in the passage: as it is, or but for white space, width, quote marks and markup."""
    spans = QuoteFinder(passage.text).find(quote)
    if not spans:
        return None
    quoted_spans = Span(passage.start + spans[0].start, passage.start + spans[0].end)
    return AnswerSpan(
        passage.document.doc_id,
        quoted_spans.start,
        quoted_spans.end,
        passage.document.text[quoted_spans.start : quoted_spans.end],
    )


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
