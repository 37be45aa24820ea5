"""The protocol's own programs from npm: taken from npm's cache, and from the network only where an environment variable
allows it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["NETWORK", "NpmPrograms", "npm_programs"]

NETWORK = "CHUNKSCOPE_TEST_NPM"
"""Environment variable that lets `npx` fetch the packages; docs/guides/agents.md names it."""
_PACKAGES = (
    "node@22.23.3",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
)
"""Both programs need Node 22; 0.2 is the first conformance suite that knows the revision of 2026."""


@dataclass(frozen=True)
class NpmPrograms:
    """The programs of the packages.

    Args:
        folder: where npm has put them.
        home: a home directory of their own, for what they remember.
    """

    folder: Path
    home: Path

    def run(
        self, name: str, *words: object, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run one of them until it ends, whatever its exit code."""
        command = [str(self.folder / "node"), str(self.folder / name), *map(str, words)]
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.home), "NO_COLOR": "1"} | dict(environment or {})
        return subprocess.run(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


def npm_programs(home: Path) -> NpmPrograms:
    """The programs, or a skip that says what is missing; where the network is allowed, a failure."""
    npx, may_fetch = shutil.which("npx"), bool(os.environ.get(NETWORK))
    if npx is None:
        pytest.skip("npx is not installed")
    words = [npx, "--yes", *([] if may_fetch else ["--offline"]), *(f"--package={name}" for name in _PACKAGES)]
    process = subprocess.run(
        [*words, "--", "sh", "-c", "command -v conformance"], capture_output=True, text=True, check=False
    )
    if process.returncode:
        assert not may_fetch, process.stderr
        pytest.skip(f"npm's cache does not hold {', '.join(_PACKAGES)}; {NETWORK}=1 fetches them")
    return NpmPrograms(Path(process.stdout.strip()).parent, home)
