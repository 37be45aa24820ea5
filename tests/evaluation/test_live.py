"""Live numbers end to end: the index's own where its vectors are pooled too, without a model call, and shared by
sessions.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from chunking import build_index, search
from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, Config, EmbeddingConfig, QuerySyntax
from chunking.embedding import LocalEmbedder, load_embedder
from chunking.embedding.model_folder import counting_folder
from chunking.errors import Cancelled, QuestionError
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    EvaluationRun,
    Found,
    LiveRecall,
    Measure,
    Question,
    QuestionSet,
    difference,
    score_spans,
)
from chunking.model import Document
from chunking.parsing import parse
from chunking.retrieval import Result
from chunking.splitting import token_counter
from chunking.store import Workspace
from tests.support.shelf import SHELF

BASE = {
    "size": "40",
    "min_size": "0",
    "overlap": "10",
    "embedding.precision": "fp32",
    "embedding.model": ENGLISH_MODEL,
}
TABLE = "# Ports\n\n## Services\n\nEach has a port.\n\n| name | port |\n|---|---|\n" + "\n".join(
    f"| service{n} | {7000 + n} |" for n in range(30)
)
RUSSIAN = "# Насос\n\n## Обслуживание\n\nФильтр насоса меняют каждые шесть месяцев.\n"
FILES = {**SHELF, "api/ports.md": TABLE, "manuals/pump.md": RUSSIAN}
ASKED = {
    "How is a backup restored?": "stop the service, copy the archive back",
    "When is the nightly run?": "Backups run every night at two.",
    "Who makes accounts?": "Accounts are made by an administrator.",
    "How long does the link in the mail work?": "The link in the mail works for one hour.",
    "Which port has service17?": "| service17 | 7017 |",
    "滤芯多久更换一次？": "滤芯每六个月更换一次。",
    "保修期多长？": "整机保修期限为两年",
    "Как часто меняют фильтр насоса?": "Фильтр насоса меняют каждые шесть месяцев.",
}
SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"search.mode": "vector"},
    {"search.mode": "text", "search.deduplicate": "false"},
    {"search.retrieval": "chunk", "search.vector_weight": "0.3", "search.min_similarity": "0.2", "search.before": "2"},
    {"search.before": "auto", "search.after": "auto"},
    {"search.retrieval": "chunk", "search.before": "auto", "search.after": "2", "search.across_parents": "true"},
    {"search.retrieval": "parent", "search.across_parents": "true", "search.after": "auto"},
    {
        "size": "60",
        "granularities": "2,3",
        "parent_size": "120",
        "prefix": "document_title_path",
        "search.retrieval": "parent",
    },
    {
        "size": "60",
        "granularities": "2",
        "category.api.granularities": "none",
        "category.api.size": "80",
        "search.granularity_weight": "1",
    },
    {"strategy": "semantic", "size": "60", "search.fusion": "standardised"},
    {"strategy": "recursive", "prefix": "none", "granularities": "none", "table_text": "cells"},
)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [parse(text.encode(), source) for source, text in FILES.items()]


@pytest.fixture(scope="module")
def questions(documents: list[Document]) -> QuestionSet:
    prepared_all = []
    for number, (text, quote) in enumerate(ASKED.items()):
        document = next(one for one in documents if quote in one.text)
        start = document.text.index(quote)
        prepared_all.append(
            Question(f"q{number}", text, (AnswerSpan(document.doc_id, start, start + len(quote), quote),))
        )
    return QuestionSet("shelf", tuple(prepared_all))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, documents: list[Document]) -> Workspace:
    workspace: Workspace = Workspace.open(tmp_path_factory.mktemp("live") / "workspace")
    with workspace.writer():
        workspace.put_documents(documents)
    return workspace


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    embedder = load_embedder(configured({}).embedding)
    assert isinstance(embedder, LocalEmbedder)
    return embedder


@pytest.fixture(scope="module")
def live(workspace: Workspace, documents: list[Document], questions: QuestionSet) -> LiveRecall:
    """Prepared once; `scores` changes nothing."""
    live = LiveRecall(
        documents, configured({}).embedding, questions, encodings=workspace.encodings, vectors=workspace.vectors
    )
    live.prepare()
    return live


def configured(changes: Mapping[str, str], mode: str = "late") -> Config:
    return Config.from_settings({**BASE, "embedding.mode": mode, **changes})


def ranked_results(result: Result, config: Config) -> Found:
    chunk, context = result.chunk, [result.chunk, *result.neighbours]
    tokens = token_counter(counting_folder(config.embedding).path).count(chunk.counted_text)
    return Found(
        chunk.doc_id, chunk.start, chunk.end, tokens, min(c.start for c in context), max(c.end for c in context)
    )


def run_of(workspace: Workspace, questions: QuestionSet, config: Config) -> EvaluationRun:
    """What the real index finds."""
    build_index(workspace, config, name="real")
    answered = []
    for question in questions.questions:
        result = search(workspace, question.text, config.search, index="real")
        answered.append(Answered(question.id, tuple(ranked_results(one, config) for one in result.results), 0.0))
    return EvaluationRun("", "", config, questions.name, "", "", tuple(answered), config.search.k, config.search.k)


@pytest.mark.model
@pytest.mark.parametrize(
    "changes", SETTINGS, ids=lambda changes: " ".join(f"{key}={value}" for key, value in changes.items()) or "base"
)
def test_where_the_index_pools_too_live_results_are_its_own(
    live: LiveRecall, workspace: Workspace, questions: QuestionSet, changes: dict[str, str]
) -> None:
    """The same passages in the same order, with the same tokens: nothing of the search is approximated."""
    config = configured(changes)
    run, scores = run_of(workspace, questions, config), live.scores(config)
    assert dict(zip(scores.question_ids, scores.results, strict=True)) == {
        one.question_id: one.results for one in run.answered
    }
    apart = difference(scores, run, questions)
    assert apart is not None
    assert (apart.questions, apart.recall, apart.iou, apart.apart) == (len(ASKED), 0.0, 0.0, 0.0)


@pytest.mark.model
def test_of_tokens_that_cross_white_space_live_counts_are_bounds(
    workspace: Workspace, documents: list[Document], questions: QuestionSet
) -> None:
    """With the multilingual model: the index's own passages, and never fewer tokens."""
    config = configured({"embedding.model": MULTILINGUAL_MODEL})
    live = LiveRecall(documents, config.embedding, questions, encodings=workspace.encodings, vectors=workspace.vectors)
    live.prepare()
    run, scores = run_of(workspace, questions, config), live.scores(config)
    exact = [one.results for one in run.answered]
    for bounds, hits in zip(scores.results, exact, strict=True):
        assert [one._replace(tokens=0) for one in bounds] == [one._replace(tokens=0) for one in hits]
        assert all(0 <= bound.tokens - one.tokens <= 4 for bound, one in zip(bounds, hits, strict=True))


