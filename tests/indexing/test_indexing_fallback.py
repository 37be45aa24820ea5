"""Fallbacks of runs: a missing language model, reached limits, and reuse by the next run."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.config import ENGLISH_MODEL, Config
from chunking.errors import Cancelled, EndpointError
from chunking.indexing import IndexProgress, IndexReport, build_index, make_plan, run_plan, staleness
from chunking.indexing.run.enrichment_run import no_language_model
from chunking.model import CHUNK, CLUSTER, PARENT
from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.index.build_record import FallbackLevel
from tests.support.llm_server import LLMServer, running
from tests.support.stand_in_model import stand_in_model
from tests.support.worker_process import Worker, run_here

ROOT = Path(__file__).parents[2]
ENGLISH = (ROOT / "sample_data" / "handbook" / "operations-handbook.md").read_text(encoding="utf-8")[:1_800]
CHINESE = (ROOT / "sample_data" / "manual-zh" / "产品使用手册.md").read_text(encoding="utf-8")[:500]
SETTINGS = {
    "size": "64",
    "parent_size": "200",
    "prefix": "context",
    "context_size": "16",
    "enrich.generator": "llm",
    "embedding.precision": "fp32",
    "embedding.model": ENGLISH_MODEL,
}
FULL = Config.from_settings(SETTINGS)
VARIABLES = ("URL", "MODEL", "KEY", "RETRIES", "PARALLEL")


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    """What becomes of a run is tested here, not what the model finds; in the workers too."""
    with stand_in_model():
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An English and a Chinese text, no index."""
    workspace = Workspace.open(tmp_path / "workspace")
    workspace.put_documents([parse(ENGLISH.encode(), "english.md"), parse(CHINESE.encode(), "chinese.md")])
    return workspace


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has configured."""
    for kind in ("LLM", "EMBEDDING"):
        for name in VARIABLES:
            monkeypatch.delenv(f"CHUNKSCOPE_{kind}_{name}", raising=False)


def use(server: LLMServer, monkeypatch: pytest.MonkeyPatch, kind: str = "llm") -> None:
    """Configure a server, asked one thing at a time and once, so that requests can be counted."""
    more = {f"CHUNKSCOPE_{kind.upper()}_RETRIES": "0", f"CHUNKSCOPE_{kind.upper()}_PARALLEL": "1"}
    for name, value in (server.environment(kind) | more).items():  # type: ignore[arg-type]
        monkeypatch.setenv(name, value)
    server.answer = lambda system, user: f"It stands in part {len(user)}."


@pytest.fixture
def server(llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> LLMServer:
    """A language model that is configured."""
    use(llm_server, monkeypatch)
    return llm_server


def writers(workspace: Workspace) -> set[str]:
    """Who wrote the contexts before the chunks of the index; where a prefix takes half of the size, none has room."""
    written = [chunk.written for chunk in workspace.index().by_level(CHUNK) if chunk.written]
    return {"model" if text.startswith("It stands in part") else "rules" for text in written}


def job(workspace: Workspace) -> str:
    """A worker's, as the app writes it."""
    return json.dumps({"workspace": workspace.uri, "name": "main", "config": SETTINGS, "doc_ids": None}) + "\n"


def ran(report: IndexReport, workspace: Workspace) -> FallbackLevel:
    """The fallback level of a run, which the report and the index tell alike."""
    row = workspace.indexes()[0]
    assert (row.state, row.built.ran, row.built.reasons, dict(row.built.levels)) == (
        "complete",
        report.fallback_level,
        report.reasons,
        dict(report.levels),
    )
    return report.fallback_level


def test_a_server_that_dies_midway(workspace: Workspace, server: LLMServer) -> None:
    """One fallback level lower, all of it by rule, stored and told; the next run asks only for what is missing, and is
    up again.
    """
    plan = make_plan(workspace, FULL)
    assert plan.needs is not None
    assert (plan.asked, plan.needs.requests, plan.needs.cached) == (FallbackLevel.FULL, plan.chunks, 0)
    answered = plan.chunks // 2
    server.die_after(answered)
    message: list[IndexProgress] = []
    report = run_plan(workspace, plan, on_progress=message.append)
    assert ran(report, workspace) is FallbackLevel.CONTEXTUAL
    (reason,) = report.reasons
    assert "fallback level contextual instead of full" in reason
    assert f"endpoint at {server.endpoint().place}" in reason
    assert [one for one in message if "contextual" in one.message]
    assert report.levels[PARENT] > 0
    assert writers(workspace) == {"rules"}
    assert "fallback level contextual instead of full" in staleness(workspace, workspace.indexes()[0])
    assert workspace.indexes()[0].config == FULL

    requests = len(server.chat_requests)
    server.left = None
    server.start()
    plan = make_plan(workspace, FULL)
    assert plan.needs is not None
    assert (plan.rebuild, plan.needs.requests, plan.needs.cached) == (True, plan.chunks - answered, answered)
    report = run_plan(workspace, plan)
    assert ran(report, workspace) is FallbackLevel.FULL
    assert report.reasons == ()
    assert len(server.chat_requests) - requests == plan.chunks - answered
    assert writers(workspace) == {"model"}
    assert staleness(workspace, workspace.indexes()[0]) == ""
    assert report.written == {"context by llm": report.chunks}
    assert workspace.indexes()[0].built.writer_model == "test-writer"


