"""Questions by rule: from headings, from sentences, from key phrases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from chunking.errors import QuestionError
from chunking.evaluation.editing import MOST_QUESTION, new_id
from chunking.evaluation.generating.choosing import Known, spread
from chunking.evaluation.generating.drafts import Draft
from chunking.evaluation.generating.headings import from_headings
from chunking.evaluation.generating.phrases import from_phrases
from chunking.evaluation.generating.sentences import from_sentences
from chunking.evaluation.questions import Answer, Made, Question, QuestionSet
from chunking.model import Document

__all__ = ["RULES", "generate"]

_LEAST = (8, 4)
"""Characters of a question: of English, of Chinese."""
RULES: Mapping[Made, Callable[[Document, Sequence[Document]], Iterable[Draft]]] = {
    Made.HEADING: lambda document, _: from_headings(document),
    Made.SENTENCE: lambda document, _: from_sentences(document),
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
        raise QuestionError(f"Questions of the kind '{strange}' are not made by rule; choose {', '.join(RULES)}.")
    known, ids = Known(), set[str]()
    for question in taken:
        ids.add(question.id)
        known.add(question.text, [(answer.doc_id, answer.start, answer.end) for answer in question.answers])
    by_id = {document.doc_id: document for document in documents}
    drafts = (draft for document in by_id.values() for kind in RULES if kind in kinds for draft in RULES[kind](document, documents))
    fitting = (draft for draft in drafts if _LEAST[draft.language == "zh"] <= len(draft.text) <= MOST_QUESTION)
    made: list[Question] = []
    for draft in spread(fitting, known, max(most, 0), seed):
        text = by_id[draft.doc_id].text
        answers = tuple(Answer(draft.doc_id, span.start, span.end, text[span.start : span.end]) for span in draft.spans)
        question = Question(new_id(draft.text, answers, ids), draft.text, answers, draft.made, language=draft.language)
        ids.add(question.id)
        made.append(question)
    if not made:
        raise QuestionError(
            "No question could be made; the documents have no heading with prose under it and no sentence that fits a rule in "
            "English or Chinese, or all were taken. Write some, import some, or let a language model ask."
        )
    return QuestionSet(name, tuple(made))
