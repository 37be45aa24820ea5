"""Text of users stays text where Streamlit reads Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from components.words import plain


@pytest.mark.parametrize("text", ["![x](http://evil.example/a.png)", "# Title", "<img src=x onerror=alert(1)>", "$x$ :red[y] [a](b)", "`code` *em*"])
def test_markup_in_a_users_text_is_shown_not_followed(text: str) -> None:
    """Rendered, the text reads as it was written, and makes no image, link or HTML."""
    html = MarkdownIt().renderInline(plain(text))
    assert "<img" not in html
    assert "<a " not in html
    assert "<em>" not in html


@given(st.text())
def test_any_text_comes_out_as_itself(text: str) -> None:
    """Apart from runs of white space, which become one space."""
    tokens = MarkdownIt().parseInline(plain(text))[0].children or []
    assert " ".join("".join(token.content for token in tokens).split()) == " ".join(text.replace("\x00", "\ufffd").split())
