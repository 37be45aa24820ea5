"""Files of questions that nobody should send: empty, hostile and too large ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import QuestionError
from chunking.evaluation.questions.files import question_file as reading_module
from chunking.evaluation.questions.files import question_rows as rows_module
from chunking.evaluation.questions.files.question_file import MOST_OFFERED
from chunking.model import Document
from chunking.parsing import parse
from tests.evaluation.questions.notes import NOTES, only, read


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (b"PK\x03\x04" + bytes(400), "ZIP archive"),
        (b"\x00\x01\x02\x03" * 200, "binary"),
        (b"just some words\nand more of them", "no column 'question'"),
        (b"question\nHow?\n", "no column 'question'"),
        (b"question,doc,answer\n", "has no question"),
        (b"[]", "has no question"),
        (b'{"questions": []}', "has no question"),
    ],
)
def test_files_that_hold_no_questions(data: bytes, said: str, documents: list[Document]) -> None:
    """One sentence, with the file's name."""
    with pytest.raises(QuestionError, match=said) as caught:
        read(data, documents)
    assert caught.value.where == "mine.csv"
    assert "mine.csv" in str(caught.value)


def test_a_question_file_over_the_limits_is_refused_early(
    documents: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many bytes or rows are refused before any quote is looked up; so are questions on no document."""
    text = "question,doc,answer\n" + "How?,guide/notes.md,The pump is blue.\n" * 4
    monkeypatch.setattr(rows_module, "MOST_ROWS", 3)
    with pytest.raises(QuestionError, match="more than 3 rows"):
        read(text, documents)
    monkeypatch.setattr(rows_module, "MOST_BYTES", 100)
    with pytest.raises(QuestionError, match="more than 100; split"):
        read(text, documents)
    with pytest.raises(QuestionError, match="no document yet"):
        read("question,doc,answer\n", [])


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"question": NaN, "answer": "a"}',
        '{"question": "a", "answers": ' + "[" * 5_000 + "]" * 5_000 + "}",
        "{}\n" * 9,
    ],
)
def test_hostile_json_is_listed_not_raised(text: str, documents: list[Document]) -> None:
    """Nested, wrong and empty objects are problems like any other."""
    imported = read(text, documents)
    assert imported.problems
    assert not imported.questions.questions


def test_an_unclosed_quote_swallows_no_rows(documents: list[Document]) -> None:
    """The rows after it are read."""
    imported = read(
        'question,doc,answer\nA?,guide/notes.md,"The pump is blue.\nB?,guide/notes.md,ninety litres\n', documents
    )
    assert [question.text for question in imported.questions.questions] == ["B?"]
    assert only(imported).offers[0].text == "The pump is blue."


def test_answers_that_look_like_lists() -> None:
    """A quote that begins with a bracket is a quote, not a list of answers."""
    text = '# API\n\nSend `{"serial": "x"}` or [1] or [link](a.md).\n'
    documents = [parse(text.encode(), "api.md")]
    rows = [
        "question,doc,answer",
        'A?,api.md,"{""serial"": ""x""}"',
        "B?,api.md,[1]",
        "C?,api.md,[link](a.md)",
        "D?,api.md,[",
        "E?,api.md,[]",
    ]
    imported = read("\n".join(rows), documents)
    assert [one.answers[0].text for one in imported.questions.questions] == [
        '{"serial": "x"}',
        "[1]",
        "[link](a.md)",
        "[",
    ]


def test_what_is_looked_for_is_bounded(documents: list[Document], monkeypatch: pytest.MonkeyPatch) -> None:
    """Near misses are searched for a limited number of quotes; very long quotes are looked up like others."""
    looked: list[str] = []
    monkeypatch.setattr(reading_module, "near_misses", lambda quote, document: looked.append(quote) or ())
    rows = [f"How {n}?,guide/notes.md,No such words {n}." for n in range(MOST_OFFERED + 50)]
    imported = read("\n".join(["question,doc,answer", *rows, f"Long?,guide/notes.md,{'word ' * 20_000}"]), documents)
    assert (len(imported.problems), len(looked)) == (MOST_OFFERED + 51, MOST_OFFERED)
    assert max(len(problem.sentence) for problem in imported.problems) < 200


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_file_is_read_or_refused(data: st.DataObject) -> None:
    """Whatever the bytes are: a set, a list of problems, or a QuestionError."""
    documents = [parse(NOTES.encode(), "guide/notes.md")]
    cells = st.sampled_from(
        ["How?", "guide/notes.md", "The pump is blue.", '"', '""', "[", "{", "9", "'=1", "\ud83d\ude00", ""]
    ) | st.text(max_size=8)
    rows = st.lists(
        st.lists(cells, max_size=5).map(data.draw(st.sampled_from([",", ";", "\t", '","'])).join), max_size=6
    ).map("\n".join)
    head = data.draw(st.sampled_from(["question,doc,answer\n", "question;answer\n", '{"question": "', "[{", ""]))
    text = head + data.draw(rows)
    try:
        imported = read(text.encode("utf-8", "replace"), documents)
    except QuestionError:
        return
    for question in imported.questions.questions:
        assert question.text
        assert question.answers
        assert all(NOTES[answer.start : answer.end] == answer.text and answer.text for answer in question.answers)
    assert len({question.id for question in imported.questions.questions}) == len(imported.questions)
