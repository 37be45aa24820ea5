"""Text of users stays text where Streamlit reads Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from components.kit.wording import JOINER, isolated, plain


@pytest.mark.parametrize(
    "text",
    [
        "![x](http://evil.example/a.png)",
        "# Title",
        "<img src=x onerror=alert(1)>",
        "$x$ :red[y] [a](b)",
        "`code` *em*",
        "&lt;b&gt;",
    ],
)
def test_markup_in_a_users_text_is_shown_not_followed(text: str) -> None:
    """Rendered, the text reads as it was written, and makes no image, link or HTML."""
    html = MarkdownIt().renderInline(plain(text))
    assert "<img" not in html
    assert "<a " not in html
    assert "<em>" not in html
    assert shown(plain(text)) == text


@pytest.mark.parametrize(
    "text", ["1. Install", "12. Install", "- item", "+ item", "> quote", "    code", "***", "2) two"]
)
def test_the_start_of_a_text_makes_no_list_or_quote(text: str) -> None:
    """A heading such as `1. Install` keeps its number."""
    assert [token.type for token in MarkdownIt().parse(plain(text))] == ["paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize(
    "text", ["https://evil.example", "WWW.evil.example", "me@evil.example", ":material/home:", ":streamlit:", "a -> b"]
)
def test_what_is_read_after_markdown_is_broken_up(text: str) -> None:
    """Links without markup, icons and arrows are found in the finished text, where no backslash helps."""
    assert JOINER in plain(text)


def test_a_direction_mark_does_not_turn_the_sentence_round() -> None:
    """`\u202e` in a name would show the rest of the line from right to left."""
    assert plain("invoice\u202efdp.md") == "invoicefdp.md"


@pytest.mark.parametrize("name", ["שלום.md", "مرحبا (1).pdf", "handbook שלום\u202e.md"])
def test_words_from_right_to_left_reorder_nothing_around_them(name: str) -> None:
    """They are isolated; a mark of their own cannot end that."""
    for label in (plain(name), isolated(name)):
        assert (label[0], label[-1]) == ("\u2068", "\u2069")
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", label[1:-1])


@given(st.text())
def test_any_text_comes_out_as_itself(text: str) -> None:
    """Apart from runs of white space, which become one space, and direction marks."""
    expected = re.sub("[\u202a-\u202e\u2066-\u2069]", "", " ".join(text.replace("\x00", "\ufffd").split()))
    assert shown(plain(text)) == expected.replace(JOINER, "")


def shown(markdown: str) -> str:
    """What a reader sees of it."""
    tokens = MarkdownIt().parseInline(markdown)[0].children or []
    text = " ".join("".join(token.content for token in tokens).split()).replace(JOINER, "")
    return text.removeprefix("\u2068").removesuffix("\u2069")
