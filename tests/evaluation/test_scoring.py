"""Metrics by intervals are those by sets of characters, whatever overlaps, repeats or is missing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation import (
    METRICS,
    Answered,
    AnswerSpan,
    EvaluationRun,
    Found,
    Measure,
    Question,
    QuestionPart,
    QuestionSet,
    Score,
    counted,
    metric_of,
    omega,
    returned,
    score_run,
    score_spans,
    too_shallow,
)
from tests.evaluation import naive

TEXT = "The pump is off. Its light is red,  then it waits "
NAMES = st.sampled_from(["a", "b"])
PLACES = st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).map(sorted)


@st.composite
def answers(draw: st.DrawFn) -> list[AnswerSpan]:
    """One to four, which may overlap, repeat and stand in two documents; at least one has a character."""
    rows = draw(
        st.lists(st.tuples(NAMES, PLACES), min_size=1, max_size=4).filter(
            lambda some: any(low < high for _, (low, high) in some)
        )
    )
    return [AnswerSpan(doc_id, low, high, TEXT[low:high]) for doc_id, (low, high) in rows]


@st.composite
def results(draw: st.DrawFn) -> list[Found]:
    """None to eight: chunks that overlap, repeat, are empty, and summaries, which stand in no document."""
    rows = []
    for doc_id, (start, end), tokens, before, after in draw(
        st.lists(
            st.tuples(
                st.sampled_from(["a", "b", ""]), PLACES, st.integers(0, 12), st.integers(0, 9), st.integers(0, 9)
            ),
            max_size=8,
        )
    ):
        if doc_id:
            rows.append(Found(doc_id, start, end, tokens, max(start - before, 0), end + after))
        else:
            rows.append(Found("", 0, end, tokens, 0, end))
    return rows


MEASURES = st.builds(Measure, st.none() | st.integers(1, 6), st.none() | st.integers(1, 30), st.booleans())
CHUNKS = st.lists(st.tuples(NAMES, PLACES).map(lambda row: (row[0], *row[1])), max_size=10)


@given(results(), MEASURES)
def test_the_results_that_count_are_all_that_is_returned(hits: list[Found], measure: Measure) -> None:
    """No more than there are, also where a budget is larger than all of them; what stands below returns nothing."""
    counting = counted(hits, measure)
    assert 0 <= counting <= len(hits)
    assert returned(hits[:counting], measure) == returned(hits, measure)
    if measure.budget is None:
        assert counting == min(measure.n or len(hits), len(hits))


@given(answers(), results(), MEASURES)
@example([AnswerSpan("a", 0, 5, TEXT[:5])], [], Measure())
@example([AnswerSpan("a", 0, 5, TEXT[:5])] * 2, [Found("a", 0, 9, 3, 0, 9)] * 3, Measure(2))
@example(
    [AnswerSpan("a", 10, 20, TEXT[10:20])],
    [Found("", 0, 40, 8, 0, 40), Found("a", 12, 15, 4, 5, 30)],
    Measure(None, 10, True),
)
def test_every_metric_is_the_one_by_sets(spans: list[AnswerSpan], hits: list[Found], measure: Measure) -> None:
    """All of them, at results and budgets, of bare hits and of passages."""
    fast, slow = score_spans(spans, hits, measure), naive.score(spans, hits, measure)
    assert fast._asdict() == pytest.approx(slow._asdict(), abs=1e-9, nan_ok=True)


@given(answers(), CHUNKS)
def test_omega_is_the_one_by_sets(spans: list[AnswerSpan], chunks: list[tuple[str, int, int]]) -> None:
    """Chunks that overlap count twice in what is returned."""
    assert omega(spans, chunks) == pytest.approx(naive.omega(spans, chunks))


@given(answers(), results(), MEASURES)
def test_scores_stay_within_their_bounds(spans: list[AnswerSpan], hits: list[Found], measure: Measure) -> None:
    """Shares are 0 to 1; IoU is below precision and recall; a budget is kept; more results never lose recall."""
    one = score_spans(spans, hits, measure)
    assert all(0 <= value <= 1 + 1e-12 for name, value in one._asdict().items() if not name.endswith("tokens"))
    assert one.iou <= min(one.precision, one.recall) + 1e-12
    assert sum(piece.tokens for piece in returned(hits, measure)) <= (
        math.inf if measure.budget is None else measure.budget
    )
    more = replace(measure, n=None if measure.n is None else measure.n + 1)
    assert score_spans(spans, hits, more).recall >= one.recall


def test_scores_match_the_published_definitions() -> None:
    """The published definitions, on ten characters of which six are found, four of them twice."""
    answers = [AnswerSpan("a", 10, 20, "x" * 10)]
    results = [Found("a", 0, 14, 5, 0, 14), Found("b", 10, 20, 4, 10, 20), Found("a", 10, 16, 3, 10, 16)]
    one = score_spans(answers, results, Measure(3))
    assert one.recall == 0.6
    assert one.precision == 6 / 30
    assert one.iou == 6 / 34
    assert (one.hit, one.reciprocal_rank, one.whole, one.tokens) == (1, 1, 0, 12)
    assert one.ndcg == pytest.approx((4 + 2 / 2) / 10)


def test_documents_that_a_question_needs_are_counted() -> None:
    """Any part of an answer in a document counts for it, and it once; an empty answer asks for none."""
    answers = [
        AnswerSpan("a", 0, 10, "x" * 10),
        AnswerSpan("a", 50, 60, "x" * 10),
        AnswerSpan("b", 0, 5, "x" * 5),
        AnswerSpan("c", 3, 3, ""),
    ]
    results = [Found("a", 8, 14, 5, 8, 14), Found("a", 50, 60, 5, 50, 60), Found("b", 4, 9, 4, 4, 9)]
    assert [score_spans(answers, results, Measure(n)).document_recall for n in (1, 2, 3)] == [0.5, 0.5, 1]
    assert score_spans(answers, [Found("c", 0, 9, 2, 0, 9)], Measure(5)).document_recall == 0


def test_a_budget_cuts_the_last_result() -> None:
    """By its share of tokens: 3 of 4 tokens are three quarters of its characters."""
    results = [Found("a", 0, 10, 5, 0, 10), Found("a", 10, 30, 4, 10, 30), Found("a", 30, 40, 1, 30, 40)]
    one = score_spans([AnswerSpan("a", 0, 40, "x" * 40)], results, Measure.at_budget(8))
    assert (one.recall, one.tokens) == (25 / 40, 8)


def test_passages_are_read_once() -> None:
    """Two hits beside each other share their neighbours; their tokens follow their characters."""
    results = [Found("a", 10, 20, 5, 0, 30), Found("a", 20, 30, 5, 10, 40)]
    answers = [AnswerSpan("a", 0, 40, "x" * 40)]
    assert score_spans(answers, results, Measure(2, expanded=True), context_tokens=(31, 44)) == Score(
        1, 1, 0, 1, 1, 1, pytest.approx((30 + 10 / math.log2(3)) / 40), 1, 1, 44, 10
    )
    assert score_spans(answers, results, Measure(2)).recall == 0.5


def test_white_space_may_be_missing_of_a_whole_answer() -> None:
    """Chunks begin and end at words."""
    results = [Found("a", 0, 4, 1, 0, 4), Found("a", 6, 10, 1, 6, 10)]
    assert score_spans([AnswerSpan("a", 0, 10, "read\n\nthis")], results).whole == 1
    assert score_spans([AnswerSpan("a", 0, 10, "read  this")], results).recall == 0.8
    assert score_spans([AnswerSpan("a", 0, 10, "read – his")], results).whole == 0


QUESTIONS = QuestionSet(
    "some",
    (
        Question("q1", "?", (AnswerSpan("a", 0, 4, "text"),)),
        Question("q2", "?", (AnswerSpan("a", 4, 8, "more"),), part=QuestionPart.HOLDOUT),
        Question("q3", "?", ()),
    ),
)
RUN = EvaluationRun(
    "k",
    "",
    Config(),
    "some",
    QUESTIONS.fingerprint,
    "d",
    (
        Answered("q2", (Found("a", 4, 8, 2, 4, 8),), 0.5),
        Answered("q1", (), 0.25),
        Answered("q3", (), 0.0),
        Answered("gone", (), 0.0),
    ),
    5,
    30,
)


def test_a_run_is_scored_in_its_order() -> None:
    """Only questions that the set has, and that have an answer; a part of the set gives the scores of that part."""
    scores = score_run(RUN, QUESTIONS)
    assert scores.ids == ("q2", "q1")
    assert scores.recall.tolist() == [1, 0]
    assert scores.omega.tolist() == [0.5, 0.25]
    assert scores.at(0).tokens == 2
    assert scores.only(["q1"]).omega.tolist() == [0.25]
    assert scores.matrix().shape == (2, len(METRICS))
    assert score_run(RUN, QUESTIONS.of(QuestionPart.HOLDOUT)).ids == ("q2",)
    assert len(score_run(replace(RUN, answered=(), error="It failed."), QUESTIONS)) == 0


def test_too_few_results_kept() -> None:
    """For a budget that the kept ones do not fill, though there are more; what found less than it keeps has nothing
    more to find.
    """
    run = replace(RUN, depth=1)
    assert [
        too_shallow(run, one)
        for one in (Measure(1), Measure(5), Measure.at_budget(2), Measure.at_budget(9), Measure(None))
    ] == [*(0, 1, 0, 1, 0)]
    assert too_shallow(RUN, Measure.at_budget(9)) == 0


def test_every_metric_has_its_row() -> None:
    """The table names the fields of a score, in its order, and says how each was made."""
    assert tuple(one.name for one in METRICS) == Score._fields
    assert all(one.help.endswith(".") for one in METRICS)
    recall, tokens, mrr = metric_of("recall"), metric_of("tokens"), metric_of("reciprocal_rank")
    assert (recall.text(0.7125), tokens.text(1234.4), mrr.text(0.5), recall.text(math.nan)) == (
        "71.2 %",
        "1,234 tokens",
        "0.500",
        "–",
    )
    assert (recall.points(-0.05), tokens.points(12), mrr.points(-0.1)) == ("−5.0 points", "+12 tokens", "−0.100")


def test_an_unknown_metric_is_one_sentence() -> None:
    """One sentence."""
    with pytest.raises(QuestionError, match="There is no metric 'speed'; choose one of recall, precision"):
        metric_of("speed")
    with pytest.raises(QuestionError, match="budget is 0"):
        Measure(budget=0)
    assert [Measure().label, Measure(1).label, Measure.at_budget(1000, expanded=True).label, Measure(None).label] == [
        "at 5 results",
        "at 1 result",
        "at 1,000 tokens, with neighbours",
        "at all stored results",
    ]
