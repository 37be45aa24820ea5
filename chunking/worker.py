"""Jobs in a process of their own: `python -m chunking.worker`.

The app starts it, so that a long run neither blocks its pages nor dies with one. The job is one line of JSON on
standard input, which stays open: closing it stops the run, and so does SIGTERM. `KINDS` lists the kinds:

    {"kind": "index", "workspace": "…", "name": "main", "config": {"size": "300"}, "doc_ids": null}
    {"kind": "evaluate", "workspace": "…", "config": {"size": "300"}, "question_set": "…", "part": "", "n": 5}
    {"kind": "sweep", "workspace": "…", "name": "…"}
    {"kind": "review", "workspace": "…", "name": "main", "config": {"search.k": "5"}, "question_set": "…"}
    {"kind": "live", "workspace": "…", "config": {"size": "300"}, "question_set": "…", "part": ""}
    {"kind": "estimate", "workspace": "…", "sweep": "Sweep.to_json()"}

The default kind is index. Settings are key to text, or YAML as one text. A queued job also has "queued": the
`documents_key` of the documents at the time it was queued.

Each line on standard output is an object with an `event`: first `plan`, then `progress`, last one of `done`,
`cancelled` and `failed`. A `note` is a message for the person who started the job. An estimation sends an `estimate`
per configuration. A `progress` with `fell` reports a lower fallback level and says why; the report of `done` keeps it.
Exit codes: see `EXIT_CODES`.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from chunking.config import Config
from chunking.errors import Cancelled, ChunkscopeError, ConfigError, LockedError

if TYPE_CHECKING:
    from chunking.deployment import Deployment
    from chunking.evaluation import EvaluationProgress, EvaluationRun
    from chunking.indexing import Plan
    from chunking.store import Index, Workspace

__all__ = ["EXIT_CODES", "KINDS", "WorkerJob", "main", "run_process"]

EXIT_CODES = {"done": 0, "failed": 1, "cancelled": 3}
_PLAN_KEYS = (
    *(
        "documents",
        "chunks",
        "vectors",
        "new",
        "reused",
        "held",
        "removed",
        "unchanged",
        "rebuild",
        "seconds_expected",
        "warnings",
    ),
    *("asked", "levels", "encode", "about"),
)
_PARTS = ("tune", "holdout")
_MORE: Mapping[str, Callable[[Any], Any]] = {
    **{"question_set": str, "part": lambda name: _PARTS[_PARTS.index(name)], "n": int, "sweep": str},
    "queued": str,
    "person": str,
}
"""Optional keys of a job, with the functions that read them."""
_LOCK_PATIENCE, _LOOK = 60.0, 0.2
"""Seconds that a queued job waits for the workspace lock, and seconds between two attempts."""
_FORM = 'A job is one line of JSON with "workspace" and the fields of its "kind"; see chunking/worker.py.'


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """A job for this process: kind (index, evaluate, sweep ...), workspace and configuration."""

    workspace: str
    config: Config
    name: str | None = None
    """Name of the index to build, or of the sweep to run."""
    doc_ids: tuple[str, ...] | None = None
    """Documents to index; None: all."""
    kind: str = "index"
    more: Mapping[str, Any] = field(default_factory=dict)
    """Values of the keys in `_MORE`."""

    @classmethod
    def from_line(cls, line: str) -> WorkerJob:
        """Parse a job from its line of JSON; unknown keys are ignored.

        Raises:
            ConfigError: not JSON, no workspace, an unknown kind, or a setting or value that is invalid.
        """
        try:
            values = json.loads(line)
            doc_ids, kind = values.get("doc_ids"), str(values.get("kind") or "index")
            if kind not in KINDS:
                raise ConfigError(f"There is no kind of job '{kind}'; the kinds are {', '.join(KINDS)}.", where=kind)
            more = {key: read(values[key]) for key, read in _MORE.items() if values.get(key) not in (None, "")}
            only = None if doc_ids is None else tuple(doc_ids)
            return cls(str(values["workspace"]), _config(values.get("config")), values.get("name"), only, kind, more)
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(_FORM) from error


def _config(settings: Any) -> Config:
    return Config.from_yaml(settings) if isinstance(settings, str) else Config.from_settings(settings or {})


Say = Callable[..., int]


def main(stdin: TextIO | None = None, stdout: TextIO | None = None) -> int:
    """Run the job read from `stdin`, print its events to `stdout`, and return the exit code.

    The end of `stdin`, or SIGTERM, stops the job. None: the process's own streams.
    """
    stdin, stdout = stdin or sys.stdin, stdout or sys.stdout
    stop = threading.Event()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: stop.set())

    def say(event: str, **values: Any) -> int:
        print(json.dumps({"event": event, **values}), file=stdout, flush=True)
        return EXIT_CODES.get(event, 0)

    try:
        job = WorkerJob.from_line(stdin.readline())
        threading.Thread(target=_stop_at_end, args=(stdin, stop), daemon=True).start()
        return say("done", report=KINDS[job.kind](job, stop, say))
    except Cancelled as error:
        return say("cancelled", message=str(error))
    except ChunkscopeError as error:
        return say("failed", error=str(error), kind=type(error).__name__)


def _stop_at_end(stdin: TextIO, stop: threading.Event) -> None:
    """Set `stop` at the end of standard input: the starting process has closed it or is gone."""
    for _ in stdin:
        pass
    stop.set()


def _open_workspace(job: WorkerJob) -> Workspace:
    """Open the job's workspace with its person's current rights.

    A lost role ends the job at its next commit.

    Raises:
        QuotaError: the disk quota is used up.
    """
    from chunking.llm.metering import meter_by
    from chunking.store import Workspace

    here, person = _deployment(job), job.more.get("person")
    if here is None or person is None:
        return Workspace.open(job.workspace, create=False)
    meter_by(lambda: here.quotas.meter(person))
    here.quotas.check_disk(person, uri=job.workspace)
    return Workspace.open(job.workspace, create=False, access=here.access_to(job.workspace, person))


def _deployment(job: WorkerJob) -> Deployment | None:
    """Return the deployment of the server that started the job, or None."""
    if "person" not in job.more:
        return None
    from chunking.allowed import allow
    from chunking.deployment import open_deployment, operator_settings

    here = open_deployment(operator_settings())
    allow(here.allowed)
    return here


def _check_plan(job: WorkerJob) -> Callable[[Plan], None]:
    """Return a check that refuses plans over the person's quotas of chunks and language-model requests.

    An estimated plan is refused if it is over them for certain; `_index` then also checks the run itself.
    """
    here = _deployment(job)

    def check(plan: Plan) -> None:
        if here is None:
            return
        here.quotas.check_chunks(plan.least_chunks)
        if plan.needs is not None:
            here.quotas.check_llm(job.more["person"], plan.needs.requests, plan.needs.cost or 0.0)

    return check


def _index(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    from chunking.indexing import IndexProgress, build_index
    from chunking.indexing.run.shared_progress import started_in
    from chunking.store.index_run_file import RunOrigin

    here = _deployment(job)

    def on_progress(progress: IndexProgress) -> None:
        if here is not None:  # the plan may have been an estimate
            here.quotas.check_chunks(progress.done)
        say("progress", **asdict(progress))

    check = _check_plan(job)

    def on_plan(plan: Plan) -> None:
        check(plan)
        needs = None if plan.needs is None else asdict(plan.needs)
        estimate = None if plan.estimate is None else asdict(plan.estimate)
        say("plan", **{key: getattr(plan, key) for key in _PLAN_KEYS}, needs=needs, estimate=estimate)

    workspace = _open_workspace(job)
    with _writer(workspace, job, stop), started_in(RunOrigin.APP):
        _note_changes(workspace, job, say)
        return build_index(
            workspace,
            job.config,
            name=job.name,
            doc_ids=job.doc_ids,
            on_plan=on_plan,
            on_progress=on_progress,
            cancelled=stop.is_set,
        ).as_record()


def _evaluate(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    from chunking.evaluation import EvaluationOptions, QuestionPart, Trials, evaluate, load_set

    workspace = _open_workspace(job)
    _note_changes(workspace, job, say)
    questions = load_set(workspace, job.more.get("question_set", "")).questions
    part = QuestionPart(job.more["part"]) if "part" in job.more else None
    count = len(questions if part is None else questions.of(part))
    say("plan", total=count, questions=count, configurations=1)
    options = EvaluationOptions(n=job.more.get("n"), part=part)
    with Trials(workspace, on_plan=_check_plan(job)) as trials:
        run = evaluate(
            workspace,
            questions,
            job.config,
            options,
            trials=trials,
            on_progress=_progress_reporter(say),
            cancelled=stop.is_set,
        )
    return {
        "run": run.key,
        "label": run.label,
        "questions": len(run.answered),
        "chunks": run.chunks,
        "embedded": run.embedded,
    }


def _review(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    """Evaluate a live index and its candidate as they are, with the search settings of the job."""
    from chunking.evaluation import load_set
    from chunking.evaluation.runs.built_index import evaluate_index
    from chunking.indexing.index_review import candidate_pair

    workspace = _open_workspace(job)
    pair = candidate_pair(workspace, str(job.name))
    questions = load_set(workspace, job.more.get("question_set", "")).questions
    say("plan", total=2 * len(questions), questions=len(questions))
    report = _progress_reporter(say)

    def evaluated(index: Index, before: int) -> EvaluationRun:
        def show(one: EvaluationProgress) -> None:
            report(replace(one, done=one.done + before * one.total, total=2 * one.total))

        return evaluate_index(workspace, index, questions, job.config.search, on_progress=show, cancelled=stop.is_set)

    runs = [evaluated(index, before) for before, index in enumerate((pair.live, pair.candidate))]
    return {"runs": [run.key for run in runs], "questions": len(questions)}


def _sweep(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    from chunking.evaluation import QuestionPart, Trials, load_set, load_sweep, run_sweep

    workspace = _open_workspace(job)
    _note_changes(workspace, job, say)
    sweep = load_sweep(workspace, str(job.name))
    if (here := _deployment(job)) is not None:
        here.quotas.check_configurations(sweep.combinations)
    questions = load_set(workspace, sweep.question_set).questions
    count, planned = len(questions.of(QuestionPart.TUNE)), len(sweep.configs())
    say("plan", total=count * planned, questions=count, configurations=planned)
    with Trials(workspace, on_plan=_check_plan(job)) as trials:
        return run_sweep(
            workspace, sweep, questions, trials=trials, on_progress=_progress_reporter(say), cancelled=stop.is_set
        ).as_record()


def _live(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    """Encode documents and questions for live recall; the encodings stay in the workspace for the app."""
    from chunking.evaluation import LiveRecall, QuestionPart, load_set
    from chunking.evaluation.document_sample import live_sample
    from chunking.evaluation.live.preparation_time import PreparationTime

    workspace = _open_workspace(job)
    _note_changes(workspace, job, say)
    questions = load_set(workspace, job.more.get("question_set", "")).questions
    chosen = questions.of(QuestionPart(job.more["part"])) if "part" in job.more else questions
    documents = list(workspace.read_documents(live_sample(workspace, chosen).doc_ids))
    say("plan", total=100, questions=len(chosen), documents=len(documents))
    time_left = PreparationTime.of(documents, [job.config.embedding], workspace.encodings)

    def on_progress(share: float, message: str) -> None:
        if stop.is_set():
            raise Cancelled("Encoding was stopped; finished documents are saved for the next time.")
        seconds, stage = time_left.after(share, message)
        say(
            "progress",
            done=round(100 * share),
            total=100,
            message=message,
            seconds_left=seconds,
            stage_seconds=stage,
        )

    live = LiveRecall(
        documents,
        job.config.embedding,
        chosen,
        encodings=workspace.encodings,
        vectors=workspace.vectors,
        shape=job.config,
    )
    live.prepare(on_progress)
    return {"documents": len(documents), "questions": len(chosen)}


def _estimate(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    """Estimate an unsaved sweep; the encodings stay in the workspace."""
    from chunking.evaluation import Sweep, estimate_grid, load_set, use_loaded
    from chunking.evaluation.document_sample import live_sample

    workspace = _open_workspace(job)
    _note_changes(workspace, job, say)
    sweep = Sweep.from_json(job.more.get("sweep", ""))
    questions = load_set(workspace, sweep.question_set).questions
    documents = list(workspace.read_documents(live_sample(workspace, questions).doc_ids))
    use_loaded(workspace)
    say("plan", total=len(sweep.configs()))
    began, counts = time.monotonic(), [0, 0]
    estimates = estimate_grid(
        sweep,
        documents,
        questions,
        encodings=workspace.encodings,
        vectors=workspace.vectors,
        on_progress=_progress_reporter(say),
        cancelled=stop.is_set,
    )
    for one in estimates:
        counts[one.known] += 1
        say("estimate", estimate=one.as_record())
    return {"estimated": counts[True], "not_estimated": counts[False], "seconds": time.monotonic() - began}


@contextmanager
def _writer(workspace: Workspace, job: WorkerJob, stop: threading.Event) -> Iterator[None]:
    """Hold the workspace's lock; a queued job waits for it, any other job fails at once if it is taken."""
    deadline = time.monotonic() + (_LOCK_PATIENCE if job.more.get("queued") else 0.0)
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(workspace.writer())
                break
            except LockedError:
                if time.monotonic() >= deadline:
                    raise
                if stop.wait(_LOOK):
                    raise Cancelled("Stopped before the index run began.") from None
        yield


