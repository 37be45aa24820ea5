"""What one configuration found for each question: a run, from which every metric can be made again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from chunking.config import Config, QuerySyntax
from chunking.config.renamed_settings import current_pair
from chunking.display import Displayable, quantity, summary_line
from chunking.errors import QuestionError
from chunking.text.bounded_json import read_json

if TYPE_CHECKING:
    import pandas as pd

    from chunking.evaluation.metrics.counted_results import Measure
    from chunking.evaluation.questions.question import QuestionSet

__all__ = ["Answered", "Cause", "Diagnosis", "Found", "Run", "run_facts"]


class Cause(StrEnum):
    """Why a question was not answered whole by what was found."""

    NOT_IN_PARSE = "not_in_parse"
    """The answer is in a part of the document that was left out, or is not in its text (any more)."""
    SPLIT = "split"
    """No chunk holds it whole, and not all of the chunks that hold a part of it were found."""
    CUT_OFF = "cut_off"
    """The chunk is longer than the model reads, and the answer is behind what it reads."""
    RANKED_BELOW = "ranked_below"
    """A chunk holds it, and was ranked below the cut, or not found by any leg."""
    REPEAT = "repeat"
    """The chunk was dropped as a repeat of another that was shown."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a question failed, for the person who asks."""

    cause: Cause
    sentence: str
    """What happened, with its numbers."""
    rank: int | None = None
    """Of the best chunk that holds the answer, among all candidates, from 1; None where it was no candidate."""
    legs: Mapping[str, int | None] = field(default_factory=dict)
    """Its rank in each leg, from 1."""
    above: tuple[str, ...] = ()
    """Ids of the chunks that stood where it should have, best first; five at most."""
    help: str = ""
    """The setting most likely to help, as `key=value`; empty where none would."""


class Found(NamedTuple):
    """A result in its place in the ranking."""

    doc_id: str
    """Empty for a summary, which stands nowhere: `start` is 0 and `end` its length."""
    start: int
    end: int
    tokens: int
    """Of prefix and content, as the embedding model counts."""
    first: int
    """Where its passage begins: the neighbours before it included."""
    last: int
    """Where its passage ends."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One question of a run."""

    question_id: str
    found: tuple[Found, ...]
    """In rank order, down to `Run.depth`."""
    omega: float
    """Precision if every chunk that touches an answer were retrieved, and nothing else (precision-omega), 0 to 1."""
    diagnosis: Diagnosis | None = None
    """Why it was not answered whole at the run's `n`; None where it was."""
    context_tokens: tuple[int, ...] = ()
    """Of the context of the first result, of the first two, and so on (`retrieval.context.costs`); empty where a run was made before they
    were counted."""
    absent: bool | None = None
    """Whether the search says that the documents hold no answer: it found nothing, or gave the sign (`retrieval.answerability`). None
    where a run was made before it was asked."""


@dataclass(frozen=True, slots=True, repr=False)
class Run(Displayable):
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
        tree = {name: getattr(self, name) for name in ("key", "label", "question_set", "questions", "documents", "n", "depth")}
        tree |= {name: getattr(self, name) for name in ("chunks", "embedded", "seconds", "made_at", "error")}
        tree["syntax"] = self.syntax.value
        tree |= {"notes": list(self.notes), "config": self.config.to_yaml(), "answered": [_row(one) for one in self.answered]}
        return json.dumps(tree, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Run:
        """What `to_json` made.

        Raises:
            QuestionError: it is something else, or of a version whose settings are not known any more.
        """
        try:
            tree = read_json(text)
            config, notes = Config.from_yaml(tree.pop("config")), tuple(tree.pop("notes"))
            syntax = QuerySyntax(tree.pop("syntax", QuerySyntax.OPERATORS))  # earlier versions read every question as a typed search
            answered = tuple(map(_answered, tree.pop("answered")))
            return cls(config=config, notes=notes, answered=answered, syntax=syntax, **tree)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise QuestionError(f"This is no saved run ({error}); measure it again.") from error

    def __repr__(self) -> str:
        return summary_line("Run", self.label, *run_facts(self))

    def to_pandas(self, questions: QuestionSet | None = None, measure: Measure | None = None) -> pd.DataFrame:
        """A row a question: whether it failed and why, how many results it has, and with the questions its text and every metric.

        Args:
            questions: the set that the run asked; those that are not in it have no row.
            measure: where rankings are cut; None: at the run's `n` results.
        """
        from chunking.evaluation.runs.run_table import run_table

        return run_table(self, questions, measure)


def run_facts(run: Run) -> tuple[str, ...]:
    """What was asked and what failed, in words."""
    from chunking.evaluation.analysis.result_wording import CAUSES

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