def test_a_changed_document_without_the_server(workspace: Workspace, server: LLMServer) -> None:
    """All of the index goes a fallback level lower, so that its chunks can be compared, and comes up again at the price
    of what is new.
    """
    build_index(workspace, FULL)
    before = len(server.chat_requests)
    server.stop()
    assert ran(build_index(workspace, FULL), workspace) is FallbackLevel.FULL  # nothing is new: nobody is asked
    workspace.put_document(
        parse(CHINESE.replace("安装", "装配").encode() + "\n\n## 新\n\n另一句话。".encode(), "chinese.md")
    )
    assert ran(build_index(workspace, FULL), workspace) is FallbackLevel.CONTEXTUAL
    assert writers(workspace) == {"rules"}
    server.start()
    plan = make_plan(workspace, FULL)
    assert plan.needs is not None
    assert 0 < plan.needs.requests < plan.chunks
    assert ran(run_plan(workspace, plan), workspace) is FallbackLevel.FULL
    assert len(server.chat_requests) == before + plan.needs.requests


def test_without_a_server_configured(workspace: Workspace) -> None:
    """The plan says it before, the index after."""
    plan = make_plan(workspace, FULL)
    assert any(no_language_model() in warning and "fallback level contextual" in warning for warning in plan.warnings)
    report = run_plan(workspace, plan)
    assert ran(report, workspace) is FallbackLevel.CONTEXTUAL
    assert no_language_model() in report.reasons[0]


def test_answers_that_cannot_be_used(workspace: Workspace, server: LLMServer) -> None:
    """Rules write in their place; the index stays on its fallback level and says how many."""
    server.answer = lambda system, user: "<br>" if len(server.chat_requests) % 2 else "It stands in part 7."
    report = build_index(workspace, FULL)
    assert ran(report, workspace) is FallbackLevel.FULL
    assert writers(workspace) == {"model", "rules"}
    (reason,) = report.reasons
    assert reason.startswith(f"Of {report.chunks} texts (context) {report.written['context by rules']} are by rule")
    assert build_index(workspace, FULL).reasons == (reason,)
    assert staleness(workspace, workspace.indexes()[0]) == ""


def test_a_tree_that_cannot_be_summarised(workspace: Workspace, server: LLMServer) -> None:
    """The server dies when all contexts are there: no half tree, and no tree at all at the fallback level below."""
    settings = Config.from_settings(SETTINGS | {"enrich.raptor": "true"})
    server.die_after(make_plan(workspace, FULL).chunks)
    report = build_index(workspace, settings)
    assert ran(report, workspace) is FallbackLevel.CONTEXTUAL
    assert CLUSTER not in report.levels
    server.left = None
    server.start()
    requests = len(server.chat_requests)
    report = build_index(workspace, settings)
    assert ran(report, workspace) is FallbackLevel.FULL
    assert len(server.chat_requests) - requests == report.levels[CLUSTER] == report.written["cluster by llm"]


def test_the_memory_limit(workspace: Workspace) -> None:
    """What this process holds is more than 1 MB: it goes down, says why, and ends with an index."""
    settings = Config.from_settings({"enrich.memory_limit": "1", "parent_size": "200", "embedding.precision": "fp32"})
    report = build_index(workspace, settings)
    assert ran(report, workspace).place > FallbackLevel.CONTEXTUAL.place
    assert "limit is 1 MB" in report.reasons[0]
    assert PARENT not in report.levels
    assert workspace.index().count() == report.chunks > 0


