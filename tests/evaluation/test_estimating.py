"""A grid estimated: live recall's numbers for every configuration, what is asked of model and tokenizer, and what is
worth measuring.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from chunking.config import Config, EmbeddingMode
from chunking.embedding import LocalEmbedder, load_embedder
from chunking.embedding.model_folder import counting_folder
from chunking.errors import Cancelled, QuestionError
from chunking.evaluation import (
    COST,
    METRICS,
    EvaluationProgress,
    LiveEstimate,
    LiveRecall,
    QuestionSet,
    Reason,
    Sweep,
    Trials,
    checked,
    estimate_grid,
    evaluate,
    mean_distance,
    split,
    worth_measuring,
)
from chunking.evaluation.live.live_prepared import LOADING
from chunking.evaluation.live.preparation_time import PreparationTime
from chunking.evaluation.sweep.grid_estimate import EstimateProgress
from chunking.model import Document
from chunking.splitting import token_counter
from chunking.store import Workspace
from tests.support.plants import filled, questions_of
from tests.support.stand_in_model import stand_in_model

LATE = Config.from_settings(
    {"size": "64", "embedding.mode": "late", "granularities": "none", "search.retrieval": "chunk"}
)
"""Where the index pools its vectors too, estimates are exact."""
GRID = {"size": ("48", "64", "90"), "search.vector_weight": ("0.3", "0.7")}


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    """What is done with vectors is tested here."""
    with stand_in_model():
        yield


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return filled(tmp_path_factory.mktemp("estimating") / "workspace")


@pytest.fixture(scope="module")
def documents(workspace: Workspace) -> list[Document]:
    return list(workspace.read_documents([row.doc_id for row in workspace.documents()]))


@pytest.fixture(scope="module")
def questions(workspace: Workspace) -> QuestionSet:
    return questions_of(workspace)


@pytest.fixture
def embedder() -> LocalEmbedder:
    embedder = load_embedder(
        LATE.embedding.model_copy(update={"mode": EmbeddingMode.STANDARD})
    )  # estimates need one of both modes
    assert isinstance(embedder, LocalEmbedder)
    return embedder


def sweep(**changes: object) -> Sweep:
    return replace(Sweep("first", "things", LATE, GRID, tries=({},)), **changes)


def test_they_are_live_recalls_numbers(documents: list[Document], questions: QuestionSet) -> None:
    """For every configuration, by every metric; the base comes first."""
    estimates = list(estimate_grid(sweep(), documents, questions))
    assert estimates[0].config == LATE
    assert {one.config for one in estimates} == {one.config for one in sweep().configs()}
    live = LiveRecall(documents, LATE.embedding, questions)
    live.prepare()
    for one in estimates:
        scores = live.scores(one.config, one.measure)
        assert one.means == {metric.name: float(np.mean(scores.scores.of_metric(metric.name))) for metric in METRICS}
        assert (one.questions, one.chunks, one.gaps) == (len(questions), scores.chunks, ())
        assert LiveEstimate.from_record(one.as_record(), sweep()) == one


def test_the_model_is_asked_once_and_the_tokenizer_before_the_first(
    documents: list[Document], questions: QuestionSet, embedder: LocalEmbedder
) -> None:
    """Seven configurations cost what one does: each document is measured and encoded once (law 6)."""
    counter, calls = token_counter(counting_folder(LATE.embedding).path), list[tuple[int, int, int]]()
    for planned in (sweep(), sweep(grid={})):
        before = embedder.calls, embedder.texts_encoded, counter.calls
        estimates = estimate_grid(planned, documents, questions)
        next(estimates)
        first = embedder.calls, embedder.texts_encoded, counter.calls
        assert list(estimates) or not planned.grid
        assert (embedder.calls, embedder.texts_encoded, counter.calls) == first
        calls.append(tuple(now - then for now, then in zip(first, before, strict=True)))
    assert calls[0] == calls[1]
    assert calls[0][1] > 0


def test_what_was_encoded_is_not_encoded_again(
    workspace: Workspace, documents: list[Document], questions: QuestionSet, embedder: LocalEmbedder
) -> None:
    """Another mode of embedding is pooled from the same encodings, and so is the next estimation."""
    both = sweep(grid={"embedding.mode": ("late", "standard"), "size": ("48", "64")})
    list(estimate_grid(both, documents, questions, encodings=workspace.encodings, vectors=workspace.vectors))
    before = embedder.texts_encoded
    estimates = list(
        estimate_grid(both, documents, questions, encodings=workspace.encodings, vectors=workspace.vectors)
    )
    assert len({tuple(one.means.values()) for one in estimates if one.config.chunk.size == 48}) == 1
    assert embedder.texts_encoded == before


def test_where_the_index_pools_too_the_run_is_the_estimate(
    workspace: Workspace, documents: list[Document], questions: QuestionSet
) -> None:
    """Down to the tokens of the context; a run of other questions is beside none."""
    estimates = list(estimate_grid(sweep(), documents, questions))
    with Trials(workspace) as trials:
        runs = [evaluate(workspace, questions, one.config, trials=trials) for one in estimates[:2]]
    rows = checked(estimates, runs, questions)
    assert [one.run for one in rows] == runs
    for metric in METRICS:
        if metric.name != COST:
            assert mean_distance(rows, metric.name) == pytest.approx(0, abs=1e-9), metric.name
    for one in rows:  # but for the citations of passages over several sections
        assert one.estimate.means[COST] == pytest.approx(one.measured[COST], rel=0.02)
    assert rows[0].distance("recall") == 0
    fewer = replace(runs[0], answered=runs[0].answered[1:])
    assert checked(estimates, [fewer], questions) == ()
    assert np.isnan(mean_distance((), "recall"))


def test_what_live_recall_leaves_out_is_not_estimated(documents: list[Document], questions: QuestionSet) -> None:
    """It comes first, with the reason, and nothing is encoded for it; what fails in itself does not stop the others."""
    planned = sweep(
        grid={}, tries=({}, {"search.rerank": "title"}, {"search.retrieval": "merge"}, {"min_size": "5000"})
    )
    reports: list[EvaluationProgress] = []
    estimates = list(estimate_grid(planned, documents, questions, on_progress=reports.append))
    assert [one.known for one in estimates] == [False, False, True]
    assert [len(one.gaps) for one in estimates] == [1, 1, 0]
    assert (reports[-1].done, reports[-1].total, reports[-1].share, reports[-1].seconds_left) == (1, 1, 1.0, 0.0)
    only = estimate_grid(sweep(grid={}, tries=({"search.rerank": "title"},)), [], questions)
    with pytest.raises(QuestionError):
        next(only)


def test_the_time_left_is_told_from_the_first_second() -> None:
    """First a guess from what is to be encoded, then as it goes; the bar never goes back."""
    now, reports = [0.0], list[EvaluationProgress]()
    preparation = PreparationTime(80_000, 6.0, lambda: now[0])
    progress = EstimateProgress(100, preparation, reports.append, None, lambda: now[0])
    for seconds, share, what in ((0.0, 0.0, LOADING), (8.0, 0.0, "Encoding"), (13.0, 0.5, ""), (18.0, 1.0, "")):
        now[0] = seconds
        progress.preparing(share, what)
    for _ in range(51):
        progress.next()
        now[0] += 0.1
    assert [round(one.seconds_left or 0.0) for one in reports[:4]] == [21, 15, 10, 5]
    assert [one.stage_seconds for one in reports[:2]] == [6.0, None]
    assert reports[-1].seconds_left == pytest.approx(5.0)
    shares = [one.share or 0.0 for one in reports]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1] > 0.8) == (0.0, True)


def test_an_estimation_stops_between_two_configurations(documents: list[Document], questions: QuestionSet) -> None:
    """Between two configurations, and while documents are encoded."""
    stopped = False
    estimates = estimate_grid(sweep(), documents, questions, cancelled=lambda: stopped)
    assert len([next(estimates) for _ in range(3)]) == 3
    stopped = True
    with pytest.raises(Cancelled):
        next(estimates)
    with pytest.raises(Cancelled):
        next(estimate_grid(sweep(), documents, questions, cancelled=lambda: True))


def test_held_out_questions_are_not_asked(documents: list[Document], questions: QuestionSet) -> None:
    """As in a sweep."""
    held_out = split(questions, holdout=0.5)
    estimates = list(estimate_grid(sweep(grid={}), documents, held_out))
    assert 0 < estimates[0].questions < len(questions)


def estimated(size: int, recall: float, tokens: float) -> LiveEstimate:
    config = Config.from_settings({"size": str(size)})
    return LiveEstimate(
        {"size": str(size)}, config, Sweep("", "").measure(5), {"recall": recall, COST: tokens}, questions=10
    )


def test_the_few_that_matter() -> None:
    """The best, the cheapest at most the margin below it, the present one, then the next best; each once, with every
    reason.
    """
    best, close, cheap, poor = (
        estimated(400, 0.9, 900),
        estimated(300, 0.89, 700),
        estimated(200, 0.88, 500),
        estimated(100, 0.5, 100),
    )
    gap = replace(estimated(60, 0, 0), means={}, gaps=("x",))
    every = [poor, close, gap, best, cheap]

    def chosen(margin: float, present: Config, most: int = 3) -> list[tuple[LiveEstimate, tuple[Reason, ...]]]:
        return [(one.estimate, one.reasons) for one in worth_measuring(every, "recall", margin, present, most)]

    assert chosen(2, poor.config) == [(best, (Reason.BEST,)), (cheap, (Reason.CHEAPEST,)), (poor, (Reason.PRESENT,))]
    assert chosen(0, best.config) == [
        (best, (Reason.BEST, Reason.CHEAPEST, Reason.PRESENT)),
        (close, (Reason.NEXT,)),
        (cheap, (Reason.NEXT,)),
    ]
    assert chosen(2, gap.config, 9)[2:] == [(gap, (Reason.PRESENT,)), (close, (Reason.NEXT,)), (poor, (Reason.NEXT,))]
    assert worth_measuring([gap], "recall", 2, Config()) == ()
