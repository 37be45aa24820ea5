"""Questions on the Chunks page: answers, live recall, and a question about selected text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.errors import ModelError, QuestionError
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    EvaluationRun,
    Found,
    LiveScores,
    Made,
    Measure,
    Question,
    QuestionPart,
    QuestionSet,
    Scores,
    answer_states,
    load_set,
    save_set,
)
from chunking.parsing import parse
from chunking.splitting import chunk_document
from chunking.store import Workspace
from chunking.viewing.messages.sliders import MOST_TRIALS
from components.chunks.new_question import OWN_SET, answer_at
from components.chunks.recall_curve.background import curves
from components.kit.viewer import stored_bands
from components.session.jobs import LIVE, ServerJob, jobs
from tests.pages.app_session import open_page, page_text, run_app, state, wait_until
from tests.support.facts import tells
from tests.support.stored_runs import put_current_run

FAQ = "faq_faq"


class FakeLive:
    """Recall falls with the size; nothing is encoded, and what is asked of it is counted."""

    prepared = 0
    failing = False
    is_cached = False
    configs: ClassVar[list[Config]] = []
    """For the curves, whose chunks are not kept."""

    def __init__(self, documents: Any, embedding: Any, questions: QuestionSet, **_: Any) -> None:
        self.questions = questions
        self.ready = False

    def prepare(self) -> None:
        """Once a live."""
        if FakeLive.failing:
            raise ModelError("The model is not here; download it.")
        FakeLive.prepared += 1
        self.ready = True

    def scores(self, config: Config, measure: Measure, *, keep: bool = True) -> LiveScores:
        """The same for each question."""
        if not keep:
            FakeLive.configs.append(config)
        count, share = len(self.questions), min(1.0, 100 / config.chunk.size)
        scores = Scores(
            tuple(one.id for one in self.questions.questions),
            *(np.full(count, value) for value in [share] * 9 + [500.0, 400.0]),
        )
        return LiveScores(config, measure, scores.ids, scores, ((),) * count, (), 9, ("Pooled.",))


def worker(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """From now on the worker does this with its task."""
    monkeypatch.setattr(
        "components.server.jobs.worker_process._COMMAND",
        ("-c", f"import json, sys; task = json.loads(input()); {program}"),
    )


def encoding(workspace: Workspace) -> ServerJob:
    """The job that encodes."""
    job = jobs().of(workspace.uri, LIVE)
    assert job is not None
    return job


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model in these tests; tests/evaluation/test_live*.py have one. The worker says at once that it is done."""
    FakeLive.prepared, FakeLive.failing, FakeLive.is_cached, FakeLive.configs = 0, False, False, []
    monkeypatch.setattr("components.chunks.live_documents.LiveRecall", FakeLive)
    worker(monkeypatch, "print(json.dumps({'event': 'done', 'report': {}}))")


@pytest.fixture
def mine(indexed: Workspace) -> QuestionSet:
    """Three questions about the FAQ; the answer of the second is too long for any chunk of 64 tokens."""
    text = indexed.document(FAQ).text
    spans = ((200, 230), (1_000, 2_200), (2_400, 2_430))
    answers = [AnswerSpan(FAQ, start, end, text[start:end]) for start, end in spans]
    return save_set(
        indexed,
        QuestionSet("Mine", tuple(Question(f"q{n}", f"Question {n}?", (one,)) for n, one in enumerate(answers))),
    )


def messages(app: AppTest, word: str) -> list[dict[str, Any]]:
    """What the components that have a word in their message are sent."""
    every = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    return [one for one in every if word in one]


def prepared(app: AppTest, workspace: Workspace) -> AppTest:
    """After the click that encodes, and its end."""
    app.button(key="live-recall-prepare").click()
    run_app(app)
    wait_until(lambda: not encoding(workspace).active)
    return run_app(app)


def set_size(app: AppTest, size: int) -> AppTest:
    """With another size."""
    app.session_state["share.config"] = Config.from_settings({"size": size})
    return run_app(app)


