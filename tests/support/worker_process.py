"""Worker controlled by a test, in a process or in this one, by its input and its events."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from typing import Any

from chunking.worker import main

ROOT = Path(__file__).parents[2]


class Worker:
    """Worker process that has its job, with its input still open."""

    def __init__(self, line: str, *words: str, module: str = "tests.support.index_worker") -> None:
        command = [sys.executable, "-m", module, *words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, text=True, encoding="utf-8"
        )
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the worker's events as they arrive."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)

    def until(self, message: str) -> None:
        """Wait for a progress message with this beginning."""
        assert any(event.get("message", "").startswith(message) for event in self.events()), f"{message} never came"

    def end(self) -> tuple[dict[str, Any], int]:
        """Return the last event and the exit code."""
        *_, last = self.events()
        return last, self.close()

    def close(self) -> int:
        """Wait for the end, and assert that stderr is empty."""
        with self.process:
            assert self.process.stderr is not None
            faults = self.process.stderr.read()
        assert faults == ""
        return self.process.returncode


class _Unended(StringIO):
    """Input that stays open after its line, until `ended` is set."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.ended = threading.Event()

    def __next__(self) -> str:
        self.ended.wait()
        raise StopIteration


def run_here(line: str) -> tuple[list[dict[str, Any]], int]:
    """The events and the exit code of a job in this process, which saves the imports of another one."""
    stdin, output = _Unended(line), StringIO()
    with ThreadPoolExecutor(1) as pool:  # off the main thread it leaves signals alone
        code = pool.submit(main, stdin, output).result()
    stdin.ended.set()
    return [json.loads(event) for event in output.getvalue().splitlines()], code


def finish_here(line: str) -> tuple[dict[str, Any], int]:
    """Run a job in this process and return its last event and the exit code."""
    events, code = run_here(line)
    return events[-1], code
