"""Stored run: one configuration's results for each question, from which every metric is computed.

Its key covers everything that the result depends on: equal keys, equal results, so a stored run is reused.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chunking.config import Config, QuerySyntax, Strategy
from chunking.config.renamed_settings import current_pair, earlier_names
from chunking.display import Displayable, quantity, summary_line
from chunking.embedding.model_folder import model_of
from chunking.errors import Cancelled, ChunkscopeError, QuestionError
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import AnswerSpan, QuestionSet
from chunking.evaluation.runs.answered import CAUSES, Answered, Cause, Diagnosis, Found
from chunking.plugins import PARSERS, entry_versions
from chunking.splitting.strategies.custom_splitters import splitter_version
from chunking.store import DocumentRow
from chunking.text.bounded_json import read_json
from chunking.versions import results_version

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DEPTH",
    "Cancel",
    "EvaluationProgress",
    "EvaluationRun",
    "OnProgress",
    "check_cancelled",
    "documents_key",
    "is_current",
    "model_key",
    "parsed_documents_key",
    "run_facts",
    "run_key",
]

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

DEPTH = 30
"""Default number of results stored per question: enough for 1,000 tokens of small chunks."""
_DIGITS = 16
_LATER = ("cut", "trim")
"""Search settings that are not in the key of a run while they are off."""
_NO_MATTER = {"embedding": {"batch_tokens", "allow_download"}}
"""Settings that affect a run's duration, not its result."""


