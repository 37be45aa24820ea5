"""Questions without a language model: they read like questions, differ, and their answers stand in the text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings

from chunking.errors import QuestionError
from chunking.evaluation import RULES, Answer, Made, Question, generate
from chunking.evaluation.questions.generation import by_rule, chinese, english
from chunking.evaluation.questions.generation.choosing import ALIKE, terms
from chunking.model import Document
from chunking.parsing import parse
from tests.support.strategies import markdown

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(scope="module")
def samples() -> list[Document]:
    return [parse(path.read_bytes(), path.relative_to(SAMPLES).as_posix()) for path in SAMPLES.rglob("*") if path.suffix in (".md", ".txt")]


def asked(text: str, kind: Made, source: str = "guide/notes.md") -> list[tuple[str, str]]:
    """Questions with their answers."""
    made = generate([parse(text.encode(), source)], [kind])
    return [(question.text, question.answers[0].text) for question in made.questions]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The gateway keeps thirty days of readings on its card.", "How many days of readings does the gateway keep on its card?"),
        ("The median is 1.8 seconds.", "How many seconds is the median?"),
        ("A tenant can have at most 50 users.", "How many users can a tenant have?"),
        ("A tenant may have 50 users in one region.", "How many users may a tenant have in one region?"),
        ("Invoices are kept for ten years because the law asks for it.", "Why are Invoices kept for ten years?"),
        ("If the lamp stays red, call the duty phone.", "What should I do if the lamp stays red?"),
        ("When the link fails, the sensor waits for an hour.", "What happens when the link fails?"),
        ("If you lose your key, please ask the duty officer.", "What should I do if I lose my key?"),
        ("The breaker is a flag that trades quality for load.", "What is the breaker?"),
        ("The keys are stored in the safe behind the door.", "Where are the keys stored?"),
        ("The red cable is used to connect the pump.", "What is the red cable used for?"),
        ("The starter box contains a gateway and three sensors.", "What does the starter box contain?"),
        ("It keeps thirty days of readings on its card.", ""),
        ("If it fails, call the duty phone at once.", ""),
        ("This is the place of the pump in the house.", ""),
        ("The file below is the part that matters to you.", ""),
        ("When I was young, things were better than now.", ""),
        ("Between the two there is nothing of note at all.", ""),
    ],
)
def test_english_sentences(sentence: str, question: str) -> None:
    """Inverted as English asks; nothing where the sentence leans on another one."""
    assert english.from_sentence(sentence) == question


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("传感器每10分钟读一次数。", "传感器每多少分钟读一次数？"),
        ("一条规则最多可设 8 位联系人，多了请分成两条。", "一条规则最多可设多少位联系人？"),
        ("同一只电池的电量下降了百分之几并不重要，下降 11 % 才要紧。", "同一只电池的电量下降了百分之几并不重要，下降百分之多少才要紧？"),
        ("如果指示灯变红，请拨打值班电话。", "指示灯变红时，应该怎么做？"),
        ("网络中断时，网关把数据存在本机。", "网络中断时会怎么样？"),
        ("由于电压不稳，传感器的读数会跳动。", "为什么传感器的读数会跳动？"),
        ("空心圆点是断网期间补传的数据。", "空心圆点是什么？"),
        ("认领码由两个英文单词和两位数字组成。", "认领码由什么组成？"),
        ("网关支持蓝牙和无线网络两种方式。", "网关支持什么？"),
        ("工作温度为 −30 °C 到 70 °C，不要超过。", ""),
        ("它每10分钟读一次数，然后发送。", ""),
        ("修改后从 60 分钟改成 1 分钟。", ""),
        ("下表是我们归纳出来的起始值，请参考。", ""),
    ],
)
def test_chinese_sentences(sentence: str, question: str) -> None:
    """What is asked for stands where its answer stood."""
    assert chinese.from_sentence(sentence) == question


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Replace the battery", "How do I replace the battery?"),
        ("Installing the gateway", "How do I install the gateway?"),
        ("How to pair your sensor", "How do I pair my sensor?"),
        ("Acknowledge an alarm", "How do I acknowledge an alarm?"),
        ("What Roost does", "Can you explain what Roost does?"),
        ("Can I stream readings?", "Can I stream readings?"),
        ("GET /v2/readings", "What does GET /v2/readings do?"),
        ("Operating temperature", ""),
        ("Report format", ""),
        ("Backup and restore", ""),
    ],
)
def test_english_titles(title: str, question: str) -> None:
    """Orders, questions and half questions; other titles are asked about instead."""
    assert english.from_heading(title) == question


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("更换电池", "如何更换电池？"),
        ("为什么收不到数据", "为什么收不到数据？"),
        ("数据怎样走？", "数据怎样走？"),
        ("指示灯", ""),
    ],
)
def test_chinese_titles(title: str, question: str) -> None:
    """Orders and questions."""
    assert chinese.from_heading(title) == question


def test_headings() -> None:
    """Numbers are left away; titles that say nothing alone, or stand twice, get the one above; the answer opens the section."""
    text = (
        "# Field Handbook\n\nWords at the beginning of it all, enough of them.\n\n## 1. Pumps\n\n### 1.1 Overview\n\n"
        "The pumps stand in the cellar. They are blue.\n\n### 1.2 Replace the seal\n\n```\ncode\n```\n\n"
        "- Close the red valve before you open it.\n\n"
        "## 2. Sensors\n\n### 2.1 Overview\n\nThe sensors hang from the roof of every house.\n\n### 2.2 Empty\n\n## Alarm Rules\n\n"
        "Our alarm rules are strict and few, as they should be.\n"
    )
    found = dict(asked(text, Made.HEADING))
    assert found.pop("How do I replace the seal?") == "Close the red valve before you open it."
    assert found == {
        next(key for key in found if "“Pumps”" in key): "The pumps stand in the cellar. They are blue.",
        next(key for key in found if "“Sensors”" in key): "The sensors hang from the roof of every house.",
        next(key for key in found if "alarm rules" in key): "Our alarm rules are strict and few, as they should be.",
    }


def test_questions_that_the_document_asks() -> None:
    """A question-answer pair is asked as it is; the answer has no mark."""
    text = "Q: How far may it be?\nA: About 1,200 metres.\n\n问：防水吗？\n答：可以淋雨。\n"
    assert set(asked(text, Made.HEADING, "faq.txt")) == {
        ("How far may it be?", "About 1,200 metres."),
        ("防水吗？", "可以淋雨。"),
    }


def test_other_languages_ask_for_themselves() -> None:
    """There are no rules for them, but a question is a question."""
    text = "# Handbuch\n\n## Was kostet die Pumpe?\n\nDie Pumpe kostet neunzig Euro und ist blau.\n\n## Keller\n\nSie steht im Keller.\n"
    assert asked(text, Made.HEADING) == [("Was kostet die Pumpe?", "Die Pumpe kostet neunzig Euro und ist blau.")]


def test_key_phrases() -> None:
    """What is named again and again, asked for where it is explained."""
    text = (
        "# Handbook\n\n**Frost night**: a night on which many sites fall below zero.\n\nOn a frost night, nobody sleeps. "
        "Before a frost night, we check the duty phone. The duty phone is the one in the safe. Whoever has the duty phone, stays awake.\n\n"
        + "The weather changes. Birds sing in the trees.\n\n"
        * 8
    )
    assert dict(asked(text, Made.PHRASE)) == {
        "What is meant by a frost night?": "**Frost night**: a night on which many sites fall below zero.",
        "What is meant by the duty phone?": "The duty phone is the one in the safe.",
    }


def test_on_the_samples(samples: list[Document]) -> None:
    """Both languages, every document and every kind; no two alike, none answered by the same words; all as JSON again."""
    made = generate(samples, most=120)
    assert len(made) == 120
    by_id = {document.doc_id: document.text for document in samples}
    for question in made.questions:
        assert question.text.endswith(("?", "？"))
        assert "  " not in question.text
        assert len(question.text) <= 160
        for answer in question.answers:
            assert by_id[answer.doc_id][answer.start : answer.end] == answer.text
            assert 8 <= len(answer.text) <= 900
    assert Counter(question.made for question in made.questions).keys() == RULES.keys()
    assert {question.language for question in made.questions} == {"en", "zh"}
    assert {answer.doc_id for question in made.questions for answer in question.answers} == set(by_id)
    for one, other in combinations(made.questions, 2):
        first, second = terms(one.text), terms(other.text)
        assert len(first & second) < ALIKE * len(first | second), (one.text, other.text)
    assert len({question.id for question in made.questions}) == 120


def test_the_same_each_time_and_others_by_the_seed(samples: list[Document]) -> None:
    """Whatever the order of the documents; what is taken is not asked again."""
    made = generate(samples, most=30)
    assert generate(samples, most=30) == made
    assert {one.text for one in generate(samples, most=30, seed=1).questions} != {one.text for one in made.questions}
    more = generate(samples, most=30, taken=made.questions)
    assert not {one.text for one in more.questions} & {one.text for one in made.questions}
    assert not {one.id for one in more.questions} & {one.id for one in made.questions}
    assert not {one.answers for one in more.questions} & {one.answers for one in made.questions}


def test_what_gives_no_questions() -> None:
    """Another language, no prose, all taken, a kind that needs a model: said."""
    german = parse(
        "# Pumpe\n\nDie Pumpe ist blau und steht im Keller. Wenn sie ausfällt, rufen Sie bitte den Dienst an.\n".encode(), "a.md"
    )
    with pytest.raises(QuestionError, match="English or Chinese"):
        generate([german])
    with pytest.raises(QuestionError, match="No question"):
        generate([])
    one = parse(b"# A\n\n## Replace the seal\n\nClose the red valve before you open it.\n", "a.md")
    taken = [Question("x", "Else?", (Answer("a", 0, len(one.text), one.text),))]
    assert generate([one])
    with pytest.raises(QuestionError, match="were taken"):
        generate([one], taken=taken)
    with pytest.raises(QuestionError, match=r"'llm' .* by rule"):
        generate([one], [Made.LLM])


@settings(max_examples=40, deadline=None)
@given(markdown(8))
def test_any_document(text: str) -> None:
    """Whatever stands in it: questions with their answers in place, or a sentence."""
    document = replace(parse(("Some plain words stand before it. " * 40 + "\n\n" + text).encode(), "guide/notes.md"), language="und")
    try:
        made = generate([document], most=20)
    except QuestionError:
        return
    for question in made.questions:
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
