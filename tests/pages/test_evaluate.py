"""The Evaluate page: question sets and their sources, a run in its own process, and its results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config, QuerySyntax
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Found,
    Made,
    Pool,
    Question,
    QuestionPart,
    QuestionSet,
    load_set,
    save_set,
    set_names,
)
from chunking.parsing import parse, parse_file
from chunking.store import Workspace
from components.evaluate.questions.question_editor import apply_table_edits
from components.session.jobs import EVALUATE, Jobs, ServerJob, jobs
from tests.pages.app_session import ROOT, go_to, metrics, open_page, page_text, run_app, state, wait_until
from tests.support.llm_server import running
from tests.support.stored_runs import put_current_run

TEXT = b"""# Pumps

The blue pump lifts nine litres a minute.

Its filter is changed every second spring.

A red pump is louder than all others.
"""
NAME = "Mine"
SLEEPER = """
import json, sys
sys.stdin.readline()
progress = {"event": "progress", "done": 1, "total": 2, "message": "Asking the questions", "seconds_left": 9.0}
print(json.dumps(progress), flush=True)
sys.stdin.read()
print(json.dumps({"event": "cancelled", "message": "stopped"}), flush=True)
"""
"""A worker that works until it is told to stop."""


@pytest.fixture
def faq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The app's workspace holds the FAQ of the samples; nothing here needs an index or a model."""
    folder = tmp_path / "workspace"
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
    workspace = Workspace.open(folder)
    samples = ROOT / "sample_data"
    workspace.put_document(parse_file(samples / "faq" / "faq.txt", root=samples))
    return workspace


@pytest.fixture
def pumps(faq: Workspace) -> Workspace:
    """Besides the FAQ a short document, about which questions are asked."""
    faq.put_document(parse(TEXT, "pumps.md"))
    return faq


def answer(quote: str) -> AnswerSpan:
    start = TEXT.decode().index(quote)
    return AnswerSpan("pumps", start, start + len(quote), quote)


def questions(number: int = 3) -> QuestionSet:
    """So many questions about the pumps."""
    quotes = ("nine litres a minute", "every second spring", "louder than all others")
    saved = ("How much does it lift?", "When is the filter changed?", "What about the red one?")
    return QuestionSet(NAME, tuple(Question(f"q{n}", saved[n], (answer(quotes[n]),)) for n in range(number)))


def hit(quote: str, tokens: int = 10) -> Found:
    """A result that holds a quote and nothing else."""
    span = answer(quote)
    return Found("pumps", span.start, span.end, tokens, span.start, span.end)


def measured(
    workspace: Workspace, saved: QuestionSet, answered: Sequence[Answered], config: Config | None = None
) -> EvaluationRun:
    """A run that was kept, as if it were made now."""
    config = config or Config()
    now = datetime.now(UTC).isoformat(timespec="seconds")
    run = EvaluationRun(
        "",
        "size 150",
        config,
        saved.name,
        saved.fingerprint,
        "d" * 16,
        tuple(answered),
        config.search.k,
        30,
        9,
        made_at=now,
    )
    return put_current_run(workspace, saved, run)


def three(workspace: Workspace) -> EvaluationRun:
    """A run in which the first question is answered, the second at rank 2, the third not at all."""
    saved = save_set(workspace, questions())
    why = Diagnosis(Cause.RANKED_BELOW, "At rank 9 of 40.", 9, {"vector": 4, "text": None}, (), "search.k=10")
    rows = (
        Answered("q0", (hit("nine litres a minute"), hit("Pumps")), 1.0),
        Answered("q1", (hit("Pumps"), hit("every second spring")), 1.0),
        Answered("q2", (hit("Pumps"),), 1.0, why),
    )
    return measured(workspace, saved, rows)


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click()
    return run_app(app)


