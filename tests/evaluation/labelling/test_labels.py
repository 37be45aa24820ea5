"""Labels of queries in a question set: merged, kept, found again, exported and imported as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chunking.errors import QuestionError
from chunking.evaluation import (
    AnswerSpan,
    Judged,
    Made,
    Pool,
    QueryLabel,
    Question,
    QuestionSet,
    add_label,
    answer_span,
    judged_passage,
    load_set,
    read_questions,
    relocate,
    save_set,
    to_csv,
    to_jsonl,
)
from chunking.model import Document
from chunking.parsing import parse
from chunking.store import Workspace

TEXT = "# Pump\n\nThe pump is blue. It moves ninety litres.\n\n## Valve\n\nClose the valve. It is red.\n"
EMPTY = QuestionSet("real", ())


def document(text: str = TEXT) -> Document:
    return parse(text.encode(), "guide/pump.md")


def at(words: str, of: Document) -> tuple[int, int]:
    start = of.text.index(words)
    return start, start + len(words)


def labelled_set() -> QuestionSet:
    """A query with an answer, one without, and one of which only a passage that does not answer it is known."""
    of = document()
    label = QueryLabel(
        (answer_span(of, *at("It moves ninety litres.", of)),),
        (
            judged_passage(of, *at("The pump is blue. It moves ninety litres.", of)),
            judged_passage(of, *at("It is red.", of)),
        ),
        pool=Pool(10, 3, 7),
    )
    labelled = add_label(EMPTY, "How much does it move", label, language="en")
    labelled = add_label(
        labelled,
        "=price",
        QueryLabel(judged=(judged_passage(of, *at("It is red.", of)),), unanswerable=True, pool=Pool(10, 3, 1)),
    )
    return add_label(
        labelled, "colour of the valve", QueryLabel(judged=(judged_passage(of, *at("Close the valve.", of)),))
    )


def test_a_label_makes_a_question_and_the_next_one_joins_it() -> None:
    """The same query in another spelling is the same question; a passage is relevant where an answer stands in it."""
    of = document()
    start, end = at("The pump is blue. It moves ninety litres.", of)
    first = add_label(EMPTY, "How much?", QueryLabel(judged=(judged_passage(of, start, end),)))
    assert [(one.open, one.judged[0].relevant, one.made) for one in first.questions] == [(True, False, Made.QUERY)]
    both = add_label(
        first, "  HOW much ", QueryLabel((answer_span(of, *at("  It moves ninety litres. ".strip(), of)),))
    )
    (question,) = both.questions
    assert question.text == "How much?"
    assert question.answers[0].text == "It moves ninety litres."
    assert (question.open, question.judged[0].relevant) == (False, True)
    assert add_label(both, "how much", QueryLabel(question.answers)).questions == both.questions


@pytest.mark.parametrize(
    ("query", "label", "words"),
    [
        (" ", QueryLabel(unanswerable=True), "no query"),
        ("why", QueryLabel(), "Nothing is marked"),
        ("long " * 1_000, QueryLabel(unanswerable=True), "2,000"),
        ("How much does it move?", QueryLabel(unanswerable=True), "has an answer"),
    ],
)
def test_what_cannot_be_a_label(query: str, label: QueryLabel, words: str) -> None:
    """A sentence each."""
    with pytest.raises(QuestionError, match=words):
        add_label(labelled_set(), query, label)


@pytest.mark.parametrize(("start", "end"), [(-1, 4), (5, 5), (0, 10_000), (6, 8)])
def test_spans_outside_or_of_white_space(start: int, end: int) -> None:
    """Refused with a sentence."""
    with pytest.raises(QuestionError, match="words of the document"):
        answer_span(document(), start, end)


def test_a_labelled_set_comes_back(tmp_path: Path) -> None:
    """From a workspace, as JSON lines and as CSV: answers, judgements, pool, and what nothing answers."""
    labelled, target = labelled_set(), Workspace.open(tmp_path / "workspace")
    target.put_document(document())
    save_set(target, labelled)
    assert load_set(target, "real").questions == labelled
    for write in (to_jsonl, to_csv):
        back = read_questions(write(labelled, [document()]).encode(), "real.txt", [document()])
        assert not back.problems
        assert back.questions.questions == labelled.questions, write


def test_sets_without_labels_are_written_as_before() -> None:
    """No column and no field more, and the fingerprint of before; an open question takes no part in it."""
    plain = QuestionSet("plain", (Question("q1", "What?", (AnswerSpan("guide_pump", 8, 25, "The pump is blue."),)),))
    assert to_csv(plain, []).splitlines()[0] == "id,question,language,doc,answer,start,end,made,part"
    assert set(plain.questions[0].as_record()) == {"id", "question", "language", "made", "part", "answers"}
    assert plain.fingerprint == "70551eb05c5717a3"
    open_set = add_label(plain, "else", QueryLabel(judged=(Judged("guide_pump", 8, 25, "The pump is blue.", False),)))
    assert (open_set.fingerprint, open_set.measured, len(open_set)) == (plain.fingerprint, 1, 2)


def test_judgements_are_found_again_where_they_stand() -> None:
    """With the answers; a passage that has changed counts as never judged, and its question stays."""
    labelled = labelled_set()
    anew = document("# New\n\nA preface.\n\n" + TEXT.replace("It is red.", "It is green."))
    relocated = relocate(labelled, {"guide_pump": anew})
    assert not relocated.lost
    first, second, third = relocated.questions.questions
    assert [anew.text[one.start : one.end] for one in first.judged] == ["The pump is blue. It moves ninety litres."]
    assert (second.judged, second.unanswerable, second.pool) == ((), True, Pool(10, 3, 1))
    assert anew.text[third.judged[0].start : third.judged[0].end] == "Close the valve."
    assert relocated.moved == 1


def test_an_import_says_what_it_cannot_use() -> None:
    """Judgements without a document and broken pools are dropped; `unanswerable` next to an answer is ignored."""
    rows = (
        '{"question": "a", "doc": "pump.md", "answers": ["Close the valve."], "unanswerable": true, "pool": '
        '{"depth": "x"}}\n'
        '{"question": "b", "unanswerable": "yes", "judged": [{"text": "It is red.", "doc": "other.md"}, 7, '
        '{"text": ""}], "pool": 3}\n'
        '{"question": "c"}\n'
    )
    read = read_questions(rows.encode(), "rows.jsonl", [document()])
    assert [(one.unanswerable, one.judged, one.pool) for one in read.questions.questions] == [
        (False, (), None),
        (True, (), None),
    ]
    assert [problem.line for problem in read.problems] == [3]


def test_records_that_are_none() -> None:
    """A saved question whose judgement is broken is one sentence."""
    record = labelled_set().questions[0].as_record()
    with pytest.raises(QuestionError):
        Question.from_record(record | {"judged": [{"doc_id": "x"}]})
    assert Question.from_record(replace(labelled_set().questions[1]).as_record()) == labelled_set().questions[1]