class TestAnswers:
    def test_without_a_set_the_samples_are_one_click_away(self, indexed: Workspace) -> None:
        """Then their answers are in the text, and the link names them."""
        app = open_page("chunks", doc=FAQ)
        assert "answers" not in messages(app, "bands")[0]
        app.button(key="chunks.samples").click()
        run_app(app)
        assert app.query_params["questions"] == "Sample questions"
        questions = load_set(indexed, "Sample questions").questions
        (answers,) = messages(app, "rows")
        expected = [
            [one.start, one.end] for question in questions.questions for one in question.answers if one.doc_id == FAQ
        ]
        assert [row[:2] for row in answers["rows"]] == expected
        assert set(messages(app, "bands")[0]["answers"]["fates"]) <= set("ism")

    def test_a_set_at_hand_is_one_click_away(self, indexed: Workspace, mine: QuestionSet) -> None:
        """The newest one."""
        app = open_page("chunks", doc=FAQ)
        app.button(key="chunks.recall").click()
        run_app(app)
        assert app.query_params["questions"] == mine.name
        assert "answers" in messages(app, "bands")[0]

    def test_each_answer_has_its_letter_and_follows_the_size(self, indexed: Workspace, mine: QuestionSet) -> None:
        """By the library's own states of the boundaries on screen."""
        app = open_page("chunks", {"size": "64"}, doc=FAQ, questions="Mine")
        for size in (64, 254):
            document = indexed.document(FAQ)
            chunks = chunk_document(document, Config.from_settings({"size": size}))
            states = answer_states(document, stored_bands(document, chunks), mine)
            assert messages(set_size(app, size), "bands")[0]["answers"]["fates"] == "".join(
                one.state[0] for one in states
            )
        assert {one.state for one in states} >= {"intact", "split"}

    def test_a_set_that_is_gone_is_no_hindrance(self, samples: Workspace) -> None:
        """From an old link."""
        assert "answers" not in messages(open_page("chunks", doc=FAQ, questions="Gone"), "bands")[0]


