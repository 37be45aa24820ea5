"""Long work in a process of its own: `python -m chunking.worker`.

The app starts it, so that a long run neither stops its pages nor dies with one. The task is one line of JSON on
standard input, which stays open: closing it stops the run, and so does SIGTERM. What it may be, `KINDS` says:

    {"kind": "index", "workspace": "…", "name": "main", "config": {"size": "300"}, "doc_ids": null} {"kind": "evaluate",
    "workspace": "…", "config": {"size": "300"}, "question_set": "…", "part": "", "n": 5} {"kind": "sweep", "workspace":
    "…", "name": "…"} {"kind": "live", "workspace": "…", "config": {"size": "300"}, "question_set": "…", "part": ""}
    {"kind": "estimate", "workspace": "…", "sweep": "what Sweep.to_json gives"}

Without a kind it is an index. Settings are key to text, or YAML as one text. A job that stood in a queue has "queued"
besides: the `documents_key` of the documents that there were when it began to wait.

Each line on standard output is an object with an `event`: first `plan`, then `progress`, last one of `done`,
`cancelled` and `failed`. A `note` says what whoever started it should know. An estimation has an `estimate` for each
configuration, as it comes. A fall to a lower level is a `progress` that `fell`, whose message says why; the report of
`done` keeps it. Exit codes:
see `EXIT_CODES`.
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
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from chunking.config import Config
from chunking.errors import Cancelled, ChunkscopeError, ConfigError, LockedError

if TYPE_CHECKING:
    from chunking.deployment import Deployment
    from chunking.indexing import Plan
    from chunking.store import Workspace

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
"""What some kinds take besides, and how it is read."""
_FIRST = 0.05
"""Share of the encoding from which the time that is left can be estimated."""
_LOCK_PATIENCE, _LOOK = 60.0, 0.2
"""Seconds that a job which stood in a queue waits for somebody's change of the documents, and between two looks."""
_FORM = 'A job is one line of JSON with "workspace" and the fields of its "kind"; see chunking/worker.py.'


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What to do, and how."""

    workspace: str
    config: Config
    name: str | None = None
    doc_ids: tuple[str, ...] | None = None
    kind: str = "index"
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else its kind takes."""

    @classmethod
    def from_line(cls, line: str) -> WorkerJob:
        """Read a job.

        Raises:
            ConfigError: not JSON, or a key is missing or unknown.
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


def _config(given: Any) -> Config:
    return Config.from_yaml(given) if isinstance(given, str) else Config.from_settings(given or {})


Say = Callable[..., int]


def main(stdin: TextIO | None = None, stdout: TextIO | None = None) -> int:
    """Run the job on `stdin`; tell of it on `stdout`. Returns the exit code."""
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
    """Wait for the end of standard input: who started this process has closed it, or is gone."""
    for _ in stdin:
        pass
    stop.set()


def _opened(job: WorkerJob) -> Workspace:
    """The workspace of a job, with what who started it may do there now: a role that is taken away ends the job at its
    next commit.

    Raises:
        QuotaError: there is no room for anything new.
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
    """What the job's server runs; None where no server started it."""
    if "person" not in job.more:
        return None
    from chunking.allowed import allow
    from chunking.deployment import open_deployment, operator_settings

    here = open_deployment(operator_settings())
    allow(here.allowed)
    return here


def _check_plan(job: WorkerJob) -> Callable[[Plan], None]:
    """What refuses an index of more chunks, or more requests to the language model, than whoever started a job may
    have.
    """
    here = _deployment(job)

    def check(plan: Plan) -> None:
        if here is None:
            return
        here.quotas.check_chunks(plan.chunks)
        if plan.needs is not None:
            here.quotas.check_llm(job.more["person"], plan.needs.requests, plan.needs.cost or 0.0)

    return check


