"""Files of questions: every form, every fault, and round trips."""

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
    Made,
    ProblemKind,
    QuestionPart,
    accept,
    read_questions,
    split,
    to_csv,
    to_jsonl,
)
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.model import Document
from chunking.parsing import parse
from tests.evaluation.questions.notes import NOTES, only, read
from tests.support.shared_data import shared_data
from tests.support.strategies import words

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "sample_data"


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
