"""Questions by rule: from headings and from key phrases."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chunking.errors import QuestionError
from chunking.evaluation.questions.generation.choosing import AskedQuestions, spread
from chunking.evaluation.questions.generation.drafts import QuestionDraft
from chunking.evaluation.questions.generation.phrases import from_phrases
from chunking.evaluation.questions.generation.question_headings import from_headings
from chunking.evaluation.questions.question import AnswerSpan, Made, Question, QuestionSet
from chunking.evaluation.questions.set_editing import MOST_QUESTION, new_id
from chunking.model import Document
from chunking.retrieval.query.query_parts import without_operators

__all__ = ["RULES", "generate"]

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
    taken: Iterable[Question] = (),
    name: str = "Generated questions",
) -> QuestionSet:
    """Make questions without a language model, in English and Chinese; the same ones each time.

    Such questions use the words of the text, so that any search finds them more easily than what people ask; they
    compare settings, and say little about how good a search is.

    Args:
        kinds: of `RULES`.
        most: questions; there are fewer where the documents do not give as many that are unlike each other.
        seed: another one, others where there are more than enough.
        taken: questions that are there already; none is made again, and none on the same answer.
    Raises:
        QuestionError: none could be made, or a kind is not made by rule.
    """
    strange = next((kind for kind in kinds if kind not in RULES), None)
    if strange is not None:
        raise QuestionError(f"Questions of type '{strange}' cannot be made by rule; choose {', '.join(RULES)}.")
    known, ids = AskedQuestions(), set[str]()
    for question in taken:
        ids.add(question.id)
        known.add(question.text, [(answer.doc_id, answer.start, answer.end) for answer in question.answers])
    by_id = {document.doc_id: document for document in documents}
    made: list[Question] = []
    for draft in _chosen(by_id, kinds, known, most, seed):
        text = by_id[draft.doc_id].text
        answers = tuple(
            AnswerSpan(draft.doc_id, span.start, span.end, text[span.start : span.end]) for span in draft.spans
        )
        question = Question(new_id(draft.text, answers, ids), draft.text, answers, draft.made, language=draft.language)
        ids.add(question.id)
        made.append(question)
    if not made:
        raise QuestionError(
            "No question could be made; the documents have no heading with prose under it and no key phrase in "
            "English or Chinese, or all have questions already. Write some, import some, or let a language model ask."
        )
    return QuestionSet(name, tuple(made))


def _chosen(
    by_id: Mapping[str, Document], kinds: Collection[Made], known: AskedQuestions, most: int, seed: int
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
        made = (
            draft for document in some for kind in RULES if kind in kinds for draft in RULES[kind](document, others)
        )
        drafts = (replace(draft, text=without_operators(draft.text)) for draft in made)
        fitting = (draft for draft in drafts if _LEAST[draft.language == "zh"] <= len(draft.text) <= MOST_QUESTION)
        for draft in spread(fitting, known, most, seed):
            most -= 1
            yield draft
        if most <= 0:
            return
