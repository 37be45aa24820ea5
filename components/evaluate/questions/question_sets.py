"""Actions on a question set: summary, search operators, split, download, delete."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import streamlit as st

from chunking.config import QuerySyntax
from chunking.evaluation import QuestionPart, QuestionSet, Relocated, change_set, delete_set, split, to_csv, to_jsonl
from chunking.store import Workspace
from components.evaluate.questions.question_editor import made_words
from components.kit.button import button
from components.kit.wording import LANGUAGES, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.page.page_frame import dialog, sentences
from components.session.questions.question_state import set_active

__all__ = ["lost_questions", "set_actions", "set_facts", "syntax_toggle"]

_SHARE = 30
"""Default percentage of held-out questions."""
_SYNTAX = "evaluate.syntax.seen"
"""Session key: (name, syntax) that the toggle was last drawn for."""
_SYNTAX_LINES = {
    QuerySyntax.PLAIN: "Questions are plain language; quotation marks are just text.",
    QuerySyntax.OPERATORS: "Questions are typed searches; text in quotation marks is a condition.",
}
_SYNTAX_HELP = (
    "On: questions are searches as typed on the Search page, where text in quotation marks is a condition. This "
    "applies to everything measured on this set: runs, experiments, estimates, live recall and labelling."
)


def set_facts(relocated: Relocated) -> None:
    """Draw a line about a set, number of questions, origins, languages and labels; its split on hover."""
    questions = relocated.as_saved or relocated.questions
    languages = Counter(
        LANGUAGES.get(one.language, one.language) for one in questions.questions if one.language != "und"
    )
    words = [quantity(len(questions), "question"), made_words(questions)]
    if languages:
        words.append(", ".join(plain(name) for name, _ in languages.most_common()))
    held_out = len(questions.of(QuestionPart.HOLDOUT))
    split = f"{len(questions) - held_out:,} dev, {held_out:,} held out" if held_out else "not split"
    if nothing := sum(one.unanswerable for one in questions.questions):
        words.append(f"{nothing:,} without an answer")
    if waiting := len(questions) - questions.measured:
        words.append(f"{waiting:,} not fully labelled")
    words += _labelled(questions)
    if relocated.moved:
        words.append(f"{quantity(relocated.moved, 'answer')} relocated")
    st.caption(
        " · ".join(words),
        help=f"Split: {split}. When a document changes, gold answers are located again by their exact text.",
    )


def _labelled(questions: QuestionSet) -> list[str]:
    """Return the pool depths of labelled questions, and the number of unjudged passages."""
    pools = [(one.pool, len(one.judged)) for one in questions.questions if one.pool is not None]
    if not pools:
        return []
    depths = sorted({pool.depth for pool, _ in pools})
    passages, judged = (
        sum(pool.passages for pool, _ in pools),
        sum(min(number, pool.passages) for pool, number in pools),
    )
    return [
        (
            f"pool depth {' and '.join(map(str, depths))}, {passages - judged:,} of {passages:,} pooled passages "
            f"never judged"
        )
    ]


def syntax_toggle(target: Workspace, questions: QuestionSet) -> None:
    """Draw the toggle that reads a set's questions as typed searches, and store it."""
    key, now = "evaluate.syntax", questions.syntax is QuerySyntax.OPERATORS
    version = (questions.name, now)
    if st.session_state.get(_SYNTAX) != version or key not in st.session_state:
        st.session_state[key], st.session_state[_SYNTAX] = now, version

    def changed() -> None:
        syntax = QuerySyntax.OPERATORS if st.session_state[key] else QuerySyntax.PLAIN
        with sentences():
            change_set(target, questions.name, lambda kept: replace(kept, syntax=syntax))

    how = f"{_SYNTAX_LINES[questions.syntax]}\n\n{_SYNTAX_HELP}"
    st.toggle("Search operators", key=key, on_change=changed, width="content", **editing(help=how))


def lost_questions(relocated: Relocated) -> None:
    """Draw the questions whose gold answer left the documents, in an expander; nothing if none."""
    if not relocated.lost:
        return
    box = st.expander(
        (
            f":material/warning: {quantity(len(relocated.lost), 'question')} left out: the gold answer is no longer in "
            f"the documents"
        ),
        key="evaluate.lost",
        on_change="rerun",
    )
    if box.open:
        texts = {one.id: one.text for one in (relocated.as_saved or relocated.questions).questions}
        with box:
            for name, sentence in relocated.lost:
                st.caption(f"**{plain(texts.get(name, name))}** · {plain(sentence)}")


def set_actions(target: Workspace, questions: QuestionSet) -> None:
    """Draw the buttons that split, download and, after a confirmation, delete a set."""
    with st.container(horizontal=True, vertical_alignment="center", key="evaluate.actions"):
        _split(target, questions)
        _download(target, questions)
        if button("Delete the set …", key="evaluate.delete", **editing()):
            _confirm_delete(target, questions)


def _split(target: Workspace, questions: QuestionSet) -> None:
    with st.popover("Split", help="Into a dev split and a held-out split"):
        st.caption(
            "Settings always look better on the questions they were chosen by. Hold some questions out: choose on "
            "the dev split, then check the choice once on the held-out split. Each document contributes the same "
            "share."
        )
        percent = st.slider("Held out", 0, 80, _SHARE, 5, format="%d%%", key="evaluate.split.share")
        if button("Split the set", key="evaluate.split", type="primary", **editing()):
            with sentences():
                change_set(target, questions.name, lambda kept: split(kept, holdout=percent / 100))
                st.rerun()


def _download(target: Workspace, questions: QuestionSet) -> None:
    with st.popover("Download"):
        for label, make, ending, mime in (
            ("JSONL", to_jsonl, "jsonl", "application/jsonl"),
            ("CSV", to_csv, "csv", "text/csv"),
        ):
            st.download_button(
                label,
                data=partial(make, questions, target.documents()),
                file_name=f"{_file_name(questions.name)}.{ending}",
                mime=mime,
                on_click="ignore",
                key=f"evaluate.download.{ending}",
            )
        st.caption("Both can be imported again, here or elsewhere.")


def _file_name(name: str) -> str:
    """Return a set's name with characters unsafe in file names replaced."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name) or "questions"


@dialog("Delete this question set?")
def _confirm_delete(target: Workspace, questions: QuestionSet) -> None:
    """Ask for confirmation, then delete the set."""
    st.write(
        f"**{plain(questions.name)}** with {quantity(len(questions), 'question')}. Its runs are kept, but no longer "
        "shown."
    )
    with st.container(horizontal=True):
        if button("Delete it", type="primary", key="evaluate.delete.sure", about=questions.name, **editing()):
            with sentences():
                delete_set(target, questions.name)
                set_active(None)
                share.keep_view(run=None)
                st.rerun()
        if button("Keep it", key="evaluate.delete.cancel"):
            st.rerun()
