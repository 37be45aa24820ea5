"""The languages in which questions are made by rule, and how each asks: one wording, with a title or a key phrase in it
as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chunking.evaluation.questions.generation.drafts import MOST_HAN, MOST_LETTERS
from chunking.evaluation.questions.generation.phrase_finding import (
    chinese_phrases,
    defined_in_chinese,
    defined_in_english,
    english_phrases,
)

__all__ = ["LANGUAGES", "QuestionLanguage"]


@dataclass(frozen=True, slots=True)
class QuestionLanguage:
    """How a language asks about a `{thing}`, and where its key phrases stand."""

    tag: str
    about: str
    """Asks about a title or phrase, whatever it is."""
    within: str
    """Asks about a title that says nothing alone, such as Overview, under the heading that is `{over}` it."""
    about_of: str
    """Asks about a phrase, and names what its document is about: the `{subject}`."""
    defining: str
    """Asks what a phrase means."""
    defining_of: str
    """Asks what a phrase means, and names the `{subject}`."""
    generic: frozenset[str]
    """Titles, small, that say nothing without the one above."""
    phrases: Callable[[Sequence[str]], Mapping[str, int]]
    """Of sentences: runs of words that may name a thing, small, with the number of sentences they stand in."""
    defines: Callable[[str, str], bool]
    """(sentence, phrase): the sentence says what the phrase is."""
    early: int
    """Characters of a sentence in front of a phrase that it still is about."""
    most: int
    """Characters of an answer of several sentences."""


LANGUAGES: Mapping[str, QuestionLanguage] = {
    "en": QuestionLanguage(
        tag="en",
        about="What does the documentation say about {thing}?",
        within="What does the documentation say about {thing} under {over}?",
        about_of="What does the documentation say about {thing} with regard to {subject}?",
        defining="What is meant by {thing}?",
        defining_of="What is meant by {thing} with regard to {subject}?",
        generic=frozenset(
            "overview introduction notes note limits example examples summary general background details "
            "description usage parameters "  # noqa: SIM905
            "response request errors options settings contents basics purpose scope requirements procedure "
            "steps result results "
            "references appendix changes history about faq questions contact fields rules".split()
        ),
        phrases=english_phrases,
        defines=defined_in_english,
        early=14,
        most=MOST_LETTERS,
    ),
    "zh": QuestionLanguage(
        tag="zh",
        about="关于{thing}，文档是怎么说的？",
        within="关于{over}里的{thing}，文档是怎么说的？",
        about_of="关于{subject}的{thing}，文档是怎么说的？",
        defining="什么是{thing}？",
        defining_of="{subject}里的{thing}是什么？",
        generic=frozenset(
            (
                "概述 简介 说明 注意事项 示例 总结 背景 参数 错误 选项 设置 内容 用途 范围 "
                "要求 步骤 结果 附录 其他 规则 限制 联系 介绍"
            ).split()  # noqa: SIM905
        ),
        phrases=chinese_phrases,
        defines=defined_in_chinese,
        early=3,
        most=MOST_HAN,
    ),
}
"""By tag; documents in others get the questions they ask themselves, or none."""
