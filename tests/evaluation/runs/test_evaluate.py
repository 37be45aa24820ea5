"""One configuration measured: what is found is what a search finds, nothing is made twice, and the user's workspace
stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from chunking.config import Config
from chunking.errors import Cancelled, QuestionError, StoreError
from chunking.evaluation import (
    EvaluationOptions,
    EvaluationProgress,
    EvaluationRun,
    Measure,
    QuestionPart,
    QuestionSet,
    Trials,
    documents_key,
    evaluate,
    is_current,
    score_run,
    split,
)
from chunking.evaluation.runs.question_search import deepened
from chunking.indexing import build_index
from chunking.retrieval import search
from chunking.splitting.measure import measured_document
from chunking.store import Workspace
from chunking.store.scratch_folder import ScratchFolder
from tests.support.disks import mounted, use_up
from tests.support.plants import ASKED, WORDS, fill, filled, questions_of
from tests.support.store_rows import FakeEmbedder


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    """Trials of a workspace that nothing but runs is added to: configurations that differ in their search share an
    index.
    """
    with Trials(filled(tmp_path_factory.mktemp("shared") / "workspace"), embedder=FakeEmbedder()) as trials:
        yield trials


def scratch_folders(workspace: Workspace) -> list[Path]:
    """What is left of trials in the workspace."""
    return list((Path(workspace.uri) / ".trials").iterdir())


def test_a_run_holds_what_a_search_finds(workspace: Workspace, trials: Trials) -> None:
    """The first n results are those of a search for n, in their order, with their neighbours and tokens."""
    questions = questions_of(workspace)
    run = evaluate(workspace, questions, WORDS, trials=trials)
    assert [one.question_id for one in run.answered] == [one.id for one in questions.questions]
    assert (run.n, run.depth) == (5, 30)
    build_index(workspace, WORDS, embedder=FakeEmbedder())
    for question, answered in zip(questions.questions, run.answered, strict=True):
        result = search(workspace, question.text)
        results = result.results
        assert sum(hit.tokens for hit in answered.results[:5]) == result.cost.hits > 0
        assert [hit[:3] for hit in answered.results[:5]] == [
            (one.chunk.doc_id, one.chunk.start, one.chunk.end) for one in results
        ]
        assert all(hit.first <= hit.start < hit.end <= hit.last for hit in answered.results)
    assert score_run(run, questions, Measure(5)).recall.mean() == 1.0
    assert (run.documents, run.chunks) == (workspace.index().fingerprint, workspace.index().row.chunks)


def test_a_run_is_kept_and_looked_up(workspace: Workspace, trials: Trials, embedder: FakeEmbedder) -> None:
    """The same again costs nothing: no index, no search; what is kept reads back."""
    first = evaluate(workspace, questions_of(workspace), WORDS, trials=trials)
    calls = embedder.calls
    with Trials(workspace, embedder=embedder) as later:
        again = evaluate(workspace, questions_of(workspace, "another name"), WORDS, trials=later)
        assert not later.holds(WORDS)
    assert (again, embedder.calls) == (first, calls)
    assert EvaluationRun.from_json(workspace.runs.get(first.key) or "") == first


def test_the_key_is_of_all_that_matters(workspace: Workspace, trials: Trials) -> None:
    """Documents, questions and settings change it, the batch size and the set's name do not."""
    questions = questions_of(workspace)

    def key(config: Config = WORDS, some_questions: QuestionSet = questions, n: int = 5) -> str:
        return evaluate(workspace, some_questions, config, EvaluationOptions(n=n), trials=trials).key

    fewer = replace(questions, questions=questions.questions[:3])
    others = [Config.from_settings(one, WORDS) for one in ({"size": "80"}, {"search.granularity_weight": "1.0"})]
    keys = [key(), *map(key, others), key(some_questions=fewer), key(n=3)]
    assert len(set(keys)) == len(keys)
    same = Config.from_settings({"embedding.batch_tokens": "128", "search.k": "3"}, WORDS)
    assert key(same, replace(questions, name="x")) == keys[0]
    fill(workspace, ["south"], mark="piece")
    with Trials(workspace, embedder=FakeEmbedder()) as later:
        assert evaluate(workspace, questions_of(workspace), WORDS, trials=later).key not in keys


def test_configurations_share_what_they_can(workspace: Workspace, trials: Trials, embedder: FakeEmbedder) -> None:
    """Two that differ in their search only share an index; a question is embedded once for all."""
    questions = questions_of(workspace)
    by_meaning = Config.from_settings({"search.mode": "vector"}, WORDS)
    hybrid = Config.from_settings({"search.mode": "hybrid"}, WORDS)
    runs = [evaluate(workspace, questions, config, trials=trials) for config in (by_meaning, hybrid)]
    assert [len(row.name) for row in trials.scratch.indexes()] == [16]
    assert runs[0].embedded > 0 == runs[1].embedded
    assert set(embedder.embedded_texts.values()) == {1}
    assert embedder.texts_encoded == runs[0].embedded + len(questions)
    assert runs[0].answered != runs[1].answered


