"""What stands between two lines of a paragraph, and where one ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.parsing.builder.line_joining import begins_item, ends_sentence, goes_on, introduces, joint, runs_on

words = st.text(alphabet=st.sampled_from("abC1 中文。，.,-()（）“”:：\u3000é한"), max_size=12)


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        ("the last", "word", " "),
        ("显微", "镜下", ""),
        ("显微镜，", "Zeiss", ""),
        ("显微镜", "，然后", ""),
        ("使用", "Zeiss", " "),
        ("Zeiss", "的", " "),
        ("共", "25", ""),
        ("25", "度", ""),
        ("(25%)", "的", ""),
        ("well-", "known", ""),
        ("pages 3 -", "nothing", " "),
        ("see (", "below", ""),
        ("said", ", and", ""),
        ("use", ".NET here", " "),
        ("한국어", "문장", " "),
        ("カタ", "カナ", ""),
        ("ends. ", "Next", ""),
        ("", "x", ""),
        ("x", "", ""),
    ],
)
def test_between_two_lines(before: str, after: str, between: str) -> None:
    """Nothing between ideographs and beside wide marks; a space between words."""
    assert joint(before, after) == between


@given(words, words)
def test_a_joint_never_changes_what_is_there(before: str, after: str) -> None:
    """It is nothing or one space, and never a second one."""
    between = joint(before, after)
    assert between in ("", " ")
    assert not (between and (not before or not after or before[-1].isspace() or after[0].isspace()))


@pytest.mark.parametrize(
    "text",
    [
        "It ends.",
        "It ends.”",
        "Really?)",
        "是这样。",
        "他说：“好！”",
        "见上文；",
        "and so on…",
        "done [3].",
        "done.[3, 4]",
        "the end.² ",
    ],
)
def test_ends_of_sentences(text: str) -> None:
    """A stop, whatever closing marks and note marks follow it."""
    assert ends_sentence(text)


@pytest.mark.parametrize(
    "text", ["", "see Fig.", "by J.", "e.g.", "et al.", "荧光的", "such as:", "一、二、", "(one", "2.5"]
)
def test_no_ends_of_sentences(text: str) -> None:
    """Abbreviations, initials, colons and commas."""
    assert not ends_sentence(text)


@pytest.mark.parametrize(
    "text",
    [
        "- one",
        "• two",
        "•two",
        "3. Run",
        "12) x",
        "（二）资质",
        "(a) x",
        "①甲",
        "一、总则",
        "1、甲",
        "iv. four",
        "●甲",
        "\uf0b7 x",
        "⑴乙",
    ],
)
def test_bullets_and_numbers_begin_an_item(text: str) -> None:
    """Bullets and the numbers of items, English and Chinese."""
    assert begins_item(text)


@pytest.mark.parametrize(
    "text", ["3.5 kg", "2024 was", "I am", "-5 degrees", "一个", "1.2.3 x", "(see below)", "A word", "", "12月"]
)
def test_decimals_and_years_begin_no_item(text: str) -> None:
    """Decimals, years and words."""
    assert not begins_item(text)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("of mice,", "Rats", True),
        ("包括荧光、", "磷光", True),
        ("the light", "of day", True),
        ("the", "Zeiss lens", True),
        ("well-", "Known", True),
        ("显微镜", "，然后", True),
        ("It ends.", "Then", None),
        ("Fig.", "Then", None),
        ("显微镜", "通常", None),
        ("如下：", "1. 甲", False),
        ("要求", "（二）乙", False),
        ("written by", "A. Smith", True),
    ],
)
def test_the_words_decide_whether_a_line_goes_on(before: str, after: str, same: bool | None) -> None:
    """One paragraph, two, or nothing said."""
    assert runs_on(before, after) is same
    assert goes_on(before, after) or same is not True


def test_a_colon_introduces() -> None:
    """In both widths, with space after it."""
    assert introduces("as follows: ")
    assert introduces("如下：")
    assert not introduces("10:30")