@pytest.mark.model
def test_a_slider_step_asks_no_model(live: LiveRecall, embedder: LocalEmbedder) -> None:
    """Nor the tokenizer of the model: neither cuts, vectors nor prefixes are made of anything new (law 6)."""
    counter = token_counter(counting_folder(live.embedding).path)
    before, counted = (embedder.calls, embedder.texts_encoded), counter.calls
    for size in range(30, 90, 5):
        for overlap in ("0", "20%"):
            live.scores(configured({"size": str(size), "overlap": overlap, "granularities": "2"}, "standard"))
            live.scores(configured({"size": str(size), "strategy": "semantic"}, "standard"))
    assert (embedder.calls, embedder.texts_encoded) == before
    assert counter.calls == counted


@pytest.mark.model
def test_what_is_kept_is_not_encoded_again(
    live: LiveRecall, workspace: Workspace, documents: list[Document], questions: QuestionSet, embedder: LocalEmbedder
) -> None:
    """Another session, or the next start: all of it is looked up."""
    before = embedder.texts_encoded
    said: list[tuple[float, str]] = []
    again = LiveRecall(documents, live.embedding, questions, encodings=workspace.encodings, vectors=workspace.vectors)
    assert again.is_cached
    assert not again.ready
    assert not LiveRecall(documents, live.embedding, questions).is_cached
    more = QuestionSet("more", (Question("new", "Has nobody asked this?", questions.questions[0].answers),))
    assert not LiveRecall(
        documents, live.embedding, more, encodings=workspace.encodings, vectors=workspace.vectors
    ).is_cached
    again.prepare(lambda share, what: said.append((share, what)))
    again.prepare()  # does nothing
    assert again.ready
    assert embedder.texts_encoded == before
    assert again.scores(configured({})).results == live.scores(configured({})).results
    shares = [share for share, _ in said]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.model
