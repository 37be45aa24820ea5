"""Making a question out of text that was selected: the text is the answer."""

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
"""Where a question goes as long as no set is chosen."""

_KEPT = "asking.kept"


@dialog("Ask a question that this text answers")
def ask_dialog(of: Document, start: int, end: int) -> None:
    """The question, its answer, and the set it goes to; closes when the question is kept.

    Args:
        of: the document.
        start: of the selected text, in characters.
        end: of it.
    """
    with sentences(), st.form("asking", border=False):
        text = st.text_input("Question", key="asking.question", placeholder="Such as: How long are backups kept?")
        quote = st.text_area(
            "Answer",
            of.text[start:end].strip(),
            key=f"asking.answer.{start}.{end}",
            height=140,
            help="The gold answer: text from the document. Shorten it to what answers the question: the longer an "
            "answer, the more easily "
            "it is split.",
        )
        name = st.selectbox(
            "Question set",
            list(dict.fromkeys([active_name() or OWN_SET, *set_names(), OWN_SET])),
            key="asking.set",
            accept_new_options=True,
            help="Choose one, or type a new name. Earlier runs belong to the set without this question.",
        )
        if st.form_submit_button("Add the question", type="primary", key="asking.add", **editing()):
            kept = keep_question(of, text, answer_at(of, quote, start, end), str(name or ""))
            st.session_state[_KEPT] = f"“{plain(kept.name)}” has {quantity(len(kept), 'question')} now."
            st.rerun()


def tell_saved_question() -> None:
    """Say, in the run after it, that a question was kept: what a dialog says goes with it."""
    said = st.session_state.pop(_KEPT, "")
    if said:
        st.toast(said, icon=":material/check:")


def answer_at(of: Document, quote: str, start: int, end: int) -> AnswerSpan:
    """The selected text, or what it was shortened to, as it stands nearest to the selection.

    Raises:
        QuestionError: the document does not hold it.
    """
    selected = of.text[start:end]
    if quote.strip() == selected.strip():
        begin = start + len(selected) - len(selected.lstrip())
        return AnswerSpan(of.doc_id, begin, begin + len(selected.strip()), selected.strip())
    spans = locate(quote, of, offset=start)
    if not spans:
        raise QuestionError("The document does not contain this answer; leave out words, but do not change them.")
    return next((one for one in spans if start <= one.start and one.end <= end), spans[0])


def keep_question(of: Document, text: str, answer: AnswerSpan, name: str) -> QuestionSet:
    """Add a question to a set of the workspace, or to a new one, and work with it from now on.

    Raises:
        QuestionError: there is no question or no name, or the set has this question already.
        StoreError: it cannot be kept.
    """
    changed = change_set(workspace(), name, lambda kept: add_question(kept, text, [answer], language=of.language))
    set_active(changed.after.name)
    return changed.after
