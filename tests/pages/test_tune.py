"""The Tune page: what to try, what is said of runs, two of them side by side, and the settings taken over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import BASELINE, Config
from chunking.errors import QuotaError
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    Cause,
    Diagnosis,
    EvaluationRun,
    Found,
    Question,
    QuestionPart,
    QuestionSet,
    Sweep,
    save_set,
    save_sweep,
    split,
)
from chunking.evaluation.runs.run import DEPTH
from chunking.evaluation.sweep import sweep as sweep_module
from chunking.parsing import parse
from chunking.store import Workspace
from components.session.host import deployment
from components.session.jobs import ESTIMATE, SWEEP, jobs
from tests.pages.app_session import message_at, open_page, page_text, run_app, state, wait_until
from tests.support.facts import tells
from tests.support.stored_runs import put_current_run

GOOD, POOR, DEAR = {"size": "100"}, {"size": "250"}, {"size": "350"}


@pytest.fixture
def tune_questions(indexed: Workspace) -> QuestionSet:
    """Forty questions on the FAQ, each answered by a stretch of its own."""
    text = indexed.document("faq_faq").text
    places = range(0, 40 * 60, 60)
    questions = [
        Question(
            f"q{number}", f"Question {number}?", (AnswerSpan("faq_faq", place, place + 40, text[place : place + 40]),)
        )
        for number, place in enumerate(places)
    ]
    question_set = QuestionSet("Mine", tuple(questions))
    save_set(indexed, question_set)
    return question_set


def put_run(
    workspace: Workspace, questions: QuestionSet, settings: Mapping[str, str], missed: int, tokens: int, error: str = ""
) -> EvaluationRun:
    """A run as if it had been measured: the first questions are missed, all others answered whole."""
    config = Config.from_settings(settings)
    why = Diagnosis(Cause.SPLIT, "No chunk holds it whole.", help="size=300")
    answered = [
        _answered(one, answered=number >= missed, tokens=tokens, why=why)
        for number, one in enumerate(questions.questions)
    ]
    run = EvaluationRun(
        key="",
        label="",
        config=config,
        question_set=questions.name,
        questions=questions.fingerprint,
        documents="x",
        answered=() if error else tuple(answered),
        n=5,
        depth=DEPTH,
        error=error,
    )
    return put_current_run(workspace, questions, run)


def _answered(question: Question, *, answered: bool, tokens: int, why: Diagnosis) -> Answered:
    (answer,) = question.answers
    start = answer.start if answered else answer.end
    return Answered(
        question.id,
        (Found("faq_faq", start, start + 40, tokens, start, start + 40),),
        0.9,
        None if answered else why,
        (tokens,),
    )


@pytest.fixture
def measured(indexed: Workspace, tune_questions: QuestionSet) -> dict[str, EvaluationRun]:
    """Two that find all at different costs, one that misses half, and one that failed."""
    return {
        "good": put_run(indexed, tune_questions, GOOD, 0, 100),
        "dear": put_run(indexed, tune_questions, DEAR, 1, 300),
        "poor": put_run(indexed, tune_questions, POOR, 20, 200),
        "failed": put_run(
            indexed, tune_questions, {"size": "60"}, 0, 0, error="The disk is full; free some space and go on."
        ),
    }


def cards_text(app: AppTest) -> str:
    """The sentence above the cards, and what stands on them."""
    bodies = [one.proto.body for one in app.get("html")]
    return " ".join(re.sub(r"<style>.*?</style>|<[^>]+>", " ", " ".join(bodies), flags=re.DOTALL).split())


def open_why(app: AppTest) -> AppTest:
    """Open what stands behind the cards: leaderboard, selected configuration, comparison."""
    app.session_state["decision.why"] = True
    return run_app(app)


def board_of(app: AppTest) -> dict[str, Any]:
    """The message of the leaderboard."""
    messages = (message_at(app, number) for number in range(len(app.get("bidi_component"))))
    return next(one for one in messages if "rows" in one)


class TestBefore:
    def test_without_questions_it_leads_to_them(self, indexed: Workspace) -> None:
        """Samples in one click, or the page where sets are made."""
        app = open_page("tune")
        assert "with known answers" in page_text(app)
        assert app.button(key="tune.samples")
        assert not [button for button in app.button if button.key == "tune.start"]

    def test_what_to_try_says_how_many_and_what_it_takes(self, indexed: Workspace, tune_questions: QuestionSet) -> None:
        """Chips multiply; the present settings are one of them; a value that no setting can have is said where it
        stands.
        """
        app = open_page("tune", {"size": "175"})
        assert app.button(key="tune.start").label == "Compare 17 configurations"  # with the baseline
        assert "40 questions each · 9 indexes to build" in page_text(app)
        assert app.button(key="tune.estimate").label.startswith("Estimate all 201")  # each takes a moment
        assert "201 configurations are estimated" in page_text(app)
        app.pills(key="tune.values.size").set_value(["100", "250"])
        run_app(app)
        assert (
            app.button(key="tune.start").label == "Compare 10 configurations"
        )  # eight, what is in force, and the baseline
        assert app.button(key="tune.estimate").label.startswith("Estimate all 10")
        app.text_input(key="tune.other.size").set_value("77 4")
        run_app(app)
        assert state(app, "tune.grid")["size"] == ("100", "250", "77", "4")
        assert app.button(key="tune.start").disabled
        assert "The setting size" in page_text(app)
        app.multiselect(key="tune.vary").set_value(["overlap"])
        run_app(app)
        assert app.button(key="tune.start").label == "Compare 3 configurations"

    def test_a_grid_of_a_million_builds_no_configuration(
        self, indexed: Workspace, tune_questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Some clicks make one; it is counted, and said what to do, and a smaller one is tried on the same page."""
        app = open_page("tune")
        built: list[object] = []
        real = sweep_module._planned

        def planned(settings: Mapping[str, str], base: Config) -> sweep_module.Planned:
            built.append(settings)
            assert len(built) < 1_000, "The grid is built."
            return real(settings, base)

        monkeypatch.setattr(sweep_module, "_planned", planned)
        app.session_state["tune.grid"] = {
            "size": tuple(map(str, range(100, 600, 5))),
            "overlap": tuple(f"{share}%" for share in range(50)),
            "prefix": ("none", "title_path"),
            "min_size": tuple(map(str, range(100))),
        }
        text = page_text(run_app(app))
        assert built == []
        assert "1,000,001" in text
        assert "fewer values" in text
        assert app.button(key="tune.start").disabled
        assert app.button(key="tune.estimate").disabled
        app.session_state["tune.grid"] = {"size": ("100", "150")}
        assert not run_app(app).button(key="tune.start").disabled
        assert len(built) == 3

    def test_what_the_operator_does_not_allow_is_not_built_either(
        self, indexed: Workspace, tune_questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where an estimate would try more than may be tried here, it tries what would be compared."""

        def check(number: int) -> None:
            if number > 20:
                raise QuotaError(f"{number} configurations are too many.")

        monkeypatch.setattr(deployment().quotas, "check_configurations", check)
        app = open_page("tune")
        assert app.button(key="tune.estimate").label.startswith("Estimate all 17")
        app.session_state["tune.grid"] = {"size": tuple(map(str, range(100, 200, 4)))}
        monkeypatch.setattr(sweep_module, "_planned", lambda *_: pytest.fail("A configuration was built."))
        assert "26 configurations" in page_text(run_app(app))
        assert app.button(key="tune.start").disabled

    def test_a_known_configuration_costs_nothing(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """It is counted as measured, and its index is not built again."""
        app = open_page("tune")
        app.session_state["tune.try"] = True
        app.session_state["tune.grid"] = {"size": ("100", "175", "250", "350")}
        assert "3 already run · 2 indexes to build" in page_text(run_app(app))

    def test_on_a_full_disk_no_chunks_from_elsewhere_are_kept(
        self, tune_questions: QuestionSet, indexed: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As no document is added there."""
        lines = ("chunks.jsonl", b'{"doc": "faq_faq", "start": 0, "end": 40}', "application/json")
        monkeypatch.setenv("CHUNKSCOPE_FREE_DISK", "1000000")
        app = open_page("tune")
        app.file_uploader(key="tune.elsewhere.file").set_value(lines)
        assert "1,000,000.0 GB" in page_text(run_app(app))
        assert indexed.loaded_chunks.names() == []


class TestEstimates:
    def test_all_is_estimated_then_few_are_measured(
        self, indexed: Workspace, tune_questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A picture without an index; one click for those that matter; both numbers side by side; nothing of what has
        changed since.
        """
        started: list[Sweep] = []
        monkeypatch.setattr("components.tune.estimate_panel.begin_sweep", lambda target, sweep: started.append(sweep))
        app = open_page("tune", {"size": "175"})
        app.pills(key="tune.values.size").set_value(["100", "175"])
        app.pills(key="tune.values.search.retrieval").set_value(["chunk", "merge"])
        run_app(app)
        assert app.button(key="tune.estimate").label.startswith(
            "Estimate all 10"
        )  # eight, what is in force, and the baseline
        app.button(key="tune.estimate").click()
        run_app(app)
        job = jobs().of(indexed.uri, ESTIMATE)
        assert job is not None
        wait_until(lambda: not job.active)
        assert (job.error, len(job.estimates)) == (None, 10)

        run_app(app)
        assert not app.expander[0].proto.expanded
        assert len(app.get("plotly_chart")) == 1
        assert indexed.runs.names() == []  # estimates are no runs
        assert "4 configurations not estimated" in page_text(app)
        assert not app.button(key="tune.measure.gaps").disabled
        (shown,) = app.table
        assert set(shown.value["measured"]) == {"–"}
        assert any("current" in str(one).lower() for one in shown.value.index)

        app.button(key="tune.measure").click()
        run_app(run_app(app))
        (few,) = started  # the click counts once
        assert 0 < len(few.configs()) <= 4
        assert sum(one.is_baseline for one in few.configs()) == 1
        assert few.grid == {}
        assert any(one.config == Config.from_settings({"size": "175"}) for one in few.configs())

        for one in job.estimates:
            if one["means"]:
                put_run(indexed, tune_questions, {"size": "175", **one["settings"]}, 4, 120)
        assert not run_app(app).table  # all that matter are measured: folded
        assert len(app.get("plotly_chart")) == 1
        assert "recommended" in cards_text(app)
        app.session_state["tune.estimates"] = True
        run_app(app)
        assert all("%" in value for value in app.table[0].value["measured"])
        names = [str(one).lower() for one in app.table[0].value.index]
        assert {"recommended", "baseline"} <= {word for name in names for word in name.split()}
        assert not [name for name in names if "best" in name]  # only the cards say what is
        assert not [button for button in app.button if button.key == "tune.measure"]

        app.selectbox(key="tune.returned.field").set_value((None, 250))
        run_app(app)
        assert not app.table  # estimated at another measure: that is said
        assert "at 250 tokens" in page_text(app)
        job.estimates.clear()  # as when it is cancelled at once
        assert run_app(app).expander[1].proto.expanded  # behind that of the cards
        indexed.put_document(parse(b"# Pumps\n\nThe pump got quieter.\n", "pumps.md"))
        assert "at 250 tokens" not in page_text(run_app(app))


class TestResults:
    def test_a_tie_recommends_the_best_mean_for_now(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """One question of forty tells nothing: the best mean so far is named, and what would decide; what misses half
        is worse.
        """
        app = open_page("tune")
        assert tells(cards_text(app), "100.0 baseline measured")  # which was not: it stands there all the same
        text = page_text(open_why(app))
        assert "would decide" in text
        assert any("1 configuration failed" in str(box.label) for box in app.expander)
        assert "The disk is full" in text
        board = board_of(app)
        assert [row["key"] for row in board["rows"]] == [measured[name].key for name in ("good", "dear", "poor")]
        assert [row["tied"] for row in board["rows"]] == [True, True, False]
        assert board["rows"][2]["before"].startswith("significantly worse")
        assert board["rows"][0]["state"] == "picked"

    def test_few_questions_do_not_recommend_the_cheaper_and_worse(
        self, indexed: Workspace, tune_questions: QuestionSet
    ) -> None:
        """75 % for a third of the tokens is not taken for 90 %, on twenty questions; about how many would decide is
        said.
        """
        few = QuestionSet("Few", tune_questions.questions[:20])
        save_set(indexed, few)
        cheap, best = put_run(indexed, few, GOOD, 5, 100), put_run(indexed, few, DEAR, 2, 300)
        app = open_page("tune", questions="Few")
        assert tells(cards_text(app), "20 too few 50")
        text = page_text(open_why(app)).replace("**", "")
        assert tells(text, "20 too few 50")
        board = board_of(app)
        assert [row["key"] for row in board["rows"]] == [best.key, cheap.key]
        assert "recommended for now" in [words for _, words, _ in board["rows"][0]["tags"]]
        assert app.button(key="decision.use.recommended")

    def test_the_margin_is_a_setting(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """With as much room as there may be, the cheapest one is decided on."""
        app = open_page("tune")
        app.number_input(key="tune.margin.field").set_value(20.0)
        run_app(app)
        (first, *_) = board_of(open_why(app))["rows"]
        assert first["key"] == measured["good"].key
        assert next(words for _, words, _ in first["tags"]) == "recommended"

    def test_the_cards_use_their_settings(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """Baseline, recommended and cheapest with their numbers; one click, and one to go back."""
        usual = put_run(indexed, tune_questions, BASELINE, 20, 500)
        app = open_page("tune", {"overlap": "5%"})
        text = cards_text(app)
        assert tells(text, "100.0 50.0 500 80 %")
        app.button(key="decision.use.recommended").click()
        run_app(app)
        assert state(app, "share.config") == measured["good"].config
        app.button(key="decision.undo.recommended").click()
        run_app(app)
        assert state(app, "share.config") == Config.from_settings({"overlap": "5%"})
        rows = board_of(open_why(app))["rows"]
        assert {row["key"]: row["name"] for row in rows}[usual.key] == "Baseline"
        assert all("512" not in row["name"] for row in rows)

    def test_evaluate_and_export_open_with_the_same_cards(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """The same sentence and the same values."""
        put_run(indexed, tune_questions, BASELINE, 20, 500)
        texts = [cards_text(open_page(page, questions="Mine")) for page in ("tune", "evaluate", "export")]
        assert "100.0" in texts[0]
        shared = texts[0][texts[0].index("100.0") :]
        assert all(shared in text for text in texts)

    def test_another_metric_and_budget_rank_anew(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """No run is made for it."""
        app = open_page("tune")
        app.selectbox(key="tune.metric.field").set_value("whole")
        assert "complete answers" in cards_text(run_app(app))
        app.selectbox(key="tune.returned.field").set_value((None, 250))
        assert tells(cards_text(run_app(app)), "complete answers 100")

    def test_runs_over_other_documents_are_not_compared(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """They are counted, and can be measured again."""
        assert "recommended" in cards_text(open_page("tune"))
        indexed.put_document(parse(b"# Pumps\n\nThe pump got quieter.\n", "pumps.md"))
        text = page_text(open_page("tune"))
        assert "4 earlier runs not shown" in text
        assert "There is no run" in text

    def test_one_run_alone_is_shown_without_comparison(self, indexed: Workspace, tune_questions: QuestionSet) -> None:
        """And so are runs of one question: no statistics, and that is said."""
        put_run(indexed, tune_questions, GOOD, 3, 100)
        assert "nothing to compare" in cards_text(open_page("tune"))
        single = QuestionSet("One", tune_questions.questions[:1])
        save_set(indexed, single)
        put_run(indexed, single, GOOD, 0, 100)
        put_run(indexed, single, POOR, 1, 100)
        assert "One question" in cards_text(open_page("tune", questions="One"))

    @pytest.mark.parametrize("tab", [0, 1, 2])
    def test_every_view_is_drawn(self, indexed: Workspace, tune_questions: QuestionSet, tab: int) -> None:
        """The leaderboard, two settings at once, and what matters, beside recall against tokens."""
        for number, settings in enumerate(
            ({"size": "100"}, {"size": "250"}, {"size": "100", "overlap": "20%"}, {"size": "250", "overlap": "20%"})
        ):
            put_run(indexed, tune_questions, settings, 2 * number, 100 * number + 50)
        app = open_page("tune")
        labels = [one.label for one in open_why(app).tabs]
        app.session_state["tune.views"] = labels[tab]
        run_app(app)
        assert len(app.get("plotly_chart")) == (1 if tab == 0 else 2)
        if tab == 2:
            assert "Size: no significant effect" in page_text(app).replace("**", "")


class TestPicked:
    def test_its_settings_are_used_in_one_click_and_given_back(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """By every page; the way to the next step stands there."""
        app = open_why(open_page("tune", {"overlap": "5%"}, run=measured["poor"].key, questions="Mine"))
        app.button(key="tune.use").click()
        run_app(app)
        assert state(app, "share.config") == measured["poor"].config
        assert "these settings" in page_text(app)
        app.button(key="tune.back").click()
        run_app(app)
        assert state(app, "share.config") == Config.from_settings({"overlap": "5%"})

    def test_two_runs_in_words_and_question_by_question(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """What the other one lost, why, and both texts beside each other."""
        view = {"run": measured["good"].key, "against": measured["poor"].key, "questions": "Mine"}
        app = open_why(open_page("tune", None, **view))
        text = page_text(app)
        assert "● The selected one is better." in text
        assert "On these 40 questions ● the selected one has +50.0 points of recall" in text
        assert "It sends 50% fewer context tokens: 100 against 200 per question." in text
        table = app.dataframe[0].value
        assert set(table["Change"]) == {"▲ gained"}
        assert len(table) == 20
        assert set(table["◆ Why"]) == {"Split"}
        assert "No chunk holds it whole. Suggestion: Size: 300." in text.replace("*", "").replace("\\", "")
        views = [
            message_at(app, number)
            for number in range(len(app.get("bidi_component")))
            if "marks" in message_at(app, number)
        ]
        assert len(views) == 2
        kinds = [[kind for kind, *_ in view["marks"]] for view in views]
        assert kinds == [["hit", "answer"], ["hit", "answer"]]
        assert views[0]["marks"][0][1:3] == views[0]["marks"][1][1:3]
        assert views[1]["marks"][0][1] == views[1]["marks"][1][2]

    def test_no_difference_says_how_many_more_questions(
        self, indexed: Workspace, tune_questions: QuestionSet, measured: dict[str, EvaluationRun]
    ) -> None:
        """One question of forty is chance."""
        view = {"run": measured["good"].key, "against": measured["dear"].key, "questions": "Mine"}
        text = page_text(open_why(open_page("tune", None, **view)))
        assert "No significant difference." in text
        assert "more questions are needed" in text

    def test_a_choice_is_checked_on_what_was_held_out(self, indexed: Workspace, tune_questions: QuestionSet) -> None:
        """Only questions for tuning are compared by; the sentence says whether the choice holds."""
        both = split(tune_questions, holdout=0.4, seed=1)
        save_set(indexed, both)
        tune, held_out = both.of(QuestionPart.TUNE), both.of(QuestionPart.HOLDOUT)
        put_run(indexed, tune, GOOD, 0, 100)
        app = open_why(open_page("tune", questions="Mine"))
        assert app.button(key="tune.holdout").label == f"Check it on the {len(held_out)} questions held out"
        put_run(indexed, held_out, GOOD, len(held_out) // 2, 100)
        text = page_text(run_app(app))
        assert f"On the {len(held_out)} questions held out" in text
        assert "expect the lower value" in text


class TestSweep:
    def test_what_was_stopped_can_be_gone_on_with(self, indexed: Workspace, tune_questions: QuestionSet) -> None:
        """In any session, also after a restart; or be forgotten, which leaves the runs."""
        save_sweep(indexed, Sweep("Sizes", "Mine", grid={"size": ("100",)}))
        app = open_page("tune", questions="Mine")
        assert "Sizes did not finish" in page_text(app).replace("**", "")
        app.button(key="tune.forget.0").click()
        assert "was not finished" not in page_text(run_app(app))
        assert indexed.sweeps.names() == []

    def test_a_sweep_is_run_and_seen_by_two_sessions(self, indexed: Workspace) -> None:
        """Progress in both; cancelled by the other one; gone on with to its end."""
        text = indexed.document("faq_faq").text
        answers = [AnswerSpan("faq_faq", place, place + 40, text[place : place + 40]) for place in (0, 400, 800)]
        save_set(
            indexed, QuestionSet("Mine", tuple(Question(f"q{n}", one.text, (one,)) for n, one in enumerate(answers)))
        )
        app, other = open_page("tune", questions="Mine"), open_page("tune", questions="Mine")
        app.session_state["tune.grid"] = {"size": ("100", "150")}
        run_app(app).button(key="tune.start").click()
        run_app(app)
        job = jobs().of(indexed.uri, SWEEP)
        assert job is not None
        assert app.button(key="tune.cancel")
        run_app(other).button(key="tune.cancel").click()
        run_app(other)
        wait_until(lambda: not job.active)
        assert job.cancelled, (job.error, job.report)
        assert "Cancelled" in page_text(run_app(app))
        assert "Cancelled" not in page_text(run_app(other)).split("was not finished")[0]
        other.button(key="tune.resume.0").click()
        run_app(other)
        again = jobs().of(indexed.uri, SWEEP)
        assert again is not None
        assert again is not job
        wait_until(lambda: not again.active)
        assert again.error is None
        assert "Done in" in page_text(run_app(other))
        assert "recommended" in cards_text(run_app(app))
        assert len(indexed.runs.names()) == 4  # two sizes, what is in force, and the baseline
