"""A worker process that a test talks to: the job on its input, events on its output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class Worker:
    """A worker process with its job given, and its input still open."""

    def __init__(self, line: str, *words: str, module: str = "tests.support.index_worker") -> None:
        command = [sys.executable, "-m", module, *words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, text=True, encoding="utf-8")
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def events(self) -> Iterator[dict[str, Any]]:
        """What it tells, as it tells it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)

    def until(self, message: str) -> None:
        """Wait for a progress message that begins like this."""
        assert any(event.get("message", "").startswith(message) for event in self.events()), f"{message} never came"

    def end(self) -> tuple[dict[str, Any], int]:
        """The last event and the exit code."""
        *_, last = self.events()
        return last, self.close()

    def close(self) -> int:
        """Wait for the end; nothing may have come on stderr."""
        with self.process:
            assert self.process.stderr is not None
            faults = self.process.stderr.read()
        assert faults == ""
        return self.process.returncode
