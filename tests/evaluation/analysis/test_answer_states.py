"""What boundaries make of answers: whole, split or lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunking.config import ChunkConfig
from chunking.embedding.model_folder import find_model
from chunking.evaluation import AnswerFate, AnswerSpan, AnswerState, Question, QuestionSet, answer_states, compare_fates
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import Chunker, token_counter

TEXT = "one two three four five six seven eight nine ten"

INTACT, SPLIT, MISSED = AnswerFate
A, B, C = (AnswerSpan("d", start, start + 5, "words") for start in (40, 10, 70))


@dataclass(frozen=True)
class Cut:
    """Boundaries by hand."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


def cut(*spans: tuple[int, int]) -> Cut:
    table = np.array(spans, np.int32).reshape(-1, 2)
    return Cut(table[:, 0], table[:, 1])


def questions_at(document: Document, *spans: tuple[int, int]) -> QuestionSet:
    """A question with these answers."""
    answers = tuple(AnswerSpan(document.doc_id, start, end, document.text[start:end]) for start, end in spans)
    return QuestionSet("some", (Question("q", "What?", answers),))


def states(document: Document, boundaries: Cut, *spans: tuple[int, int]) -> list[tuple[str, tuple[int, ...]]]:
    return [
        (one.state.value, one.chunks) for one in answer_states(document, boundaries, questions_at(document, *spans))
    ]


def test_whole_split_and_lost() -> None:
    """By chunks that overlap, and one stretch that is in none."""
    document = parse(TEXT.encode(), "a.txt")
    boundaries = cut((0, 13), (8, 18), (19, 27))
    fates = states(document, boundaries, (4, 7), (8, 13), (4, 18), (14, 23), (28, 33), (0, len(TEXT)))
    assert fates == [
        ("intact", (0,)),
        ("intact", (0, 1)),
        ("split", (0, 1)),
        ("split", (1, 2)),
        ("missed", ()),
        ("split", (0, 1, 2)),
    ]


def test_white_space_around_an_answer_is_no_part_of_it() -> None:
    document = parse(TEXT.encode(), "a.txt")
    assert states(document, cut((0, 3), (4, 7)), (3, 8), (3, 4), (7, 7)) == [
        ("intact", (1,)),
        ("missed", ()),
        ("missed", ()),
    ]


def test_answers_in_other_documents_are_passed_over_and_spans_out_of_range_are_lost() -> None:
    document, other = parse(TEXT.encode(), "a.txt"), parse(b"other text", "b.txt")
    assert states(document, cut((0, 18)), (900, 950)) == [("missed", ())]
    assert answer_states(document, cut((0, 18)), questions_at(other, (0, 5))) == ()
    assert states(document, cut(), (0, 3)) == [("missed", ())]


@settings(deadline=None)
@given(
    st.integers(16, 80), st.integers(0, 15), st.lists(st.tuples(st.integers(0, 900), st.integers(1, 300)), max_size=12)
)
def test_the_same_as_by_looking_at_every_chunk(size: int, overlap: int, spans: list[tuple[int, int]]) -> None:
    """Boundaries of the real cutter, against the definition."""
    document = CHUNKER.document
    boundaries = CHUNKER.boundaries(ChunkConfig(size=size, overlap=str(overlap), prefix="none", min_size=0))
    chunks = list(zip(boundaries.starts.tolist(), boundaries.ends.tolist(), strict=True))
    for one in answer_states(
        document, boundaries, questions_at(document, *((start, start + length) for start, length in spans))
    ):
        visible = {
            place for place in range(one.answer.start, one.answer.end) if document.text[place : place + 1].strip()
        }
        holders = tuple(n for n, (start, end) in enumerate(chunks) if visible and visible <= set(range(start, end)))
        parts = tuple(n for n, (start, end) in enumerate(chunks) if visible & set(range(start, end)))
        assert one.chunks == (holders or parts)
        assert one.state == ("intact" if holders else "split" if parts else "missed")


CHUNKER = Chunker(
    parse("\n\n".join(f"# Part {n}\n\n{TEXT}. {TEXT.upper()}!" for n in range(8)).encode(), "c.md"),
    token_counter(find_model("all-MiniLM-L6-v2").path),
)


def state(answer: AnswerSpan, fate: AnswerFate, question: str = "q") -> AnswerState:
    return AnswerState(question, answer, fate, ())


def test_fates_are_counted_and_changes_stand_in_the_order_of_the_text() -> None:
    comparison = compare_fates(
        [state(A, INTACT), state(B, SPLIT), state(C, SPLIT)], [state(A, SPLIT), state(B, MISSED), state(C, SPLIT)]
    )
    assert (dict(comparison.a), dict(comparison.b)) == (
        {INTACT: 1, SPLIT: 2, MISSED: 0},
        {INTACT: 0, SPLIT: 2, MISSED: 1},
    )
    assert [(one.a.answer, one.a.state, one.b.state) for one in comparison.changes] == [
        (B, SPLIT, MISSED),
        (A, INTACT, SPLIT),
    ]


@pytest.mark.parametrize("other", [[], [state(B, INTACT)], [state(A, INTACT, "other")]])
def test_states_of_other_answers_are_refused(other: list[AnswerState]) -> None:
    with pytest.raises(ValueError, match=r"."):
        compare_fates([state(A, INTACT)], other)
