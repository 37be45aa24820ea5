"""Input of the exports, read from a workspace: an index, runs and their question set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from chunking.config import CompareConfig, Config
from chunking.errors import ConfigError, NotFoundError, QuestionError
from chunking.evaluation import (
    Diagnosis,
    EvaluationRun,
    Measure,
    QuestionPart,
    QuestionSet,
    documents_key,
    is_current,
    load_set,
    use_loaded,
)
from chunking.export.configuration import scrubbed, shared_config
from chunking.export.frameworks import PageContent
from chunking.indexing import DocumentInputs, staleness
from chunking.model import CHUNK, Chunk
from chunking.store import DocumentRow, Index, Workspace, stream_chunks
from chunking.store.index.index_samples import first_chunks

__all__ = ["Material", "choose_runs", "gather", "matching_part", "question_set_of", "shared_run"]


@dataclass(frozen=True)
class Material:
    """Input and options of an export."""

    workspace: Workspace
    index: Index | None = None
    config: Config = field(default_factory=Config)
    """Settings of the index; without an index those of the first run, or the caller's."""
    runs: tuple[EvaluationRun, ...] = ()
    """Runs without paths or addresses of this machine (`shared_run`)."""
    questions: QuestionSet | None = None
    levels: tuple[str, ...] | None = None
    """Levels of the index; None: the format's default."""
    text: PageContent = PageContent.CONTENT
    """Source of LangChain's page_content."""
    vectors: bool = False
    """True to add a column of vectors to Parquet."""
    only: tuple[str, ...] = ()
    """Sources of the documents whose chunks are written, those of one path together; empty: of all."""
    sample: tuple[str, ...] = ()
    """Sources of the documents in a cluster job's sample; empty: the first few."""
    notes: tuple[str, ...] = ()
    """Notes for the report's readers."""
    most: int | None = None
    """Maximum number of chunks to write: enough to estimate a file's size."""
    measure: Measure | None = None
    """Cutoff of rankings in the report; None: the number of results of its first run."""
    metric: str = "recall"
    """Metric by which the report ranks."""
    margin: float = field(default_factory=lambda: CompareConfig().margin)
    """Points by which the report's recommended configuration may be worse than the best."""
    on_progress: Callable[[int, int], None] | None = None
    """Called with the number of chunks written and their total."""

    @cached_property
    def documents(self) -> tuple[DocumentRow, ...]:
        """Documents of the workspace without their texts, by source."""
        return tuple(self.workspace.documents())

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """Source paths by document id."""
        return {row.doc_id: row.source for row in self.documents}

    @cached_property
    def indexed_documents(self) -> tuple[DocumentRow, ...]:
        """Documents of the index, by source."""
        indexed = set(self.required_index.indexed_documents().doc_ids)
        return tuple(row for row in self.documents if row.doc_id in indexed)

    @cached_property
    def indexed_files(self) -> tuple[DocumentRow, ...]:
        """Documents of the index that are files of their own, by source."""
        return tuple(row for row in self.indexed_documents if not row.parent_id)

    @cached_property
    def inputs(self) -> DocumentInputs:
        """Edits, pins, encodings and parsers of the index's documents; without an index, of every one."""
        return DocumentInputs.of(self.workspace, self.index.documents() if self.index else None)

    @cached_property
    def stale(self) -> str:
        """Why the index is out of date, as one sentence; empty if it is current or missing."""
        row = next((one for one in self.workspace.indexes() if self.index and one.name == self.index.name), None)
        return staleness(self.workspace, row) if row else ""

    @property
    def required_index(self) -> Index:
        """Index to export.

        Raises:
            NotFoundError: there is none.
        """
        if self.index is None:
            raise NotFoundError("There is no index to export; build one first.")
        return self.index

    @property
    def required_questions(self) -> QuestionSet:
        """Question set to export.

        Raises:
            QuestionError: there are none.
        """
        if self.questions is None:
            raise QuestionError(
                "There are no questions to export; load or make a question set on the Evaluate page first."
            )
        return self.questions

    def levels_in_order(self) -> tuple[str, ...]:
        """Return the index's levels: `chunk`, larger sizes (`x2`, `x4` ...), others by name."""
        return _in_order(self.required_index.levels)

    def chunks(self, *, every: bool) -> Iterator[Chunk]:
        """Yield the chunks of the chosen levels and documents, at most `most`, read a few documents at a time.

        With `most`, documents after those are not even counted, and summaries of a tree come after all documents only;
        with `only`, there are none.

        Args:
            every: default to all levels; otherwise to the chunks of the size setting.
        Raises:
            ConfigError: the index has no such level.
            NotFoundError: the index lacks one of the documents.
        """
        index, levels = self.required_index, self._written(every)
        if self.only or self.most is not None:
            chunks = first_chunks(index, self._only_ids if self.only else self.sources, levels)
        else:
            chunks = stream_chunks(index, levels)
        chunks = islice(chunks, self.most)
        return (
            chunks
            if self.on_progress is None
            else self._counted(chunks, self.chunk_count(every=every), self.on_progress)
        )

    def _counted(self, chunks: Iterable[Chunk], every: int, on_progress: Callable[[int, int], None]) -> Iterator[Chunk]:
        for number, one in enumerate(chunks):
            on_progress(number, every)
            yield one

    def chunk_count(self, *, every: bool) -> int:
        """Count the chunks that `chunks` yields if `most` is None; raises as `chunks` does."""
        counts: Sequence[Mapping[str, int]] = [self.required_index.levels]
        if self.only:
            counts = list(self.required_index.levels_by_document(self._only_ids).values())
        return sum(count.get(level, 0) for count in counts for level in self._written(every))

    @cached_property
    def _only_ids(self) -> list[str]:
        """Ids of the documents in `only`. Raises NotFoundError."""
        rows = [row for row in self.indexed_documents if row.source in self.only]
        if missing := sorted(set(self.only) - {row.source for row in rows}):
            raise NotFoundError(
                f"The index {self.required_index.name} has no document '{missing[0]}'; give its path in the workspace.",
                where=missing[0],
            )
        return [row.doc_id for row in rows]

    def _written(self, every: bool) -> tuple[str, ...]:
        there = self.levels_in_order()
        levels = self.levels or (there if every else (CHUNK,))
        unknown = [level for level in levels if level not in there]
        if unknown:
            raise ConfigError(
                f"The index has no level '{unknown[0]}'; its levels are {', '.join(there)}.", where="levels"
            )
        return levels


