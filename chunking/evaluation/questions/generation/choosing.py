"""Which of the drafts are asked: different ones, spread over documents and kinds."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from chunking.evaluation.questions.generation.drafts import HAN, QuestionDraft
from chunking.text.quotes import fold

__all__ = ["AskedQuestions", "spread", "terms"]

ALIKE = 0.75
"""Share of words that two questions have in common, from which on they are the same question."""
_OVERLAP = 0.5
_WORD = re.compile(r"[a-z0-9]+|[\u3400-\u4dbf\u4e00-\u9fff]")
_WORDING = re.compile("关于|里的|文档是怎么说的|什么是|是什么")
"""What questions by rule have in common in Chinese."""
_SMALL = frozenset(
    "a an the of to in on is are do does i my what how which who where when why can you be for and or say "
    "about under documentation "  # noqa: SIM905
    "meant with regard".split()
)
"""Words of a question that do not carry it."""


def terms(text: str) -> frozenset[str]:
    """The words of a question that carry it; of Chinese, pairs of neighbouring characters.

    >>> sorted(terms("What is the port of the alarm service?"))
    ['alarm', 'port', 'service']
    """
    found = _WORD.findall(_WORDING.sub(" ", text.lower()))
    pairs = {first + second for first, second in pairwise(found) if HAN.match(first) and HAN.match(second)}
    words = {word for word in found if word not in _SMALL and not HAN.match(word)}
    return frozenset(pairs | words) or frozenset(found)


class AskedQuestions:
    """Questions that are asked already, and what answers them."""

    def __init__(self) -> None:
        self._exact: set[str] = set()
        self._terms: list[frozenset[str]] = []
        self._by_term: dict[str, list[int]] = {}
        self._spans: dict[str, list[tuple[int, int]]] = {}

    def repeats(self, text: str) -> bool:
        """It is asked already, in these words or in almost the same."""
        if fold(text) in self._exact:
            return True
        own = terms(text)
        shared: dict[int, int] = {}
        for term in own:
            for number in self._by_term.get(term, ()):
                shared[number] = shared.get(number, 0) + 1
        return any(count >= ALIKE * len(own | self._terms[number]) for number, count in shared.items())

    def answered(self, doc_id: str, start: int, end: int) -> bool:
        """Half of a span answers another question."""
        overlap = sum(max(0, min(end, after) - max(start, first)) for first, after in self._spans.get(doc_id, ()))
        return overlap >= _OVERLAP * max(end - start, 1)

    def add(self, text: str, spans: Iterable[tuple[str, int, int]]) -> None:
        """Remember a question."""
        own = terms(text)
        self._exact.add(fold(text))
        for term in own:
            self._by_term.setdefault(term, []).append(len(self._terms))
        self._terms.append(own)
        for doc_id, start, end in spans:
            self._spans.setdefault(doc_id, []).append((start, end))


def spread(drafts: Iterable[QuestionDraft], known: AskedQuestions, most: int, seed: int) -> Iterator[QuestionDraft]:
    """Drafts in turn, one a document and kind, each unlike those before; their order within is by the seed."""
    groups: dict[tuple[str, str], list[QuestionDraft]] = {}
    for draft in drafts:
        groups.setdefault((draft.doc_id, draft.made.value), []).append(draft)
    waiting = [sorted(group, key=lambda one: _place(one, seed)) for _, group in sorted(groups.items())]
    waiting.sort(key=lambda group: _place(group[0], seed))
    given = 0
    while waiting and given < most:
        for group in list(waiting):
            fresh = _next_fresh(group, known)
            if fresh is None:
                waiting.remove(group)
                continue
            known.add(fresh.text, [(fresh.doc_id, *span) for span in fresh.spans])
            given += 1
            yield fresh
            if given == most:
                return


def _next_fresh(group: list[QuestionDraft], known: AskedQuestions) -> QuestionDraft | None:
    """The first one that is no repeat; what stands before it is thrown away."""
    while group:
        draft = group.pop(0)
        if not known.repeats(draft.text) and not any(known.answered(draft.doc_id, *span) for span in draft.spans):
            return draft
    return None


def _place(draft: QuestionDraft, seed: int) -> bytes:
    return hashlib.sha256(
        f"{seed}\0{draft.doc_id}\0{draft.made}\0{draft.text}".encode("utf-8", "surrogatepass")
    ).digest()
