"""App server for a measurement: start, observe from outside, stop."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from components.server.jobs.worker_process import tree_of
from tests.browser.app import ROOT, free_port, wait_for

__all__ = ["Sample", "Server", "processor_seconds"]

MB = 1_000_000
_TICKS = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12
"""Fields of /proc/PID/stat after the name: CPU ticks in user and system mode."""


@dataclass(frozen=True, slots=True)
class Sample:
    """State of a server at one moment."""

    memory: float
    """Resident MB of the server itself."""
    descriptors: int
    threads: int
    processes: int
    """Number of running child processes."""


def processor_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, over all threads."""
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS


class Server:
    """`streamlit run serve.py` on an own port.

    Args:
        home: folder of the deployment.
        mode: `demo` or `team`; in a team people are told by a header, as behind a proxy.
        options: more of Streamlit's.
        environment: more variables.
    """

    def __init__(
        self,
        home: Path,
        mode: str,
        options: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.home, self.mode, self.port = home, mode, free_port()
        self._options = {"server.port": str(self.port), **(options or {})}
        self._environment = {
            "CHUNKSCOPE_MODE": mode,
            "CHUNKSCOPE_HOME": str(home),
            "CHUNKSCOPE_WORKSPACE": "",
            **(environment or {}),
        }
        if mode == "team":
            self._environment["CHUNKSCOPE_SIGN_IN"] = "proxy"
            self._options["server.trustedUserHeaders"] = '{"X-Test-User": "sub", "X-Test-Name": "name"}'
        self._process: subprocess.Popen[bytes] | None = None
        self.log = home.with_name(f"{home.name}.log")

    @property
    def address(self) -> str:
        """Base address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the running server."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = [word for name, value in self._options.items() for word in (f"--{name}", value)]
        command = [sys.executable, "-m", "streamlit", "run", "serve.py", *options]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **self._environment}, stdout=log, stderr=log
            )
        wait_for(f"{self.address}/_stcore/health")

    def stop(self) -> None:
        """Stop the server as an operator does."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def kill(self) -> None:
        """Kill the server as a power cut does: no cleanup, and child processes keep running."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def workers(self) -> list[int]:
        """Return the child processes."""
        return tree_of(self.pid)[1:]

    def sample(self) -> Sample:
        """Return the server's current state."""
        folder = Path(f"/proc/{self.pid}")
        others = self.workers()
        pages = int((folder / "statm").read_text().split()[1])
        return Sample(
            pages * os.sysconf("SC_PAGE_SIZE") / MB,
            len(list((folder / "fd").iterdir())),
            len(list((folder / "task").iterdir())),
            len(others),
        )
