"""One question of a run in its document: the answer, what was found, what stood above it, and why."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import CAUSES, Cause, Diagnosis, EvaluationRun, Measure, QuestionSet
from chunking.store import Workspace
from components.evaluate.answer_reader import answer_reader
from components.evaluate.failure_causes import help_words, use_help
from components.evaluate.questions.question_outcomes import QuestionRow
from components.evaluate.result_ranking import lines_of, ranking
from components.kit.wording import plain

__all__ = ["opened_question"]

_LEGS = {"vector": "vector", "text": "full text"}
_TOLD = (Cause.RANKED_BELOW, Cause.CUT_OFF)
"""Causes whose sentence tells the ranks."""


def opened_question(
    target: Workspace, row: QuestionRow, measure: Measure, run: EvaluationRun, questions: QuestionSet, *, key: str
) -> None:
    """The question, why it failed, its results in rank order, and the document of the one that is picked.

    Args:
        target: where the documents are.
        row: the question.
        measure: which results count.
        run: that the question is of.
        questions: the set that is looked at.
        key: names the run and the question.
    """
    st.header(plain(row.question.text), anchor=False)
    _why(target, row, run, questions, key)
    lines = lines_of(row, measure)
    left, right = st.columns([1, 1.5], gap="medium")
    with left:
        picked = ranking(target, row.question.answers[0], lines, key)
    with right:
        answer_reader(target, row, lines, picked, measure, key)


def _why(target: Workspace, row: QuestionRow, run: EvaluationRun, questions: QuestionSet, key: str) -> None:
    why = row.answered.diagnosis
    if row.whole:
        st.success("The whole answer was found.", icon=":material/check_circle:")
        return
    if why is None:
        st.info(
            "The settings find the whole answer, but not within the evaluated results."
            if row.cause
            else "The answer was not fully found."
        )
        return
    st.info(f"**{CAUSES[why.cause].label}.** {plain(why.sentence)}", icon=":material/troubleshoot:")
    ranks = _ranks(why)
    if ranks or why.help:
        with st.container(horizontal=True, vertical_alignment="center"):
            if ranks:
                st.caption(
                    ranks,
                    width="content",
                    help=(
                        "The rank of the best chunk that holds the answer among all candidates, overall and in "
                        "each leg."
                    ),
                )
            if why.help:
                st.caption(f"Suggestion: **{plain(help_words(why.help))}**", width="content")
                use_help(target, run, questions, why.help, key=f"evaluate.opened.use.{key}")


def _ranks(why: Diagnosis) -> str:
    """Such as `The answer's chunk: rank 9 in all, 14 by meaning, not found by words`."""
    if why.cause in _TOLD or (not why.legs and why.rank is None):
        return ""
    legs = [f"{'not found' if rank is None else rank} {_LEGS.get(leg, leg)}" for leg, rank in why.legs.items()]
    overall = "not among the candidates" if why.rank is None else f"rank **{why.rank:,}** overall"
    return f"The answer's chunk: {', '.join([overall, *legs])}"
