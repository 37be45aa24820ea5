"""The Index page: the plan, a run in a process of its own, and what becomes of it."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import DEFAULT_MODEL, ENGLISH_MODEL, MULTILINGUAL_MODEL, Config, SearchConfig
from chunking.embedding import is_language_note, load_embedder
from chunking.embedding.packaged.e5_model import install_command
from chunking.indexing import build_index, make_plan
from chunking.parsing import parse
from chunking.retrieval import search
from chunking.store import Workspace
from chunking.store.index.build_record import BuildReport, FallbackLevel
from chunking.store.index_run_file import index_run_of
from components.index.built_levels import generated_texts_line, levels_line
from components.index.index_cards import language_note
from components.index.run_plan import vectors_line
from components.session.jobs import ServerJob, jobs
from tests.pages.app_session import (
    ROOT,
    go_to,
    hold_lock,
    metrics,
    open_page,
    page_text,
    run_app,
    state,
    type_setting,
    wait_until,
)
from tests.pages.uploading import drop_files, press_add
from tests.support.facts import tells
from tests.support.index_runs import run_in_another_process
from tests.support.llm_server import LLMServer
from tests.support.packaged_e5 import needs_e5

BY_WORDS = SearchConfig.model_validate({"mode": "text"})
OFFER = "index.multilingual.use"


def delete(app: AppTest) -> AppTest:
    """Delete the only index, and say yes: open and confirm in one run, with the dialog drawn in the page."""
    next(button for button in app.button if button.label == "Delete").click()
    run_app(app)
    next(button for button in app.button if button.label == "Delete").click()
    next(button for button in app.button if button.label == "Delete it").click()
    return run_app(app)


def press_build(app: AppTest) -> AppTest:
    """Build."""
    app.button(key="index.build").click()
    return run_app(app)


def has_button(app: AppTest, key: str) -> bool:
    return key in {button.key for button in app.button}


def job_of(workspace: Workspace) -> ServerJob:
    job = jobs().of(workspace.uri)
    assert job is not None
    return job


def ended(app: AppTest, workspace: Workspace) -> AppTest:
    """The page once the run is over."""
    wait_until(lambda: not job_of(workspace).active)
    return run_app(app)


def enlarge(workspace: Workspace) -> None:
    """Enough text, all of it new, to be stopped in the midst of embedding it."""
    handbook = (ROOT / "sample_data" / "handbook" / "operations-handbook.md").read_text(encoding="utf-8")
    for part in range(4):
        workspace.put_document(parse(handbook.replace("Roost", f"Roost{part}").encode(), f"part{part}.md"))


def embedding(workspace: Workspace) -> bool:
    """The run has embedded something, not everything."""
    job = job_of(workspace)
    assert job.active, (job.error, job.report)
    return job.message.startswith("Embedding") and 0 < job.done < job.total


def still_searches(workspace: Workspace, fingerprint: str) -> bool:
    """The index of before is the one that answers."""
    result = search(workspace, "battery", BY_WORDS, index="main")
    return bool(result.results) and workspace.index("main").fingerprint == fingerprint


class TestPlan:
    def test_numbers_are_those_of_the_library(self, indexed: Workspace) -> None:
        """Documents, new, reused and removed chunks, before anything is written."""
        indexed.put_document(parse(b"# Pumps\n\nThe pump got quieter.\n", "pumps.md"))
        version = indexed.version()
        app = open_page("index")
        plan = make_plan(indexed, Config())
        expected = {"Documents": plan.documents, "Chunks": plan.chunks, "Vectors": plan.vectors}
        expected |= {"New": plan.new, "Reused": plan.reused, "Removed": plan.removed}
        assert metrics(app) == {label: f"{number:,}" for label, number in expected.items()}
        assert (plan.new, plan.new + plan.reused, plan.held - plan.removed + plan.new) == (
            1,
            plan.vectors,
            plan.vectors - 1,
        )
        assert vectors_line(plan) in page_text(app)
        assert "Expected to take" in page_text(app)
        assert indexed.version() == version
        app.session_state["share.config"] = Config.from_settings({"size": 100})
        assert int(metrics(run_app(app))["Removed"]) > 0
        assert "size **100 tokens**" in page_text(app)

    def test_an_estimate_is_marked_as_one(self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """All numbers but the documents', with the sample they come from and the interval of the chunks."""
        for number in range(40):
            indexed.put_document(parse(f"# Pump {number}\n\n{'It got quieter. ' * number}".encode(), f"p{number}.md"))
        monkeypatch.setattr("chunking.indexing.planning.plan_totals.MOST_EXACT", 100)
        monkeypatch.setattr("chunking.indexing.planning.plan_totals.SAMPLE_SIZES", (12,))
        app = open_page("index")
        estimate = make_plan(indexed, Config()).estimate
        assert estimate is not None
        marked = {label for label, shown in metrics(app).items() if shown.startswith("≈")}
        assert marked == metrics(app).keys() - {"Documents"}
        numbers = (estimate.sampled, estimate.documents, estimate.least_chunks, estimate.most_chunks)
        assert any(tells(one.value, " ".join(map(str, numbers))) for one in app.caption)
        app.button(key="index.build").click()
        ended(run_app(app), indexed)
        assert job_of(indexed).report is not None
        assert not make_plan(indexed, Config()).new

    def test_an_index_that_is_up_to_date_has_nothing_to_do(self, indexed: Workspace) -> None:
        """And says so; its card has state, settings, and fingerprint."""
        text = page_text(open_page("index"))
        assert "Up to date" in text
        assert "up to date" in text
        assert indexed.index("main").fingerprint in text
        assert "default settings" in text

    def test_another_vector_index_is_said_to_leave_all_chunks(self, indexed: Workspace) -> None:
        """The button stays the main one: there is something to do."""
        assert tells(page_text(open_page("index", {"index.vector_index": "ivf_sq"})), "All chunks stay vector index")

    def test_what_the_model_cannot_read_is_said_once_before_and_after(self, indexed: Workspace) -> None:
        """Before the build among the plan's notes, after it at the index; and never twice on the page."""
        indexed.put_document(parse("# 泵\n\n水泵在更换滤芯之前必须关闭。\n".encode(), "beng.md"))
        english = {"embedding.model": ENGLISH_MODEL}
        plan, index = make_plan(indexed, Config.from_settings(english)), indexed.index("main")
        (note,) = filter(is_language_note, plan.warnings)

        def times(app: AppTest) -> int:
            return page_text(app).replace("\\", "").count(note)

        app = open_page("index", english)
        assert times(app) == 1
        assert set(plan.unread) == {"zh", "other"}
        built = replace(index.row.built, unread=dict(plan.unread))
        row = replace(index.row, built=built, config=plan.config, model_key=f"{ENGLISH_MODEL}@1+fp32")
        indexed.publish(index, row)
        assert language_note(row) == note
        assert times(run_app(app)) == 1
        assert language_note(replace(row, built=BuildReport(), unknown_share=0.5))
        assert not language_note(replace(row, built=BuildReport(), unknown_share=0.01))

    @needs_e5
    def test_one_click_chooses_the_model_that_reads_the_documents(self, indexed: Workspace) -> None:
        """Nothing else changes, and nothing is offered where the present model reads them."""
        english = {"size": "99", "embedding.model": ENGLISH_MODEL}
        app = open_page("index", english)
        assert not has_button(app, OFFER)
        indexed.put_document(parse("# 泵\n\n水泵在更换滤芯之前必须关闭。\n".encode(), "beng.md"))
        app = open_page("index", english)
        app.button(key=OFFER).click()
        run_app(app)
        assert state(app, "share.config") == Config.from_settings({"size": 99, "embedding.model": MULTILINGUAL_MODEL})
        assert not has_button(app, OFFER)
        assert not [note for note in make_plan(indexed, state(app, "share.config")).warnings if is_language_note(note)]

    def test_without_its_package_the_model_comes_with_a_command(
        self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("components.index.run_plan.e5_is_available", lambda: False)
        indexed.put_document(parse("# 泵\n\n水泵在更换滤芯之前必须关闭。\n".encode(), "beng.md"))
        app = open_page("index", {"embedding.model": ENGLISH_MODEL})
        assert not has_button(app, OFFER)
        assert install_command() in page_text(app)

    def test_settings_of_the_search_make_no_new_plan(self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """Planning cuts documents: only when it may come out otherwise."""
        plans = []
        monkeypatch.setattr(
            "chunking.indexing.make_plan", lambda *args, **more: (plans.append(args), make_plan(*args, **more))[1]
        )
        app = open_page("index")
        run_app(app)
        app.session_state["share.config"] = Config.from_settings({"search.k": 9})
        run_app(app)
        assert len(plans) == 1

    @pytest.mark.usefixtures("dialogs")
    def test_without_documents_the_index_page_leads_to_documents(self, indexed: Workspace) -> None:
        """It leads to the documents; an index that is left can still be deleted."""
        indexed.delete_documents(["faq_faq"])
        app = open_page("index")
        assert "nothing to index yet" in page_text(app)
        delete(app)
        assert indexed.indexes() == []

    @pytest.mark.usefixtures("dialogs")
    def test_an_index_is_deleted_only_when_asked_twice(self, indexed: Workspace) -> None:
        """The question names it and its chunks; keeping it leaves everything."""
        app = open_page("index")
        row = indexed.index("main").row
        next(button for button in app.button if button.label == "Delete").click()
        text = page_text(run_app(app))
        assert f"{row.chunks:,} chunks" in text
        assert "embedding cache stay" in text
        assert [one.name for one in indexed.indexes()] == ["main"]
        next(button for button in app.button if button.label == "Delete").click()
        app.button(key=f"index.delete.cancel.{row.table}").click()
        run_app(app)
        assert [one.name for one in indexed.indexes()] == ["main"]
        delete(app)
        assert indexed.indexes() == []
        assert len(indexed.documents()) == 1

    @pytest.mark.parametrize(
        ("name", "fault"),
        [("", "a name"), ("   ", "a name"), ("a\u202eb", "invisible characters"), ("x\x07", "invisible characters")],
    )
    def test_a_name_that_cannot_be_one(self, indexed: Workspace, name: str, fault: str) -> None:
        """The sentence stands beside the field, and nothing can be built."""
        app = open_page("index")
        app.text_input(key="index.name").set_value(name)
        assert fault in page_text(run_app(app))
        assert app.button(key="index.build").disabled

    def test_any_name_that_can_be_seen_can_be_built(self, indexed: Workspace) -> None:
        """Names are no file names, no Markdown and no SQL; shown as text, and searched by that name.

        The run ends while its page is away, and is told on return; a change of what would be built takes that away.
        """
        name = "../../中文 🙂 ![x](y) a'b\"c; --"
        app = open_page("index")
        app.text_input(key="index.name").set_value(name)
        press_build(run_app(app))
        go_to(app, "chunks")
        wait_until(lambda: not job_of(indexed).active)
        go_to(app, "index")
        assert "Done:" in page_text(app)
        assert {row.name for row in indexed.indexes()} == {"main", name}
        assert "![x](" not in "".join(
            str(part.value) for kind in (app.markdown, app.caption, app.success) for part in kind
        )
        app.session_state["share.config"] = Config.from_settings({"size": 100})
        assert "Done:" not in page_text(run_app(app))
        assert not go_to(app, "search").error


class TestRun:
    def test_build_shows_progress_then_the_report_until_the_page_is_left(self, indexed: Workspace) -> None:
        """Another session that did not watch is not told; the index is there for both."""
        indexed.put_document(parse(b"# Pumps\n\nThe pump got quieter.\n", "pumps.md"))
        app, other = open_page("index"), open_page("index")
        assert "1 document added" in page_text(app)
        press_build(app)
        assert app.button(key="index.cancel")
        assert not [button for button in app.button if button.key == "index.build"]
        ended(app, indexed)
        chunks = indexed.index("main").count()
        assert f"Done: {chunks} chunks of 2 documents" in page_text(app)
        vectors = sum(indexed.index("main").levels.values())
        assert {f"{vectors} vectors", "1 embedded", f"{vectors - 1} reused"} <= set(
            re.findall(r"\d+ \w+", page_text(app))
        )
        assert state(app, "share.view")["index"] == "main"
        assert "Done:" in page_text(run_app(app))
        assert "Done:" not in page_text(run_app(other))
        assert "Up to date" in page_text(other)
        go_to(app, "chunks")
        assert "Done:" not in page_text(go_to(app, "index"))

    def test_a_killed_worker_is_reported_in_one_sentence(self, indexed: Workspace) -> None:
        """kill -9 in the midst of embedding: the index of before still answers, and the next run can be started."""
        before = indexed.index("main").fingerprint
        enlarge(indexed)
        app = press_build(open_page("index", {"size": "100"}))
        wait_until(lambda: embedding(indexed))
        os.kill(job_of(indexed).process.pid, signal.SIGKILL)
        ended(app, indexed)
        (error,) = app.error
        assert "was killed (signal 9)" in error.value.replace("\\", "")
        assert still_searches(indexed, before)
        assert not app.button(key="index.build").disabled

    def test_a_second_session_sees_the_run_of_the_first(self, indexed: Workspace) -> None:
        """A second session sees the first one's run, and can cancel it midway; nothing else can be changed meanwhile.

        The index of before still answers, and the next run can be started.
        """
        before = indexed.index("main").fingerprint
        enlarge(indexed)
        app, other = (
            open_page("index", {"size": "100"}),
            drop_files(open_page("documents"), [("new.md", b"# New\n\nWords.")]),
        )
        press_build(app)
        assert jobs().start(indexed.uri, Config(), "second") is job_of(indexed)
        assert "is being built" in page_text(press_add(other))
        go_to(other, "index")
        wait_until(lambda: embedding(indexed))
        other.button(key="index.cancel").click()
        run_app(other)
        ended(app, indexed)
        assert "Cancelled" in page_text(app)
        assert still_searches(indexed, before)
        assert not app.button(key="index.build").disabled

    @pytest.mark.usefixtures("dialogs")
    def test_a_worker_that_finds_the_workspace_locked(self, indexed: Workspace) -> None:
        """Another program indexes: one sentence, and the index of before still answers."""
        before = indexed.index("main").fingerprint
        app = open_page("index", {"size": "120"})
        with hold_lock(Path(indexed.uri)):
            press_build(app)
            ended(app, indexed)
            assert "Another process is writing" in app.error[0].value
            delete(app)
            assert "Another process is writing" in page_text(app)
        assert still_searches(indexed, before)

    def test_a_run_of_another_process_is_shown_and_stopped(self, indexed: Workspace) -> None:
        """In place of Build, with its engine and counts; then how it ended, until the page is left."""
        app, other = open_page("index"), open_page("index")
        with run_in_another_process(Path(indexed.uri), "of *them*", "ray", 2) as (_, report):
            report(message="parts `$x$`", counted="parts", done=3, total=8)
            run_app(app)
            assert not has_button(app, "index.build")
            (bar,) = app.get("progress")
            assert tells(bar.proto.text, "3 of 8")
            assert r"of \*them\*" in bar.proto.text  # no text of others is Markdown
            assert tells(page_text(app), "terminal Ray 2 workers")
            app.button(key="index.elsewhere.cancel").click()
            run_app(app)
            status = index_run_of(indexed)
            assert status is not None
            assert status.stopping
            assert app.button(key="index.elsewhere.cancel").disabled
            report(outcome="cancelled")
            assert has_button(run_app(app), "index.build")
            assert [tells(one.value, "of them cancelled") for one in app.info] == [True]
            assert not run_app(other).info
            assert not go_to(go_to(app, "chunks"), "index").info

    @pytest.mark.parametrize(
        "program", ["raise SystemExit(1)", "print('noise'); print('{}')", "import os; os.abort()", "input(); input()"]
    )
    def test_a_worker_that_goes_astray(
        self, indexed: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
    ) -> None:
        """It ends at once, says what nobody understands, or says nothing: the page does not wait for ever."""
        script = tmp_path / "worker.py"
        script.write_text(program)
        monkeypatch.setattr("components.server.jobs.worker_process._COMMAND", ("-I", str(script)))
        app = press_build(open_page("index", {"size": "120"}))
        if "input" in program:
            app.button(key="index.cancel").click()
            run_app(app)
        ended(app, indexed)
        assert len(app.error) == 1
        assert "The index run" in app.error[0].value

    def test_a_process_that_cannot_be_started(self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """One sentence; the page stays."""
        monkeypatch.setattr("sys.executable", "/nowhere/python")
        app = press_build(open_page("index", {"size": "120"}))
        assert "could not be started" in app.error[0].value
        assert app.button(key="index.build")


class TestIndexes:
    def test_stale_ones_say_why(self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """A changed document, then changed code."""
        assert "Out of date" not in page_text(open_page("index"))
        text = indexed.document("faq_faq").text.encode()
        indexed.put_document(parse(text + b"\n\nMore.", "faq/faq.txt", doc_id="faq_faq"))
        assert "Out of date: 1 document changed" in page_text(open_page("index"))
        for module in ("chunking.indexing.planning.index_differences", "components.session.index_state"):
            monkeypatch.setattr(f"{module}.chunks_version", lambda: "another")
        assert "splitting code" in page_text(open_page("index"))

    def test_two_indexes_on_one_rung(self, indexed: Workspace) -> None:
        """Both show their fallback levels: one below the requested, one on it."""
        main = indexed.index("main")
        build_index(indexed, Config(), name="other")
        for ran_on in (FallbackLevel.MERGED, FallbackLevel.CONTEXTUAL):
            for name in ("main", "other"):
                index = indexed.index(name)
                indexed.publish(
                    index,
                    replace(index.row, built=replace(index.row.built, asked=FallbackLevel.CONTEXTUAL, ran=ran_on)),
                )
            app = open_page("index")
            for name in ("main", "other"):
                app.session_state[f"index.more.{indexed.index(name).row.table}"] = True
            assert page_text(run_app(app)).count("Fallback levels") >= 2
        assert main.count()

    def test_settings_of_an_index_can_be_used_again(self, indexed: Workspace) -> None:
        """Also by the other pages and the link; how to search is left alone."""
        app = open_page("index", {"size": "99", "search.k": "9"})
        next(button for button in app.button if button.label == "Use these settings").click()
        run_app(app)
        assert state(app, "share.config") == Config.from_settings({"search.k": 9})
        assert state(app, "share.view")["index"] == "main"
        assert "Up to date" in page_text(app)

    def test_the_model_of_the_popover_is_planned_with(self, indexed: Workspace) -> None:
        """A name that is not here is said where it can be mended, and the indexes stay in sight."""
        app = open_page("index")
        type_setting(app, "embedding.model", "nobody/nothing")
        run_app(app)
        assert "on this machine" in app.error[0].value.replace("\\", "")
        assert app.button(key="index.build").disabled
        assert indexed.index("main").fingerprint in page_text(app)
        type_setting(app, "embedding.model", DEFAULT_MODEL)
        assert "Up to date" in page_text(run_app(app))
        assert load_embedder(state(app, "share.config").embedding).key == indexed.index("main").row.model_key


ASKED = {"prefix": "context", "enrich.generator": "llm", "enrich.summaries": "true", "parent_size": "400"}


class TestWriter:
    """A language model that writes, as a real server on this machine."""

    @staticmethod
    def configured(server: LLMServer, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
        for name, value in {**server.environment(), "CHUNKSCOPE_LLM_RETRIES": "0", **more}.items():
            monkeypatch.setenv(name, value)

    def test_the_bill_is_that_of_the_library(
        self, indexed: Workspace, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Requests, tokens, cost, what is there already; nothing is asked for it."""
        self.configured(llm_server, monkeypatch, CHUNKSCOPE_LLM_PRICE_IN="1", CHUNKSCOPE_LLM_PRICE_OUT="5")
        app = open_page("index", ASKED)
        needs = make_plan(indexed, Config.from_settings(ASKED)).needs
        assert needs is not None
        assert needs.cost
        shown = metrics(app)
        assert shown["Requests"] == f"{needs.requests:,}"
        assert shown["Tokens read"] == f"≈ {needs.prompt_tokens:,}"
        assert shown["Cost"] == (f"≈ {needs.cost:,.2f}" if needs.cost >= 0.01 else "< 0.01")
        assert shown["Cached"] == "0"
        assert "Requests to test-writer at 127.0.0.1" in page_text(app)
        assert "1 Full · requested" in "".join(part.body for part in app.get("html"))
        assert not llm_server.requests

    def test_without_an_endpoint_the_lower_rung_is_told_before(
        self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where it will be built, and how to have a server."""
        monkeypatch.delenv("CHUNKSCOPE_LLM_URL", raising=False)
        text = page_text(open_page("index", ASKED))
        assert "at the fallback level contextual" in text
        assert "none configured" in text

    def test_a_server_that_dies_midway(
        self, indexed: Workspace, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The run goes on at a lower fallback level and says why, at once and in the card; what was written is kept for
        the next.
        """
        self.configured(llm_server, monkeypatch)
        app = open_page("index", ASKED)
        llm_server.die_after(5)
        ended(press_build(app), indexed)
        (warning,) = (box.value.replace("\\", "") for box in app.warning if "fallback level" in box.value)
        assert warning.startswith("Built at fallback level 2 of 4, contextual, instead of full")
        assert "The LLM endpoint at 127.0.0.1" in warning
        row = indexed.index("main").row
        assert (row.built.asked, row.built.ran) == (FallbackLevel.FULL, FallbackLevel.CONTEXTUAL)
        assert "fallback level 2 of 4" in page_text(app)
        assert int(metrics(app)["Cached"]) > 0
        app.session_state[f"index.more.{row.table}"] = True
        run_app(app)
        assert levels_line(row.built.levels) in page_text(app)
        assert f"Written: {generated_texts_line(row.built)}." in page_text(app)

    def test_a_prompt_that_cannot_be_filled_is_no_traceback(
        self, indexed: Workspace, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a file, say: the form would not take it. The plan says what is wrong, and nothing can be built."""
        self.configured(llm_server, monkeypatch)
        app = open_page("index", {**ASKED, "enrich.context_prompt": "About {nothing}"})
        assert "{nothing}, which is" in page_text(app)
        assert app.button(key="index.build").disabled


class TestInside:
    def test_tree_and_vector_index_are_seen_and_measured(
        self, indexed: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Levels with their numbers, the tree as a picture, and what the vector index finds of the nearest."""
        monkeypatch.setattr("components.index.index_cards._SAMPLE", 6)
        handbook = (ROOT / "sample_data" / "handbook" / "operations-handbook.md").read_bytes()
        indexed.put_document(parse(handbook, "handbook.md"))
        config = Config.from_settings({"size": "60", "enrich.raptor": "true", "index.vector_index": "ivf_sq"})
        build_index(indexed, config, name="tree")
        row = indexed.index("tree").row
        app = open_page("index", index="tree")
        app.session_state[f"index.more.{row.table}"] = True
        run_app(app)
        assert levels_line(row.built.levels) in page_text(app)
        assert row.built.vector_index in page_text(app)
        assert f"Summary tree: {row.built.levels['cluster']} clusters" in page_text(app)
        assert len(app.get("plotly_chart")) == 1
        app.button(key=f"index.measure.{row.table}").click()
        run_app(app)
        table = app.dataframe[0].value
        assert table["Recall@10"][0] == 1.0
        assert table["Recall@10"].between(0.3, 1).all()
        assert list(table["Current"]).count("✓") == 1

    def test_an_index_without_a_vector_index_says_that_nothing_is_missed(self, indexed: Workspace) -> None:
        """There is nothing to measure."""
        app = open_page("index")
        app.session_state[f"index.more.{indexed.index('main').row.table}"] = True
        assert "nothing is missed" in page_text(run_app(app))

    def test_late_vectors_say_what_is_encoded_already(self, indexed: Workspace) -> None:
        """Before the first run every document; after it none, whatever the size."""
        app = open_page("index", {"embedding.mode": "late", "size": "100"})
        assert "Late chunking: 1 document will be encoded." in page_text(app)
        build_index(indexed, Config.from_settings({"embedding.mode": "late", "size": "100"}), name="late")
        app.session_state["share.config"] = Config.from_settings({"embedding.mode": "late", "size": "60"})
        assert "1 other is already encoded" in page_text(run_app(app))
