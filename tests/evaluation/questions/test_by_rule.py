"""Questions without a language model: they read like questions, differ, and their answers stand in the text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings

from chunking.errors import QuestionError
from chunking.evaluation import RULES, AnswerSpan, Made, Question, generate
from chunking.evaluation.questions.generation import by_rule
from chunking.evaluation.questions.generation.drafts import ALIKE, terms
from chunking.evaluation.questions.generation.question_languages import LANGUAGES
from chunking.model import Document
from chunking.parsing import parse
from tests.support.strategies import markdown

ENGLISH, CHINESE = LANGUAGES["en"], LANGUAGES["zh"]
SAMPLES = Path(__file__).parents[3] / "sample_data"


@pytest.fixture(scope="module")
def samples() -> list[Document]:
    return [
        parse(path.read_bytes(), path.relative_to(SAMPLES).as_posix())
        for path in SAMPLES.rglob("*")
        if path.suffix in (".md", ".txt")
    ]


def questions_by_rule(text: str, kind: Made, source: str = "guide/notes.md") -> list[tuple[str, str]]:
    """Questions with their answers."""
    generated = generate([parse(text.encode(), source)], [kind])
    return [(question.text, question.answers[0].text) for question in generated.questions]


def test_questions_are_made_from_headings() -> None:
    """Numbers are left away; titles that say nothing alone, or stand twice, get the one above; the answer opens the
    section.
    """
    text = (
        "# Field Handbook\n\nWords at the beginning of it all, enough of them.\n\n## 1. Pumps\n\n### 1.1 Overview\n\n"
        "The pumps stand in the cellar. They are blue.\n\n### 1.2 Replace the seal\n\n```\ncode\n```\n\n"
        "- Close the red valve before you open it.\n\n"
        "## 2. Sensors\n\n### 2.1 Overview\n\nThe sensors hang from the roof of every house.\n\n### 2.2 "
        "Empty\n\n## Alarm Rules\n\n"
        "Our alarm rules are strict and few, as they should be.\n"
    )
    assert dict(questions_by_rule(text, Made.HEADING)) == {
        ENGLISH.about.format(thing="Replace the seal"): "Close the red valve before you open it.",
        ENGLISH.nested.format(thing="Overview", over="Pumps"): "The pumps stand in the cellar. They are blue.",
        ENGLISH.nested.format(thing="Overview", over="Sensors"): "The sensors hang from the roof of every house.",
        ENGLISH.about.format(thing="Alarm Rules"): "Our alarm rules are strict and few, as they should be.",
    }


def test_chinese_headings_give_chinese_questions() -> None:
    """They are asked about in Chinese; a heading that is a question is one."""
    text = (
        "# 手册\n\n## 更换电池\n\n### 概述\n\n请先关闭电源，再打开电池仓的盖子。\n\n"
        "### 电池能用多久？\n\n正常间隔下锂电池可以用五年左右。\n"
    )
    assert dict(questions_by_rule(text, Made.HEADING)) == {
        CHINESE.nested.format(thing="概述", over="更换电池"): "请先关闭电源，再打开电池仓的盖子。",
        "电池能用多久？": "正常间隔下锂电池可以用五年左右。",
    }


def test_headings_under_one_heading_are_no_repeats() -> None:
    """What every question by rule says does not make two of them alike."""
    for language, over, titles in (
        (ENGLISH, "Operation of the Heron gateway", ("Overview", "Limits")),
        (CHINESE, "网关的操作", ("概述", "限制")),
    ):
        first, second = (terms(language.nested.format(thing=title, over=over)) for title in titles)
        assert len(first & second) < ALIKE * len(first | second)


def test_questions_that_the_document_asks() -> None:
    """A question-answer pair is asked as it is; the answer has no mark."""
    text = "Q: How far may it be?\nA: About 1,200 metres.\n\n问：防水吗？\n答：可以淋雨。\n"
    assert set(questions_by_rule(text, Made.HEADING, "faq.txt")) == {
        ("How far may it be?", "About 1,200 metres."),
        ("防水吗？", "可以淋雨。"),
    }


def test_other_languages_ask_for_themselves() -> None:
    """There are no rules for them, but a question is a question."""
    text = (
        "# Handbuch\n\n## Was kostet die Pumpe?\n\nDie Pumpe kostet neunzig Euro und ist blau.\n\n## "
        "Keller\n\nSie steht im Keller.\n"
    )
    assert questions_by_rule(text, Made.HEADING) == [
        ("Was kostet die Pumpe?", "Die Pumpe kostet neunzig Euro und ist blau.")
    ]


def test_a_key_phrase_is_asked_for_where_it_is_explained() -> None:
    """What is named again and again, asked for where it is explained."""
    text = (
        "# Handbook\n\n**Frost night**: a night on which many sites fall below zero.\n\nOn a frost night, "
        "nobody sleeps. "
        "Before a frost night, we check the duty phone. The duty phone is the one in the safe. Whoever has "
        "the duty phone, stays awake.\n\n" + "The weather changes. Birds sing in the trees.\n\n" * 8
    )
    assert dict(questions_by_rule(text, Made.PHRASE)) == {
        ENGLISH.defining.format(thing="frost night"): "**Frost night**: a night on which many sites fall below zero.",
        ENGLISH.defining.format(thing="duty phone"): "The duty phone is the one in the safe.",
    }


def test_on_the_samples(samples: list[Document]) -> None:
    """Both languages, every document, every kind; all distinct, with distinct answers, and equal after JSON."""
    generated = generate(samples, most=120)
    assert len(generated) == 120
    by_id = {document.doc_id: document.text for document in samples}
    for question in generated.questions:
        assert question.text.endswith(("?", "？"))
        assert "  " not in question.text
        assert len(question.text) <= 160
        for answer in question.answers:
            assert by_id[answer.doc_id][answer.start : answer.end] == answer.text
            assert 8 <= len(answer.text) <= 900
    assert Counter(question.made for question in generated.questions).keys() == RULES.keys()
    assert {question.language for question in generated.questions} == {"en", "zh"}
    assert {answer.doc_id for question in generated.questions for answer in question.answers} == set(by_id)
    for one, other in combinations(generated.questions, 2):
        first, second = terms(one.text), terms(other.text)
        assert len(first & second) < ALIKE * len(first | second), (one.text, other.text)
    assert len({question.id for question in generated.questions}) == 120


def test_the_same_each_time_and_others_by_the_seed(samples: list[Document]) -> None:
    """Whatever the order of the documents; what is taken is not asked again."""
    generated = generate(samples, most=30)
    assert generate(samples, most=30) == generated
    assert {one.text for one in generate(samples, most=30, seed=1).questions} != {
        one.text for one in generated.questions
    }
    more = generate(samples, most=30, existing=generated.questions)
    assert not {one.text for one in more.questions} & {one.text for one in generated.questions}
    assert not {one.id for one in more.questions} & {one.id for one in generated.questions}
    assert not {one.answers for one in more.questions} & {one.answers for one in generated.questions}


def test_documents_without_usable_prose_give_no_questions() -> None:
    """Another language, no prose, all taken, a kind that needs a model: said."""
    german = parse(
        (
            "# Pumpe\n\nDie Pumpe ist blau und steht im Keller. Wenn sie ausfällt, rufen Sie bitte den Dienst an.\n"
        ).encode(),
        "a.md",
    )
    with pytest.raises(QuestionError, match="English or Chinese"):
        generate([german])
    with pytest.raises(QuestionError, match="No question"):
        generate([])
    one = parse(b"# A\n\n## Replace the seal\n\nClose the red valve before you open it.\n", "a.md")
    existing = [Question("x", "Else?", (AnswerSpan("a", 0, len(one.text), one.text),))]
    assert generate([one])
    with pytest.raises(QuestionError, match="have questions already"):
        generate([one], existing=existing)
    with pytest.raises(QuestionError, match=r"'llm' .* by rule"):
        generate([one], [Made.LLM])


@settings(max_examples=40, deadline=None)
@given(markdown(8))
def test_generated_answers_lie_in_any_document(text: str) -> None:
    """Whatever stands in it: questions with their answers in place, or a sentence."""
    document = replace(
        parse(("Some plain words stand before it. " * 40 + "\n\n" + text).encode(), "guide/notes.md"), language="und"
    )
    try:
        generated = generate([document], most=20)
    except QuestionError:
        return
    for question in generated.questions:
        assert question.text.strip()
        assert all(document.text[one.start : one.end] == one.text and one.text.strip() for one in question.answers)


def test_many_documents_are_not_all_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few as the questions take; the rest only where those give too few."""
    read: list[str] = []
    headings = by_rule.RULES[Made.HEADING]
    counting = {Made.HEADING: lambda document, others: read.append(document.doc_id) or headings(document, others)}
    monkeypatch.setattr(by_rule, "RULES", counting)
    text = "# Guide\n\n" + "\n\n".join(
        f"## {title}\n\nThe pump stands in the cellar." for title in ("Cellar rooms", "Blue pumps", "Old pipes", "Taps")
    )
    many = [replace(parse(text.encode(), "guide/pumps.md"), doc_id=f"d{n}") for n in range(200)]
    assert len(generate(many, [Made.HEADING], most=3)) == 3
    assert len(read) == 30
    read.clear()
    generate(many, [Made.HEADING], most=100)
    assert len(read) == 200
