"""Sweeps: what is planned, what is shared and looked up, what is dropped on how many questions, and what goes wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from chunking.config import Config, EmbeddingConfig, is_baseline
from chunking.errors import Cancelled, ModelError, NotFoundError, QuestionError, StoreError
from chunking.evaluation import (
    EvaluationProgress,
    EvaluationRun,
    QuestionPart,
    QuestionSet,
    Sweep,
    SweepReport,
    Trials,
    load_sweep,
    run_sweep,
    save_sweep,
    split,
    sweep_report,
)
from chunking.evaluation.sweep.halving import first_sample, in_strata
from chunking.store import Workspace
from tests.support.disks import mounted, use_up
from tests.support.facts import tells
from tests.support.plants import THINGS, WORDS, fill, filled, questions_of
from tests.support.store_rows import FakeEmbedder

GRID = {"size": ("64", "90"), "search.granularity_weight": ("0.5", "1.0")}


def sweep(**changes: object) -> Sweep:
    return replace(Sweep("first", "things", WORDS, GRID), **changes)


def run_of(workspace: Workspace, key: str) -> EvaluationRun:
    return EvaluationRun.from_json(workspace.runs.get(key) or "")


def test_a_sweep_plans_each_combination_once() -> None:
    """Every combination and the single ones, each once; those that do not go together with the reason."""
    experiment = sweep(
        grid={"size": ("64", "90"), "min_size": ("0", "80")},
        tries=({"overlap": "10"}, {"size": "64", "min_size": "0"}, {}),
    )
    planned = experiment.configs()
    assert [one.label for one in planned] == [
        "size 64 · min_size 0",
        "size 64 · min_size 80",
        "size 90 · min_size 0",
        "size 90 · min_size 80",
        "overlap 10",
        "the current settings",
    ]
    assert [one.config is None for one in planned] == [False, True, False, False, False, False]
    assert "min_size is 80" in planned[1].error


def test_millions_are_refused_before_one_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the configurations of a sweep, checked or not."""
    monkeypatch.setattr(
        "chunking.evaluation.sweep.sweep._planned", lambda *_: pytest.fail("A configuration was built.")
    )
    planned = sweep(
        grid={
            key: tuple(map(str, range(10)))
            for key in ("size", "overlap", "min_size", "parent_size", "search.k", "table_text")
        }
    )
    assert planned.combinations == 10**6
    with pytest.raises(QuestionError, match="1,000,000"):
        planned.configs()


def test_it_reads_back_as_it_was_kept(workspace: Workspace) -> None:
    """With its base in full, prompts too; other JSON is one sentence."""
    base = Config.from_settings({"enrich.context_prompt": "Say: {chunk} · 说", "category.api.size": "300"})
    planned = sweep(base=base, tries=({"size": "100"},), minutes=2.5, seed=3, budget=250, expanded=True)
    save_sweep(workspace, planned)
    assert load_sweep(workspace, "first") == planned
    assert sweep_report(workspace, "first") is None
    with pytest.raises(NotFoundError, match="no experiment 'other'"):
        load_sweep(workspace, "other")
    with pytest.raises(QuestionError, match="no saved sweep"):
        Sweep.from_json("[]")


def test_a_grid_is_measured_once(workspace: Workspace, trials: Trials, embedder: FakeEmbedder) -> None:
    """Indexes are shared, texts and questions embedded once; the second time everything is looked up."""
    questions = questions_of(workspace)
    reports: list[EvaluationProgress] = []
    report = run_sweep(workspace, sweep(), questions, trials=trials, on_progress=reports.append)
    assert len(report.runs) == 4
    assert (report.known, report.failed, report.dropped) == (0, (), ())
    assert report.embedded == embedder.texts_encoded > 0
    assert set(embedder.embedded_texts.values()) == {1}
    assert trials.scratch.indexes() == []
    done = [one.done for one in reports]
    assert done == sorted(done)
    assert (reports[-1].done, reports[-1].total) == (4 * len(questions),) * 2
    assert all(len(run_of(workspace, key).answered) == len(questions) for key in report.runs)
    assert sweep_report(workspace, "first") == report == SweepReport.from_record(report.as_record())
    with Trials(workspace, embedder=embedder) as later:
        again = run_sweep(workspace, sweep(name="second"), questions, trials=later)
    assert (again.runs, again.known, again.embedded) == (report.runs, 4, 0)
    assert report.embedded == embedder.texts_encoded


