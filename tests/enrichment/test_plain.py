"""What a language model wrote is words, and not too many of them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.enrichment.by_llm.plain_answers import MAX_CHARACTERS, clipped, plain
from chunking.enrichment.prose_sentences import usable
from tests.support.strategies import words


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("# Heading\n\n- One point.\n- Another point.", "Heading One point. Another point."),
        ("```\nSome code.\n```", "Some code."),
        ("Context: It is about pumps.", "It is about pumps."),
        ("上下文：本节介绍水泵。", "本节介绍水泵。"),
        ('"It is about pumps."', "It is about pumps."),
        ("<script>alert(1)</script>Pumps <b>move</b> water.", "alert(1)Pumps move water."),
        ("Pumps.<img src=x onerror=alert(1)", "Pumps."),
        ("See [the guide](javascript:alert(1)) now.", "See the guide now."),
        ("Go to https://evil.example/?q=1 or www.evil.example, now.", "Go to or now."),
        ("A\u202eb\u200bc\x00d\x1b[31me", "Abcd 31me"),
        ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
        ("第一行\n第二行。", "第一行第二行。"),
        ("---", ""),
        ("https://evil.example", ""),
    ],
)
def test_markup_links_and_hidden_characters_go(answer: str, words: str) -> None:
    """One paragraph stays, or nothing."""
    assert plain(answer) == words


@given(st.text(max_size=300) | words())
def test_it_is_one_line_of_visible_characters(answer: str) -> None:
    """Whatever comes."""
    text = plain(answer)
    assert "\n" not in text
    assert "://" not in text
    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in text)
    assert not set(text) & set("<>`|{}[]")


def test_a_very_long_answer_is_not_read_to_its_end() -> None:
    """A hostile server costs no more than another."""
    assert len(plain("word " * 1_000_000)) <= MAX_CHARACTERS


@given(st.text(max_size=200) | words(), st.integers(0, 60))
def test_a_clipped_text_fits_its_room(text: str, room: int) -> None:
    """Counted in characters here; nothing is better than too much."""
    short = clipped(text, room, len)
    assert len(short) <= room or short == text
    assert len(short) <= room


def test_whole_sentences_stay() -> None:
    """Of several that do not fit together."""
    assert clipped("One is here. Two is here. Three is here.", 26, len) == "One is here. Two is here."
    assert clipped("第一句在这里。第二句在这里。", 10, len) == "第一句在这里。"


@pytest.mark.parametrize(
    "text",
    [
        "a" * 2_000_000,
        "a" * 2_000_000 + " ends here at last.",
        "a\u0301" + "\u0301" * 2_000_000,
        " ".join(["b" * 100_000] * 9),
    ],
)
def test_a_word_of_millions_of_letters_is_clipped(text: str) -> None:
    """A tokenizer takes it for one unknown token, so that it had room."""
    assert len(clipped(text, 100, lambda one: len(one.split()))) <= 100 * 50 + 1
    assert not usable(f"{text} and it is over.")
