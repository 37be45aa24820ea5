"""Create a question from selected text, which becomes its gold answer."""

from __future__ import annotations

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import AnswerSpan, QuestionSet, add_question, change_set, locate
from chunking.model import Document
from components.kit.wording import plain, quantity
from components.session.current_workspace import editing
from components.session.page.page_frame import dialog, sentences
from components.session.questions.question_state import active_name, set_active, set_names
from components.session.workspace import workspace

__all__ = ["OWN_SET", "answer_at", "ask_dialog", "keep_question", "tell_saved_question"]

OWN_SET = "My questions"
"""Question set used while none is active."""

_KEPT = "asking.kept"


@dialog("Ask a question that this text answers")
def ask_dialog(of: Document, start: int, end: int) -> None:
    """Draw the dialog for question, answer and set; a saved question closes it.

    Args:
        of: the document.
        start: start of the selected text, in characters.
        end: end of the selected text.
    """
    with sentences(), st.form("asking", border=False):
        text = st.text_input("Question", key="asking.question", placeholder="For example: How long are backups kept?")
        quote = st.text_area(
            "Answer",
            of.text[start:end].strip(),
            key=f"asking.answer.{start}.{end}",
            height=140,
            help="The gold answer, as it is in the document. Keep only what answers the question: a long answer is "
            "split more easily.",
        )
        name = st.selectbox(
            "Question set",
            list(dict.fromkeys([active_name() or OWN_SET, *set_names(), OWN_SET])),
            key="asking.set",
            accept_new_options=True,
            help="Choose one, or type a new name. Earlier runs were made without this question.",
        )
        if st.form_submit_button("Add the question", type="primary", key="asking.add", **editing()):
            kept = keep_question(of, text, answer_at(of, quote, start, end), str(name or ""))
            st.session_state[_KEPT] = f"“{plain(kept.name)}” has {quantity(len(kept), 'question')} now."
            st.rerun()


def tell_saved_question() -> None:
    """Show in a toast, once, that the dialog saved a question; nothing otherwise."""
    said = st.session_state.pop(_KEPT, "")
    if said:
        st.toast(said, icon=":material/check:")


def answer_at(of: Document, quote: str, start: int, end: int) -> AnswerSpan:
    """Return the span of an answer in the document, inside the selection if it occurs there.

    Args:
        quote: the answer as typed.
        start: start of the selected text, in characters.
        end: end of the selected text.

    Raises:
        QuestionError: the answer is not in the document.
    """
    selected = of.text[start:end]
    if quote.strip() == selected.strip():
        begin = start + len(selected) - len(selected.lstrip())
        return AnswerSpan(of.doc_id, begin, begin + len(selected.strip()), selected.strip())
    spans = locate(quote, of, offset=start)
    if not spans:
        raise QuestionError("The document does not contain this answer. You may leave out words, but not change them.")
    return next((one for one in spans if start <= one.start and one.end <= end), spans[0])


def keep_question(of: Document, text: str, answer: AnswerSpan, name: str) -> QuestionSet:
    """Add a question to a new or existing set, save it, and make the set active.

    Raises:
        QuestionError: no question or no name, or the set has this question already.
        StoreError: the set cannot be written.
    """
    changed = change_set(workspace(), name, lambda kept: add_question(kept, text, [answer], language=of.language))
    set_active(changed.after.name)
    return changed.after
