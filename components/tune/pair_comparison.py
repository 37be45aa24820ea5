"""Compare two configurations: difference, gained and lost questions, and both splits of a document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st

from chunking.errors import NotFoundError
from chunking.evaluation import (
    CAUSES,
    COST,
    METHODS,
    Answered,
    AnswerSpan,
    EvaluationRun,
    Found,
    LeaderboardRun,
    OutcomeChange,
    Question,
    QuestionChange,
    Score,
    compare_lines,
    counted,
    metric_of,
)
from chunking.model import Document
from chunking.store import Workspace, document_labels
from components.evaluate.failure_causes import help_words
from components.kit.pick_table import pick_row
from components.kit.viewer import Goto, TextMark, ViewLayers, ViewMarks, deliver_text, result_bands, viewer
from components.kit.wording import parser_word, plain, quantity
from components.session.workspace import document
from components.tune.picked_configuration import against, picked, set_against
from components.tune.setting_words import difference_sentence
from components.tune.sweep.sweep_results import LeaderboardView, Results, changes_of

__all__ = ["SIGNS", "compare_pair", "rows_of", "two_views"]

SIGNS = {
    OutcomeChange.GAINED: "▲ gained",
    OutcomeChange.BETTER: "△ better",
    OutcomeChange.LOST: "▼ lost",
    OutcomeChange.WORSE: "▽ worse",
    OutcomeChange.SAME: "= same",
}
"""Label of each change; lost: nothing of the answer is returned any more; worse: any other drop."""
_OPENED = (OutcomeChange.LOST, OutcomeChange.WORSE, OutcomeChange.GAINED, OutcomeChange.BETTER)
"""Changes shown by default, in order of preference."""
_EVERY = "all"
_TABLE, _FILTER, _WITH = "tune.questions", "tune.change", "tune.with"

HEIGHT = 380
_SPAN_SIGNS = ("●", "◆")
_COLOURS = ("blue", "violet")


def compare_pair(target: Workspace, results: Results) -> None:
    """Draw the picked run against another: difference, cost and each question; else a hint."""
    line, other = picked(results), against(results)
    st.header("Two side by side", anchor=False)
    _choose(results, line, other)
    if other is None:
        st.caption("Choose a configuration to compare with, or click **vs** in a row of the leaderboard.")
        return
    view = results.view
    comparison = compare_lines(line, other, results.questions, view.measure, view.metric.name)
    st.markdown(
        difference_sentence(view.metric, comparison, "● the selected one", "◆ the other"),
        help=f"{METHODS['difference']} {METHODS['needed']}",
    )
    st.markdown(_cost(line, other))
    changes = changes_of(results, other.run, line.run)
    _table(target, results, line, other, changes)


def _choose(results: Results, line: LeaderboardRun, other: LeaderboardRun | None) -> None:
    options = [one.run.key for one in results.lines if one.run.key != line.run.key]
    labels = {one.run.key: f"{one.place}. {results.label(one.run)}" for one in results.lines}
    st.session_state[_WITH] = other.run.key if other else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":blue[●] **{plain(results.label(line.run))}** &nbsp; against", width="content")
        st.selectbox(
            "Compare with",
            options,
            key=_WITH,
            format_func=labels.__getitem__,
            placeholder="Choose a configuration",
            label_visibility="collapsed",
            width=420,
            on_change=lambda: set_against(st.session_state[_WITH]),
        )


def _cost(line: LeaderboardRun, other: LeaderboardRun) -> str:
    ours, theirs = line.summary[COST].mean, other.summary[COST].mean
    if not (math.isfinite(ours) and math.isfinite(theirs)):
        return "The context tokens of one of them are unknown: it was run before tokens were counted. Run it again."
    if not theirs:
        return ""
    share = ours / theirs - 1
    if abs(share) < 0.005:
        return "Both send the same number of context tokens."
    return (
        f"It sends {abs(share):.0%} {'more' if share > 0 else 'fewer'} context tokens: {ours:,.0f} against "
        f"{theirs:,.0f} per question."
    )


# -- question by question


def _table(
    target: Workspace, results: Results, line: LeaderboardRun, other: LeaderboardRun, changes: Sequence[QuestionChange]
) -> None:
    """Draw the change of every question, and both runs of the chosen question below."""
    import pandas as pd

    numbers = Counter(one.change for one in changes)
    options = [_EVERY, *(change for change in OutcomeChange if numbers[change])]
    default = next((change for change in _OPENED if numbers[change]), _EVERY)
    st.session_state.setdefault(_FILTER + ".kept", None)
    kept = st.session_state[_FILTER + ".kept"]
    st.session_state[_FILTER] = kept if kept in options else default
    st.segmented_control(
        "Questions",
        options,
        key=_FILTER,
        format_func=lambda one: f"All {len(changes):,}" if one == _EVERY else f"{SIGNS[one]} {numbers[one]:,}",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: st.session_state.update({_FILTER + ".kept": st.session_state[_FILTER]}),
    )
    shown_change = st.session_state[_FILTER]
    shown = sorted(
        (one for one in changes if shown_change in (_EVERY, one.change)),
        key=lambda one: (list(SIGNS).index(one.change), -abs(one.amount)),
    )
    metric = results.view.metric
    scale: dict[str, Any] = (
        {"format": "%.1f %%", "min_value": 0, "max_value": 100}
        if metric.percent
        else {"format": "%.2f", "min_value": 0, "max_value": 1}
    )
    place = pick_row(
        pd.DataFrame(rows_of(shown, percent=metric.percent, metric=metric.name)),
        key=f"{_TABLE}.{line.run.key}.{other.run.key}.{shown_change}",
        height=min(36 * (len(shown) + 1) + 3, 360),
        row_height=36,
        alt="Questions of both configurations; pick one to see both texts",
        columns={
            "Change": st.column_config.TextColumn(width=90),
            "Question": st.column_config.TextColumn(width="large"),
            "● Selected": st.column_config.ProgressColumn(f"● {metric.label}", width=110, **scale),
            "◆ Other": st.column_config.ProgressColumn(f"◆ {metric.label}", width=110, **scale),
            "● Why": st.column_config.TextColumn(help="Why the selected configuration did not find the whole answer."),
            "◆ Why": st.column_config.TextColumn(help="Why the other configuration did not find the whole answer."),
        },
    )
    if not shown:
        return
    two_views(
        target, shown[place], (line.run, other.run), (results.label(line.run), results.label(other.run)), results.view
    )


def rows_of(changes: Sequence[QuestionChange], *, percent: bool, metric: str) -> list[dict[str, Any]]:
    """Return the changes as table rows; `a` of a change is the other run, `b` the picked one."""
    scale = 100 if percent else 1
    rows = []
    for one in changes:
        theirs, ours = one.causes
        rows.append(
            {
                "Change": SIGNS[one.change],
                "Question": one.question.text,
                "● Selected": getattr(one.b, metric) * scale,
                "◆ Other": getattr(one.a, metric) * scale,
                "● Why": CAUSES[ours].label if ours else "",
                "◆ Why": CAUSES[theirs].label if theirs else "",
            }
        )
    return rows


def two_views(
    target: Workspace,
    change: QuestionChange,
    runs: tuple[EvaluationRun, EvaluationRun],
    labels: tuple[str, str],
    view: LeaderboardView,
) -> None:
    """Draw both runs' results for a question side by side; a warning if its document is gone.

    Args:
        target: workspace of the documents.
        change: the question with both scores; `b` of the picked run, `a` of the other.
        runs: the picked run and the other.
        labels: label of each run.
        view: how results are counted.
    """
    question = change.question
    with st.container(border=True, key="tune.question"):
        st.markdown(f"### {plain(question.text)}")
        answer = _answer(question)
        try:
            text = document(target, answer.doc_id)
        except NotFoundError as error:
            st.warning(plain(str(error)))
            return
        more = f", the first of {quantity(len(question.answers), 'answer')}" if len(question.answers) > 1 else ""
        st.caption(
            f"The gold answer is in **{plain(text.title)}** ({plain(text.source)}){more}, underlined in green below."
        )
        deliver_text(text, key="tune.text")
        sides = st.columns(2, gap="medium")
        scores, whys = (change.b, change.a), (change.why_b, change.why_a)
        for place, side in enumerate(sides):
            with side:
                answered = next(one for one in runs[place].answered if one.question_id == question.id)
                st.markdown(f":{_COLOURS[place]}[{_SPAN_SIGNS[place]}] **{plain(labels[place])}**")
                st.markdown(_came(scores[place], returned_first(answered, view)), width="content")
                why = whys[place]
                if why is not None and scores[place].whole < 1:
                    st.caption(
                        plain(why.sentence) + (f" Suggestion: **{plain(help_words(why.help))}**." if why.help else "")
                    )
                if parser := runs[place].parser:
                    st.caption(f"Its results lie in the text that {plain(parser_word(parser))} reads, not in this one.")
                    continue
                _view(text, question, answered, view, key=f"tune.view.{place}")
                _elsewhere(target, text, returned_first(answered, view))


def _answer(question: Question) -> AnswerSpan:
    return min(question.answers, key=lambda one: (one.doc_id, one.start))


def returned_first(answered: Answered, view: LeaderboardView) -> Sequence[Found]:
    """Return a question's first results, as many as the view's measure counts."""
    return answered.results[: counted(answered.results, view.measure)]


def _came(score: Score, results: Sequence[Found]) -> str:
    """Return the outcome of a question in a line."""
    rank = round(1 / score.reciprocal_rank) if score.reciprocal_rank else None
    how = "✓ found" if score.whole >= 1 else f"◐ {score.recall:.0%} of the answer" if score.recall else "✗ not found"
    at = f", from result {rank} on" if rank else ""
    return (
        f"{how}{at} · {quantity(len(results), 'result')}, "
        f"{metric_of(COST).text(score.context_tokens).replace('tokens', 'context tokens')}"
    )


def _view(text: Document, question: Question, answered: Answered, view: LeaderboardView, *, key: str) -> None:
    inside = [
        (rank, one) for rank, one in enumerate(returned_first(answered, view), start=1) if one.doc_id == text.doc_id
    ]
    bands = result_bands(inside, labelled=True)
    answers = [one for one in question.answers if one.doc_id == text.doc_id]
    marks = ViewMarks(
        hits=[TextMark(int(start), int(end)) for start, end in zip(bands.starts, bands.ends, strict=True)],
        answers=[TextMark(one.start, one.end) for one in answers],
    )
    at = min(one.start for one in answers)
    viewer(
        text,
        bands,
        key=key,
        height=HEIGHT,
        goto=Goto(max(0, at - 200), f"{question.id}"),
        layers=ViewLayers(marks, prefixes=False),
    )


def _elsewhere(target: Workspace, text: Document, results: Sequence[Found]) -> None:
    """Draw the results in other documents."""
    labels = target.derived(document_labels)
    others = [(rank, one) for rank, one in enumerate(results, start=1) if one.doc_id != text.doc_id]
    named = [f"{rank} {plain(labels.get(one.doc_id, one.doc_id or 'a summary'))}" for rank, one in others]
    if named:
        st.caption(f"Elsewhere: {' · '.join(named)}")
    elif not results:
        st.caption("Nothing was returned.")