class TestWithoutAnswers:
    """Questions that nothing in the documents answers."""

    NOTHING = Question("none", "Where do penguins breed?", (), unanswerable=True)
    MISSED = Question("near", "Which pump is green?", (), unanswerable=True)

    def test_unanswerable_questions_get_a_measure_of_their_own(self, pumps: Workspace) -> None:
        """The share that was correctly unanswered stands beside the metrics, and those that were not are listed."""
        saved = save_set(pumps, replace(questions(1), questions=(*questions(1).questions, self.NOTHING, self.MISSED)))
        first = Answered("q0", (hit("nine litres a minute"),), 1.0, absent=False)
        measured(
            pumps,
            saved,
            (first, Answered("none", (), 0.0, absent=True), Answered("near", (hit("Pumps"),), 0.0, absent=False)),
        )
        app = open_page("evaluate")
        shown = metrics(app)
        assert (shown["Correctly unanswered"], shown["Wrongly unanswered"], shown["Recall"]) == (
            "50.0 %",
            "0.0 %",
            "100.0 %",
        )
        assert "2 without an answer" in page_text(app)

    def test_a_set_of_unanswerable_questions_has_no_answer_metrics(self, pumps: Workspace) -> None:
        """No metric of answers is defined, and the page says so."""
        saved = save_set(pumps, QuestionSet(NAME, (self.NOTHING,)))
        measured(pumps, saved, (Answered("none", (), 0.0, absent=True),))
        app = open_page("evaluate")
        assert metrics(app) == {"Correctly unanswered": "100.0 %"}
        assert not app.error
        for page in ("chunks", "tune", "export"):
            assert not go_to(app, page).exception

    def test_what_was_never_judged_is_reported_with_every_metric(self, pumps: Workspace) -> None:
        """Under the cards, and on the hover of each."""
        saved = save_set(
            pumps, replace(questions(1), questions=(replace(questions(1).questions[0], pool=Pool(7, 2, 9)),))
        )
        measured(pumps, saved, (Answered("q0", (hit("nine litres a minute"), hit("Pumps")), 1.0, absent=False),))
        app = open_page("evaluate")
        assert "1 of 2 hits" in page_text(app)
        assert "pool depth 7" in page_text(app)
        assert all("1 of 2 hits" in metric.help for metric in app.metric)


class TestLabelling:
    def test_an_index_is_needed(self, pumps: Workspace) -> None:
        """Without one, a sentence leads to it."""
        app = press(open_page("evaluate"), "evaluate.way.label.open")
        assert "index" in "".join(one.value for one in app.info)