def _in_order(levels: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(levels, key=lambda level: (level != CHUNK, not level.startswith("x"), level)))


def gather(
    workspace: Workspace,
    *,
    index: str | None = None,
    run_keys: Sequence[str] = (),
    wants_index: bool = True,
    wants_runs: bool = True,
    levels: tuple[str, ...] | None = None,
    text: PageContent = PageContent.CONTENT,
    vectors: bool = False,
) -> Material:
    """Read the index, runs and question set that an export needs from a workspace.

    Args:
        index: its name; the newest where None.
        run_keys: keys of runs, or how they begin; none: all on the questions of the newest run that would come out the
            same now.
        wants_index: False does not open the index.
        wants_runs: False reads no runs and no questions.
    Raises:
        NotFoundError: there is no such index or run.
        QuestionError: the runs were not measured on one question set.
    """
    opened_index = workspace.index(index) if wants_index else None
    runs = choose_runs(workspace, run_keys) if wants_runs else ()
    questions = question_set_of(workspace, runs) if wants_runs else None
    config = opened_index.config if opened_index else runs[0].config if runs else Config()
    shared = tuple(shared_run(run, (workspace.uri,)) for run in runs)
    return Material(
        workspace,
        opened_index,
        config,
        shared,
        questions,
        levels,
        text,
        vectors,
        notes=_outdated(workspace, runs),
    )


def choose_runs(workspace: Workspace, keys: Sequence[str] = ()) -> tuple[EvaluationRun, ...]:
    """Return the runs of the given keys, in that order; without keys, current runs on one set.

    Without keys: the runs on the questions of the newest run, newest first, without failed runs and runs that would
    come out differently now.

    Raises:
        NotFoundError: no run has such a key, or several begin with it.
        QuestionError: there are runs, but none would come out the same now.
    """
    if keys:
        names = workspace.runs.names()
        return tuple(_run(workspace, key) for key in dict.fromkeys(_one_key(key, names) for key in keys))
    measured = [run for run in _readable(workspace) if not run.error and run.answered]
    documents = _documents(workspace) if measured else ""
    current = [run for run in measured if is_current(run, documents)]
    if measured and not current:
        raise QuestionError(
            f"Documents, model or code have changed since all {len(measured)} runs; evaluate again, or name "
            f"the runs you mean."
        )
    return tuple(run for run in current if run.questions == current[0].questions) if current else ()


