"""An index run in a process of its own: `python -m chunking.worker`.

The app starts it, so that a long run neither stops its pages nor dies with one. The job is one line of JSON on standard
input, which stays open: closing it stops the run, and so does SIGTERM.

    {"workspace": "…", "name": "main", "config": {"size": "300"}, "doc_ids": null}

Each line on standard output is an object with an `event`: first `plan`, then `progress`, last one of `done`, `cancelled`
and `failed`. A fall on the ladder is a `progress` whose message says why; the report of `done` keeps it. Exit codes: see
`EXIT_CODES`.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TextIO

from chunking.config import Config
from chunking.errors import Cancelled, ChunkscopeError, ConfigError

__all__ = ["EXIT_CODES", "Job", "main"]

EXIT_CODES = {"done": 0, "failed": 1, "cancelled": 3}
_PLAN_KEYS = (
    *("documents", "chunks", "new", "reused", "removed", "unchanged", "rebuild", "seconds_expected", "warnings"),
    *("asked", "levels", "encode", "about"),
)


@dataclass(frozen=True, slots=True)
class Job:
    """What to index, and how."""

    workspace: str
    config: Config
    name: str | None = None
    doc_ids: tuple[str, ...] | None = None

    @classmethod
    def from_line(cls, line: str) -> Job:
        """Read a job.

        Raises:
            ConfigError: not JSON, or a key is missing or unknown.
        """
        try:
            values = json.loads(line)
            doc_ids = values.get("doc_ids")
            config = Config.from_settings(values.get("config") or {})
            return cls(str(values["workspace"]), config, values.get("name"), None if doc_ids is None else tuple(doc_ids))
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError('A job is one line of JSON with "workspace", "name", "config" and "doc_ids".') from error


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
        job = Job.from_line(stdin.readline())
        threading.Thread(target=_stop_at_end, args=(stdin, stop), daemon=True).start()
        return say("done", report=_run(job, stop, say))
    except Cancelled as error:
        return say("cancelled", message=str(error))
    except ChunkscopeError as error:
        return say("failed", error=str(error), kind=type(error).__name__)


def _stop_at_end(stdin: TextIO, stop: threading.Event) -> None:
    """Wait for the end of standard input: who started this process has closed it, or is gone."""
    for _ in stdin:
        pass
    stop.set()


def _run(job: Job, stop: threading.Event, say: Any) -> Mapping[str, Any]:
    from chunking.indexing import Progress, make_plan, run_plan
    from chunking.store import Workspace

    def on_progress(progress: Progress) -> None:
        say("progress", done=progress.done, total=progress.total, message=progress.message)

    workspace = Workspace.open(job.workspace, create=False)
    with workspace.writer():
        plan = make_plan(workspace, job.config, name=job.name, doc_ids=job.doc_ids)
        needs = None if plan.needs is None else asdict(plan.needs)
        say("plan", **{key: getattr(plan, key) for key in _PLAN_KEYS}, needs=needs)
        return run_plan(workspace, plan, on_progress=on_progress, cancelled=stop.is_set).as_record()


if __name__ == "__main__":
    sys.exit(main())
