"""What one configuration found for each question: a run, from which every metric can be made again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chunking.config import Config, QuerySyntax
from chunking.config.renamed_settings import current_pair
from chunking.display import Displayable, quantity, summary_line
from chunking.errors import QuestionError
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.answered import CAUSES, Answered, Cause, Diagnosis, Found
from chunking.text.bounded_json import read_json

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EvaluationRun", "run_facts"]

_COLUMNS = (
    "question_id",
    "failed",
    "cause",
    "why",
    "suggestion",
    "results",
    "best_document",
    "best_start",
    "best_end",
    "absent",
)


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationRun(Displayable):
    """A configuration measured on questions."""

    key: str
    """16 hex digits: settings, documents, questions and code; the same key, the same result."""
    label: str
    """What tells it from the others, such as `size 200 · overlap 10%`."""
    config: Config
    question_set: str
    """Its name."""
    questions: str
    """Its fingerprint."""
    documents: str
    """Fingerprint of the chunks (`store.index.fingerprint.index_fingerprint`)."""
    answered: tuple[Answered, ...]
    """In the order of the questions; those of a sample only, after an early round of a sweep."""
    n: int
    """Results that count (`search.k`)."""
    depth: int
    """Results that were kept of each question."""
    chunks: int = 0
    """Of level chunk."""
    embedded: int = 0
    """Texts that had to go through the model for it."""
    seconds: float = 0.0
    made_at: str = ""
    """ISO 8601, UTC."""
    error: str = ""
    """Why it could not be measured, as a sentence; `answered` is empty then."""
    notes: tuple[str, ...] = ()
    """Sentences for the user: fallbacks, legs switched off ..."""
    syntax: QuerySyntax = QuerySyntax.PLAIN
    """How the questions were read."""

    def to_json(self) -> str:
        """For `Workspace.runs`."""
        tree = {
            name: getattr(self, name)
            for name in ("key", "label", "question_set", "questions", "documents", "n", "depth")
        }
        tree |= {name: getattr(self, name) for name in ("chunks", "embedded", "seconds", "made_at", "error")}
        tree["syntax"] = self.syntax.value
        tree |= {
            "notes": list(self.notes),
            "config": self.config.to_yaml(),
            "answered": [_row(one) for one in self.answered],
        }
        return json.dumps(tree, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> EvaluationRun:
        """What `to_json` made.

        Raises:
            QuestionError: it is something else, or of a version whose settings are not known any more.
        """
        try:
            tree = read_json(text)
            config, notes = Config.from_yaml(tree.pop("config")), tuple(tree.pop("notes"))
            syntax = QuerySyntax(
                tree.pop("syntax", QuerySyntax.OPERATORS)
            )  # earlier versions read every question as a typed search
            answered = tuple(map(_answered, tree.pop("answered")))
            return cls(config=config, notes=notes, answered=answered, syntax=syntax, **tree)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise QuestionError(f"This is no saved run ({error}); measure it again.") from error

    def __repr__(self) -> str:
        return summary_line("EvaluationRun", self.label, *run_facts(self))

    def to_pandas(self, questions: QuestionSet | None = None, measure: Measure | None = None) -> pd.DataFrame:
        """One row per question: whether and why it failed, and its results; with the questions, also text and metrics.

        Args:
            questions: the question set of the run; questions that are not in it have no row.
            measure: where rankings are cut; None: at the run's `n` results.
        """
        import pandas as pd

        if questions is None:
            return pd.DataFrame(map(_table_row, self.answered), columns=list(_COLUMNS))
        texts = {one.id: one.text for one in questions.questions}
        part = replace(self, answered=tuple(one for one in self.answered if one.question_id in texts))
        scores = score_run(part, questions, measure or Measure(self.n))
        metrics = {name: scores.at(place).as_record() for place, name in enumerate(scores.ids)}
        rows = [
            {"question": texts[one.question_id]} | _table_row(one) | metrics.get(one.question_id, {})
            for one in part.answered
        ]
        columns = ["question_id", "question", *_COLUMNS[1:], *(metric.name for metric in METRICS)]
        return pd.DataFrame(rows, columns=columns)


def run_facts(run: EvaluationRun) -> tuple[str, ...]:
    """What was asked and what failed, in words."""
    if run.error:
        return (f"failed: {run.error}",)
    causes = Counter(CAUSES[one.diagnosis.cause].label.lower() for one in run.answered if one.diagnosis is not None)
    failed = (
        f"{causes.total():,} failed ({', '.join(f'{count:,} {cause}' for cause, count in causes.most_common())})"
        if causes
        else "none failed"
    )
    return (
        f"{quantity(len(run.answered), 'question')} of “{run.question_set}”",
        failed if run.answered else "",
        f"at {quantity(run.n, 'result')}",
        quantity(run.chunks, "chunk"),
    )


def _table_row(one: Answered) -> dict[str, Any]:
    why, first = one.diagnosis, one.found[0] if one.found else None
    return {
        "question_id": one.question_id,
        "failed": why is not None,
        "cause": why.cause.value if why else None,
        "why": why.sentence if why else None,
        "suggestion": why.help or None if why else None,
        "results": len(one.found),
        "best_document": first.doc_id if first else None,
        "best_start": first.start if first else None,
        "best_end": first.end if first else None,
        "absent": one.absent,
    }


def _row(one: Answered) -> dict[str, Any]:
    row: dict[str, Any] = {"id": one.question_id, "found": [list(found) for found in one.found], "omega": one.omega}
    if one.context_tokens:
        row["context_tokens"] = list(one.context_tokens)
    if one.absent is not None:
        row["absent"] = one.absent
    if one.diagnosis is not None:
        why = one.diagnosis
        row["why"] = {
            "cause": why.cause.value,
            "sentence": why.sentence,
            "rank": why.rank,
            "legs": dict(why.legs),
            "above": list(why.above),
            "help": why.help,
        }
    return row


def _answered(row: Mapping[str, Any]) -> Answered:
    why = row.get("why")
    diagnosis = None
    if why is not None:
        help = current_pair(why["help"])
        diagnosis = Diagnosis(Cause(why["cause"]), why["sentence"], why["rank"], why["legs"], tuple(why["above"]), help)
    found: Sequence[Sequence[Any]] = row["found"]
    tokens = tuple(row.get("context_tokens", ()))
    return Answered(row["id"], tuple(Found(*one) for one in found), row["omega"], diagnosis, tokens, row.get("absent"))