def _documents(workspace: Workspace) -> str:
    """Return the key that runs on the workspace's current documents have."""
    use_loaded(workspace)  # runs depend on the chunks made elsewhere
    return documents_key(workspace.documents())


def _outdated(workspace: Workspace, runs: Sequence[EvaluationRun]) -> tuple[str, ...]:
    """Return a note on runs that were named although something has changed since."""
    documents = _documents(workspace) if runs else ""
    labels = [
        f"“{scrubbed(run.label, (workspace.uri,))}”" for run in runs if not run.error and not is_current(run, documents)
    ]
    sentence = "Documents, model or code have changed since these runs; a new run may differ"
    return (f"{sentence}: {', '.join(labels)}.",) if labels else ()


def _one_key(key: str, names: Sequence[str]) -> str:
    matches = [name for name in names if name == key] or [name for name in names if key and name.startswith(key)]
    if len(matches) != 1:
        what = "Several runs start with" if matches else "There is no run"
        raise NotFoundError(f"{what} '{key}'; the runs are {', '.join(names[:10]) or 'none yet'}.", where=key)
    return matches[0]


def _run(workspace: Workspace, key: str) -> EvaluationRun:
    text = workspace.runs.get(key)
    if text is None:
        raise NotFoundError(f"The run '{key}' no longer exists; evaluate again.", where=key)
    return EvaluationRun.from_json(text)


def _readable(workspace: Workspace) -> Iterator[EvaluationRun]:
    for text in workspace.runs.all().values():
        try:
            yield EvaluationRun.from_json(text)
        except QuestionError:
            continue  # of a version whose settings are not known any more: to be measured again, not to be exported


def question_set_of(workspace: Workspace, runs: Sequence[EvaluationRun]) -> QuestionSet | None:
    """Return the question set of the runs: the part they all used, or else the whole set.

    Without runs the newest set; None if there is no set.

    Raises:
        QuestionError: no set holds the questions of all runs, as they were.
    """
    names = workspace.question_sets.names()
    if not runs:
        return load_set(workspace, names[0]).questions if names else None
    for name in sorted(names, key=lambda name: name != runs[0].question_set):
        for questions in _forms(workspace, name):
            if (part := matching_part(questions, runs)) is not None:
                return part
    raise QuestionError(
        (
            f"No question set has the questions of {'this run' if len(runs) == 1 else 'these runs'} as they "
            f"were; evaluate again, or choose runs on one set."
        ),
        where=runs[0].question_set,
    )


def matching_part(questions: QuestionSet, runs: Iterable[EvaluationRun]) -> QuestionSet | None:
    """Return the part of a set that all runs used, else the set; None if a run used another set."""
    parts = {one.fingerprint: one for one in (questions, *(questions.of(part) for part in QuestionPart))}
    fingerprints = {run.questions for run in runs}
    if not fingerprints <= parts.keys():
        return None
    return parts[fingerprints.pop()] if len(fingerprints) == 1 else questions


def _forms(workspace: Workspace, name: str) -> Iterator[QuestionSet]:
    """Yield a set with its answers relocated to the current documents, then as it was saved."""
    yield load_set(workspace, name).questions
    text = workspace.question_sets.get(name)
    if text is not None:
        yield QuestionSet.from_json(text)


def shared_run(run: EvaluationRun, private: Sequence[str] = ()) -> EvaluationRun:
    """Remove folders and addresses from a run's settings and messages, for use on other machines.

    Args:
        private: known paths to remove (see `scrubbed`).
    """

    def diagnosis(why: Diagnosis | None) -> Diagnosis | None:
        return why and replace(why, sentence=scrubbed(why.sentence, private), help=scrubbed(why.help, private))

    return replace(
        run,
        label=scrubbed(run.label, private),
        config=shared_config(run.config),
        error=scrubbed(run.error, private),
        notes=tuple(scrubbed(note, private) for note in run.notes),
        answered=tuple(replace(one, diagnosis=diagnosis(one.diagnosis)) for one in run.answered),
    )
