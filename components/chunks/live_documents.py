"""Documents and questions prepared for live recall, shared by runs and sessions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from chunking.config import Config
from chunking.errors import ChunkscopeError
from chunking.evaluation import (
    EvaluationRun,
    LiveDifference,
    LiveRecall,
    LiveScores,
    Measure,
    QuestionPart,
    QuestionSet,
    Scores,
    difference,
)
from chunking.evaluation.document_sample import DocumentSample
from chunking.splitting import headings_key
from chunking.store import DocumentRow, Workspace
from components.session.bounded_set import BoundedSet
from components.session.document_caches import clear_when_unused
from components.session.document_samples import sample_for
from components.session.questions.question_state import active_set
from components.session.questions.run_state import runs_of
from components.session.workspace import for_shared_caches, workspace

__all__ = [
    "ChosenSet",
    "ReferenceRun",
    "chosen_set",
    "encoded_key",
    "is_encoded",
    "live_of",
    "measure_of",
    "measured_scores",
    "prepared_keys",
    "ready_live",
    "reference_run",
]


SMALL = 2_000_000
"""Most characters read without a request, to see if they were encoded before a restart."""


@dataclass(frozen=True, slots=True)
class ChosenSet:
    """The active question set, located in the current documents."""

    questions: QuestionSet
    """Questions whose answers are in the documents."""
    tuned: QuestionSet
    """The dev split, or all questions if the set is not split."""
    fingerprint: str
    """Fingerprint of `tuned`."""
    documents: str
    """Hash of the documents' versions, 16 hex digits."""
    characters: int
    """Total characters of the documents."""
    sample: DocumentSample
    """Documents that live recall encodes: all, or those with gold answers and an even sample of the others."""
    lost: int
    """Number of questions whose answers are no longer in any document."""

    @property
    def about(self) -> str:
        """Cache key of the dev questions and the documents."""
        return f"{self.fingerprint} {self.documents}"


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """An evaluated run, and how live recall differs from it."""

    run: EvaluationRun
    same: bool
    """True if it has the current settings."""
    difference: LiveDifference


def chosen_set() -> ChosenSet | None:
    """Return the active question set; None without one, or if no answer is in the documents."""
    active = active_set()
    if active is None or not len(active.questions):
        return None
    part = active.questions.of(QuestionPart.TUNE)
    tuned = part if 0 < len(part) < len(active.questions) else active.questions
    target = workspace()
    documents, characters = target.derived(_versions), target.derived(_characters)
    sample = sample_for(target, tuned)
    return ChosenSet(active.questions, tuned, tuned.fingerprint, documents, characters, sample, len(active.lost))


def _versions(rows: Sequence[DocumentRow]) -> str:
    versions = json.dumps([[row.doc_id, row.stamp, row.hash] for row in rows])
    return hashlib.sha256(versions.encode()).hexdigest()[:16]


def _characters(rows: Sequence[DocumentRow]) -> int:
    return sum(row.characters for row in rows)


def is_encoded(of: ChosenSet, config: Config, since: int) -> bool:
    """True if live recall needs no model call; False, unchecked, over `SMALL` characters.

    Args:
        since: number of the last job that encoded documents; a new job invalidates the cached result.
    """
    if of.characters > SMALL:
        return False
    return _kept(workspace().uri, of.about, config.embedding.model_dump_json(), headings_key(config), since, of, config)


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=16)
def _kept(
    address: str, about: str, embedding: str, headings: object, since: int, _of: ChosenSet, _config: Config
) -> bool:
    return live_of(_of, _config).is_cached


def live_of(of: ChosenSet, config: Config) -> LiveRecall:
    """Return live recall for the documents, the model and the dev questions, from a shared cache.

    The first call reads the documents of the sample. Call `prepare` on the result if it is not `ready`.
    """
    embedding = config.embedding.model_dump_json()
    target = for_shared_caches(workspace())
    return _live(
        target.uri,
        target.access.key,
        of.documents,
        embedding,
        of.fingerprint,
        headings_key(config),
        target,
        config,
        of.tuned,
        of.sample,
    )


# Documents and vectors of a workspace: few are kept. The fingerprint stands for the questions.
@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=2)
def _live(
    address: str,
    rights: str,
    documents: str,
    embedding: str,
    questions: str,
    headings: object,
    _target: Workspace,
    _config: Config,
    _questions: QuestionSet,
    _sample: DocumentSample,
) -> LiveRecall:
    read = list(_target.read_documents(_sample.doc_ids))
    return LiveRecall(
        read, _config.embedding, _questions, encodings=_target.encodings, vectors=_target.vectors, shape=_config
    )


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=1)
def prepared_keys() -> BoundedSet:
    """Return the server's set of `encoded_key`s for which a session has prepared live recall."""
    return BoundedSet()


def encoded_key(of: ChosenSet, config: Config) -> str:
    """Return the key of encoded documents: workspace, document versions, model, heading settings.

    Questions are left out, since encoding them takes hardly any time, unless they decide which documents are encoded.
    """
    headings = headings_key(config)
    if of.sample.note:
        return f"{workspace().uri} {of.about} {config.embedding.model} {headings}"
    return f"{workspace().uri} {of.documents} {config.embedding.model}" + (f" {headings}" if headings else "")


def ready_live(of: ChosenSet, config: Config) -> LiveRecall | None:
    """Return live recall if it is prepared, else None; encodes nothing."""
    if encoded_key(of, config) not in prepared_keys():
        return None
    live = live_of(of, config)
    return live if live.ready else None


def measure_of(config: Config) -> Measure:
    """Return the measure that counts as many results as the configuration's `search.k`."""
    return Measure(config.search.k)


def reference_run(of: ChosenSet, config: Config, live: LiveRecall, present: LiveScores) -> ReferenceRun | None:
    """Return the newest run with these settings, else this model, and how live recall differs.

    Live recall is computed with the run's own settings. None without such a run, or if that fails.
    """
    runs = [run for run in _runs(of) if not run.error and run.config.embedding == config.embedding]
    if not runs:
        return None
    same = next((run for run in runs if run.config == config), None)
    if same:
        apart = difference(present, same, of.tuned)
        return ReferenceRun(same, True, apart) if apart else None
    apart = _difference(workspace().uri, runs[0].key, of.documents, of.fingerprint, runs[0], live, of.tuned)
    return ReferenceRun(runs[0], False, apart) if apart else None


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=64)
def _difference(
    address: str,
    key: str,
    documents: str,
    questions: str,
    _run: EvaluationRun,
    _live: LiveRecall,
    _questions: QuestionSet,
) -> LiveDifference | None:
    try:
        return difference(_live.scores(_run.config, measure_of(_run.config)), _run, _questions)
    except ChunkscopeError:
        return None  # its chunks cannot be made here any more, as by a splitter of the user's that is gone


def measured_scores(run: EvaluationRun, of: ChosenSet, measure: Measure) -> Scores | None:
    """Return a run's scores on the dev questions; None if it did not answer all of them."""
    from chunking.evaluation import score_run

    scores = score_run(run, of.tuned, measure)
    return scores if len(scores) == of.tuned.measured else None


def _runs(of: ChosenSet) -> list[EvaluationRun]:
    """Return the runs on the dev split or on the whole set, newest first."""
    runs = [*runs_of(of.tuned), *(runs_of(of.questions) if of.tuned != of.questions else ())]
    return sorted(runs, key=lambda run: run.made_at, reverse=True)