def test_after_one_document_changed_only_its_texts_are_embedded(workspace: Workspace, embedder: FakeEmbedder) -> None:
    """Over all configurations of the second sweep."""
    by_meaning = sweep(base=Config.from_settings({"search.mode": "hybrid"}, WORDS))
    with Trials(workspace, embedder=embedder) as trials:
        first = run_sweep(workspace, by_meaning, questions_of(workspace), trials=trials)
    fill(workspace, ["south"], mark="piece")
    later = FakeEmbedder()
    with Trials(workspace, embedder=later) as trials:
        second = run_sweep(workspace, by_meaning, questions_of(workspace), trials=trials)
    assert second.known == 0
    assert 0 < second.embedded == later.texts_encoded < first.embedded
    assert all("piece" in text for text in later.embedded_texts)


def test_only_questions_for_tuning_are_asked(workspace: Workspace, trials: Trials) -> None:
    """Where the set is split."""
    questions = split(questions_of(workspace), holdout=0.25)
    report = run_sweep(workspace, sweep(grid={"size": ("64",)}), questions, trials=trials)
    run = run_of(workspace, report.runs[0])
    assert run.questions == questions.of(QuestionPart.TUNE).fingerprint != questions.fingerprint
    assert len(run.answered) == len(questions.of(QuestionPart.TUNE)) < len(questions)