class TestDial:
    def test_encoding_is_asked_for_and_done_once(self, indexed: Workspace, mine: QuestionSet) -> None:
        """A moved size asks no model; another session finds it done; one more question encodes no documents without a
        word.
        """
        app = open_page("chunks", doc=FAQ, questions="Mine")
        assert "encodes 1 document once" in page_text(app)
        assert FakeLive.prepared == 0
        set_size(prepared(app, indexed), 200)
        set_size(app, 300)
        (dial,) = messages(app, "trace")
        assert [row[0] for row in dial["trace"]] == ["default settings", "size 200", "size 300"]
        assert [row[1] for row in dial["trace"]][1:] == [0.5, round(1 / 3, 5)]
        assert (dial["tokens"], dial["about"], dial["notes"]) == (500.0, "at 5 results · 3 questions", ["Pooled."])
        assert messages(open_page("chunks", doc=FAQ, questions="Mine"), "trace")
        assert FakeLive.prepared == 1

    def test_the_page_stays_in_use_meanwhile(
        self, indexed: Workspace, mine: QuestionSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Encoding is a job with progress; sliders move boundaries meanwhile, and Cancel changes nothing."""
        first = "{'event': 'progress', 'done': 40, 'total': 100, 'message': 'Encoding', 'seconds_left': 9.0}"
        worker(
            monkeypatch,
            f"print(json.dumps({first}), flush=True); sys.stdin.read(); print(json.dumps({{'event': 'cancelled'}}))",
        )
        app = open_page("chunks", doc=FAQ, questions="Mine")
        app.button(key="live-recall-prepare").click()
        run_app(app)
        job = encoding(indexed)
        wait_until(lambda: job.done == 40)
        before = messages(app, "bands")[0]["n"]
        assert messages(set_size(app, 60), "bands")[0]["n"] > before
        assert "40%" in "".join(str(bar.proto.text) for bar in app.get("progress"))
        app.button(key="live-recall.cancel").click()
        run_app(app)
        wait_until(lambda: not job.active)
        assert "encodes 1 document once" in page_text(run_app(app))
        assert (FakeLive.prepared, messages(app, "trace")) == (0, [])

    def test_a_worker_that_fails_is_reported_next_to_the_button(
        self, indexed: Workspace, mine: QuestionSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its sentence, and the way to try again."""
        worker(monkeypatch, "print(json.dumps({'event': 'failed', 'error': 'The model is not here.'}))")
        app = prepared(open_page("chunks", doc=FAQ, questions="Mine"), indexed)
        assert "The model is not here" in page_text(app)
        assert app.button(key="live-recall-prepare")

    def test_what_an_earlier_server_encoded_is_not_asked_for_again(self, indexed: Workspace, mine: QuestionSet) -> None:
        """The dial is there at once, as a link promises."""
        FakeLive.is_cached = True
        assert messages(open_page("chunks", doc=FAQ, questions="Mine"), "trace")

    def test_the_trace_forgets_the_oldest(self, indexed: Workspace, mine: QuestionSet) -> None:
        """And does not count a setting twice that stays."""
        app = prepared(open_page("chunks", doc=FAQ, questions="Mine"), indexed)
        for size in (100, 100, 101):
            set_size(app, size)
        assert len(messages(app, "trace")[0]["trace"]) == 3
        about, trace = state(app, "live_recall.trace")
        app.session_state["live_recall.trace"] = (about, trace * 10)
        assert len(messages(set_size(app, 102), "trace")[0]["trace"]) == MOST_TRIALS

    def test_held_against_a_real_run(self, indexed: Workspace, mine: QuestionSet) -> None:
        """Of the same settings: what was measured, with the live estimate marked; of others: how far live numbers were
        there.
        """
        app = set_size(prepared(open_page("chunks", doc=FAQ, questions="Mine"), indexed), 200)
        (dial,) = messages(app, "trace")
        assert dial["check"].startswith("Not evaluated yet")
        assert dial["other"] is None
        assert not any(row[-1] for row in dial["trace"])
        spans = [one.answers[0] for one in mine.questions]
        matches = [
            Answered(f"q{n}", (Found(FAQ, span.start, span.end, 9, span.start, span.end),), 1.0)
            for n, span in enumerate(spans)
        ]
        run = EvaluationRun(
            "", "", Config.from_settings({"size": 200}), "Mine", mine.fingerprint, "", tuple(matches), 5, 30
        )
        put_current_run(indexed, mine, run)
        (dial,) = messages(run_app(app), "trace")
        assert dial["trace"][-1][1:] == [1.0, 1.0, True]
        assert dial["other"]["recall"] == 0.5
        assert "50.0%" in dial["check"]
        assert "50.0 points lower" in dial["check"]
        (dial,) = messages(set_size(app, 300), "trace")
        assert dial["other"] is None
        assert [row[-1] for row in dial["trace"]][-2:] == [True, False]
        assert dial["check"] == "Last run (size 200): live recall was 50.0 points lower."

    def test_what_is_held_out_is_not_shown_while_tuning(self, indexed: Workspace, mine: QuestionSet) -> None:
        """The dial is for choosing settings; the page says what it leaves out."""
        first, *rest = mine.questions
        save_set(indexed, replace(mine, questions=(replace(first, part=QuestionPart.HOLDOUT), *rest)))
        (dial,) = messages(prepared(open_page("chunks", doc=FAQ, questions="Mine"), indexed), "trace")
        assert dial["about"] == "at 5 results · 2 questions"
        assert tells(dial["notes"][-1:], "1 question held out")

    def test_a_model_that_is_not_there(self, indexed: Workspace, mine: QuestionSet) -> None:
        """One sentence, and the text is there all the same."""
        FakeLive.failing = True
        app = prepared(open_page("chunks", doc=FAQ, questions="Mine"), indexed)
        assert "The model is not here; download it." in page_text(app)
        assert messages(app, "bands")[0]["n"] > 1


class TestCurve:
    def curve(self, app: AppTest, key: str) -> dict[str, Any]:
        """The message of the curve of a setting."""
        (matches,) = (one for one in messages(app, "slider") if one["slider"] == f"settings.{key}")
        return matches

    def complete(self, app: AppTest, *keys: str) -> None:
        """Until these are estimated; each run draws the page anew, and then its browser says that the slider rests."""

        def done() -> bool:
            states = {self.curve(run_app(app), key)["state"] for key in keys}
            curves().rest(state(app, "recall_curve.session"))
            return states == {"done"}

        wait_until(done)

    def judged(self, app: AppTest, key: str) -> str:
        """What the whole curve says of the present value: the run that the resting browser asks for is of the curve
        alone.
        """
        curves().moved = lambda session: None  # type: ignore[method-assign]
        curves().rest(state(app, "recall_curve.session"))
        return str(self.curve(run_app(app), key)["verdict"])

    def test_its_place_is_there_before_it_can_be_drawn(self, indexed: Workspace, mine: QuestionSet) -> None:
        """With a set and nothing encoded; without a set there is none."""
        app = open_page("chunks", doc=FAQ)
        assert messages(app, "slider") == []
        app = open_page("chunks", doc=FAQ, questions="Mine")
        assert [self.curve(app, key)["state"] for key in ("size", "overlap")] == ["waiting", "waiting"]
        assert FakeLive.configs == []

    def test_a_point_a_value_with_the_model_limit(self, indexed: Workspace, mine: QuestionSet) -> None:
        """By value; recall with its interval, IoU and cost; the sentence names a range."""
        FakeLive.is_cached = True
        app = open_page("chunks", doc=FAQ, questions="Mine")
        self.complete(app, "size", "overlap")
        size, overlap = self.curve(app, "size"), self.curve(app, "overlap")
        assert [len(size["points"]), len(overlap["points"])] == [25, 25]
        sizes = [int(row[0]) for row in size["points"]]
        assert sizes == sorted(sizes)
        assert [row[1] for row in size["points"]] == [round(min(1.0, 100 / one), 4) for one in sizes]
        assert all(low <= recall <= high for _, recall, low, high, *_ in size["points"])
        assert (size["limit"], overlap["limit"], size["present"], overlap["present"]) == (510, None, "175", "0")
        assert (size["verdict"], overlap["verdict"]) == (None, None)
        assert tells(self.judged(app, "overlap"), "no overlap 0 87")
        assert tells(self.judged(app, "size"), "no size 16 8,192 175")

    def test_its_own_setting_makes_no_curve_anew(self, indexed: Workspace, mine: QuestionSet) -> None:
        """A moved size: the same curve of the size, another one of the overlap; and the other way round. Back again:
        nothing.
        """
        FakeLive.is_cached = True
        app = open_page("chunks", doc=FAQ, questions="Mine")
        self.complete(app, "size", "overlap")
        first = [self.curve(app, key)["points"] for key in ("size", "overlap")]
        FakeLive.configs.clear()
        self.complete(set_size(app, 200), "size", "overlap")
        assert {one.chunk.size for one in FakeLive.configs} == {200}
        assert self.curve(app, "size")["points"] == first[0]
        assert self.curve(app, "size")["present"] == "200"
        FakeLive.configs.clear()
        app.session_state["share.config"] = Config.from_settings({"size": 200, "overlap": 30})
        self.complete(app, "size", "overlap")
        assert {one.chunk.overlap for one in FakeLive.configs} == {"30"}
        assert min(int(row[0]) for row in self.curve(app, "size")["points"]) > 30
        FakeLive.configs.clear()
        self.complete(set_size(app, 175), "size", "overlap")
        assert FakeLive.configs == []
        assert [self.curve(app, key)["points"] for key in ("size", "overlap")] == first


class TestAsking:
    @pytest.mark.usefixtures("dialogs")
    def test_selected_text_becomes_a_question(self, indexed: Workspace) -> None:
        """In a set of one's own where none is chosen; its answer is marked at once."""
        app = open_page("chunks", doc=FAQ)
        app.session_state["chunks.selected"] = (FAQ, 300, 341)
        run_app(app)
        text = indexed.document(FAQ).text
        assert app.text_area[0].value == text[300:341].strip()
        app.text_input(key="asking.question").input("What is <b>this</b>?")
        app.session_state["chunks.selected"] = (FAQ, 300, 341)
        app.button(key="asking.add").click()
        run_app(app)
        (question,) = load_set(indexed, OWN_SET).questions.questions
        assert (question.text, question.made) == ("What is <b>this</b>?", Made.WRITTEN)
        assert question.answers[0].text == text[300:341].strip()
        assert app.query_params["questions"] == OWN_SET
        assert len(messages(app, "rows")[0]["rows"]) == 1

    def test_the_answer_may_be_shortened(self) -> None:
        """To words of the selection, wherever else they stand; never to others."""
        document = parse("The pump 😀 hums. The pump 😀 is blue.\n".encode(), "pump.md")
        second = document.text.index("The pump 😀 is")
        assert answer_at(document, "pump 😀", second, len(document.text)).start == second + 4
        assert answer_at(document, document.text, 0, len(document.text)).text == document.text.strip()
        with pytest.raises(QuestionError, match="not contain"):
            answer_at(document, "The pump is green.", 0, 10)