def test_sessions_share_one(live: LiveRecall) -> None:
    """Each gets what it would get alone."""
    configs = [configured({"size": str(size)}) for size in range(40, 70, 2)]
    alone = [live.scores(config).results for config in configs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda config: live.scores(config).results, [*configs, *configs]))
    assert together == [*alone, *alone]


@pytest.mark.model
def test_scores_are_those_of_the_results(live: LiveRecall, questions: QuestionSet) -> None:
    """By any measure; a token budget looks deeper."""
    for measure in (Measure(1), Measure(5, expanded=True), Measure.at_budget(120)):
        scores = live.scores(configured({"search.k": "3"}), measure)
        for row, question in enumerate(questions.questions):
            score = score_spans(question.answers, scores.results[row], measure, omega=float(scores.scores.omega[row]))
            sent = float(scores.scores.context_tokens[row])
            assert scores.scores.at(row)._replace(context_tokens=score.context_tokens).as_record() == score.as_record()
            assert sent > (0 if measure.n is None else score.tokens / 2)  # what the results share is sent once
        if measure.n is None:
            assert max(map(len, scores.results)) > 5
    assert [one.question_id for one in scores.answers if one.state == "lost"] == []
    assert {one.question_id for one in scores.answers} == {question.id for question in questions.questions}
    assert scores.chunks > len(ASKED)
    assert np.all(scores.scores.omega > 0)


def test_a_model_elsewhere_leaves_the_words(documents: list[Document], questions: QuestionSet) -> None:
    """Its vectors cannot be pooled: that is said, and no model is loaded."""
    live = LiveRecall(documents, EmbeddingConfig(model="remote:any"), questions)
    live.prepare()
    remote = Config.from_settings({**BASE, "embedding.model": "remote:any"})
    scores = live.scores(remote)
    assert any("remote:any cannot be pooled" in note for note in scores.notes)
    words = live.scores(Config.from_settings({"search.mode": "text"}, remote))
    assert scores.results == words.results
    assert float(scores.scores.recall.mean()) > 0.5
    assert not any("cannot be pooled" in note for note in words.notes)


def test_live_recall_reports_settings_it_cannot_follow(documents: list[Document], questions: QuestionSet) -> None:
    phrase = Question("p", 'What is "backup.toml" for?', questions.questions[0].answers)
    live = LiveRecall(
        documents,
        EmbeddingConfig(model="remote:any"),
        QuestionSet("s", (*questions.questions, phrase), QuerySyntax.OPERATORS),
    )
    live.prepare()
    notes = {
        "Auto-merging": {"search.retrieval": "merge"},
        "Summaries": {"search.retrieval": "hierarchical"},
        "Reranking": {"search.rerank": "title"},
        "contexts in prefixes": {"prefix": "context"},
        "by a language model": {"enrich.describe_tables": "true", "enrich.generator": "llm"},
        "n-gram tokenizer": {"index.tokenizer": "ngram"},
        "1 question has a phrase": {},
        "asks for another: prepare them again": {"embedding.model": "another"},
        "other model settings": {"embedding.late_window": "64"},
    }
    for sentence, changes in notes.items():
        said = live.scores(Config.from_settings({"embedding.model": "remote:any", **changes})).notes
        assert sum(sentence in note for note in said) == 1, said


