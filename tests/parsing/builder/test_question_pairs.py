"""Question-answer pairs in both formats and both languages."""

from __future__ import annotations

import pytest

from chunking.model import BlockType
from chunking.parsing import parse
from tests.support.laws_documents import check


def _pairs(text: str, source: str) -> list[tuple[str, str]]:
    """(question, answer) of each pair."""
    document = parse(text.encode(), source)
    check(document)
    pairs = [block for block in document.blocks if block.type is BlockType.QA]
    return [
        (
            document.text[block.start : block.meta["question_end"]].strip(),
            document.text[block.meta["question_end"] : block.end].strip(),
        )
        for block in pairs
    ]


@pytest.mark.parametrize("source", ["a.md", "a.txt"])
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Q: How much?", "A: Five euros."),
        ("问：多少钱？", "答：五欧元。"),
        ("**Q:** How much?", "**A:** Five euros."),
        ("Q1. How much", "A1. Five euros."),
        ("Question: How much?", "Answer: Five\neuros."),
        ("问题1：多少钱", "答案：五欧元。"),
        ("Q：多少钱？", "A：五欧元。"),
    ],
)
def test_marked_questions_and_answers_become_pairs(source: str, question: str, answer: str) -> None:
    """One paragraph or two, several in a row, and no mark that is known is missed."""
    assert _pairs(f"{question}\n{answer}", source) == [(question, answer)]
    assert _pairs(f"{question}\n\n{answer}\n\n{question}\n{answer}\n", source) == [(question, answer)] * 2


@pytest.mark.parametrize("source", ["a.md", "a.txt"])
def test_questions_without_an_answer_mark(source: str) -> None:
    """A marked or bold question that ends in a question mark is answered by the paragraph after it."""
    assert _pairs("Q: How much?\n\nFive euros.", source) == [("Q: How much?", "Five euros.")]
    assert _pairs("**多少钱？**\n\n五欧元。", source) == [("**多少钱？**", "五欧元。")]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize(
    ("question", "source"), [("**如何安装？**", "a.md"), ("**How?**", "a.txt"), ("1. 如何安装？", "a.txt")]
)
def test_a_marked_answer_answers_any_question(question: str, source: str, gap: str) -> None:
    """A bold or numbered question, and `答：` under it: the commonest form of a Chinese FAQ."""
    assert _pairs(f"{question}{gap}答：运行安装程序。", source) == [(question, "答：运行安装程序。")]


@pytest.mark.parametrize("source", ["a.md", "a.txt"])
def test_a_list_of_questions_is_no_pair(source: str) -> None:
    """The contents of a FAQ: the second question does not answer the first."""
    assert _pairs("1. What is it?\n2. How is it installed?\n3. Why?\n", source) == []
    assert _pairs("**What is it?**\n**How is it installed?**\n", source) == []


def test_numbered_questions_in_plain_text() -> None:
    """The FAQ as people type it: a numbered question, the answer under it."""
    text = "1. How much is it?\nFive euros.\n\n2. 多少钱？\n\n五欧元。\n\n3. Not asked\n\nText."
    assert _pairs(text, "a.txt") == [("1. How much is it?", "Five euros."), ("2. 多少钱？", "五欧元。")]


@pytest.mark.parametrize("source", ["a.md", "a.txt"])
@pytest.mark.parametrize(
    "text",
    [
        "A: nothing was asked.",
        "Q: asked, and no answer",
        "Q: one?\n\nQ: two?",
        "Why not?\n\nBecause.",
        "Q.E.D. is Latin\n\nYes.",
        "Plan A: go\nPlan B: stay",
    ],
)
def test_half_a_pair_stays_text(text: str, source: str) -> None:
    """Half a pair, or a question in running text, stays what it was."""
    assert _pairs(text, source) == []


def test_pairs_in_a_list() -> None:
    """Questions and answers as items."""
    assert _pairs("- Q: one?\n- A: 1\n- Q: two?\n- A: 2\n", "a.md") == [
        ("- Q: one?", "- A: 1"),
        ("- Q: two?", "- A: 2"),
    ]


def test_code_is_never_part_of_a_pair() -> None:
    """A question that code answers stays a paragraph: code is kept whole by itself."""
    assert _pairs("Q: How?\n\n```\nx\n```\n", "a.md") == []