@dataclass(frozen=True, slots=True, repr=False)
class EvaluationRun(Displayable):
    """Evaluation of a configuration on a question set.

    It holds each question's results and diagnosis; `score_run` computes the metrics from these.
    """

    key: str
    """16 hex digits over settings, documents, questions and code; equal keys, equal results."""
    label: str
    """Label such as `size 200 · overlap 10%`."""
    config: Config
    question_set: str
    """Name of the question set."""
    questions: str
    """Fingerprint of the question set."""
    documents: str
    """Fingerprint of the chunks (`store.index.fingerprint.index_fingerprint`)."""
    answered: tuple[Answered, ...]
    """In the order of the questions; only a sample after an early round of a sweep."""
    n: int
    """Number of results that count (`search.k`)."""
    depth: int
    """Number of results stored per question."""
    chunks: int = 0
    """Number of chunks (level chunk)."""
    embedded: int = 0
    """Number of texts embedded for the run."""
    seconds: float = 0.0
    made_at: str = ""
    """ISO 8601, UTC."""
    error: str = ""
    """Why it failed, as a sentence; `answered` is then empty."""
    notes: tuple[str, ...] = ()
    """Sentences for the user, such as fallbacks and legs switched off."""
    syntax: QuerySyntax = QuerySyntax.PLAIN
    """Query syntax of the questions."""
    parser: str = ""
    """Parser that a sweep had the documents read by; empty: they were searched as they are in the workspace."""

    def to_json(self) -> str:
        """Serialise for `Workspace.runs`."""
        tree = {
            name: getattr(self, name)
            for name in ("key", "label", "question_set", "questions", "documents", "n", "depth")
        }
        tree |= {name: getattr(self, name) for name in ("chunks", "embedded", "seconds", "made_at", "error")}
        tree |= {"parser": self.parser} if self.parser else {}
        tree["syntax"] = self.syntax.value
        tree |= {
            "notes": list(self.notes),
            "config": self.config.to_yaml(),
            "answered": [_row(one) for one in self.answered],
        }
        return json.dumps(tree, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> EvaluationRun:
        """Parse the output of `to_json`.

        Raises:
            QuestionError: it is something else, or of a version whose settings are unknown now.
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
        """Return a row per question: failure, result count and best span.

        With `questions`, also the text and the metrics.

        Args:
            questions: the question set of the run; questions outside it have no row. Questions without an
                answer have no metrics.
            measure: cutoff of the rankings; default: the run's `n` results.
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
    """Return phrases on a run: questions, failures by cause, cutoff, chunks; or its error."""
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
    why, first = one.diagnosis, one.results[0] if one.results else None
    return {
        "question_id": one.question_id,
        "failed": why is not None,
        "cause": why.cause.value if why else None,
        "why": why.sentence if why else None,
        "suggestion": why.help or None if why else None,
        "results": len(one.results),
        "best_document": first.doc_id if first else None,
        "best_start": first.start if first else None,
        "best_end": first.end if first else None,
        "absent": one.absent,
    }


def _row(one: Answered) -> dict[str, Any]:
    row: dict[str, Any] = {"id": one.question_id, "found": [list(result) for result in one.results], "omega": one.omega}
    if one.context_tokens:
        row["context_tokens"] = list(one.context_tokens)
    if one.absent is not None:
        row["absent"] = one.absent
    if one.gold:
        row["gold"] = [[answer.doc_id, answer.start, answer.end, answer.text] for answer in one.gold]
    if one.diagnosis is not None:
        why = one.diagnosis
        row["why"] = {
            "cause": why.cause.value,
            "sentence": why.sentence,
            "rank": why.rank,
            "legs": dict(why.legs),
            "above": list(why.higher_ranked),
            "help": why.help,
        }
    return row


def _answered(row: Mapping[str, Any]) -> Answered:
    why = row.get("why")
    diagnosis = None
    if why is not None:
        help = current_pair(why["help"])
        diagnosis = Diagnosis(Cause(why["cause"]), why["sentence"], why["rank"], why["legs"], tuple(why["above"]), help)
    results: Sequence[Sequence[Any]] = row["found"]
    tokens = tuple(row.get("context_tokens", ()))
    ranking, gold = tuple(Found(*one) for one in results), tuple(AnswerSpan(*one) for one in row.get("gold", ()))
    return Answered(row["id"], ranking, row["omega"], diagnosis, tokens, row.get("absent"), gold)


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """Progress of a run, a sweep or an estimation, as `on_progress` receives it."""

    done: int
    """Questions answered, over all configurations."""
    total: int
    message: str
    seconds_left: float | None = None
    """None if unknown."""
    share: float | None = None
    """Progress, 0 to 1, if it is not `done` / `total`, since preparation has no count."""
    stage_seconds: float | None = None
    """Those of `seconds_left` until the next report, in a stage without reports of its own: loading the model."""


OnProgress = Callable[[EvaluationProgress], None]
Cancel = Callable[[], bool]
"""Called between questions and batches; True stops."""


def check_cancelled(cancelled: Cancel | None) -> None:
    """Raise Cancelled if the user has stopped the run."""
    if cancelled is not None and cancelled():
        raise Cancelled("The run was stopped; if started again, it continues from what is saved.")


def run_key(documents: str, questions: QuestionSet, config: Config, *, n: int, depth: int, model: str = "") -> str:
    """Return 16 hex digits over documents, questions, settings, depth, models and version.

    Settings that only affect the duration (`batch_tokens`, `allow_download`) are left out. The user's own splitters
    count with their versions.

    Args:
        documents: `documents_key` of the workspace.
        questions: the fingerprint counts, not the name.
        config: all settings, including search, but with `n` in place of `search.k`.
        n: number of results that count.
        model: `model_key` of the configuration; the language model for enrichment is added from its endpoint.
    """
    return _key(documents, questions.fingerprint, config, n, depth, model)


def is_current(run: EvaluationRun, documents: str, *, depth: int = DEPTH, parsers: bool = False) -> bool:
    """True if a run would have the same key now, with the current documents, version and model.

    Args:
        documents: `documents_key` of the workspace now.
        depth: requested depth of the run.
        parsers: True to count runs for which the documents were read by another parser; their results lie in other
            texts than those of the workspace.
    """
    if parsers and run.parser:
        documents = parsed_documents_key(documents, run.parser)
    return run.key == _key(documents, run.questions, run.config, run.n, depth, model_key(run.config))


def _key(documents: str, questions: str, config: Config, n: int, depth: int, model: str) -> str:
    settings = config.model_dump(mode="json", exclude=_NO_MATTER)
    settings["search"]["k"] = n
    for name in _LATER:  # off, they change nothing: runs of before they existed stay current
        if not settings["search"][name]:
            del settings["search"][name]
    return _digest(
        [
            documents,
            questions,
            earlier_names(settings),
            depth,
            model,
            _splitters(config),
            _writer(config),
            results_version(),
        ]
    )


def documents_key(documents: Iterable[DocumentRow]) -> str:
    """Return 16 hex digits over the documents' ids and stamps, which change with their chunks."""
    return _digest(sorted((row.doc_id, row.stamp) for row in documents))


def parsed_documents_key(documents: str, parser: str) -> str:
    """Return the key of documents as a parser reads their files, of their own key (`documents_key`).

    A parser of an installed package counts with that package's version.
    """
    version = entry_versions(PARSERS).get(parser)
    return _digest([documents, "parser", parser, *([version] if version else [])])


def model_key(config: Config) -> str:
    """Return name and revision of the embedding model without loading it; empty if unavailable.

    A missing model is downloaded if the settings allow it.
    """
    from chunking.embedding import load_embedder

    try:
        return model_of(load_embedder(config.embedding).key)
    except ChunkscopeError:
        return ""


def _splitters(config: Config) -> list[str]:
    """Return the versions of the user's own splitters."""
    chunks = [config.chunk, *(config.for_category(category).chunk for category, _ in config.categories)]
    return [splitter_version(chunk.splitter) for chunk in chunks if chunk.strategy is Strategy.CUSTOM]


def _writer(config: Config) -> str:
    """Return the language model that enriches chunks; empty if none does."""
    from chunking.indexing.run.fallback_levels import uses_endpoint
    from chunking.llm import endpoint

    configured = endpoint("llm") if uses_endpoint(config) else None
    return configured.model if configured else ""


def _digest(facts: object) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:_DIGITS]
