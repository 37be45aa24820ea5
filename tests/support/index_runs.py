"""An index run of another process, which reports what a test tells it to."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["run_in_another_process"]

ROOT = Path(__file__).parents[2]
_RUN = """
import json, sys
from chunking.indexing.run.run_records import IndexPhase, IndexProgress
from chunking.indexing.run.shared_progress import share_progress, started_in
from chunking.store import Workspace
from chunking.store.index_run_file import RunOrigin

workspace = Workspace.open(sys.argv[1], create=False)
with workspace.writer(), started_in(RunOrigin.TERMINAL), share_progress(workspace, sys.argv[2], sys.argv[3]) as run:
    run.describe(workers=int(sys.argv[4]))
    print("held", flush=True)
    for line in sys.stdin:
        run.describe(**json.loads(line))
        print("written", flush=True)
"""


@contextmanager
def run_in_another_process(
    workspace: Path, name: str = "main", engine: str = "embedded", workers: int = 0
) -> Iterator[tuple[subprocess.Popen[str], Callable[..., None]]]:
    """Yield the process, whose run ends well after the `with` block, and a function that reports its status."""
    command = [sys.executable, "-c", _RUN, str(workspace), name, engine, str(workers)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout
        assert stdout.readline() == "held\n"

        def report(**facts: Any) -> None:
            stdin.write(json.dumps(facts) + "\n")
            stdin.flush()
            assert stdout.readline() == "written\n"

        try:
            yield process, report
        finally:
            process.communicate()