def _note_changes(workspace: Workspace, job: WorkerJob, say: Say) -> None:
    """Send a note if the documents changed while the job was queued."""
    before = job.more.get("queued")
    if not before:
        return
    from chunking.evaluation.runs.run import documents_key

    if before != documents_key(workspace.documents()):
        say(
            "note",
            message="The documents changed while this waited in the queue; it uses them as they were when it started.",
        )


def _progress_reporter(say: Say) -> Callable[[Any], None]:
    def report(one: Any) -> None:
        say(
            "progress",
            done=one.done,
            total=one.total,
            message=one.message,
            seconds_left=one.seconds_left,
            share=one.share,
            stage_seconds=one.stage_seconds,
        )

    return report


KINDS: Mapping[str, Callable[[WorkerJob, threading.Event, Say], Mapping[str, Any]]] = {
    "index": _index,
    "evaluate": _evaluate,
    "review": _review,
    "sweep": _sweep,
    "live": _live,
    "estimate": _estimate,
}
"""Function of each kind of job; it returns the report of `done`."""


def run_process() -> NoReturn:
    """Run the job of standard input with `main`, and exit the process with its code.

    Temporary files go to a private folder, which is deleted. Exiting without further clean-up saves a quarter of a
    second of unloading imported libraries, and does not wait for the thread that reads standard input.
    """
    # imports make a hundred thousand objects that stay: they are not looked through again and again
    gc.set_threshold(100_000)
    try:
        code = _with_scratch(main)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever started it is gone, and nobody is told
        code = EXIT_CODES["cancelled"]
    os._exit(code)


def _with_scratch(run: Callable[[], int]) -> int:
    """Run with a private folder for temporary files.

    A killed worker's folder is removed at the next start.
    """
    from chunking.store.scratch_folder import ScratchFolder

    try:
        scratch = ScratchFolder.for_job()
    except ChunkscopeError as error:
        print(json.dumps({"event": "failed", "error": str(error), "kind": type(error).__name__}), flush=True)
        return EXIT_CODES["failed"]
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch.path)
    try:
        return run()
    finally:
        scratch.remove()


if __name__ == "__main__":
    run_process()
