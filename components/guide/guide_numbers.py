"""Numbers of the guide: recall and tokens of the baseline and of the recommended settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunking.config import Config
from chunking.evaluation import (
    COST,
    Difference,
    EvaluationRun,
    Measure,
    Question,
    QuestionSet,
    compare_runs,
    metric_of,
    score_run,
)
from chunking.samples import BASELINE, HANDBOOK
from components.session.document_caches import clear_when_unused
from components.session.questions.run_state import runs_of
from components.session.workspace import workspace

__all__ = ["GuideNumbers", "MeasuredSide", "guide_numbers"]


@dataclass(frozen=True, slots=True)
class MeasuredSide:
    """A configuration's means over the dev questions, on a real index."""

    recall: float
    """Share of the answers' text that was found, 0 to 1."""
    tokens: float
    """Context tokens a question."""
    missed: int
    """Number of questions about the guide's document with an answer that is not found in full."""

    @property
    def text(self) -> str:
        """Recall and tokens in words."""
        recall = metric_of("recall").text(self.recall)
        tokens = f"{self.tokens:,.0f} context tokens"
        return f"It finds **{recall}** of the answers’ text, and sends **{tokens}** per question"


@dataclass(frozen=True, slots=True)
class GuideNumbers:
    """The baseline, another configuration, and what is gained by it."""

    baseline: MeasuredSide
    better: MeasuredSide
    gain: Difference
    """Recall of the better minus the baseline's, question by question."""
    about_document: int
    """Number of questions about the guide's document."""

    @property
    def text(self) -> str:
        """The gain in words: points of recall with their interval, and the share of the tokens."""
        recall = metric_of("recall")
        low, high = (recall.points(end).removesuffix(" points") for end in (self.gain.low, self.gain.high))
        gain = recall.apart(self.better.recall, self.baseline.recall)
        share = self.better.tokens / self.baseline.tokens
        return (
            f"**{recall.points(gain)}** of recall over the baseline ({low} to {high}), at "
            f"**{100 * share:.0f} %** of its context tokens"
        )


def guide_numbers(questions: QuestionSet | None, better: Config) -> GuideNumbers | None:
    """Return the numbers of the baseline and a configuration; None if either has no run."""
    if questions is None:
        return None
    runs = [_run_with(config, questions) for config in (Config.from_settings(BASELINE), better)]
    present = [run for run in runs if run is not None]
    return (
        _numbers(workspace().uri, tuple(run.key for run in present), present, questions) if len(present) == 2 else None
    )


def _run_with(config: Config, questions: QuestionSet) -> EvaluationRun | None:
    """Return the newest run with these settings that answered every question."""
    every = len(questions)
    runs = (run for run in runs_of(questions) if not run.error and len(run.answered) == every)
    return next((run for run in runs if run.config == config), None)


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=16)
def _numbers(
    address: str, keys: tuple[str, ...], _runs: Sequence[EvaluationRun], _questions: QuestionSet
) -> GuideNumbers:
    first, second = _runs
    measure = Measure(second.n)
    about = _questions.only(one.id for one in _questions.questions if _is_about(one, HANDBOOK))
    baseline, better = (_side(run, _questions, about, measure) for run in _runs)
    return GuideNumbers(baseline, better, compare_runs(second, first, _questions, measure), len(about))


def _is_about(question: Question, doc_id: str) -> bool:
    return any(answer.doc_id == doc_id for answer in question.answers)


def _side(run: EvaluationRun, questions: QuestionSet, about: QuestionSet, measure: Measure) -> MeasuredSide:
    scores = score_run(run, questions, measure)
    recalls = scores.only([one.id for one in about.questions]).recall
    return MeasuredSide(float(scores.recall.mean()), float(scores.of_metric(COST).mean()), int((recalls < 1).sum()))
