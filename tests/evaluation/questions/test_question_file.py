"""Files of questions: every form, every fault, and files that nobody should send."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import QuestionError
from chunking.evaluation import (
    Imported,
    Made,
    Problem,
    ProblemKind,
    QuestionPart,
    accept,
    read_questions,
    split,
    to_csv,
    to_jsonl,
)
from chunking.evaluation.questions.files import question_file as reading_module
from chunking.evaluation.questions.files import question_rows as rows_module
from chunking.evaluation.questions.files.question_file import MOST_OFFERED
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.model import Document
from chunking.parsing import parse
from tests.support.shared_data import shared_data
from tests.support.strategies import words

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "sample_data"

NOTES = (
    "# Notes\n\nThe pump moves ninety litres a minute.\nClose the red valve first.\n\nThe pump is blue.\n\nClose "
    "the red valve first.\n"
)
GUIDE = "# 手册\n\n传感器每十分钟读一次数。请先关闭电源，\n再打开盖子。\n"


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [
        parse(NOTES.encode(), "guide/notes.md"),
        parse(GUIDE.encode(), "guide/手册.md"),
        parse(b"Other words.", "other/notes.txt"),
    ]


def read(text: str | bytes, documents: list[Document], name: str = "mine.csv") -> Imported:
    return read_questions(text if isinstance(text, bytes) else text.encode(), name, documents)


def only(imported: Imported) -> Problem:
    (problem,) = imported.problems
    return problem


def sample_documents() -> list[Document]:
    return [
        parse(path.read_bytes(), path.relative_to(SAMPLES).as_posix())
        for path in SAMPLES.rglob("*")
        if path.suffix in (".md", ".txt")
    ]


def test_chroma_as_it_is() -> None:
    """All 276 questions of three corpora, each answer at the place the file says."""
    chroma = shared_data("../benchmarks/chroma")
    corpora = [parse(path.read_bytes(), path.name) for path in sorted((chroma / "corpora").iterdir())]
    data = (chroma / "questions.csv").read_bytes()
    imported = read_questions(data, "questions.csv", corpora)
    assert (len(imported.questions), imported.problems) == (276, ())
    texts = {corpus.doc_id: corpus.text for corpus in corpora}
    answers = [answer for question in imported.questions.questions for answer in question.answers]
    assert all(texts[answer.doc_id][answer.start : answer.end] == answer.text for answer in answers)
    assert len(answers) == data.count(b'""start_index""')
    missing = read_questions(data, "questions.csv", corpora[:1])
    assert {problem.kind for problem in missing.problems} == {ProblemKind.NO_DOCUMENT}
    assert 0 < len(missing.questions) < 276


def test_the_sample_questions_and_their_round_trips() -> None:
    """Written as JSON lines and as CSV, read again: the same questions, parts and all."""
    documents = sample_documents()
    imported = read_questions((SAMPLES / "questions.jsonl").read_bytes(), "questions.jsonl", documents)
    assert (len(imported.questions), imported.problems, imported.questions.name) == (227, (), "questions")
    assert {question.language for question in imported.questions.questions} == {"en", "zh"}
    marked = split(imported.questions)
    assert marked == imported.questions  # the file comes with the split that the app would make
    for text in (to_jsonl(marked, documents), to_csv(marked, documents)):
        again = read_questions(text.encode(), "questions.txt", documents)
        assert (again.questions, again.problems) == (marked, ())


def test_the_sample_questions_across_languages_can_be_imported() -> None:
    """Ten questions of both languages, with the split that the app would make."""
    data = (SAMPLES / "questions_across.jsonl").read_bytes()
    imported = read_questions(data, "questions_across.jsonl", sample_documents())
    assert (len(imported.questions), imported.problems) == (10, ())
    assert split(imported.questions) == imported.questions


@pytest.mark.parametrize(
    "text",
    [
        "question,doc,answer\nHow much?,guide/notes.md,The pump moves ninety litres a minute.\n",
        "Question;Document;Answer text\nHow much?;notes.md;The pump moves ninety litres a minute.\n",
        "sep=\t\nquery\tdoc_id\tquote\tpage\nHow much?\tguide_notes\tThe pump moves ninety litres a minute.\t3\n",
        'question,doc,answer\nHow much?,C:\\data\\Guide\\Notes.md,"[""The pump moves ninety litres a minute.""]"\n',
        'question,doc,answer,start,end\n"How\nmuch?",./guide/notes.md,,9,47\n',
        "\ufeffquestion,doc,answer\r\nHow much?,guide/notes,the  pump moves NINETY litres a minute.\r\n",
        '{"question": "How much?", "doc": "guide/notes.md", "answers": [{"start": 9, "end": 47}]}',
        '{"question": "How much?", "doc": "guide/notes.md", "answer": "The pump moves ninety litres a minute."}',
        (
            '[{"query": "How much?", "doc": "guide_notes", "answer": {"text": ["The pump moves ninety litres a '
            'minute."], "start": [9]}}]'
        ),
        (
            '{\n "questions": [{"question": "How much?", "document": "guide/notes.md", "quotes": ["The pump '
            'moves ninety litres a minute."]}]}'
        ),
        (
            '{\n "question": "How much?", "doc": "guide/notes.md", "answers": ["The pump moves ninety litres a '
            'minute."]\n}'
        ),
        '{"question": "How much?", "doc": "guide/notes.md", "answers": [{"content": "ninety litres", '
        '"start_index": 0, "doc": "other"}]}\n'
        '{"question": "How much?", "doc": "guide/notes.md", "answers": [{"text": "The pump moves ninety '
        'litres a minute."}]}',
    ],
)
def test_a_question_is_read_from_every_layout_of_columns(text: str, documents: list[Document]) -> None:
    """One question, its answer at its place, whatever columns are called and quotes look like."""
    imported = read(text, documents)
    (question,) = imported.questions.questions
    assert (question.text, question.made, question.part) == ("How much?", Made.IMPORTED, QuestionPart.TUNE)
    assert [(one.doc_id, one.start, one.end, one.text) for one in question.answers] == [
        ("guide_notes", 9, 47, NOTES[9:47])
    ]


def test_answers_in_rows_are_one_question(documents: list[Document]) -> None:
    """Rows of one question give its answers, wherever in the file; duplicate rows are reported."""
    rows = [
        "How?,guide/notes.md,The pump is blue.",
        "Why?,手册.md,请先关闭电源",
        "How?,guide/手册.md,再打开盖子",
        "How?,guide/notes.md,The pump is blue.",
    ]
    imported = read("\n".join(["question,doc,answer", *rows]), documents)
    assert [(one.text, [answer.text for answer in one.answers]) for one in imported.questions.questions] == [
        ("How?", ["The pump is blue.", "再打开盖子"]),
        ("Why?", ["请先关闭电源"]),
    ]
    assert (only(imported).kind, only(imported).line, only(imported).kept) == (ProblemKind.DUPLICATE, 5, False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_question_files_of_spreadsheets_are_decoded(encoding: str, documents: list[Document]) -> None:
    """What spreadsheets write; a guess is said."""
    text = (
        "问题,文档,答案\n"
        "多久读一次数？,手册.md,传感器每十分钟读一次数。\n"
        "先做什么？,手册.md,请先关闭电源，再打开盖子。\n"
    )
    imported = read(text.encode(encoding), documents)
    assert [one.answers[0].text for one in imported.questions.questions] == [
        "传感器每十分钟读一次数。",
        "请先关闭电源，\n再打开盖子。",
    ]
    assert bool(imported.notes) == (encoding in ("utf-16", "gb18030"))


@pytest.mark.parametrize(
    ("row", "kind", "said", "kept"),
    [
        (",guide/notes.md,The pump is blue.", "no_question", "no question", False),
        ("How?,guide/notes.md,", "no_answer", "no answer", False),
        ("How?,guide/none.md,The pump is blue.", "no_document", "guide/none.md", False),
        ("How?,notes,Close the red valve first.", "no_document", "guide/notes.md and other/notes.txt", False),
        ("How?,,Close the green valve first.", "no_document", "names no document", False),
        ("How?,guide/notes.md,Close the red valve first.", "twice", "2 times", True),
        ("How?,guide/notes.md,A whole other matter.", "not_found", "is not in", False),
        ("How?,guide/notes.md,Close the big red valve first.", "not_found", "is not in", False),
        ("How?,guide/notes.md,The pump is blue.,and,more", "unreadable", "5 cells", False),
        ("x" * 3000 + "?,guide/notes.md,The pump is blue.", "too_long", "3,001", False),
    ],
)
def test_faults_are_listed_with_what_to_do(
    row: str, kind: str, said: str, kept: bool, documents: list[Document]
) -> None:
    """The line, a sentence, and whether the question is in the set all the same; the good rows around it are read."""
    good = "Colour?,guide/notes.md,The pump is blue."
    imported = read("\n".join(["question,doc,answer", row, good]), documents)
    problem = only(imported)
    assert (problem.line, problem.kind, problem.kept) == (2, ProblemKind(kind), kept)
    assert said in problem.sentence
    assert len(imported.questions) == 1 + kept


def test_spans_out_of_range(documents: list[Document]) -> None:
    """With its words the answer is found; without them it is listed."""
    record = {"question": "How?", "doc": "guide/notes.md", "answers": [{"start": 5_000, "end": 5_020}]}
    imported = read(json.dumps(record), documents)
    assert only(imported).kind is ProblemKind.OUT_OF_RANGE
    assert "5,000 to 5,020" in only(imported).sentence
    record["answers"] = [{"start": 5_000, "end": 5_020, "text": "The pump is blue."}]
    imported = read(json.dumps(record), documents)
    assert (only(imported).kind, only(imported).kept) == (ProblemKind.MOVED, True)
    assert imported.questions.questions[0].answers[0].text == "The pump is blue."
    for wrong in (-5, 20), (20, 20), (30, 20), (True, 20), (1.5, 20), ("x", "y"), (10**30, 10**31), (None, None):
        record["answers"] = [dict(zip(("start", "end"), wrong, strict=True))]  # type: ignore[assignment]
        assert not read(json.dumps(record), documents).questions.questions


def test_a_quote_that_stands_twice(documents: list[Document]) -> None:
    """A span near one of the places says which is meant; the other one can be taken instead."""
    second = NOTES.rindex("Close")
    record = {
        "question": "How?",
        "doc": "guide/notes.md",
        "answers": [{"text": "Close the red valve first.", "start": second - 3}],
    }
    imported = read(json.dumps(record), documents)
    assert imported.questions.questions[0].answers[0].start == second
    imported = read("question,doc,answer\nHow?,guide/notes.md,Close the red valve first.", documents)
    assert imported.questions.questions[0].answers[0].start == NOTES.index("Close")
    other = accept(imported, only(imported), only(imported).offers[0])
    assert [answer.start for answer in other.questions.questions[0].answers] == [second]
    assert not other.problems
    with pytest.raises(QuestionError, match="not offered"):
        accept(other, only(imported), only(imported).offers[0])


def test_near_misses_are_accepted_one_by_one(documents: list[Document]) -> None:
    """A question with two misquotes joins the set when both are mended."""
    quotes = ["Close the big red valve first.", "The pump was blue."]
    record = {"id": "a", "question": "How?", "doc": "guide/notes.md", "answers": [*quotes, "ninety litres"]}
    imported = read(json.dumps(record), documents)
    assert [problem.offers[0].text for problem in imported.problems] == [
        "Close the red valve first.",
        "The pump is blue.",
    ]
    assert not imported.questions.questions
    assert imported.left_out == 1
    once = accept(imported, imported.problems[0], imported.problems[0].offers[1])
    assert not once.questions.questions
    twice = accept(once, once.problems[0], once.problems[0].offers[0])
    (question,) = twice.questions.questions
    assert (question.id, [answer.text for answer in question.answers]) == (
        "a",
        ["ninety litres", "The pump is blue.", "Close the red valve first."],
    )
    assert not twice.problems
    assert not twice.pending


def test_duplicates_and_ids(documents: list[Document]) -> None:
    """The same question with the same answer is left out, with another one kept; an id twice is changed."""
    lines = [
        {"id": "1", "question": "How?", "doc": "guide/notes.md", "answers": ["The pump is blue."]},
        {"id": "2", "question": " how ?", "doc": "guide/notes.md", "answers": ["The pump is blue."]},
        {"id": "1", "question": "How?", "doc": "guide/notes.md", "answers": ["ninety litres"]},
        {"question": "Why?", "doc": "guide/notes.md", "answers": ["ninety litres", "ninety litres"]},
    ]
    imported = read("\n".join(map(json.dumps, lines)), documents)
    assert [(problem.line, problem.kind, problem.kept) for problem in imported.problems] == [
        (2, ProblemKind.DUPLICATE, False),
        (3, ProblemKind.DUPLICATE, True),
        (3, ProblemKind.SAME_ID, True),
    ]
    ids = [question.id for question in imported.questions.questions]
    assert ids[:2] == ["1", "1-2"]
    assert len(set(ids)) == 3
    assert len(imported.questions.questions[2].answers) == 1


def test_no_document_column(documents: list[Document]) -> None:
    """With one document it is that one; else the only one that has the quote, or a choice."""
    text = "question,answer\nHow?,The pump is blue.\nWhich?,words\nWhat?,first.\n"
    imported = read(text, documents)
    assert [question.answers[0].doc_id for question in imported.questions.questions] == [
        "guide_notes",
        "other_notes",
        "guide_notes",
    ]
    assert len(read(text, documents[:1]).questions) == 2


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


def visible(text: str) -> str:
    """Without control characters: a small file full of them is no text."""
    return "".join(char for char in text if unicodedata.category(char) != "Cc")


@settings(max_examples=40, deadline=None)
@given(st.lists(words().map(visible), min_size=1, max_size=40).map(" ".join).filter(str.strip), st.data())
def test_any_set_survives_its_files(text: str, data: st.DataObject) -> None:
    """Written as CSV and as JSON lines and read again: the same questions, whatever they quote."""
    text = text.replace(" ", data.draw(st.sampled_from([" ", "\r\n", ",", '"', "'="])))
    note = replace(parse(NOTES.encode(), "guide/notes.md"), text=text)
    question_list: list[Question] = []
    for number in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, min(len(text), start + 50)))
        if text[start:end].strip():
            wording = " ".join(f"{visible(data.draw(words()))} {number}?".split())
            made_id = data.draw(st.sampled_from(["q", "=", "-1"])) + str(number)
            question_list.append(
                Question(
                    made_id,
                    wording,
                    (AnswerSpan(note.doc_id, start, end, text[start:end]),),
                    part=QuestionPart.HOLDOUT,
                    language="en",
                )
            )
    questions = QuestionSet("set", tuple(question_list))
    for written in (to_csv(questions, [note]), to_jsonl(questions, [note])) if question_list else ():
        assert read_questions(written.encode(), "set.csv", [note]).questions == questions


def test_cells_that_a_spreadsheet_would_run() -> None:
    """Guarded on the way out, read back as they were."""
    text = "# Sums\n\n=SUM(A1:A9) is a formula.\n\n- item one\n\n'=quoted\n\n@name\n"
    documents = [parse(text.encode(), "sums.md")]
    quotes = ["=SUM(A1:A9) is a formula.", "- item one", "'=quoted", "@name"]
    imported = read(
        "\n".join(json.dumps({"question": f"+{n}?", "answers": [quote]}) for n, quote in enumerate(quotes)), documents
    )
    written = to_csv(imported.questions, documents)
    assert not any(cell.startswith(("=", "+", "-", "@")) for line in written.splitlines() for cell in line.split(","))
    assert read(written, documents).questions.questions == imported.questions.questions


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