def test_documents_without_text_have_no_chunks(documents: list[Document], questions: QuestionSet) -> None:
    """What holds nothing to cut, alone or among others, is found by nobody."""
    empty = replace(parse(b"x", "empty.md"), text="", blocks=(), sections=())
    config = Config.from_settings({**BASE, "search.mode": "text"})
    live = LiveRecall([empty, *documents], EmbeddingConfig(model="remote:any"), questions)
    live.prepare()
    assert float(live.scores(config).scores.recall.mean()) > 0.5
    alone = LiveRecall([empty], EmbeddingConfig(model="remote:any"), questions)
    alone.prepare()
    for retrieval in ("chunk", "multi_granularity", "parent"):
        scores = alone.scores(Config.from_settings({"search.retrieval": retrieval}, config))
        assert (scores.chunks, float(scores.scores.recall.sum())) == (0, 0.0)
        assert set(scores.results) == {()}


def test_what_cannot_be_measured_is_a_sentence(documents: list[Document], questions: QuestionSet) -> None:
    model = EmbeddingConfig(model="remote:any")
    empty = QuestionSet("none", (Question("q", "What?", ()),))
    for live, what in (
        (LiveRecall(documents, model, empty), "a question"),
        (LiveRecall([], model, questions), "a document"),
    ):
        with pytest.raises(QuestionError, match=what):
            live.prepare()
    live = LiveRecall(documents, model, questions)
    with pytest.raises(QuestionError, match="prepare"):
        live.scores(Config())

    def stop(share: float, what: str) -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        live.prepare(stop)
    assert not live.ready


def test_a_run_of_other_questions_has_no_difference(documents: list[Document], questions: QuestionSet) -> None:
    live = LiveRecall(documents, EmbeddingConfig(model="remote:any"), questions)
    live.prepare()
    run = EvaluationRun("", "", Config(), "other", "", "", (Answered("elsewhere", (), 0.0),), 5, 5)
    assert difference(live.scores(Config()), run, questions) is None
    half = Answered("q0", (), 0.0)
    apart = difference(live.scores(Config()), EvaluationRun("", "", Config(), "", "", "", (half,), 5, 5), questions)
    assert apart is not None
    assert apart.recall > 0
    assert apart.sentence.startswith("Live estimate minus run")
    more = (
        Answered("elsewhere", (), 0.0),
        Answered("held out", (), 0.0),
        half,
    )  # the run is of the whole set, the estimate of a part
    assert (
        difference(live.scores(Config()), EvaluationRun("", "", Config(), "", "", "", more, 5, 5), questions) == apart
    )


def test_live_results_are_cut_and_trimmed(workspace: Workspace, questions: QuestionSet, live: LiveRecall) -> None:
    """As the index's, where both know the same: most spans are equal, none is larger, and no model is called."""
    changes = {"search.k": "5", "search.cut": "0.5", "search.trim": "0.8", "search.retrieval": "chunk"}
    config, plain = configured(changes), configured({"search.k": "5", "search.retrieval": "chunk"})
    embedder = load_embedder(config.embedding)
    calls = embedder.calls
    scores, before = live.scores(config), live.scores(plain)
    assert embedder.calls == calls
    assert not any("cut" in note for note in scores.notes)
    for some, complete in zip(scores.results, before.results, strict=True):
        assert 1 <= len(some) <= len(complete)
        for one in some:
            outer = next(
                other
                for other in complete
                if other.doc_id == one.doc_id and other.start <= one.start < one.end <= other.end
            )
            assert one.tokens <= outer.tokens
            assert outer.first <= one.first <= one.start
            assert one.end <= one.last <= outer.last
    assert sum(map(len, scores.results)) < sum(map(len, before.results))
    assert scores.scores.tokens.mean() < before.scores.tokens.mean()
    build_index(workspace, config, name="judged")
    real = [search(workspace, one.text, config.search, index="judged").results for one in questions.questions]
    ours = [{(one.doc_id, one.start, one.end) for one in some} for some in scores.results]
    theirs = [{(one.part.doc_id, one.part.start, one.part.end) for one in some} for some in real]
    shared = sum(len(a & b) for a, b in zip(ours, theirs, strict=True))
    assert shared >= 0.6 * max(sum(map(len, ours)), sum(map(len, theirs)))
