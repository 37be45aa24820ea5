"""Plans of many documents: estimated from a sample, honestly, and runs that need no plan to be right."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import ParseError
from chunking.indexing import IndexProgress, build_index, make_plan, run_plan
from chunking.indexing.planning.plan_sample import SAMPLE_SIZES, Content, draw_sample, interval
from chunking.indexing.run.run_records import PlanEstimate
from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting import document_splitting
from chunking.store import Workspace
from tests.support.store_rows import FakeEmbedder

SMALL = Config.from_settings({"size": "40", "overlap": "0"})
LARGE = Config.from_settings({"size": "80", "overlap": "0"})
WORDS = ("pump", "seal", "valve", "filter", "bar", "motor", "oil", "gauge", "spring", "hose", "clamp", "ring")


def prose(number: int, sentences: int) -> Document:
    """A document of some sentences that no other has."""
    chance = random.Random(number)
    body = " ".join(" ".join(chance.choices(WORDS, k=9)).capitalize() + f" {number}." for _ in range(sentences))
    return parse(f"# Part {number}\n\n{body}\n".encode(), f"d{number}.md", updated_at="2026-01-01T00:00:00+00:00")


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    """Many short documents, some long ones, and copies."""
    chance = random.Random(7)
    own = [prose(n, max(1, round(chance.paretovariate(1.2) * 3))) for n in range(150)]
    copies = [parse(own[5].text.encode(), f"copy{n}.md", updated_at="2026-01-01T00:00:00+00:00") for n in range(20)]
    return [*own, *copies]


@pytest.fixture
def workspace(tmp_path: Path, documents: list[Document], monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace whose documents are too many for an exact plan; a sample has 60 of them."""
    monkeypatch.setattr("chunking.indexing.planning.plan_totals.MOST_EXACT", 1_000)
    monkeypatch.setattr("chunking.indexing.planning.plan_totals.SAMPLE_SIZES", (60,))
    workspace = Workspace.open(tmp_path / "w")
    workspace.put_documents(documents)
    return workspace


def is_near(number: int, exact: int, share: float = 0.15) -> bool:
    """True if an estimate is close."""
    return abs(number - exact) <= share * exact + 3


def test_the_interval_holds_the_exact_number(workspace: Workspace) -> None:
    """Of chunks, at several sizes; all other counts are close, and add up as in an exact plan."""
    for config in (SMALL, LARGE, Config.from_settings({"size": "25", "granularities": ""})):
        embedder = FakeEmbedder()
        plan, exact = (make_plan(workspace, config, embedder=embedder, exact=exact) for exact in (False, True))
        assert exact.estimate is None
        assert plan.estimate is not None
        assert plan.estimate.least_chunks <= exact.chunks <= plan.estimate.most_chunks
        assert plan.estimate.least_chunks <= plan.chunks <= plan.estimate.most_chunks
        assert plan.estimate.most_chunks - plan.estimate.least_chunks < 0.4 * exact.chunks
        assert plan.estimate.sampled < plan.estimate.documents == plan.documents == exact.documents == 170
        assert plan.new + plan.reused == plan.vectors
        assert is_near(plan.vectors, exact.vectors)
        assert is_near(plan.new, exact.new)
        assert plan.about
        assert embedder.calls == 0
        assert plan.unknown_share == exact.unknown_share
        assert plan.unread == exact.unread
        assert list(plan.levels) == list(exact.levels)


@pytest.mark.parametrize(("spread", "first"), [(0.3, range(1)), (0.2, range(1, 100)), (0.1, range(200, 201))])
def test_intervals_hold_as_often_as_they_say(spread: float, first: range) -> None:
    """Over 200 populations of documents, 95 % intervals hold the total in 93 % or more.

    The more alike documents are, the more often is the first sample enough.
    """
    covered, enough = 0, 0
    for seed in range(200):
        chance = random.Random(seed)
        sizes = {f"{seed}-{n}": round(chance.lognormvariate(8, 1.3)) for n in range(2_000)}
        chunks = {
            doc_id: float(max(1, round(size / 90 * chance.uniform(1 - spread, 1 + spread))))
            for doc_id, size in sizes.items()
        }
        contents = [Content(*one) for one in sizes.items()]
        total = interval(draw_sample(contents, SAMPLE_SIZES[0]), chunks)
        enough += total.is_narrow(total.total)
        if not total.is_narrow(total.total):
            total = interval(draw_sample(contents), chunks)
        covered += total.least <= sum(chunks.values()) <= total.most
    assert covered >= 186
    assert enough in first