def test_the_time_limit(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute for each fallback level: the first takes longer, the second does not; a run without a limit is as
    before.
    """
    now = [0.0]
    monkeypatch.setattr("chunking.indexing.run.fallback_levels.monotonic", lambda: now[0])

    def on_progress(progress: IndexProgress) -> None:
        now[0] += 61.0 * progress.message.startswith("Writing") * (not message)
        message.extend([progress.message] if progress.fell else [])

    message: list[str] = []
    settings = Config.from_settings({"enrich.time_limit": "1", "granularities": "2", "embedding.precision": "fp32"})
    report = build_index(workspace, settings, on_progress=on_progress)
    assert ran(report, workspace) is FallbackLevel.MERGED
    assert "time limit of 1 min" in report.reasons[0]
    assert message
    assert report.levels == {CHUNK: report.chunks}


def test_a_run_that_is_stopped_while_it_asks(workspace: Workspace, server: LLMServer) -> None:
    """It ends soon, is no fall, and the answers that had come are not asked for again."""
    with pytest.raises(Cancelled):
        build_index(workspace, FULL, cancelled=lambda: len(server.chat_requests) >= 3)
    requests = len(server.chat_requests)
    assert requests < make_plan(workspace, FULL).chunks
    assert workspace.indexes()[0].state == "incomplete"
    plan = make_plan(workspace, FULL)
    assert plan.needs is not None
    assert plan.needs.cached >= requests - 1
    assert ran(run_plan(workspace, plan), workspace) is FallbackLevel.FULL
    assert len(server.chat_requests) == requests + plan.needs.requests


def test_a_stopped_fall_keeps_the_index_from_before(workspace: Workspace, server: LLMServer) -> None:
    """Law 9: while the lower fallback level is built beside, the one above can be searched."""
    build_index(workspace, FULL)
    server.stop()
    workspace.put_document(parse(b"# New\n\nAnother text of some words.", "new.md"))
    messages: list[str] = []
    with pytest.raises(Cancelled):
        build_index(
            workspace,
            FULL,
            on_progress=lambda progress: messages.append(progress.message),
            cancelled=lambda: any(one.startswith("Writing") for one in messages[-1:]),
        )
    row = workspace.indexes()[0]
    assert (row.state, row.built.ran) == ("incomplete", FallbackLevel.FULL)
    assert any("contextual" in message for message in messages)
    assert writers(workspace) == {"model"}


def test_killed_while_it_asks(workspace: Workspace, server: LLMServer) -> None:
    """kill -9 in the worker: what it had embedded and most of what it had been answered is there; the next run goes on
    from it.
    """
    requests, go_on = threading.Event(), threading.Event()

    def answer(system: str, user: str) -> str:
        if len(server.chat_requests) == 18:
            requests.set()
            go_on.wait(60)
        return f"It stands in part {len(user)}."

    server.answer = answer
    chunks = make_plan(workspace, FULL).chunks
    assert chunks > 18
    worker = Worker(job(workspace), module="chunking.worker")
    assert requests.wait(120)
    worker.process.kill()
    go_on.set()
    assert worker.close() == -signal.SIGKILL
    reopened = Workspace.open(workspace.uri)
    plan = make_plan(reopened, FULL)
    assert plan.needs is not None
    assert (plan.needs.cached, plan.rebuild) == (16, False)
    before = len(server.chat_requests)
    assert ran(run_plan(reopened, plan), reopened) is FallbackLevel.FULL
    assert len(server.chat_requests) - before == chunks - 16
    assert writers(reopened) == {"model"}


def test_the_worker_tells_of_a_fall(workspace: Workspace, server: LLMServer) -> None:
    """The plan with what it needs, why the run went on a fallback level lower, and the report with both."""
    server.die_after(2)
    events, _ = run_here(job(workspace))
    plan, report = events[0], events[-1]["report"]
    assert (plan["event"], plan["asked"], plan["needs"]["requests"]) == ("plan", "full", plan["chunks"])
    assert any("contextual" in event.get("message", "") for event in events)
    assert (report["fallback_level"], len(report["reasons"]), report["levels"]["chunk"]) == (
        "contextual",
        1,
        plan["chunks"],
    )


@pytest.fixture
def embedding_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMServer]:
    """A server that embeds, and is configured."""
    with running() as server:
        use(server, monkeypatch, "embedding")
        yield server


def test_a_server_that_embeds_is_no_case_for_the_ladder(workspace: Workspace, embedding_server: LLMServer) -> None:
    """The run fails with one sentence, the index from before stays; the next run sends only what is missing."""
    settings = Config.from_settings({"embedding.model": "remote:test-embedder", "size": "64", "granularities": "2"})
    build_index(workspace, settings)
    before = workspace.indexes()[0]
    assert (before.built.ran, before.dimension) == (FallbackLevel.CONTEXTUAL, embedding_server.dimension)
    embedding_server.stop()
    with pytest.raises(EndpointError, match="embedding endpoint"):
        build_index(workspace, Config.from_settings({"size": "48"}, settings))
    assert workspace.indexes()[0] == before


def test_summaries_by_rule_need_the_server_that_embeds(
    workspace: Workspace, embedding_server: LLMServer, server: LLMServer
) -> None:
    """Where both are there and the one that embeds fails while something is written, no fallback level would help."""
    settings = Config.from_settings(
        {"embedding.model": "remote:test-embedder", "size": "64", "enrich.summaries": "true"}
    )
    build_index(workspace, settings)
    embedding_server.stop()
    workspace.put_document(
        parse(b"# New\n\nA sentence of some words stands here. Another one comes after it. And a third.", "new.md")
    )
    with pytest.raises(EndpointError, match="embedding endpoint") as failed:
        build_index(workspace, settings)
    assert failed.value.kind == "embedding"
    assert workspace.index().by_level("document")