def _index(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    from chunking.indexing import IndexProgress, build_index

    def on_progress(progress: IndexProgress) -> None:
        say("progress", **asdict(progress))

    check = _check_plan(job)

    def on_plan(plan: Plan) -> None:
        check(plan)
        needs = None if plan.needs is None else asdict(plan.needs)
        say("plan", **{key: getattr(plan, key) for key in _PLAN_KEYS}, needs=needs)

    workspace = _opened(job)
    with _writer(workspace, job, stop):
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

    workspace = _opened(job)
    _note_changes(workspace, job, say)
    questions = load_set(workspace, job.more.get("question_set", "")).questions
    part = QuestionPart(job.more["part"]) if "part" in job.more else None
    count = len(questions if part is None else questions.of(part))
    say("plan", total=count, questions=count, configurations=1)
    options = EvaluationOptions(n=job.more.get("n"), part=part)
    with Trials(workspace, on_plan=_check_plan(job)) as trials:
        run = evaluate(
            workspace, questions, job.config, options, trials=trials, on_progress=_told(say), cancelled=stop.is_set
        )
    return {
        "run": run.key,
        "label": run.label,
        "questions": len(run.answered),
        "chunks": run.chunks,
        "embedded": run.embedded,
    }


def _sweep(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    from chunking.evaluation import QuestionPart, Trials, load_set, load_sweep, run_sweep

    workspace = _opened(job)
    _note_changes(workspace, job, say)
    sweep = load_sweep(workspace, str(job.name))
    if (here := _deployment(job)) is not None:
        here.quotas.check_configurations(sweep.combinations)
    questions = load_set(workspace, sweep.question_set).questions
    count, planned = len(questions.of(QuestionPart.TUNE)), len(sweep.configs())
    say("plan", total=count * planned, questions=count, configurations=planned)
    with Trials(workspace, on_plan=_check_plan(job)) as trials:
        return run_sweep(
            workspace, sweep, questions, trials=trials, on_progress=_told(say), cancelled=stop.is_set
        ).as_record()


def _live(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    """Encode documents and questions for live recall. The encodings stay in the workspace, where the app finds them."""
    from chunking.evaluation import LiveRecall, QuestionPart, load_set

    workspace = _opened(job)
    _note_changes(workspace, job, say)
    questions = load_set(workspace, job.more.get("question_set", "")).questions
    asked = questions.of(QuestionPart(job.more["part"])) if "part" in job.more else questions
    documents = list(workspace.read_documents([row.doc_id for row in workspace.documents()]))
    say("plan", total=100, questions=len(asked), documents=len(documents))
    began = time.monotonic()

    def on_progress(share: float, message: str) -> None:
        if stop.is_set():
            raise Cancelled("Encoding was stopped; finished documents are saved for the next time.")
        left = (time.monotonic() - began) * (1 - share) / share if share > _FIRST else None
        say("progress", done=round(100 * share), total=100, message=message, seconds_left=left)

    live = LiveRecall(
        documents,
        job.config.embedding,
        asked,
        encodings=workspace.encodings,
        vectors=workspace.vectors,
        shape=job.config,
    )
    live.prepare(on_progress)
    return {"documents": len(documents), "questions": len(asked)}


def _estimate(job: WorkerJob, stop: threading.Event, say: Say) -> Mapping[str, Any]:
    """Estimate a sweep that is saved nowhere. What the model encodes stays in the workspace."""
    from chunking.evaluation import Sweep, estimate_grid, load_set, use_loaded

    workspace = _opened(job)
    _note_changes(workspace, job, say)
    sweep = Sweep.from_json(job.more.get("sweep", ""))
    questions = load_set(workspace, sweep.question_set).questions
    documents = list(workspace.read_documents([row.doc_id for row in workspace.documents()]))
    use_loaded(workspace)
    say("plan", total=len(sweep.configs()))
    began, known = time.monotonic(), [0, 0]
    estimates = estimate_grid(
        sweep,
        documents,
        questions,
        encodings=workspace.encodings,
        vectors=workspace.vectors,
        on_progress=_told(say),
        cancelled=stop.is_set,
    )
    for one in estimates:
        known[one.known] += 1
        say("estimate", estimate=one.as_record())
    return {"estimated": known[True], "not_estimated": known[False], "seconds": time.monotonic() - began}


@contextmanager
def _writer(workspace: Workspace, job: WorkerJob, stop: threading.Event) -> Iterator[None]:
    """The workspace's lock. Who started a job at once is told when somebody else has it; one that stood in a queue
    waits a while.
    """
    deadline = time.monotonic() + (_LOCK_PATIENCE if job.more.get("queued") else 0.0)
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(workspace.writer())
                break
            except LockedError:
                if time.monotonic() >= deadline:
                    raise
                if stop.wait(_LOOK):
                    raise Cancelled("Stopped before the index run began.") from None
        yield


def _note_changes(workspace: Workspace, job: WorkerJob, say: Say) -> None:
    """Say that the documents are no longer those of when the job was queued: it takes them as they are."""
    before = job.more.get("queued")
    if not before:
        return
    from chunking.evaluation.runs.run import documents_key

    if before != documents_key(workspace.documents()):
        say(
            "note",
            message="The documents changed while this waited in the queue; it uses them as they were when it started.",
        )


def _told(say: Say) -> Callable[[Any], None]:
    def told(one: Any) -> None:
        say(
            "progress",
            done=one.done,
            total=one.total,
            message=one.message,
            seconds_left=one.seconds_left,
            share=one.share,
        )

    return told


KINDS: Mapping[str, Callable[[WorkerJob, threading.Event, Say], Mapping[str, Any]]] = {
    "index": _index,
    "evaluate": _evaluate,
    "sweep": _sweep,
    "live": _live,
    "estimate": _estimate,
}
"""What each kind of job does; it gives the report of `done`."""


def run_process() -> NoReturn:
    """`main`, and the end of the process.

    It ends as it is: to take the imported libraries down first costs a quarter of a second of a processor, and the
    thread that waits for the end of standard input would be in the way.
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
    """Run with a folder of its own for temporary files; that of a worker which is killed goes with the next one's
    start.
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