def test_a_plan_is_the_same_each_time_and_splits_only_the_sample(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same documents at each setting, so that their measures can be reused."""
    split: list[list[str]] = []
    measure = document_splitting.Chunker

    def counting(document: Document, *args: object, **more: object) -> object:
        split[-1].append(document.doc_id)
        return measure(document, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(document_splitting, "Chunker", counting)
    plans = []
    for config in (SMALL, LARGE, SMALL):
        split.append([])
        plans.append(make_plan(workspace, config, embedder=FakeEmbedder()))
    assert split[0] == split[1] == split[2]
    assert plans[0].estimate is not None
    assert len(split[0]) == plans[0].estimate.sampled <= 70
    assert replace(plans[0], seconds_expected=0.0) == replace(plans[2], seconds_expected=0.0)


def test_a_run_is_right_whatever_was_estimated(workspace: Workspace) -> None:
    """Report and index are those of a run with an exact plan; progress ends at the total, the model is loaded."""
    messages: list[IndexProgress] = []
    plan = make_plan(workspace, SMALL, embedder=FakeEmbedder())
    wrong = replace(
        plan, chunks=7, vectors=7, new=0, reused=7, removed=5, documents=1, estimate=PlanEstimate(1, 170, 0, 9)
    )
    report = run_plan(workspace, wrong, embedder=FakeEmbedder(), on_progress=messages.append)
    exact = make_plan(workspace, LARGE, embedder=FakeEmbedder(), exact=True)
    assert (report.documents, report.removed, report.chunks) == (170, 0, workspace.index().count())
    assert (messages[-1].done, messages[-1].total) == (report.chunks, report.chunks)
    assert all(one.done <= one.total for one in messages)
    other = run_plan(workspace, replace(exact, unknown_share=0.0), embedder=FakeEmbedder())
    assert (other.chunks, other.removed) == (exact.chunks, exact.removed)


def test_what_is_removed_and_kept_is_estimated_too(workspace: Workspace, documents: list[Document]) -> None:
    """After a run, at another size and with some documents changed and others gone."""
    embedder = FakeEmbedder()
    build_index(workspace, SMALL, embedder=embedder)
    unchanged = make_plan(workspace, SMALL, embedder=embedder)
    assert (unchanged.estimate, unchanged.new, unchanged.removed, unchanged.unchanged) == (None, 0, 0, 170)
    plan, exact = (make_plan(workspace, LARGE, embedder=embedder, exact=exact) for exact in (False, True))
    assert plan.held == exact.held
    assert is_near(plan.removed, exact.removed)
    workspace.put_documents([replace(one, text=one.text + "\nMore words.\n") for one in documents[:120]])
    some = [one.doc_id for one in documents[:160]]
    plan, exact = (make_plan(workspace, SMALL, doc_ids=some, embedder=embedder, exact=exact) for exact in (False, True))
    assert plan.estimate is not None
    assert (plan.unchanged, plan.rebuild) == (exact.unchanged, exact.rebuild) == (40, False)
    assert is_near(plan.removed, exact.removed, 0.3)
    assert is_near(plan.chunks, exact.chunks, 0.05)


def test_where_every_document_is_the_same_one_is_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its texts are embedded once, and the plan says so."""
    monkeypatch.setattr("chunking.indexing.planning.plan_totals.MOST_EXACT", 1_000)
    workspace = Workspace.open(tmp_path / "w")
    data = prose(1, 30).text.encode()
    workspace.put_documents([parse(data, f"{n}.md") for n in range(50)])
    plan = make_plan(workspace, SMALL, embedder=FakeEmbedder())
    report = run_plan(workspace, plan, embedder=FakeEmbedder())
    assert plan.estimate == PlanEstimate(1, 50, report.chunks, report.chunks)
    assert (plan.chunks, plan.vectors, plan.new) == (report.chunks, report.vectors, report.embedded)


def test_documents_that_cannot_be_split_are_scaled(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """About a third of them, but no copies: the plan expects as many fewer."""
    import chunking.splitting

    cut = chunking.splitting.split_document

    def fails(document: Document, config: Config, **options: object) -> object:
        if "copy" not in document.doc_id and int("".join(filter(str.isdigit, document.doc_id))) % 3 == 0:
            raise ParseError(f"{document.source} cannot be cut today.")
        return cut(document, config, **options)

    monkeypatch.setattr(chunking.splitting, "split_document", fails)
    plan, exact = (make_plan(workspace, SMALL, embedder=FakeEmbedder(), exact=exact) for exact in (False, True))
    assert is_near(plan.documents, exact.documents, 0.25)
    assert plan.failed
    assert {one.source for one in plan.failed} <= {one.source for one in exact.failed}


def test_few_documents_are_counted(tmp_path: Path, documents: list[Document]) -> None:
    """As ever: no estimate, and measures for the run."""
    workspace = Workspace.open(tmp_path / "w")
    workspace.put_documents(documents[:10])
    assert make_plan(workspace, SMALL, embedder=FakeEmbedder()).estimate is None


def test_documents_that_are_alike_need_a_smaller_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the share of their texts that the caches hold, too; else the larger sample tells more."""
    monkeypatch.setattr("chunking.indexing.planning.plan_totals.MOST_EXACT", 1_000)
    monkeypatch.setattr("chunking.indexing.planning.plan_totals.SAMPLE_SIZES", (24, 48))
    workspace, embedder = Workspace.open(tmp_path / "w"), FakeEmbedder()
    texts = [f"# Part {n:03}\n\n{f'Check the pump number {n:03}. ' * 60}\n" for n in range(100)]
    workspace.put_documents([parse(text.encode(), f"d{n}.md") for n, text in enumerate(texts)])

    def sampled() -> int:
        estimate = make_plan(workspace, SMALL, name="other", embedder=embedder).estimate
        assert estimate is not None
        return estimate.sampled

    assert sampled() == 24
    build_index(workspace, SMALL, doc_ids=[f"d{n}" for n in range(0, 100, 3)], embedder=embedder)
    assert sampled() == 48
    build_index(workspace, SMALL, embedder=embedder)
    assert sampled() == 24
