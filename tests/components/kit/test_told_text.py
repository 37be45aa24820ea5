"""What is told in passing of a user's text: the name of a set, or a document's words, may be somebody else's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import streamlit as st

from components.documents import document_edits
from components.evaluate.questions import question_review


@pytest.mark.parametrize(
    ("tell", "key"),
    [(question_review.tell_saved, question_review._SAID), (document_edits.tell_edit, document_edits._MESSAGE)],
    ids=["question set", "edit"],
)
def test_notices_hold_no_markup(monkeypatch: pytest.MonkeyPatch, tell: Callable[[], None], key: str) -> None:
    """The browser would fetch an image from where they say, and follow a link."""
    messages: list[str] = []
    monkeypatch.setattr(st, "toast", lambda sentence, **_: messages.append(sentence))
    st.session_state[key] = "3 questions saved in “![x](https://example.com/x.png)”"
    tell()
    (sentence,) = messages
    assert "![x]" not in sentence
    assert "3 questions" in sentence
    assert key not in st.session_state