def test_a_configuration_that_fails_does_not_stop_the_others(
    workspace: Workspace, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told with its reason, kept as a run without answers, and tried again by the next sweep."""
    missing = ["absent"]

    def load(config: EmbeddingConfig) -> FakeEmbedder:
        if config.passage_prefix in missing:
            raise ModelError("It is broken.")
        return embedder

    monkeypatch.setattr("chunking.embedding.load_embedder", load)
    planned = sweep(
        grid={"size": ("64", "90")}, tries=({"embedding.passage_prefix": "absent"}, {"size": "16", "min_size": "20"})
    )
    report = run_sweep(workspace, planned, questions_of(workspace))
    assert [one.label for one in report.failed] == ["size 16 · min_size 20", "embedding.passage_prefix absent"]
    assert len(report.runs) == 2
    (failed,) = [run for run in map(EvaluationRun.from_json, workspace.runs.all().values()) if run.error]
    assert (failed.error, failed.answered) == ("It is broken.", ())
    missing.clear()
    again = run_sweep(workspace, planned, questions_of(workspace))
    assert (len(again.runs), again.known, len(again.failed)) == (3, 2, 1)


def test_a_stop_keeps_what_is_finished(workspace: Workspace, trials: Trials, embedder: FakeEmbedder) -> None:
    """And the next run goes on from there."""
    questions, reports = questions_of(workspace), list[EvaluationProgress]()
    with pytest.raises(Cancelled):
        run_sweep(
            workspace,
            sweep(),
            questions,
            trials=trials,
            on_progress=reports.append,
            cancelled=lambda: bool(reports) and reports[-1].done > 20,
        )
    assert len(workspace.runs.names()) == 2
    assert sweep_report(workspace, "first") is None
    with Trials(workspace, embedder=embedder) as later:
        report = run_sweep(workspace, sweep(), questions, trials=later)
    assert (report.known, len(report.runs)) == (2, 4)
    assert set(embedder.embedded_texts.values()) == {1}


def test_bad_sets_and_sweeps(workspace: Workspace, trials: Trials) -> None:
    """No question, no configuration: said at once. One question: measured."""
    with pytest.raises(QuestionError, match="There are no questions"):
        run_sweep(workspace, sweep(), QuestionSet("none", ()), trials=trials)
    with pytest.raises(QuestionError, match="has no configuration"):
        run_sweep(workspace, sweep(grid={}), questions_of(workspace), trials=trials)
    with pytest.raises(QuestionError, match="no metric 'luck'"):
        run_sweep(workspace, sweep(metric="luck"), questions_of(workspace), trials=trials)
    with pytest.raises(QuestionError, match="10,000 configurations, more than 2,000"):
        run_sweep(workspace, sweep(grid={name: range(10) for name in "abcd"}), questions_of(workspace), trials=trials)
    one = questions_of(workspace).only(["north-pump"])
    report = run_sweep(workspace, sweep(grid={"size": ("64", "90")}, minutes=1.0), one, trials=trials)
    assert (len(report.runs), report.rounds[-1].questions) == (2, 1)


def test_a_sample_holds_its_share_of_every_document(workspace: Workspace) -> None:
    """Each beginning of the order is stratified; another seed gives another order, the same one the same."""
    questions = questions_of(workspace).questions
    ordered = in_strata(questions)
    for size in range(2, len(ordered) + 1, 2):
        north = sum(one.id.startswith("north") for one in ordered[:size])
        assert abs(north - size / 2) <= 1
    assert sorted(one.id for one in ordered) == sorted(one.id for one in questions)
    assert in_strata(tuple(reversed(questions))) == ordered != in_strata(questions, seed=1)
    assert first_sample(len(THINGS)) == len(THINGS)


@pytest.fixture
def many(tmp_path: Path, small_samples: None) -> Workspace:
    """Enough questions that a sample is less than all."""
    workspace = Workspace.open(tmp_path / "many")
    fill(workspace, NAMES)
    return workspace


NAMES = ("north", "south", "east")


@pytest.fixture
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six questions are a sample: what is done with one does not depend on how many they are."""
    assert (first_sample(20), first_sample(40)) == (20, 30)
    monkeypatch.setattr("chunking.evaluation.sweep.halving._SAMPLE", 6)


def test_a_time_limit_halves_the_candidates_on_a_sample(many: Workspace) -> None:
    """Under a time limit a sample drops the worse half, as the report says; the rest get all questions."""
    questions = questions_of(many, only=NAMES)
    assert (len(questions), first_sample(len(questions))) == (12, 6)
    grid, reports = {"search.granularity_weight": ("0.0", "0.5", "1.0", "1.5")}, list[EvaluationProgress]()
    short = sweep(grid=grid, minutes=0.75)

    def clock() -> float:
        return float(sum("Asking" in one.message for one in reports))

    with Trials(many, embedder=FakeEmbedder()) as trials:
        report = run_sweep(many, short, questions, trials=trials, on_progress=reports.append, clock=clock)
    # A question takes a second: after six for each of four, there is no time for six more for all of them.
    assert [one.questions for one in report.rounds] == [6, 12]
    assert (len(report.runs), len(report.dropped)) == (2, 2)
    assert report.rounds[0].dropped == report.dropped
    assert all(len(run_of(many, key).answered) == 6 for key in report.dropped)
    assert all(len(run_of(many, key).answered) == 12 for key in report.runs)
    assert report.notes[0].startswith(
        "2 of 4 configurations were dropped after 6 of 12 questions; the best of them stood"
    )


def test_with_time_enough_nothing_is_dropped(many: Workspace) -> None:
    """Then the sample was but a beginning."""
    grid = {"search.granularity_weight": ("0.0", "0.5", "1.0")}
    with Trials(many, embedder=FakeEmbedder()) as trials:
        report = run_sweep(many, sweep(grid=grid, minutes=60.0), questions_of(many, only=NAMES), trials=trials)
    assert ([one.questions for one in report.rounds], len(report.runs), report.dropped, report.notes) == (
        [6, 12],
        3,
        (),
        (),
    )


def test_what_the_time_did_not_reach(many: Workspace) -> None:
    """Two are always measured; the others are named, and the next run goes on with them."""
    questions, ticks = questions_of(many, only=NAMES), count(step=20)
    grid = {"search.granularity_weight": ("0.0", "0.5", "1.0")}
    with Trials(many, embedder=FakeEmbedder()) as trials:
        report = run_sweep(
            many, sweep(grid=grid, minutes=0.5), questions, trials=trials, clock=lambda: float(next(ticks))
        )
        assert len(report.runs) == 2
        assert tells(report.notes[:1], "1 3 configurations not run")
        again = run_sweep(many, sweep(grid=grid, minutes=60.0), questions, trials=trials)
    assert (len(again.runs), again.known) == (3, 2)


def test_a_full_disk_ends_the_sweep(tmp_path: Path) -> None:
    """In one sentence; what was measured before stays, and with room the sweep goes on."""
    with mounted(tmp_path / "disk", "size=4m") as disk:
        workspace = filled(disk / "workspace")
        filler, questions, reports = disk / "filler", questions_of(workspace), list[EvaluationProgress]()

        def fill_up(progress: EvaluationProgress) -> None:
            reports.append(progress)
            if progress.done > 10 and not filler.exists():
                use_up(filler)

        with pytest.raises(StoreError, match="free some space"), Trials(workspace, embedder=FakeEmbedder()) as trials:
            run_sweep(workspace, sweep(), questions, trials=trials, on_progress=fill_up)
        kept = workspace.runs.names()
        assert len(kept) == 1
        filler.unlink()
        with Trials(workspace, embedder=FakeEmbedder()) as trials:
            report = run_sweep(workspace, sweep(), questions, trials=trials)
        assert (report.known, len(report.runs)) == (1, 4)
        assert kept[0] in report.runs


def test_the_baseline_is_never_dropped(workspace: Workspace, trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a time limit it is asked first, and every question, however badly it does."""
    monkeypatch.setattr("chunking.evaluation.sweep.halving._SAMPLE", 2)
    limited = sweep(grid={"size": ("48", "64", "80", "90", "120")}, minutes=1e-9, baseline=True)
    report = run_sweep(workspace, limited, questions_of(workspace), trials=trials)
    full = [run_of(workspace, key) for key in report.runs]
    assert [is_baseline(run.config) for run in full].count(True) == 1
    assert all(len(run.answered) == len(questions_of(workspace)) for run in full)
    assert report.dropped or any("time" in note for note in report.notes)