def test_after_one_document_changed_only_it_is_embedded(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """The second run embeds the new texts of that document, and no question."""
    config = Config.from_settings({"search.mode": "hybrid"}, WORDS)
    with Trials(workspace, embedder=embedder) as trials:
        first = evaluate(workspace, questions_of(workspace), config, trials=trials)
    fill(workspace, ["south"], mark="piece")
    later = FakeEmbedder()
    with Trials(workspace, embedder=later) as trials:
        second = evaluate(workspace, questions_of(workspace), config, trials=trials)
    assert second.key != first.key
    assert 0 < later.texts_encoded == second.embedded < first.embedded
    assert all("piece" in text for text in later.embedded_texts)


def test_the_users_indexes_and_lock_are_left_alone(workspace: Workspace, trials: Trials) -> None:
    """While another writes, it measures; its own folder goes at the end."""
    build_index(workspace, Config.from_settings({"size": "90"}), name="mine", embedder=FakeEmbedder())
    before = workspace.indexes()
    with workspace.writer():
        evaluate(workspace, questions_of(workspace), WORDS, trials=trials)
        assert scratch_folders(workspace)
    assert workspace.indexes() == before
    trials.close()
    assert scratch_folders(workspace) == []


def test_what_was_written_after_a_folder_was_deleted_is_deleted(tmp_path: Path) -> None:
    """By a thread that was under way when the run was stopped; a folder in use stays."""
    late = tmp_path / ".trials" / "0123456789ab" / "chunks.lance"
    late.mkdir(parents=True)
    first, second = (ScratchFolder.inside(str(tmp_path)) for _ in range(2))
    assert not late.parent.exists()
    assert first.path.exists()
    for one in (first, second):
        one.remove()
    assert list((tmp_path / ".trials").iterdir()) == []


def test_what_a_killed_process_left_is_deleted(workspace: Workspace, trials: Trials, tmp_path: Path) -> None:
    """By the next that measures there; the folder of one that still runs is not."""
    left = tmp_path / "workspace" / ".trials" / "0123456789ab"
    left.mkdir(parents=True)
    (left / "rest").write_text("of an index")
    left.with_suffix(".lock").touch()
    trials.trial(WORDS)
    assert not left.exists()
    with Trials(workspace, embedder=FakeEmbedder()) as other:
        other.trial(WORDS)
        assert len(scratch_folders(workspace)) == 4
    assert trials.trial(WORDS).index.count()


def test_a_sample_first_and_the_rest_later(workspace: Workspace, trials: Trials) -> None:
    """Both make one run, equal to one that was asked everything at once."""
    questions = questions_of(workspace)
    sample = [one.id for one in questions.questions[::3]]
    part = evaluate(workspace, questions, WORDS, EvaluationOptions(only=sample), trials=trials)
    assert [one.question_id for one in part.answered] == sample
    reports: list[EvaluationProgress] = []
    complete = evaluate(workspace, questions, WORDS, trials=trials, on_progress=reports.append)
    assert (reports[-1].done, reports[-1].total) == (len(questions) - len(sample),) * 2
    at_once = evaluate(workspace, questions, WORDS, EvaluationOptions(n=4), trials=trials)
    assert complete.key == part.key
    assert workspace.runs.names().count(complete.key) == 1
    assert [one.question_id for one in complete.answered] == [one.question_id for one in at_once.answered]
    assert [one.results for one in complete.answered] == [one.results for one in at_once.answered]


def test_parts_of_a_split_set(workspace: Workspace, trials: Trials) -> None:
    """Only the questions of the part are asked."""
    questions = split(questions_of(workspace), holdout=0.25)
    for part in QuestionPart:
        run = evaluate(workspace, questions, WORDS, EvaluationOptions(part=part), trials=trials)
        assert [one.question_id for one in run.answered] == [one.id for one in questions.of(part).questions]
        assert run.questions == questions.of(part).fingerprint


def test_an_empty_question_set_is_refused_before_building(workspace: Workspace, trials: Trials) -> None:
    """Said, before anything is built."""
    with pytest.raises(QuestionError, match="There are no questions"):
        evaluate(workspace, QuestionSet("none", ()), WORDS, trials=trials)
    questions = questions_of(workspace)
    workspace.delete_documents(["north", "south"])
    with Trials(workspace) as later, pytest.raises(QuestionError, match="add the documents first"):
        evaluate(workspace, questions, WORDS, trials=later)
    assert workspace.runs.names() == []


def test_questions_of_a_deleted_document_are_left_out(workspace: Workspace) -> None:
    """The others are asked, and the run says how many were not."""
    questions = questions_of(workspace)
    workspace.delete_documents(["north"])
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        run = evaluate(workspace, questions, WORDS, trials=trials)
        assert evaluate(workspace, questions, WORDS, trials=trials) == run
    assert len(run.answered) == len(ASKED)
    assert run.notes[0].startswith("4 of 8 questions were left out")


def test_one_question_is_measured_like_many(workspace: Workspace, trials: Trials) -> None:
    """Is measured like many."""
    questions = questions_of(workspace).only(["north-pump"])
    run = evaluate(workspace, questions, WORDS, trials=trials)
    assert score_run(run, questions).recall.tolist() == [1.0]


def test_an_evaluation_stops_between_two_questions(workspace: Workspace, trials: Trials) -> None:
    """Between two questions; nothing of the run is kept, and its index can be used on."""
    reports: list[EvaluationProgress] = []

    def cancelled() -> bool:
        return bool(reports) and reports[-1].done > 3

    with pytest.raises(Cancelled):
        evaluate(
            workspace, questions_of(workspace), WORDS, trials=trials, on_progress=reports.append, cancelled=cancelled
        )
    assert workspace.runs.names() == []
    assert evaluate(workspace, questions_of(workspace), WORDS, trials=trials).answered


def test_documents_that_change_while_it_begins(workspace: Workspace) -> None:
    """The key is that of the documents that were searched."""
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        assert set(trials.rows) == {"north", "south"}
        workspace.delete_documents(["south"])
        run = evaluate(workspace, questions_of(workspace, only=["north"]), WORDS, trials=trials)
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        assert evaluate(workspace, questions_of(workspace, only=["north"]), WORDS, trials=trials) == run


def test_a_full_disk_is_one_sentence(tmp_path: Path) -> None:
    """What was measured before is still there, and room makes it go on."""
    with mounted(tmp_path / "disk", "size=4m") as disk:
        workspace = filled(disk / "workspace")
        questions = questions_of(workspace)
        with Trials(workspace, embedder=FakeEmbedder()) as trials:
            first = evaluate(workspace, questions, WORDS, trials=trials)
        filler = disk / "filler"
        use_up(filler)
        other = Config.from_settings({"size": "80"}, WORDS)
        with pytest.raises(StoreError, match="free some space"), Trials(workspace, embedder=FakeEmbedder()) as trials:
            evaluate(workspace, questions, other, trials=trials)
        assert workspace.runs.names() == [first.key]
        filler.unlink()
        with Trials(workspace, embedder=FakeEmbedder()) as trials:
            assert evaluate(workspace, questions, other, trials=trials).answered
            assert evaluate(workspace, questions, WORDS, trials=trials) == first


@pytest.mark.parametrize(
    ("settings", "depth"),
    [
        ({}, 30),
        ({"search.retrieval": "parent"}, 5),
        ({"search.retrieval": "merge"}, 5),
        ({"search.retrieval": "hierarchical", "search.tree": "top_down"}, 5),
        ({"search.candidates": "45"}, 15),
        ({"search.rerank": "title", "search.rerank_depth": "20"}, 20),
    ],
)
def test_more_results_do_not_change_the_first(shared: Trials, settings: dict[str, str], depth: int) -> None:
    """Results behind the fifth are kept only where the first five stay what they are."""
    config = Config.from_settings(settings, WORDS)
    assert deepened(config.search, 5, 30).k == depth
    questions = questions_of(shared.workspace)
    run = evaluate(shared.workspace, questions, config, trials=shared)
    alone = evaluate(shared.workspace, questions, config, EvaluationOptions(depth=5), trials=shared)
    assert [one.results[:5] for one in run.answered] == [one.results[:5] for one in alone.answered]


def test_whether_a_run_is_of_now(workspace: Workspace, trials: Trials) -> None:
    """Until a document, which need not be one of the answers, has come, changed or gone."""
    run = evaluate(workspace, questions_of(workspace), WORDS, EvaluationOptions(n=3), trials=trials)
    assert is_current(EvaluationRun.from_json(run.to_json()), documents_key(workspace.documents()))
    fill(workspace, ["east"])
    assert not is_current(run, documents_key(workspace.documents()))


def test_documents_are_measured_once_for_all_configurations(
    workspace: Workspace, trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned, cut and cut again with another size (law 6); a tokenizer that counts otherwise is another measure."""
    measured = Mock(wraps=measured_document.measure)
    monkeypatch.setattr(measured_document, "measure", measured)
    for size in ("64", "90", "120"):
        assert trials.trial(Config.from_settings({"size": size}, WORDS)).index.count()
    assert measured.call_count == 2