class TestBeginning:
    def test_an_empty_workspace_leads_to_the_documents(self, faq: Workspace) -> None:
        faq.delete_documents(["faq_faq"])
        assert "nothing to ask" in page_text(open_page("evaluate"))

    def test_the_page_teaches_where_questions_come_from(self, faq: Workspace) -> None:
        """Four ways, the samples in one click; then the set is there, chosen, and stands in the link."""
        app = open_page("evaluate")
        text = page_text(app)
        assert all(
            label in text for label in ("sample questions", "A file", "Generated from your documents", "Written by you")
        )
        press(app, "questions.samples")
        kept = load_set(faq, "Sample questions")
        assert len(kept.questions) == sum(one.answers[0].doc_id == "faq_faq" for one in kept.questions.questions) > 10
        assert state(app, "share.view")["questions"] == "Sample questions"
        assert faq.question_sets.names() == ["Sample questions", "Questions across languages"]
        assert f"{len(kept.questions)} questions · imported" in page_text(app)
        assert "no run yet" in page_text(app)

    def test_a_file_and_what_is_wrong_with_it(self, pumps: Workspace) -> None:
        """A near miss is taken with one click; what cannot be found is listed; the set is saved under its name."""
        app = press(open_page("evaluate"), "evaluate.way.file.open")
        rows = [
            "question,doc,answer",
            "How much?,pumps.md,nine litres a minute",
            "When?,pumps.md,Its filter is changed every third spring.",
            "Who?,pumps.md,zebra xylophone quagga",
        ]
        app.file_uploader[0].set_value(("mine.csv", "\n".join(rows).encode(), "text/csv"))
        text = page_text(run_app(app))
        assert "1 question** found" in text
        assert "2** left out" in text
        assert "line 3" in text
        assert "line 4" in text
        next(button for button in app.button if button.label.startswith("Use “Its filter")).click()
        assert "2 questions** found" in page_text(run_app(app))
        press(app, "importing.save")
        kept = load_set(pumps, "mine").questions.questions
        assert [one.text for one in kept] == ["How much?", "When?"]
        assert kept[1].answers[0].text in TEXT.decode()

    def test_search_operators_are_a_choice_of_the_set(self, pumps: Workspace) -> None:
        """Off at first; turned on, it is kept with the set; another set shows its own; more questions leave it as it
        is.
        """
        app = press(open_page("evaluate"), "evaluate.way.file.open")
        app.file_uploader[0].set_value(
            ("mine.csv", b'question,answer\nWhat is "the pump"?,nine litres a minute\n', "text/csv")
        )
        press(run_app(app), "importing.save")
        assert not app.toggle(key="evaluate.syntax").value
        app.toggle(key="evaluate.syntax").set_value(True)
        run_app(app)
        assert load_set(pumps, "mine").questions.syntax is QuerySyntax.OPERATORS
        kept = load_set(pumps, "mine").questions
        save_set(pumps, replace(kept, name="other", syntax=QuerySyntax.PLAIN))
        again = open_page("evaluate")
        for name, on in (("mine", True), ("other", False), ("mine", True)):
            again.selectbox(key="evaluate.set").set_value(name)
            assert run_app(again).toggle(key="evaluate.syntax").value is on
        assert load_set(pumps, "mine").questions.syntax is QuerySyntax.OPERATORS
        assert load_set(pumps, "other").questions.syntax is QuerySyntax.PLAIN

    def test_an_unreadable_question_file_is_one_sentence(self, pumps: Workspace) -> None:
        app = press(open_page("evaluate"), "evaluate.way.file.open")
        app.file_uploader[0].set_value(("mine.csv", b"\x00\x01", "text/csv"))
        assert run_app(app).error

    def test_on_a_full_disk_no_question_is_saved(self, samples: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """As no document is added there: a sentence, and nothing is written."""
        monkeypatch.setenv("CHUNKSCOPE_FREE_DISK", "1000000")
        app = press(open_page("evaluate"), "evaluate.way.make.open")
        press(app, "generating.go")
        assert "1,000,000.0 GB" in page_text(app)
        assert samples.question_sets.names() == []

    def test_questions_are_made_by_rule(self, samples: Workspace) -> None:
        """They say how they were made; a second time, others join them."""
        app = press(open_page("evaluate"), "evaluate.way.make.open")
        app.number_input(key="generating.most").set_value(6)
        press(run_app(app), "generating.go")
        kept = load_set(samples, "Generated questions").questions
        assert 0 < len(kept) <= 6
        assert {one.made for one in kept.questions} <= {Made.HEADING, Made.PHRASE}

    def test_a_language_model_is_asked_after_the_bill(self, pumps: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """The bill and the prompt stand there first; its quotes are checked, what is no quote is left out and said."""
        good = {
            "question": "What does the Orchard plan cost for a gateway?",
            "quotes": ["Orchard costs 4 euros a month for each gateway"],
        }
        bad = {"question": "How many sensors may the Seedling plan have?", "quotes": ["Whales are free of charge."]}
        with running() as server:
            server.answer = json.dumps([good, bad])
            for name, value in server.environment().items():
                monkeypatch.setenv(name, value)
            app = press(open_page("evaluate"), "evaluate.way.make.open")
            app.segmented_control(key="evaluate.make").set_value("By a language model")
            assert int(metrics(run_app(app))["Requests"]) > 0
            assert not server.requests
            press(app, "asking.go")
            assert server.requests
        text = page_text(app)
        assert "1 question** found" in text
        assert "Whales are free" in text
        press(app, "asking.save")
        (name,) = set_names(pumps)
        kept = load_set(pumps, name).questions.questions
        assert [one.made for one in kept] == [Made.LLM]


class TestSet:
    def test_what_was_edited_is_saved_only_when_said_so(self) -> None:
        """Text, part and deleted rows, as the table tells them; an emptied question stays as it was."""
        changes = {
            "edited_rows": {0: {"Question": " How  much? "}, 1: {"Split": "held out", "Question": ""}},
            "deleted_rows": [2],
            "added_rows": [],
        }
        now = apply_table_edits(questions(), changes)
        assert [(one.text, one.part) for one in now.questions] == [
            ("How much?", QuestionPart.TUNE),
            ("When is the filter changed?", QuestionPart.HOLDOUT),
        ]
        assert apply_table_edits(questions(), {}) == questions()

    def test_split_and_delete(self, pumps: Workspace, dialogs: None) -> None:
        """A third is held out; the deleted set is gone, and the page teaches again."""
        save_set(pumps, questions())
        app = open_page("evaluate", questions=NAME)
        app.session_state["evaluate.tab"] = "Questions"
        run_app(app)
        press(app, "evaluate.split")
        assert len(load_set(pumps, NAME).questions.of(QuestionPart.HOLDOUT)) == 1
        assert any("2 dev, 1 held out" in str(line.help) for line in app.caption)
        app.button(key="evaluate.delete").click()
        run_app(app)
        app.button(key="evaluate.delete").click()
        app.button(key="evaluate.delete.sure").click()
        run_app(app)
        assert pumps.question_sets.names() == []

    def test_a_question_whose_document_is_gone_is_left_out_and_reported(self, pumps: Workspace) -> None:
        """Not measured, still in the set."""
        other = replace(questions().questions[0], id="faq", answers=(AnswerSpan("gone", 0, 4, "text"),))
        save_set(pumps, replace(questions(), questions=(*questions().questions, other)))
        app = open_page("evaluate", questions=NAME)
        assert "4 questions" in page_text(app)
        assert any("1 question left out" in box.label for box in app.expander)
        assert app.button(key="evaluate.start").label.endswith("on 3 questions")


class TestResults:
    def test_numbers_in_everybodys_words(self, pumps: Workspace) -> None:
        """Two of three at five results, one of three at one; the others stand behind a click."""
        three(pumps)
        app = open_page("evaluate", questions=NAME)
        shown = metrics(app)
        assert (shown["Recall"], shown["Complete answers"]) == ("66.7 %", "66.7 %")
        assert {"Precision", "Precision Ω", "IoU", "MRR", "nDCG"} <= set(shown)
        assert "Out of date" not in page_text(app)
        app.number_input[0].set_value(1)
        assert metrics(run_app(app))["Recall"] == "33.3 %"

    def test_at_a_budget(self, pumps: Workspace) -> None:
        """Fifty tokens hold everything here; the choice outlives the page."""
        three(pumps)
        app = open_page("evaluate", questions=NAME)
        app.segmented_control(key="evaluating.measure.way.field").set_value("Token budget")
        app.number_input(key="evaluating.measure.budget.field").set_value(50) if _has(run_app(app)) else None
        assert metrics(run_app(app))["Recall"] == "66.7 %"
        go_to(app, "documents")
        assert metrics(go_to(app, "evaluate"))["Recall"] == "66.7 %"
        assert state(app, "evaluating.measure.way") == "Token budget"

    def test_why_it_failed_and_what_may_help(self, pumps: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """One click sets the advised setting and measures it; what it gained and lost is shown, and one click goes
        back.
        """
        saved = three(pumps)
        app = open_page("evaluate", questions=NAME)
        assert app.get("plotly_chart")
        assert "Suggestion for 1 question" in page_text(app)
        started: list[Mapping[str, Any]] = []
        report: dict[str, Any] = {"questions": 3}
        job = ServerJob("", None, "evaluate", number=7, active=False, report=report)

        def start_job(self: Jobs, address: str, kind: str, payload: Mapping[str, Any], **more: Any) -> Any:
            started.append(payload)
            rows = tuple(
                Answered(f"q{n}", (hit(quote),), 1.0)
                for n, quote in enumerate(("Pumps", "every second", "louder than all others"))
            )
            report["run"] = measured(pumps, questions(), rows, Config.from_yaml(payload["config"])).key
            self._of[address, kind] = job
            return job

        monkeypatch.setattr(Jobs, "start_job", start_job)
        press(app, "evaluate.help.use.0")
        assert state(app, "share.config").search.k == 10
        (task,) = started
        assert Config.from_yaml(task["config"]).search.k == 10
        assert (task["question_set"], state(app, "share.view")["run"]) == (NAME, report["run"])
        assert "1 gained" in page_text(app)
        assert "1 lost" in page_text(app)
        assert "1 worse" in page_text(app)
        press(app, "evaluate.trial.back")
        assert state(app, "share.config").search.k == 5
        assert state(app, "share.view")["run"] == saved.key
        assert "gained" not in page_text(app)

    def test_every_question_and_only_the_failed(self, pumps: Workspace) -> None:
        """The table says how much was found, at which rank, and why not."""
        three(pumps)
        app = open_page("evaluate", questions=NAME)
        table = app.dataframe[0].value
        assert list(table["Answer found"]) == [100, 100, 0]
        assert table["Rank"].tolist()[:2] == [1, 2]
        assert list(table.iloc[:, list(table).index("Rank") + 1]) == ["", "", "Outranked"]
        app.segmented_control(key="evaluate.filter.field").set_value("Not fully found")
        assert list(run_app(app).dataframe[0].value["Question"]) == ["What about the red one?"]

    def test_an_open_question_stands_in_its_document(self, pumps: Workspace) -> None:
        """Answer and results are marked, and the sentence says why."""
        three(pumps)
        app = open_page("evaluate", questions=NAME)
        app.session_state["evaluate.question"] = "q2"
        app.segmented_control(key="evaluate.filter.field").set_value("Not fully found")
        text = page_text(run_app(app))
        assert "At rank 9 of 40" in text
        message = next(
            m for m in map(json.loads, (one.proto.json for one in app.get("bidi_component"))) if "marks" in m
        )
        span, hit = answer("louder than all others"), answer("Pumps")
        assert ["answer", span.start, span.end, "Answer"] in message["marks"]
        assert ["hit", hit.start, hit.end, "1"] in message["marks"]
        assert message["goto"]["at"] == span.start

    def test_an_open_question_at_a_budget_that_holds_more_than_was_found(self, pumps: Workspace) -> None:
        """Its results all count, and the page stands."""
        three(pumps)
        app = open_page("evaluate", questions=NAME)
        app.session_state["evaluate.question"] = "q2"
        app.segmented_control(key="evaluating.measure.way.field").set_value("Token budget")
        app.segmented_control(key="evaluate.filter.field").set_value("Not fully found")
        assert "At rank 9 of 40" in page_text(run_app(app))
        assert list(app.dataframe[1].value["Counts"]) == ["gold", "✓"]

    def test_one_question_has_no_statistics(self, pumps: Workspace) -> None:
        saved = save_set(pumps, questions(1))
        measured(pumps, saved, (Answered("q0", (hit("nine litres a minute"),), 1.0),))
        app = open_page("evaluate", questions=NAME)
        assert "Only one question" in page_text(app)
        assert not any(metric.delta for metric in app.metric)

    def test_a_run_of_other_documents_or_questions_is_out_of_date(self, pumps: Workspace) -> None:
        """Said of either; the numbers of what is left stay."""
        three(pumps)
        pumps.put_document(parse(b"# New\n\nAnother document.\n", "new.md"))
        assert "the documents, the model" in page_text(open_page("evaluate", questions=NAME))
        changed = questions().questions[0]
        save_set(
            pumps,
            replace(questions(), questions=(replace(changed, text="How many litres?"), *questions().questions[1:])),
        )
        app = open_page("evaluate", questions=NAME)
        assert "positions of their answers" in page_text(app)
        assert "Recall" in metrics(app)

    def test_the_link_chooses_the_run(self, pumps: Workspace) -> None:
        """Otherwise that of the present settings; it stays chosen where another reads alike."""
        mine = three(pumps)
        other = measured(pumps, questions(), mine.answered[:1] + mine.answered[1:], Config.from_settings({"size": 99}))
        assert state(open_page("evaluate", questions=NAME), "share.view")["run"] == mine.key
        app = open_page("evaluate", questions=NAME, run=other.key)
        assert state(run_app(run_app(app)), "share.view")["run"] == other.key


def _has(app: AppTest) -> bool:
    return any(one.key == "evaluating.measure.budget.field" for one in app.number_input)


class TestJob:
    def test_it_outlives_the_page_and_can_be_stopped(self, pumps: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """Progress is shown to who comes back; cancelled, it says so."""
        monkeypatch.setattr("components.server.jobs.worker_process._COMMAND", ("-c", SLEEPER))
        save_set(pumps, questions())
        app = press(open_page("evaluate", questions=NAME), "evaluate.start")
        job = _job(pumps)
        wait_until(lambda: job.done == 1)
        go_to(app, "documents")
        assert "1 of 2 questions" in "".join(str(bar.proto.text) for bar in go_to(app, "evaluate").get("progress"))
        press(app, "evaluate.cancel")
        wait_until(lambda: not job.active)
        assert "Cancelled" in page_text(run_app(app))

    def test_what_has_just_been_measured_is_looked_at(self, pumps: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        """Though another run was; a failure is told in its sentence. (tests/browser/test_evaluating.py has a real
        worker.)
        """
        before = three(pumps)
        new = measured(pumps, questions(), before.answered, Config.from_settings({"size": 99}))
        app = open_page("evaluate", questions=NAME)
        assert state(app, "share.view")["run"] == before.key
        report = {"event": "done", "report": {"run": new.key, "label": "x", "questions": 3, "chunks": 9, "embedded": 0}}
        monkeypatch.setattr(
            "components.server.jobs.worker_process._COMMAND", ("-c", f"input(); print({json.dumps(report)!r})")
        )
        press(app, "evaluate.start")
        wait_until(lambda: not _job(pumps).active)
        assert state(run_app(app), "share.view")["run"] == new.key
        failure = {"event": "failed", "error": "The disk is full; free some space.", "kind": "StoreError"}
        monkeypatch.setattr(
            "components.server.jobs.worker_process._COMMAND", ("-c", f"input(); print({json.dumps(failure)!r})")
        )
        press(app, "evaluate.start")
        wait_until(lambda: not _job(pumps).active)
        assert "The disk is full" in page_text(run_app(app))


def _job(workspace: Workspace) -> ServerJob:
    job = jobs().of(workspace.uri, EVALUATE)
    assert job is not None
    return job
