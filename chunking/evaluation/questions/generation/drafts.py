"""Draft questions with their answers, and the choice of distinct ones spread over documents and kinds."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from chunking.enrichment.by_llm.plain_answers import plain
from chunking.enrichment.prose_sentences import as_line, without_mark
from chunking.evaluation.questions.question import Made
from chunking.model import Document, Span
from chunking.text.byte_caches import MB, byte_cache
from chunking.text.quotes import fold

__all__ = [
    "HAN",
    "MOST_HAN",
    "MOST_LETTERS",
    "MOST_LOOKED_AT",
    "AskedQuestions",
    "QuestionDraft",
    "bare_span",
    "evenly",
    "language_of",
    "plainly",
    "short",
    "spread",
    "terms",
]

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
MOST_LETTERS, MOST_HAN = 420, 160
"""Most characters of an answer of several sentences, in English and in Chinese."""
MOST_LOOKED_AT = 2_500
"""Most sentences or sections of a document to make questions of; longer documents are sampled evenly."""
T = TypeVar("T")
_QUOTED = re.compile(r"(?:>[ \t]*|\[[ xX]\][ \t]+)+(?=\S)")
_LATIN = re.compile(r"[A-Za-z]+")

ALIKE = 0.75
"""Share of common words from which two questions count as the same."""
_OVERLAP = 0.5
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u4dbf\u4e00-\u9fff]")
_WORDING = re.compile("关于|里的|文档是怎么说的|什么是|是什么")
"""Wording common to all rule-made Chinese questions."""
# fmt: off
_SMALL = frozenset([
    "a", "an", "the", "of", "to", "in", "on", "is", "are", "do", "does", "i", "my", "what", "how", "which", "who",
    "where", "when", "why", "can", "you", "be", "for", "and", "or", "say", "about", "under", "documentation",
    "meant", "with", "regard",
])
# fmt: on
"""Stop words of questions."""


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A candidate question with its answer spans."""

    text: str
    doc_id: str
    spans: tuple[Span, ...]
    origin: Made
    language: str


def language_of(text: str, document: Document) -> str:
    """Return `en` or `zh` by the letters of a text; empty if it is neither.

    Empty, too, if the document is in a third language, or if a mostly English text of a Chinese document has Chinese in
    it.
    """
    base = document.language.partition("-")[0]
    if base not in ("en", "zh", "und"):
        return ""
    han, latin = len(HAN.findall(text)), len(_LATIN.findall(text))
    if han > latin:
        return "zh"
    return "en" if latin and (base != "zh" or not han) else ""


def short(title: str, most: int = 60) -> bool:
    """True if a title has a letter and at most `most` characters, to fit into a question."""
    return 0 < len(title) <= most and any(char.isalpha() for char in title)


@byte_cache(most=8 * MB)
def plainly(text: str) -> str:
    """Reduce a text to one line without markup; cached, as kinds of questions share sentences."""
    return plain(text)


def evenly(items: Sequence[T], most: int) -> Sequence[T]:
    """Sample at most `most` items, evenly spaced.

    >>> evenly([1, 2, 3, 4, 5], 3)
    [1, 3, 5]
    """
    step = -(-len(items) // most)
    return items[::step] if step > 1 else items


def bare_span(text: str, span: Span) -> Span:
    """Return a sentence's span without a leading list or quote mark."""
    opening = _QUOTED.match(text, span.start, span.end)
    span = Span(opening.end(), span.end) if opening else span
    line = as_line(text[span.start : span.end])
    kept = without_mark(line)
    if kept == line or not kept:
        return span
    at = text.find(kept[:1], span.start + 1, span.end)
    return Span(at, span.end) if at > span.start else span


def terms(text: str) -> frozenset[str]:
    """Return the content words of a question; for Chinese, pairs of adjacent characters.

    >>> sorted(terms("What is the port of the alarm service?"))
    ['alarm', 'port', 'service']
    """
    all_words = _WORD.findall(_WORDING.sub(" ", text.lower()))
    pairs = {first + second for first, second in pairwise(all_words) if HAN.match(first) and HAN.match(second)}
    words = {word for word in all_words if word not in _SMALL and not HAN.match(word)}
    return frozenset(pairs | words) or frozenset(all_words)


class AskedQuestions:
    """Questions added so far and their answers, to recognise repeats."""

    def __init__(self) -> None:
        self._exact: set[str] = set()
        self._terms: list[frozenset[str]] = []
        self._by_term: dict[str, list[int]] = {}
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def repeats(self, text: str) -> bool:
        """True if an added question has the same text, or nearly the same content words.

        Nearly: three quarters of the words that occur in either of the two (`terms`) occur in both.
        """
        if fold(text) in self._exact:
            return True
        own = terms(text)
        shared: dict[int, int] = {}
        for term in own:
            for number in self._by_term.get(term, ()):
                shared[number] = shared.get(number, 0) + 1
        return any(count >= ALIKE * len(own | self._terms[number]) for number, count in shared.items())

    def answered(self, doc_id: str, start: int, end: int) -> bool:
        """True if answers of the added questions cover half of a span."""
        overlap = sum(max(0, min(end, after) - max(start, first)) for first, after in self._spans.get(doc_id, ()))
        return overlap >= _OVERLAP * max(end - start, 1)

    def add(self, text: str, spans: Iterable[tuple[str, int, int]]) -> None:
        """Add a question with its answer spans."""
        own = terms(text)
        self._exact.add(fold(text))
        for term in own:
            self._by_term.setdefault(term, []).append(len(self._terms))
        self._terms.append(own)
        for doc_id, start, end in spans:
            self._spans.setdefault(doc_id, []).append((start, end))


def spread(
    drafts: Iterable[QuestionDraft], asked_questions: AskedQuestions, most: int, seed: int
) -> Iterator[QuestionDraft]:
    """Yield up to `most` distinct drafts, in turn from each document and kind, in seeded order.

    Each is added to `asked_questions`; drafts that repeat a question or an answer there are skipped.
    """
    groups: dict[tuple[str, str], list[QuestionDraft]] = {}
    for draft in drafts:
        groups.setdefault((draft.doc_id, draft.origin.value), []).append(draft)
    waiting = [sorted(group, key=lambda one: _place(one, seed)) for _, group in sorted(groups.items())]
    waiting.sort(key=lambda group: _place(group[0], seed))
    count = 0
    while waiting and count < most:
        for group in list(waiting):
            fresh = _next_fresh(group, asked_questions)
            if fresh is None:
                waiting.remove(group)
                continue
            asked_questions.add(fresh.text, [(fresh.doc_id, *span) for span in fresh.spans])
            count += 1
            yield fresh
            if count == most:
                return


def _next_fresh(group: list[QuestionDraft], asked_questions: AskedQuestions) -> QuestionDraft | None:
    """Pop drafts up to the first that repeats neither a question nor an answer."""
    while group:
        draft = group.pop(0)
        if not asked_questions.repeats(draft.text) and not any(
            asked_questions.answered(draft.doc_id, *span) for span in draft.spans
        ):
            return draft
    return None


def _place(draft: QuestionDraft, seed: int) -> bytes:
    return hashlib.sha256(
        f"{seed}\0{draft.doc_id}\0{draft.origin}\0{draft.text}".encode("utf-8", "surrogatepass")
    ).digest()
