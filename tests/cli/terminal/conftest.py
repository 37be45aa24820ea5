"""The command in this process, as if its output were a terminal."""

from __future__ import annotations

import sys

import pytest

from chunking.cli import main
from tests.cli.terminal.pseudo_terminal import TerminalRun, Watch


@pytest.fixture
def watch(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Runs the command in this process with stdout and stderr that say they are a terminal of a width."""

    def run(*words: object, columns: int = 80, colour: bool = False) -> TerminalRun:
        capsys.readouterr()
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("NO_COLOR", "" if colour else "1")
        with monkeypatch.context() as patch:
            for stream in (sys.stdout, sys.stderr):
                patch.setattr(stream, "isatty", lambda: True, raising=False)
            code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return TerminalRun(code, err + out)

    return run
