"""Gold answers that a candidate index wins and loses, with the paired difference."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from chunking.errors import QuestionError
from chunking.evaluation.analysis.result_wording import difference_in_words
from chunking.evaluation.analysis.run_comparison import OutcomeChange, QuestionChange, compare_runs, per_question
from chunking.evaluation.analysis.statistics import Difference
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import Metric, metric_of
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.run import EvaluationRun

__all__ = ["AnswerChanges", "answer_changes"]


@dataclass(frozen=True, slots=True)
class AnswerChanges:
    """Questions on which the runs of a live index and of its candidate differ in a metric."""

    metric: Metric
    difference: Difference
    """Candidate minus live index, on the same questions."""
    changes: tuple[QuestionChange, ...]
    """All questions compared; `a` is the live index, `b` the candidate."""
    left_out: int
    """Questions about documents that changed since the live index was built."""

    @property
    def won(self) -> tuple[QuestionChange, ...]:
        """Questions on which the candidate is better."""
        return tuple(one for one in self.changes if one.change in (OutcomeChange.GAINED, OutcomeChange.BETTER))

    @property
    def lost(self) -> tuple[QuestionChange, ...]:
        """Questions on which the candidate is worse."""
        return tuple(one for one in self.changes if one.change in (OutcomeChange.LOST, OutcomeChange.WORSE))

    @property
    def means(self) -> tuple[float, float]:
        """Mean of the live index and of the candidate on the compared questions."""
        live, candidate = (
            sum(getattr(score, self.metric.name) for score in scores) / len(scores)
            for scores in ([one.a for one in self.changes], [one.b for one in self.changes])
        )
        return live, candidate

    @property
    def drop(self) -> float:
        """How much worse the candidate's mean is; 0 where it is not worse."""
        return max(0.0, -self.difference.mean if self.metric.higher_is_better else self.difference.mean)

    def sentence(self, candidate: str, live: str) -> str:
        """Describe the difference in one sentence, with the names of both indexes."""
        return difference_in_words(self.difference, self.metric.name, candidate, live)


def answer_changes(
    live: EvaluationRun,
    candidate: EvaluationRun,
    questions: QuestionSet,
    measure: Measure,
    metric: str = "recall",
    *,
    changed: Collection[str] = (),
) -> AnswerChanges:
    """Compare the runs of a live index and of its candidate, question by question.

    Args:
        changed: ids of documents whose text the live index has in another version; questions about them are left out.
    Raises:
        QuestionError: there is no such metric, or no question can be compared.
    """
    same = tuple(one for one in questions.questions if not any(a.doc_id in changed for a in one.answers))
    comparable = replace(questions, questions=same)
    changes = per_question(live, candidate, comparable, measure, metric)
    if not changes:
        raise QuestionError(
            f"No question of '{questions.name}' can be compared: none has its answer in a document that both indexes "
            f"hold in the same version.",
            where=questions.name,
        )
    difference = compare_runs(candidate, live, comparable, measure, metric)
    return AnswerChanges(metric_of(metric), difference, changes, len(questions.questions) - len(same))
